package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"whyhot/internal/check/revision"
	"whyhot/internal/host/environ"
	"whyhot/internal/host/userdir"
	"whyhot/internal/profile"
	"whyhot/internal/trial"
	"whyhot/internal/trial/metric"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/run"
)

// machine is what a check runs on; tests bring their own.
type machine struct {
	runner func() (r run.Runner, release func(), err error)
	clock  trial.Clock
	record recorder
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
		clock:  trial.SystemClock{},
		record: record,
	}
}

// Run makes a check. An error says that it could not be made: a revision that is not
// there, a side that does not build, a command that fails.
func Run(ctx context.Context, r Request, l Listener) (Result, error) {
	return runOn(ctx, thisMachine(), r, l)
}

func runOn(ctx context.Context, m machine, r Request, l Listener) (Result, error) {
	if l == nil {
		l = silence{}
	}
	if err := r.check(); err != nil {
		return Result{}, err
	}
	if r.Metric == "" {
		r.Metric = trial.CPU
	}
	c := &checking{machine: m, request: r, listener: l, began: m.clock.Now()}
	defer c.close()
	err := c.run(ctx)
	c.finish()
	return c.result, err
}

// checking is one check under way.
type checking struct {
	machine

	request  Request
	listener Listener
	began    time.Time

	work     string // directory for everything
	repo     *revision.Repo
	rel      string // of the request's directory in the repository
	base     string // commit
	head     string // tree
	diff     *revision.Diff
	when     time.Time // of all files, and of the builds
	stage    *sides
	runner   *run.Metered // of builds and of single runs
	trials   *run.Metered // of the command that is measured: outputs are compared with its first
	counter  *metric.Counter
	commands []task
	rules    rules
	sides    int           // made until now
	building time.Duration // of layouts, which comes on top of the budget
	recorded int64         // CPU of recordings, nanoseconds
	cleanup  []func()

	before, after *profile.Profile // of the command that is slower
	recordings    [2]map[int64]int // of their processes, by side

	result Result
}

// The sides that are always there.
const (
	baseSide = iota
	headSide
	againSide // a copy of the base
)

func (c *checking) close() {
	for _, f := range slices.Backward(c.cleanup) {
		f()
	}
}

func (c *checking) notef(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.result.Notes, text) {
		c.result.Notes = append(c.result.Notes, text)
	}
}

func (c *checking) run(ctx context.Context) error {
	r := &c.request
	c.result = Result{
		Version: ResultVersion, Base: r.Base, Limit: r.Limit, Repeat: r.Repeat, Proof: r.Proof,
		Time: time.Now().UTC().Truncate(time.Second),
	}
	if err := c.open(ctx); err != nil {
		return err
	}
	if len(c.diff.Files) == 0 && !r.Always {
		c.identical("no file differs from %s", r.Base)
		return nil
	}
	if r.static() {
		return c.static(ctx)
	}
	done, err := c.dependencies(ctx)
	if err != nil || done {
		return err
	}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	same, err := c.same(ctx)
	if err != nil || same && !r.Always {
		return err
	}
	if err := c.measure(ctx); err != nil {
		return err
	}
	return c.explain(ctx)
}

// open finds both revisions and what differs.
func (c *checking) open(ctx context.Context) (err error) {
	r := &c.request
	here, err := filepath.Abs(r.Directory)
	if err != nil {
		return fmt.Errorf("the current directory: %w", err)
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return fmt.Errorf("the current directory: %w", err)
	}
	if c.work, err = os.MkdirTemp(r.Work, "whyhot-check-"); err != nil {
		return fmt.Errorf("a directory for the builds: %w", err)
	}
	c.cleanup = append(c.cleanup, func() { _ = tree.Remove(c.work) })
	if c.work, err = filepath.EvalSymlinks(c.work); err != nil {
		return fmt.Errorf("a directory for the builds: %w", err)
	}
	var caches []string
	if dir, err := userdir.Cache(os.Getenv); err == nil {
		caches = append(caches, dir)
	}
	if c.repo, err = revision.Open(ctx, here, c.work, caches...); err != nil {
		return err
	}
	if c.rel, err = filepath.Rel(c.repo.Root, here); err != nil || !filepath.IsLocal(c.rel) {
		return fmt.Errorf("%s is not in the working tree %s", here, c.repo.Root)
	}
	head := r.Head
	if head == "" {
		head = "HEAD"
	}
	if c.base, err = c.repo.Commit(ctx, r.Base); err != nil {
		return err
	}
	if !r.Exact {
		fork, found, err := c.repo.Fork(ctx, r.Base, head)
		switch {
		case err != nil:
			return err
		case !found:
			c.notef("the history that is here has no commit from which %s and the change both come: compared with %s itself, so that what only it has counts as gone (fetch more of the history)", r.Base, r.Base)
		case fork != c.base:
			c.notef("compared with %.12s, where the change left %s", fork, r.Base)
		}
		c.base = fork
	}
	c.result.BaseCommit = c.base
	c.head = r.Head
	if r.Head == "" {
		if c.head, err = c.repo.WorkingTree(ctx); err != nil {
			return err
		}
	} else if c.head, err = c.repo.Commit(ctx, r.Head); err != nil {
		return err
	}
	if c.when, err = c.repo.Time(ctx, c.base); err != nil {
		return err
	}
	if c.diff, err = c.repo.Diff(ctx, c.base, c.head); err != nil {
		return err
	}
	c.result.Changed = c.diff.Paths()
	return nil
}

// identical ends a check without a run.
func (c *checking) identical(format string, args ...any) {
	none := 0.0
	c.result.Verdict, c.result.Says, c.result.Bound = Identical, fmt.Sprintf(format, args...), &none
}

// prepare makes both sides.
func (c *checking) prepare(ctx context.Context) (err error) {
	r := &c.request
	if c.commands, err = r.commands(c.repo.Root, c.rel); err != nil {
		return err
	}
	if r.Metric == trial.Instructions {
		if c.counter, err = metric.NewCounter(c.work); err != nil {
			return fmt.Errorf("--metric instructions: %w", err)
		}
	}
	c.rules = newRules(len(c.commands), r.Limit)
	c.result.Level, c.result.Metric = c.rules.level(), string(r.Metric)
	if c.stage, err = newSides(c.work, filepath.Base(c.repo.Root)); err != nil {
		return err
	}
	inner, release, err := c.machine.runner()
	if err != nil {
		return fmt.Errorf("preparing to run: %w", err)
	}
	c.cleanup = append(c.cleanup, release)
	c.runner = &run.Metered{Runner: c.stage.wrap(inner)}
	for side, t := range []struct{ tree, name string }{{c.base, "the base"}, {c.head, "the change"}} {
		c.listener.Step("building " + t.name)
		if err := c.repo.Export(ctx, t.tree, c.stage.side(side), c.when); err != nil {
			return err
		}
		c.sides++
		if err := c.share(side, r.Share); err != nil {
			return err
		}
		if err := c.build(ctx, side, t.name, nil); err != nil {
			return err
		}
		if err := c.shareInputs(side); err != nil {
			return err
		}
	}
	if r.Test != "" {
		c.listener.Step("testing the change")
		return c.shell(ctx, headSide, "test", "the change fails its tests", r.Test, nil)
	}
	return nil
}

// build builds a side with more in its environment.
func (c *checking) build(ctx context.Context, side int, name string, more []string) error {
	if c.request.Build == "" {
		return nil
	}
	return c.shell(ctx, side, "build", name+" does not build", c.request.Build, more)
}

// shell lets the shell carry out a line of the user's in a side. failed says what it means
// that it fails.
func (c *checking) shell(ctx context.Context, side int, step, failed, line string, more []string) error {
	log := filepath.Join(c.work, fmt.Sprintf("%s-%03d.log", step, side))
	env := environ.Set(environ.Set(c.env(), more...), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", c.when.Unix()))
	res, err := c.runner.Run(ctx, run.Spec{
		Args: []string{"/bin/sh", "-c", `exec >"$1" 2>&1; eval "$2"`, "sh", log, c.moved(line)},
		Env:  env, Dir: c.stage.at(side, c.rel),
	})
	if err != nil {
		return err
	}
	if !res.End.Failed() {
		return nil
	}
	return &StepError{Says: failed + ": " + res.End.String(), Tail: tail(log)}
}

// StepError says that a command of the user's failed.
type StepError struct{ Says, Tail string }

func (e *StepError) Error() string {
	if e.Tail == "" {
		return e.Says
	}
	return e.Says + "; the end of its output:\n" + e.Tail
}

// tail is the end of a log, as much as a person reads.
func tail(path string) string {
	const lines = 15
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// env is the environment of everything that runs in the place.
func (c *checking) env() []string {
	var out []string
	for _, kv := range c.request.Env {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "OLDPWD" {
			continue
		}
		out = append(out, name+"="+c.moved(value))
	}
	return environ.Set(out, "PWD="+filepath.Join(c.stage.Place(), c.rel))
}

// moved names files of the repository by their paths in the place.
func (c *checking) moved(text string) string {
	return tree.Rebase(text, []tree.Move{{From: c.repo.Root, To: c.stage.Place()}})
}

// onTop says why a check took longer than its budget, "" where it did not.
func onTop(elapsed time.Duration, r *Request) string {
	const clearly = 1.1
	if r.static() || float64(elapsed) < clearly*float64(r.Budget) {
		return ""
	}
	on := "recordings"
	if r.Build != "" {
		on = "builds and recordings"
	}
	return fmt.Sprintf("--budget %s bounds the runs; %s come on top: %s in all", r.Budget, on, elapsed.Round(time.Second))
}

// finish adds what is known at the end, however it came.
func (c *checking) finish() {
	elapsed := c.machine.clock.Now().Sub(c.began)
	c.result.Elapsed = elapsed.Seconds()
	if text := onTop(elapsed, &c.request); text != "" {
		c.notef("%s", text)
	}
	if c.runner != nil {
		c.result.CPUSeconds = (c.runner.CPU + time.Duration(c.recorded)).Seconds()
	}
	c.result.Machine.CPUs = runtime.NumCPU()
	c.result.Machine.Model, c.result.Machine.Kernel = noise.Machine()
}
