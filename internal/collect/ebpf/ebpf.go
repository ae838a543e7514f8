package ebpf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/profile"
)

// Name is what --sampler calls it.
const Name = "ebpf"

// Default frequencies, the same as perf's.
const (
	targetFrequency = 199
	systemFrequency = 49
)

// Sampler is the eBPF sampler.
type Sampler struct{}

var _ collect.Sampler = (*Sampler)(nil)

// Name implements collect.Sampler.
func (*Sampler) Name() string { return Name }

// Needs implements collect.Sampler.
func (*Sampler) Needs() []string {
	return []string{
		"Linux 5.10 or later on x86-64 or arm64",
		"root, or the capabilities " + capabilityList(),
		"optionally tracefs: where it is not mounted, it is mounted for the recording only",
	}
}

// CannotSee implements collect.Sampler.
func (*Sampler) CannotSee() []string {
	return []string{
		"callers beyond JIT code that keeps no frame pointers, and 32-bit programs",
		"with -a: the program's own frames in the first few milliseconds of a process that starts during the recording, or that had slept and wakes up",
		"with -a: time that is not spent on a CPU",
	}
}

// Record implements collect.Sampler.
func (s *Sampler) Record(ctx context.Context, r collect.Request, sink collect.Sink) (collect.Outcome, error) {
	var out collect.Outcome
	rec := &recording{request: &r, sink: sink, rate: rateOf(&r, runtime.NumCPU())}
	rec.pace = paceOf(&r, rec.rate.first)
	if err := checkBuffer(rec.rate.first, runtime.NumCPU()); err != nil {
		return out, err
	}
	p, err := rec.run(ctx, &out)
	if err != nil || p == nil {
		return out, err
	}
	return out, sink(p)
}

// recording is one recording under way.
type recording struct {
	request  *collect.Request
	sink     collect.Sink
	rate     rate
	pace     pace
	proc     *command.Process // nil where no command is started
	tasks    *tasks
	files    *files
	profiler *profiler
	convert  *converter
	expected *expected // nil: everything that runs
	start    time.Time // of the recording, or of the batch under way
	told     uint64    // lost traces that an earlier batch told of
}

// run makes the recording.
func (rec *recording) run(ctx context.Context, out *collect.Outcome) (*profile.Profile, error) {
	r := rec.request
	pids := r.Target.PIDs
	if len(r.Target.Command) > 0 {
		proc, err := command.Start(command.Options{Args: r.Target.Command, Dir: r.Dir, Env: r.Environ(), Streams: r.Streams, HoldDir: r.TempDir})
		if err != nil {
			return nil, err
		}
		defer proc.Forward()()
		rec.proc, pids = proc, []int{proc.PID()}
	}
	r.Report(collect.Progress{Phase: collect.PhaseStarting})
	if r.Settings.Batch == 0 {
		defer goFirst()()
	}
	err := rec.attach(ctx, pids)
	if err == nil && ctx.Err() != nil {
		err = errors.New("interrupted before the recording began")
	}
	if err == nil {
		defer calm()() // the agent gives up the privilege for it when it is told that it records
		// The terminal is the command's from here on.
		r.Report(collect.Progress{Phase: collect.PhaseRecording, Notes: rec.profiler.notes})
	}
	if err == nil && rec.proc != nil {
		err = rec.proc.ReleaseWith(func() { rec.profiler.learn(ctx, []uint32{uint32(rec.proc.PID())}, startLimit) })
	}
	if err != nil {
		rec.abandon()
		return nil, err
	}
	defer rec.close()
	out.From = rec.convert.from
	out.Notes = slices.Clone(rec.profiler.notes)
	if g := r.Settings.CallGraph; g != "" && g != collect.CallGraphAuto {
		out.Notes = append(out.Notes, "--call-graph has no effect: it is a setting of perf")
	}
	ended, err := rec.collect(ctx)
	out.Notes = append([]string{rec.rate.text(rec.start) + ", stacks unwound in the kernel"}, out.Notes...)
	r.Report(collect.Progress{Phase: collect.PhaseReading})
	rec.drain(ctx)
	if rec.proc != nil {
		rec.finish(ctx, out)
	}
	if err != nil {
		return nil, err
	}
	return rec.build(ended, out)
}

// attach makes everything ready and lets the clock run.
func (rec *recording) attach(ctx context.Context, pids []int) error {
	var err error
	if rec.tasks, err = followTasks(pids, rec.request.Target.System); err != nil {
		return err
	}
	rec.tasks.ask = rec.request.Settings.Services && rec.request.Target.System
	rec.files = newFiles(rec.request)
	rec.convert = newConverter(rec.tasks, rec.files, &rec.rate)
	rec.convert.times = sampleTimes{exact: rec.request.Exact, kept: rec.request.Settings.Times != 0, precision: max(0, rec.request.Settings.Times)}
	made := newTables(rec.request.CacheDir)
	defer made.end()
	if rec.request.Settings.Batch == 0 { // it takes memory, and a recording without end can wait
		if rec.request.Target.System {
			rec.expected = expectedIn(rec.rate.first, rec.request.Settings.Duration)
		}
		made.begin(ctx, rec.known())
	}
	if rec.profiler, err = attach(ctx, rec.rate.first, rec.pace, rec.convert, rec.files, made, rec.seesWaits()); err != nil {
		return err
	}
	if !rec.request.Target.System {
		rec.profiler.ignore(rec.tasks.others())
	}
	if err := rec.profiler.start(); err != nil {
		return fmt.Errorf("%s: %w", Name, err)
	}
	rec.warm(ctx)
	rec.watchStatements(pids)
	rec.watchGoroutines(pids)
	rec.watchBranches()
	rec.tasks.begin(ctx, pids)
	if rec.proc != nil {
		delete(rec.tasks.changed, uint32(rec.proc.PID())) // see warm
	}
	rec.profiler.resync(rec.tasks)
	rec.convert.from = time.Now()
	err = rec.profiler.enable() // may wait for the last program to be loaded
	rec.convert.off = rec.profiler.off
	rec.start = time.Now()
	return err
}

// startLimit is for how long a command is kept from starting until it is known.
const startLimit = time.Second

// warm lets the profiler learn the memory maps of what already runs, and the
// unwind tables of what a command will load: samples in code that it does not
// know yet are lost.
func (rec *recording) warm(ctx context.Context) {
	pids := rec.known()
	if rec.proc != nil {
		// It is a shell yet, and is learned when it has become the command. A sample of the
		// shell is not to have it learned before.
		pids = slices.DeleteFunc(pids, func(pid uint32) bool { return pid == uint32(rec.proc.PID()) })
		rec.profiler.ignore([]uint32{uint32(rec.proc.PID())})
		if unmap, mapped := mapProgram(rec.request.Target.Command[0]); mapped {
			defer unmap()
			pids = append(pids, uint32(os.Getpid()))
		}
	}
	if left := rec.profiler.learn(ctx, pids, learnLimit); left > 0 && ctx.Err() == nil {
		rec.profiler.notes = append(rec.profiler.notes, fmt.Sprintf(
			"after %s, %d of %d processes were not known yet when the recording began: their first stacks are cut or missing", learnLimit, left, len(pids)))
	}
}

// known are the processes that are to be known when the clock begins to run.
func (rec *recording) known() []uint32 {
	pids := rec.tasks.running()
	if rec.expected != nil {
		pids = rec.expected.only(pids)
	}
	return pids
}

// abandon undoes a start that failed: the command has not run.
func (rec *recording) abandon() {
	if rec.proc != nil {
		rec.proc.Kill()
	}
	rec.close()
}

func (rec *recording) close() {
	if rec.convert != nil {
		rec.convert.statements.Close()
		rec.convert.goroutines.Close()
	}
	if rec.profiler != nil {
		rec.profiler.close()
	}
	if rec.tasks != nil {
		rec.tasks.close()
	}
	if rec.files != nil {
		rec.files.close()
	}
}

// collect handles traces until the command or the profiler has ended, the time is
// up or the user has had enough, and tells when that was. It fails when the sink
// does.
func (rec *recording) collect(ctx context.Context) (time.Time, error) {
	var commandDone <-chan struct{}
	if rec.proc != nil {
		commandDone = rec.proc.Done()
	}
	var timeUp <-chan time.Time
	if d := rec.request.Settings.Duration; d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		timeUp = timer.C
	}
	look := time.NewTicker(rec.pace.look)
	defer look.Stop()
	progress := time.NewTicker(rec.pace.progress)
	defer progress.Stop()
	var batch <-chan time.Time
	if d := rec.request.Settings.Batch; d > 0 {
		ticker := time.NewTicker(d)
		defer ticker.Stop()
		batch = ticker.C
	}
	for {
		select {
		case t := <-rec.profiler.traces:
			rec.profiler.handle(t)
		case <-look.C:
			rec.tasks.read(ctx)
			rec.profiler.resync(rec.tasks)
			rec.slowDown()
			rec.profiler.off.look(time.Now())
			rec.convert.branches.Look()
		case <-progress.C:
			rec.request.Report(collect.Progress{Phase: collect.PhaseRecording, Elapsed: time.Since(rec.start)})
		case <-batch:
			if err := rec.deliver(); err != nil {
				return time.Now(), err
			}
		case <-ctx.Done():
			return time.Now(), nil
		case <-timeUp:
			return time.Now(), nil
		case <-commandDone:
			return time.Now(), nil
		case <-rec.profiler.tracer.Done():
			rec.convert.warn("the profiler stopped before the end of the recording" + rec.profiler.log.suffix())
			return time.Now(), nil
		}
	}
}

// drain stops the clock and takes what is still in the kernel's buffer.
func (rec *recording) drain(ctx context.Context) {
	rec.profiler.lost = rec.lostNow()
	rec.profiler.off.stop()
	rec.profiler.tracer.Close()
	rec.tasks.read(ctx)
	for begin := time.Now(); rec.profiler.pending() && time.Since(begin) < drainLimit; {
		rec.profiler.handleFor(rec.pace.poll)
	}
	rec.profiler.handleFor(drainIntervals * rec.pace.poll)
	rec.profiler.off.drain()
}

// lostNow is how many traces were lost that no batch has told of.
func (rec *recording) lostNow() uint64 {
	all := rec.profiler.shared.lost()
	return all - min(all, rec.told)
}

// deliver gives the sink what was seen since the last batch. Nothing seen is no
// batch.
func (rec *recording) deliver() error {
	now := time.Now()
	rec.tasks.forget()
	if rec.convert.samples == 0 {
		rec.start = now
		return nil
	}
	lost := rec.lostNow()
	p := rec.convert.profile(profile.Meta{Source: Name, Start: rec.start, Duration: now.Sub(rec.start), Elapsed: rec.convert.times.elapsed(), Lost: lost})
	rec.told += lost
	rec.start = now
	rec.convert.restart()
	rec.files.nextRound()
	return rec.sink(p)
}

const (
	// drainLimit is how long the buffer may take to be read after the end.
	drainLimit = 10 * time.Second
	// drainIntervals is how many times it is read once more, where nobody can tell that it
	// is empty, and what was read last may not have been handed over.
	drainIntervals = 3
)

// interruptGrace is how long a command may take to end after Ctrl-C before it
// is asked with SIGTERM.
const interruptGrace = 5 * time.Second

func (rec *recording) finish(ctx context.Context, out *collect.Outcome) {
	grace := time.Duration(0)
	if ctx.Err() != nil {
		grace = interruptGrace
	}
	exit, asked := rec.proc.Stop(grace)
	out.Exit, out.EndedByUs = &exit, asked
}

// build closes the profile and says what did not get into it.
func (rec *recording) build(ended time.Time, out *collect.Outcome) (*profile.Profile, error) {
	if dir := rec.request.BinariesDir(); dir != "" {
		if err := rec.files.preserve(dir); err != nil {
			rec.convert.warn(err.Error())
		}
	}
	if err := rec.profiler.noSubs; err != nil && rec.convert.perl {
		rec.convert.warn(fmt.Sprintf("%s: %v", perlText, err))
	}
	for _, text := range slices.Concat(rec.profiler.rubies.warnings(rec.convert.hit), rec.profiler.log.warnings(rec.convert.isUnread)) {
		rec.convert.warn(text)
	}
	p := rec.convert.profile(profile.Meta{
		Source: "ebpf", Start: rec.start, Duration: ended.Sub(rec.start), Elapsed: rec.convert.times.elapsed(), Lost: rec.profiler.lost,
	})
	p = rec.withStatements(p)
	rec.withBranches(p)
	if p.Count() == 0 && rec.request.Settings.Batch > 0 {
		return nil, nil //nolint:nilnil // earlier batches have told everything
	}
	if p.Count() == 0 {
		return nil, collect.ErrNoSamples
	}
	if out.Exit != nil && !out.EndedByUs {
		p.Meta.Coverage = profile.Coverage{
			Samples: p.Count(), Seen: time.Duration(p.Total()), Used: out.Exit.CPU - rec.convert.disturbed, Why: rec.missing(),
		}
	}
	return p, nil
}

// perlText says what is missing of Perl where the profiler's own program unwinds it, which
// finds names through globs alone.
const perlText = "in Perl, only methods and exported subroutines have names; the time of others is attributed to their caller, with their own file and line"

// missing is why there may be fewer samples than CPU time.
func (rec *recording) missing() string {
	switch {
	case rec.profiler.lost > 0:
		return fmt.Sprintf("%d samples found the kernel's buffer full", rec.profiler.lost)
	case rec.profiler.lineage == nil && rec.profiler.entry == nil:
		return "the first milliseconds of each new process are not seen; for many short processes record with --sampler perf"
	}
	return "the kernel's timer fires late on a busy or a virtual machine; shares hold if that met all code alike"
}
