package ebpf

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/features"
	"github.com/cilium/ebpf/ringbuf"
	"go.opentelemetry.io/ebpf-profiler/interpreter/interpreterconfig"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	otellog "go.opentelemetry.io/ebpf-profiler/log"
	"go.opentelemetry.io/ebpf-profiler/metrics"
	"go.opentelemetry.io/ebpf-profiler/times"
	"go.opentelemetry.io/ebpf-profiler/tracer"
	"go.opentelemetry.io/otel/metric/noop"

	"whyhot/internal/collect"
	"whyhot/internal/collect/ebpf/known"
)

// profiler is the attached OpenTelemetry profiler.
type profiler struct {
	tracer *tracer.Tracer
	traces chan *libpf.EbpfTrace
	cancel context.CancelFunc
	log    *logTail
	notes  []string
	start  func() error // lets the profiler look at processes
	// loading is of the program that is loaded aside, and notLoaded what came of it.
	loading   sync.WaitGroup
	notLoaded error
	// noSubs is why subroutines of Perl without a glob have no frames, nil where they have.
	noSubs  error
	shared  sharedMaps
	rubies  *rubies
	jvms    *jvms
	lineage *known.Lineage         // nil where children are not known before they run
	entry   *known.Entry           // nil where processes are not known by their first sample
	trigger chan bool              // see wake
	about   func(*libpf.EbpfTrace) // is told of each trace first
	pace    pace
	off     *offCPU // nil where they are not recorded
	lost    uint64  // traces for which the kernel's buffer had no room
}

// frameCache is the number of frames whose names the profiler remembers.
const frameCache = 64 << 10

// attach loads the profiler. Its clock does not run yet, and it looks at no
// process. Unwind tables come from made. waits are recorded where they can be.
func attach(ctx context.Context, frequency int, pace pace, c *converter, f *files, made *ahead, waits bool) (*profiler, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &profiler{traces: make(chan *libpf.EbpfTrace), cancel: cancel, log: &logTail{}, about: c.about, pace: pace}
	otellog.SetLogger(*slog.New(p.log))
	metrics.Start(noop.Meter{})
	times.StartRealtimeSync(ctx, 0)
	languages := interpreterconfig.AllInterpreters()
	// Go's frames are named by internal/symbol like all machine code: with their
	// inlined calls.
	languages.Go.Symbolization.Disabled = true
	// Otherwise a stack that is in a method written in C has none of the Ruby methods
	// that called it, up to the next block.
	languages.Ruby.SkipNativeResume = true
	clocks := &intervals{pace: pace}
	config := &tracer.Config{
		TraceReporter:          c,
		ExecutableReporter:     f,
		Intervals:              clocks,
		InterpretersConfig:     languages,
		FilterIdleFrames:       true,
		SamplesPerSecond:       frequency,
		FrameCacheSize:         frameCache,
		KernelVersionCheck:     true,
		ProbabilisticInterval:  time.Minute,
		ProbabilisticThreshold: tracer.ProbabilisticThresholdMax,
		IncludeEnvVars:         libpf.Set[string]{},

		PIDNamespaceTranslation: !inInitialPIDNamespace(),
	}
	err := passMemlock()
	if err == nil {
		err = onThreadOfItsOwn(func() error { return p.load(ctx, config, c.tasks, waits) })
	}
	if err != nil {
		p.close()
		return nil, p.unavailable(err)
	}
	if p.jvms, err = newJVMs(p.tracer); err != nil {
		p.notes = append(p.notes, "stacks of Java that has just started may be truncated: "+err.Error())
	}
	if err := useGenerated(p.tracer, p.jvms); err != nil {
		p.notes = append(p.notes, "stacks end at code that a JIT compiler made, but for runtimes that the profiler reads: "+err.Error())
	}
	if err = useTables(p.tracer, made); err != nil {
		p.notes = append(p.notes, "unwind tables are not kept for the next recording: "+err.Error())
	}
	if err == nil && pace.large > 0 {
		if err = useLargeTables(p.tracer, made, pace.large); err != nil {
			p.notes = append(p.notes, "unwind tables of very large binaries take memory: "+err.Error())
		}
	}
	clocks.made.Store(true)
	c.seesMappings = features.HaveProgramHelper(ebpf.PerfEvent, asm.FnFindVma) == nil
	p.shared = findMaps()
	p.trigger = triggerOf(p.tracer)
	p.rubies = newRubies(p.shared.rubies, f.ruby.Load)
	p.start = func() error {
		p.tracer.StartPIDEventProcessor(ctx)
		if err := p.tracer.StartMapMonitors(ctx, p.traces); err != nil {
			return err //nolint:wrapcheck // our caller wraps it
		}
		p.gather(ctx)
		return nil
	}
	return p, nil
}

func (p *profiler) unavailable(err error) error {
	return &collect.UnavailableError{
		Sampler: Name, Missing: fmt.Sprintf("the profiler cannot be loaded: %v%s", err, p.log.suffix()),
		Remedy: "record with --sampler perf",
	}
}

// load runs on a thread that ends afterwards.
func (p *profiler) load(ctx context.Context, config *tracer.Config, t *tasks, waits bool) error {
	traced := mountTracefs()
	left, err := withoutSlowest(func() (err error) {
		p.tracer, err = tracer.NewTracer(ctx, config)
		return err
	})
	if err != nil {
		return err
	}
	p.loading.Go(func() {
		all, err := itsPrograms()
		if err != nil {
			if p.noSubs = err; left {
				p.notLoaded = err
			}
			return
		}
		if left {
			p.notLoaded = loadSlowest(p.tracer, all, p.pace.pythonFrames)
		}
		p.noSubs = loadNamedSubs(p.tracer, all)
	})
	if traced == nil {
		traced = p.tracer.AttachSchedMonitor()
	}
	if traced != nil {
		p.notes = append(p.notes, fmt.Sprintf(
			"process exits are not seen, so a reused process ID may mix two programs: %v (sudo mount -t tracefs nodev /sys/kernel/tracing)", traced))
	}
	if waits {
		// Where it cannot be done nothing is missing that anybody has asked for.
		p.off, _ = p.newOffCPU()
	}
	if t.members != nil {
		p.follow(t)
	} else if err := p.fromFirstSample(); err != nil {
		p.notes = append(p.notes, "the first milliseconds of each new process are not seen: "+err.Error())
	}
	return nil
}

// onThreadOfItsOwn runs f on a thread that is thrown away afterwards, with the
// mounts that f makes for itself.
func onThreadOfItsOwn(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		done <- f()
	}()
	return <-done
}

// enable lets the clock run.
func (p *profiler) enable() error {
	if p.loading.Wait(); p.notLoaded != nil {
		return p.unavailable(p.notLoaded)
	}
	err := p.tracer.AttachTracer(nil)
	if err == nil {
		err = p.tracer.EnableProfiling()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", Name, err)
	}
	if p.off != nil {
		if err := p.off.start(); err != nil {
			p.off.close() // as above
			p.off = nil
		}
	}
	return nil
}

// handle gives one trace to the converter; nil is a mark between two reads.
func (p *profiler) handle(t *libpf.EbpfTrace) {
	if t != nil {
		p.about(t)
		p.tracer.HandleTrace(t)
	}
}

// handleFor handles the traces that arrive within the time.
func (p *profiler) handleFor(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case t := <-p.traces:
			p.handle(t)
		case <-timer.C:
			return
		}
	}
}

// pending tells whether there are traces in the kernel's buffer.
func (p *profiler) pending() bool {
	maps, err := mapsOf(p.tracer)
	if err != nil || maps["trace_events"] == nil {
		return false
	}
	buffer, err := ringbuf.NewReader(maps["trace_events"])
	if err != nil {
		return false
	}
	defer func() { _ = buffer.Close() }() // nothing was read from it
	return buffer.AvailableBytes() > 0
}

// close detaches the profiler. Its reader may be about to hand over a trace, and
// ends only after that.
func (p *profiler) close() {
	p.loading.Wait() // it needs the tracer's maps
	p.off.close()
	if p.tracer != nil {
		p.tracer.Close()
	}
	p.cancel()
	if p.tracer != nil {
		p.handleNothingFor(2 * p.pace.poll)
	}
	p.lineage.Close()
	p.entry.Close()
	p.shared.close()
}

func (p *profiler) handleNothingFor(d time.Duration) {
	go func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		for {
			select {
			case <-p.traces:
			case <-timer.C:
				return
			}
		}
	}()
}
