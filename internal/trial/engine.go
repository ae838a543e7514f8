package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"whyhot/internal/trial/digest"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stat"
	"whyhot/internal/trial/variant"
)

const baselineName = "baseline"

// BaselineError says that the command fails as it is, so that there is nothing
// to compare with.
type BaselineError struct {
	Result *run.Result
}

func (e *BaselineError) Error() string {
	text := "the baseline fails: " + e.Result.End.String()
	if e.Result.StderrTail != "" {
		text += "; its last words:\n" + e.Result.StderrTail
	}
	return text
}

// arm is one of the things compared while the trial runs.
type arm struct {
	variant *variant.Variant // nil for the baseline
	first   *run.Result
	results []*run.Result // of the measured rounds
	laid    []int         // the layout of each result
	layout  int           // of the run that comes
	deck    []int         // layouts still to come before any comes again
	shift   int           // of the stack, in the run that comes

	out        Verdict // set when it left the race: Failed or NoEffect
	why        string
	wrote      map[string]*written // by the name of the output
	exitDiffer int                 // an exit code other than the baseline's
}

func (a *arm) name() string {
	if a.variant == nil {
		return baselineName
	}
	return a.variant.Name
}

// trial is the state of one experiment.
type trial struct {
	plan     Plan
	runner   run.Runner
	clock    Clock
	progress func(Progress)

	reference map[string]*digest.Digest // of outputs that were seen to vary
	start     time.Time
	rules     stat.Rules
	arms      []*arm // the baseline first
	rounds    int
	perRound  time.Duration
	slowest   time.Duration // run of the last round
	cutting   bool          // the run under way is limited by the budget, not by how long runs take
	notes     []string
	reported  time.Time
	standing  struct { // what progress says of variants
		next   int // round of the next look
		bounds map[*arm]stat.Interval
	}
	remarked map[string]bool
	apart    string // why runs do not take turns of a slice, "" where they do
	differed bool   // because one wrote something else
	varies   bool   // outputs differ from run to run, whatever runs beside
}

// Run carries out a plan. progress may be nil. When ctx ends in the middle, the
// outcome holds what was measured until then and Stopped says so. An outcome
// may come with an error: what was measured before the trial broke off.
func Run(ctx context.Context, plan Plan, runner run.Runner, clock Clock, progress func(Progress)) (*Outcome, error) {
	if err := plan.check(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	t := &trial{
		plan: plan, runner: plan.instrument(runner), clock: clock, progress: progress,
		start: clock.Now(), rules: plan.rules(),
		reference: map[string]*digest.Digest{},
		remarked:  map[string]bool{},
	}
	t.arms = append(t.arms, &arm{wrote: map[string]*written{}})
	for i := range plan.Variants {
		t.arms = append(t.arms, &arm{variant: &t.plan.Variants[i], wrote: map[string]*written{}})
	}
	t.judgeBuilding()
	t.foreseeRounds()
	if err := t.warmUp(ctx); err != nil {
		return nil, err
	}
	if err := t.resume(); err != nil {
		return nil, err
	}
	stopped, err := t.measure(ctx)
	if t.apart != "" {
		t.notef("the runs went one after the other, not in turns of some milliseconds, which would even out the machine: %s", t.apart)
	}
	return t.outcome(stopped), err
}

func (t *trial) base() *arm { return t.arms[0] }

func (t *trial) elapsed() time.Duration { return t.clock.Now().Sub(t.start) }

// running are the arms still in the race.
func (t *trial) running() []*arm {
	return slices.DeleteFunc(slices.Clone(t.arms), func(a *arm) bool { return a.out != "" })
}

func (t *trial) spec(a *arm) run.Spec {
	s := run.Spec{
		Args: t.plan.Command, Env: t.plan.Env, Dir: t.plan.Dir, Stdin: t.plan.Stdin,
		Outputs: t.plan.Outputs, Pin: t.plan.Pin, Timeout: t.limitOfRun(), Filter: t.plan.filter(),
		// The peak of small programs is known to a watched run only, and where
		// memory decides, the time that watching costs does not matter.
		Watch:   t.plan.Metric == Memory,
		Digests: a.wrote[run.Stdout] == nil || a.wrote[run.Stdout].runs < mostDigests,
		Load:    t.plan.Load,
	}
	if a.variant != nil {
		s.Env = a.variant.Environ(t.plan.Env)
		s.Library = a.variant.Preload
		if a.variant.Command != nil {
			s.Args = a.variant.Command
		}
		if a.variant.Dir != "" {
			s.Dir = a.variant.Dir
		}
	}
	a.place(&s)
	t.lay(a, &s)
	return s
}

// timeout of one run. A run that takes ten times as long as the first one is
// taken for hanging; short commands get a minute.
func (t *trial) timeout() time.Duration {
	times, least := 10.0, time.Minute
	if t.plan.Timeout > 0 || t.base().first == nil {
		return t.plan.Timeout
	}
	if t.plan.Counter != nil {
		times *= t.plan.Counter.Slowdown()
		least *= 10
	}
	return max(least, time.Duration(times*float64(t.base().first.Wall)))
}

// limitOfRun is the earlier of two: when a run counts as hanging, and when the budget
// is over.
func (t *trial) limitOfRun() time.Duration {
	limit := t.timeout()
	left, ok := t.cut()
	if t.cutting = ok && (limit == 0 || left < limit); t.cutting {
		return left
	}
	return limit
}

// wasCut says that a run was ended because the budget was over.
func (t *trial) wasCut(res *run.Result) bool { return t.cutting && res.End.Limit > 0 }

// errLimit ends a round for which no time is left.
var errLimit = errors.New("the time is over")

// UnendingError says that the command was still running when the budget was over.
type UnendingError struct{ After, Budget time.Duration }

func (e *UnendingError) Error() string {
	return fmt.Sprintf("the baseline was still running after %s, when the budget of %s was over: whyhot measures whole runs; give it longer with --budget, or for a server, which does not end, name what loads it: whyhot try --load 'wrk -d5 http://127.0.0.1:8080/' ... -- SERVER (docs/guide/try.md, servers)", spoken(e.After), spoken(e.Budget))
}

// warmUp runs every arm unmeasured: it fills caches, watches what the tree loads
// and needs, and takes the reference outputs.
func (t *trial) warmUp(ctx context.Context) error {
	for _, a := range t.arms {
		for k := range max(1, t.plan.WarmUps) {
			if a.out != "" {
				break
			}
			t.report(Progress{Phase: PhaseWarmUp, Running: a.name()})
			spec := t.spec(a)
			spec.Watch = spec.Watch || k == 0
			res, err := t.runner.Run(ctx, spec)
			if start, ok := errors.AsType[*run.StartError](err); ok && a.variant != nil {
				a.out, a.why = Failed, start.Error()
				break
			}
			if err != nil {
				return err
			}
			if t.wasCut(res) {
				if a.variant == nil {
					return &UnendingError{res.Wall, t.plan.Budget}
				}
				a.out, a.why = Unclear, fmt.Sprintf("still running after %s, when the budget of %s was over; the baseline's first run took %s", spoken(res.Wall), spoken(t.plan.Budget), spoken(t.base().first.Wall))
				break
			}
			t.slowest = max(t.slowest, res.Wall)
			if k == 0 {
				a.first = res
				t.judgeLoading(a)
			}
			if err := t.accept(a, res); err != nil {
				return err
			}
			if err := t.usable(a, k); err != nil {
				return err
			}
			t.perRound += res.Wall
		}
	}
	t.perRound /= time.Duration(max(1, t.plan.WarmUps))
	if t.plan.Counter != nil {
		t.perRound = time.Duration(float64(t.perRound) * t.plan.Counter.Slowdown())
		t.notef("%s", t.plan.Counter.Note())
	}
	if len(t.running()) < 2 {
		return nil
	}
	t.announce()
	return nil
}

// accept checks one run of an arm: a baseline that fails ends the trial, a
// variant that fails leaves it, and outputs are compared with the first ones.
func (t *trial) accept(a *arm, res *run.Result) error {
	if t.broken(res) {
		if a.variant == nil {
			return &BaselineError{res}
		}
		a.out, a.why = Failed, res.End.String()
		if line := lastLine(res.StderrTail); line != "" {
			a.why += ": " + line
		}
		return nil
	}
	want := t.base().first
	status := func(r *run.Result) run.Output {
		return run.Output{Name: exitStatus, SHA256: strconv.Itoa(r.End.Status()), Written: true, FirstDifference: -1}
	}
	if res.End.Status() != want.End.Status() {
		a.exitDiffer = res.End.Status()
	}
	t.record(a, status(want), status(res))
	t.record(a, want.Stdout, res.Stdout)
	for i, o := range res.Outputs {
		t.record(a, want.Outputs[i], o)
	}
	return nil
}

// usable checks the baseline's first run for what the plan relies on.
func (t *trial) usable(a *arm, run int) error {
	if a.variant != nil || run > 0 {
		return nil
	}
	if _, ok := t.plan.Metric.value(a.first); !ok && t.plan.Counter == nil {
		if err := t.plan.unmeasured(a.first); err != nil {
			return err
		}
	}
	return missingOutput(a.first)
}

// missingOutput finds a file that was named to be compared and that the command
// as it is does not write: a mistyped name would otherwise always be equal.
func missingOutput(r *run.Result) error {
	for _, o := range r.Outputs {
		if !o.Written {
			return fmt.Errorf("output file %s: the command does not write it", o.Name)
		}
	}
	return nil
}

const exitStatus = "exit status"

func (t *trial) broken(res *run.Result) bool {
	return res.End.Limit > 0 || res.End.Failed() && !t.plan.IgnoreFailure
}

func (t *trial) notef(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

// IsBaselineFailure says whether an error is the baseline's own failure and
// gives the exit code of the command.
func IsBaselineFailure(err error) (code int, ok bool) {
	if e, ok := errors.AsType[*BaselineError](err); ok {
		return e.Result.End.Status(), true
	}
	return 0, false
}
