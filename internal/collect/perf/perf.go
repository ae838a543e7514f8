package perf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/proctree"
	"whyhot/internal/ingest/perfdata"
	"whyhot/internal/profile"
)

// Name is what --sampler calls it.
const Name = "perf"

// Sampler is the perf sampler.
type Sampler struct{}

var _ collect.Sampler = (*Sampler)(nil)

// Name implements collect.Sampler.
func (*Sampler) Name() string { return Name }

// Needs implements collect.Sampler.
func (*Sampler) Needs() []string {
	return []string{
		"the perf tool, version 5.10 or later",
		"for your own programs: kernel.perf_event_paranoid at 2 or less (1 or less to see the kernel too), or CAP_PERFMON",
		"for another user's processes and for -a: CAP_PERFMON, root, or kernel.perf_event_paranoid at 0 or less (-a)",
	}
}

// CannotSee implements collect.Sampler.
func (*Sampler) CannotSee() []string {
	return []string{
		"the names of interpreted functions (Python, Ruby, PHP, Perl): it sees the interpreter's own code",
		"the names of JIT code, unless the runtime writes /tmp/perf-PID.map (node --perf-basic-prof, java with perf-map-agent)",
		"callers beyond the part of the stack that is copied (--call-graph dwarf,BYTES)",
		"time that is not spent on a CPU",
	}
}

// Available implements collect.Sampler.
func (*Sampler) Available(ctx context.Context, t collect.Target) error {
	if _, err := findTool(ctx); err != nil {
		return err
	}
	if _, err := chooseEvent(openFor(t)); err != nil {
		return explain(err, t)
	}
	return nil
}

// Record implements collect.Sampler.
func (s *Sampler) Record(ctx context.Context, r collect.Request, sink collect.Sink) (collect.Outcome, error) {
	var out collect.Outcome
	t, err := findTool(ctx)
	if err != nil {
		return out, err
	}
	p, err := s.plan(&r, openFor(r.Target))
	if err != nil {
		return out, err
	}
	out.Notes = p.notes()
	file := filepath.Join(r.TempDir, "perf.data")
	span, err := run(ctx, &r, t, &p, file, &out)
	if err != nil {
		return out, err
	}
	defer span.seen.kept.close()
	r.Report(collect.Progress{Phase: collect.PhaseReading, Bytes: size(file)})
	unkept := span.seen.kept.link(r.BinariesDir())
	prof, err := read(context.WithoutCancel(ctx), file, perfdata.Options{
		Containers: span.seen.containers, DebugDirs: []string{r.BinariesDir()},
	})
	if err != nil {
		return out, err
	}
	if err := errors.Join(unkept, span.seen.kept.settle(r.BinariesDir(), prof)); err != nil {
		prof.Meta.Warnings = append(prof.Meta.Warnings, fmt.Sprintf("programs in containers may lack names: their files could not be kept: %v", err))
	}
	prof.Meta.Start, prof.Meta.Duration = span.start, span.end.Sub(span.start)
	prof.Meta.Comments = nil // perf's own command line, with a path that is gone
	if p.maxSize > 0 && size(file) >= p.maxSize {
		prof.Meta.Warnings = append(prof.Meta.Warnings,
			fmt.Sprintf("recording stopped early: half of the free space in %s was used up", filepath.Dir(r.TempDir)))
	}
	if out.Exit != nil && !out.EndedByUs && !p.event.userOnly && prof.Meta.ValueType.Unit == "nanoseconds" {
		prof.Meta.Coverage = profile.Coverage{
			Samples: prof.Count(), Seen: time.Duration(prof.Total()), Used: out.Exit.CPU, Why: missing(p.frequency, prof.Meta.Lost),
		}
	}
	return out, sink(prof)
}

// missing is why there may be fewer samples than CPU time: the kernel starts a task's
// sampling timer anew with the task, so that those shorter than a period are hardly ever
// met.
func missing(frequency int, lost uint64) string {
	if lost > 0 {
		return fmt.Sprintf("perf lost %d events", lost)
	}
	return fmt.Sprintf("threads and processes that live less than %s are rarely sampled; record with -F %d to see them",
		(time.Second / time.Duration(frequency)).Round(time.Millisecond), min(10*frequency, mostFrequent))
}

// mostFrequent is what the kernel can be asked for without it throttling.
const mostFrequent = 10000

// span is the time in which samples were taken, and what was seen of the processes
// meanwhile.
type span struct {
	start, end time.Time
	seen       *watch
}

// run records into the file and tells when.
func run(ctx context.Context, r *collect.Request, t *tool, p *plan, file string, out *collect.Outcome) (span, error) {
	// perf follows what the processes start from now on; what they started before
	// belongs to them as well.
	pids := proctree.Descendants(r.Target.PIDs)
	var proc *command.Process
	if len(r.Target.Command) > 0 {
		var err error
		proc, err = command.Start(command.Options{Args: r.Target.Command, Dir: r.Dir, Env: r.Environ(), Streams: r.Streams, HoldDir: r.TempDir})
		if err != nil {
			return span{}, err
		}
		defer proc.Forward()()
		pids = []int{proc.PID()}
	}
	rec, err := startRecorder(t, p.arguments(t, r.Target, pids, file))
	if err == nil {
		defer rec.close()
		err = rec.enable(ctx)
		if err != nil && ctx.Err() != nil {
			rec.stop()
		}
	}
	taken := span{start: time.Now(), seen: watchProcesses(r.Target, pids, p.namesCgroups(t) && cgroupsTell())}
	if err == nil && proc != nil {
		err = proc.Release()
	}
	if err != nil {
		if proc != nil {
			proc.Kill()
		}
		taken.seen.kept.close()
		return span{}, err
	}
	wait(ctx, r, rec, proc, taken.seen, file)
	taken.end = time.Now()
	taken.seen.look(wholeLook)
	rec.stop()
	if proc != nil {
		finish(ctx, proc, out)
	}
	return taken, rec.err()
}

// interruptGrace is how long a command may take to end after Ctrl-C before it
// is asked with SIGTERM.
const interruptGrace = 5 * time.Second

func finish(ctx context.Context, proc *command.Process, out *collect.Outcome) {
	grace := time.Duration(0)
	if ctx.Err() != nil {
		grace = interruptGrace
	}
	exit, asked := proc.Stop(grace)
	out.Exit, out.EndedByUs = &exit, asked
}

// wait blocks until the command or perf has ended, the time is up or the user
// has had enough.
func wait(ctx context.Context, r *collect.Request, rec *recorder, proc *command.Process, seen *watch, file string) {
	var commandDone <-chan struct{}
	if proc != nil {
		commandDone = proc.Done()
	}
	perfDone := rec.done
	var timeUp <-chan time.Time
	if r.Settings.Duration > 0 {
		timer := time.NewTimer(r.Settings.Duration)
		defer timer.Stop()
		timeUp = timer.C
	}
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	start := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timeUp:
			return
		case <-commandDone:
			return
		case <-perfDone:
			if proc == nil {
				return
			}
			perfDone = nil // it filled the disk's share; the command goes on
		case <-tick.C:
			seen.tick()
			r.Report(collect.Progress{Phase: collect.PhaseRecording, Elapsed: time.Since(start), Bytes: size(file)})
		}
	}
}

const progressInterval = 200 * time.Millisecond

func (p *plan) notes() []string {
	graph := "stacks by frame pointers"
	if p.callGraph == collect.CallGraphDWARF {
		graph = fmt.Sprintf("stacks from copies of %d kB", p.stack>>10)
	}
	if p.why != "" {
		graph += " (" + p.why + ")"
	}
	notes := []string{fmt.Sprintf("%s at %d Hz, %s", p.event.name, p.frequency, graph)}
	if p.event.userOnly {
		notes = append(notes, "the kernel's own time is not seen: kernel.perf_event_paranoid is above 1 (sudo sysctl kernel.perf_event_paranoid=1)")
	}
	return notes
}

func read(ctx context.Context, file string, opts perfdata.Options) (*profile.Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the recording: %w", err)
	}
	p, err := perfdata.Read(ctx, f, opts)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if p.Count() == 0 {
		return nil, collect.ErrNoSamples
	}
	return p, nil
}

func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}
