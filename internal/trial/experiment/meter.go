package experiment

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"

	"whyhot/internal/trial"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/run"
)

// machine is what trials run on; tests bring their own.
type machine struct {
	runner func() (r run.Runner, release func(), err error)
	clock  trial.Clock
}

func thisMachine() machine {
	return machine{
		runner: func() (run.Runner, func(), error) {
			local, err := run.New()
			if err != nil {
				return nil, nil, err
			}
			return local, local.Close, nil
		},
		clock: trial.SystemClock{},
	}
}

// meter watches the machine while something is measured, and tells what others
// used of it from what the runs and this process did.
type meter struct {
	machine

	watch *noise.Watch
	own   time.Duration // of this process at the start
	runs  []*run.Metered
}

func (m machine) start() *meter {
	return &meter{machine: m, watch: noise.Start(), own: ownCPU()}
}

// runner makes a runner whose CPU time counts.
func (m *meter) runner() (run.Runner, func(), error) {
	r, release, err := m.machine.runner()
	if err != nil {
		return nil, nil, err
	}
	metered := &run.Metered{Runner: r}
	m.runs = append(m.runs, metered)
	return metered, release, nil
}

// ours is the CPU time of the runs, and of this process since the start.
func (m *meter) ours() time.Duration {
	sum := ownCPU() - m.own
	for _, r := range m.runs {
		sum += r.CPU
	}
	return sum
}

func (m *meter) busy() float64 { return m.watch.Busy(m.ours()) }

// notes say what disturbed; nothing disturbs a count.
func (m *meter) notes(metric trial.Metric) []string {
	if metric == trial.Instructions {
		return nil
	}
	advice := ""
	if metric == trial.Wall {
		advice = "--metric cpu is less disturbed by that than wall time"
	}
	return m.watch.Notes(m.ours(), advice)
}

// ownCPU is the CPU time of this process without its children.
func ownCPU() time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// describe says where the trial ran.
func describe(m *trial.Machine, pinned []int) {
	m.CPUs, m.Pinned = runtime.NumCPU(), pinned
	m.Model, m.Kernel = noise.Machine()
}

// measure runs a plan and puts into its outcome where it ran and what disturbed.
// The runner is shared by the trials of one request, since outputs are compared
// with those of its first run.
func (e *experiment) measure(ctx context.Context, plan trial.Plan) (o *trial.Outcome, disturbed []string, err error) {
	m := e.machine.start()
	if e.runner == nil {
		var release func()
		if e.runner, release, err = e.machine.runner(); err != nil {
			return nil, nil, fmt.Errorf("preparing to run: %w", err)
		}
		e.onClose(release)
	}
	used := &run.Metered{Runner: e.runner}
	m.runs = append(m.runs, used)
	plan.Busy, plan.Slices = m.busy, meetNowhere(&plan)
	if until := e.deadline; !until.IsZero() {
		left := max(time.Second, until.Sub(e.machine.clock.Now()))
		plan.MinRounds = 0
		if plan.Budget == 0 || left < plan.Budget {
			plan.Budget = left
		}
	}
	o, err = trial.Run(ctx, plan, used, e.machine.clock, e.listener.Measuring)
	if o == nil {
		return nil, nil, err
	}
	describe(&o.Machine, plan.Pin)
	return o, m.notes(o.Metric), err
}

// meetNowhere says whether baseline and variants each run in a directory of their own, so that
// their runs may take turns of a slice of time: what they write there does not meet.
func meetNowhere(p *trial.Plan) bool {
	known := map[string]bool{"": true, p.Dir: true} // "" is that of the baseline
	for i := range p.Variants {
		v := &p.Variants[i]
		dir := v.Dir
		if v.Built != nil {
			if v.Built.Failed != "" || v.Built.Same != "" {
				continue // it does not run
			}
			dir = v.Built.Dir
		}
		if known[dir] {
			return false
		}
		known[dir] = true
	}
	return true
}

// addNew appends those notes that are not there yet.
func addNew(notes, more []string) []string {
	for _, n := range more {
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	return notes
}
