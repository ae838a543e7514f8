package preload

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/host/environ"
	"whyhot/internal/profile"
)

// Name is what --sampler calls it.
const Name = "preload"

const (
	defaultFrequency = 199
	// maxFrequency is gperftools' own limit. The kernel keeps up with its tick
	// rate (CONFIG_HZ, mostly 250) only.
	maxFrequency  = 4000
	tickFrequency = 250
)

// Sampler is the preload sampler.
type Sampler struct{}

var _ collect.Sampler = (*Sampler)(nil)

// Name implements collect.Sampler.
func (*Sampler) Name() string { return Name }

// Needs implements collect.Sampler.
func (*Sampler) Needs() []string {
	return []string{
		"gperftools' libprofiler.so.0 (Debian package libgoogle-perftools4)",
		"a dynamically linked 64-bit program that it starts itself",
	}
}

// CannotSee implements collect.Sampler.
func (*Sampler) CannotSee() []string {
	return []string{
		"the kernel, and interpreted or JIT functions by name: native code only",
		"processes that end by a signal or _exit, and children made by fork without exec: they write no samples",
		"statically linked, set-user-ID and Go programs",
		"with -d: programs that the command starts",
	}
}

// Available implements collect.Sampler.
func (*Sampler) Available(_ context.Context, t collect.Target) error {
	machine, err := usable(t)
	if err != nil {
		return err
	}
	_, err = findLibrary(machine)
	return err
}

func usable(t collect.Target) (machine elf.Machine, err error) {
	if len(t.Command) == 0 {
		return 0, &collect.UnavailableError{
			Sampler: Name, Missing: "it can only record a command that it starts, not --pid or -a",
			Remedy: "whyhot record --sampler preload -- COMMAND…",
		}
	}
	return checkProgram(t.Command[0])
}

// Record implements collect.Sampler.
func (*Sampler) Record(ctx context.Context, r collect.Request, sink collect.Sink) (collect.Outcome, error) {
	var out collect.Outcome
	machine, err := usable(r.Target)
	if err != nil {
		return out, err
	}
	library, err := findLibrary(machine)
	if err != nil {
		return out, err
	}
	frequency := r.Settings.Frequency
	if frequency == 0 {
		frequency = defaultFrequency
	}
	if frequency > maxFrequency {
		return out, fmt.Errorf("%s: %d samples per second exceed gperftools' limit of %d", Name, frequency, maxFrequency)
	}
	out.Notes = notes(&r, frequency)
	dir := filepath.Join(r.TempDir, "profiles")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return out, fmt.Errorf("making a directory for the profiles: %w", err)
	}
	started := time.Now()
	timed := r.Settings.Duration > 0
	proc, err := command.Start(command.Options{
		Args: r.Target.Command, Dir: r.Dir, Streams: r.Streams, Env: environment(environ.Set(os.Environ(), r.Env...), library, dir, frequency, timed),
	})
	if err != nil {
		return out, err
	}
	run(ctx, &r, proc, dir, &out)
	m, err := mergeFiles(dir, proc.PID())
	if err != nil {
		return out, err
	}
	p, err := m.finish(started, timed, &out)
	if err != nil {
		return out, err
	}
	return out, sink(p)
}

func notes(r *collect.Request, frequency int) []string {
	out := []string{fmt.Sprintf("CPU timer at %d Hz in each process, native code only; gperftools prints one line per process on its stderr", frequency)}
	if frequency > tickFrequency {
		out = append(out, fmt.Sprintf("most kernels cannot sample above %d Hz: shares are still right, times are not", tickFrequency))
	}
	if r.Settings.Duration > 0 {
		out = append(out, "a timed recording sees the command's own process only, not the programs that it starts")
	}
	if r.Settings.CallGraph != "" && r.Settings.CallGraph != collect.CallGraphAuto {
		out = append(out, "--call-graph has no effect: stacks are unwound in the process by libunwind")
	}
	return out
}

// run waits for the command to end, and ends it when the user or the clock says
// so.
func run(ctx context.Context, r *collect.Request, proc *command.Process, dir string, out *collect.Outcome) {
	defer proc.Forward()()
	stopSwitch := func() {}
	var timeUp <-chan time.Time
	if d := r.Settings.Duration; d > 0 {
		stopSwitch = startSwitch(proc, dir)
		timer := time.NewTimer(d)
		defer timer.Stop()
		timeUp = timer.C
	}
	grace := time.Duration(0)
	select {
	case <-proc.Done():
	case <-ctx.Done():
		grace = interruptGrace
	case <-timeUp:
	}
	stopSwitch()
	exit, asked := proc.Stop(grace)
	out.Exit, out.EndedByUs = &exit, asked
}

// interruptGrace is how long a command may take to end after Ctrl-C before it
// is asked with SIGTERM.
const interruptGrace = 5 * time.Second

// finish closes the merged profile and says what did not get into it.
func (m *merged) finish(started time.Time, timed bool, out *collect.Outcome) (*profile.Profile, error) {
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	p := m.builder.Build(profile.Meta{
		Source: "gperftools", ValueType: cpu, PeriodType: cpu, Period: m.period,
		Start: started, Duration: time.Since(started),
	})
	used := out.Exit.CPU
	switch {
	case p.Count() == 0 && !timed && m.silent > 0 && used > noticeable:
		return nil, fmt.Errorf("no samples: the command used %s of CPU time, but ended by a signal or _exit before gperftools could write what it saw (%s); record it with -d SECONDS, which stops the recording first, or with --sampler perf",
			used.Round(time.Millisecond), out.Exit)
	case p.Count() == 0:
		return nil, collect.ErrNoSamples
	case !timed:
		p.Meta.Coverage = profile.Coverage{
			Samples: p.Count(), Seen: time.Duration(p.Total()), Used: used,
			Why: "processes that fork without exec, end by a signal or _exit, or cannot be preloaded into have no samples",
		}
	}
	return p, nil
}

// noticeable is the CPU time from which missing samples cannot be chance.
const noticeable = 200 * time.Millisecond
