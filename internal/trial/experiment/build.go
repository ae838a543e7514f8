package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/rebuild/sample"
	"whyhot/internal/trial/testlog"
	"whyhot/internal/trial/variant"
)

// build makes the programs of the plan, moves the plan to them and tests them.
func (e *experiment) build(ctx context.Context) error {
	r := e.request
	o, env := r.Build, e.plan.Env
	if e.worlds != nil {
		env = e.worlds.Environ(env)
		if o.Compiler == "" {
			o.Compiler = e.worlds.Compiler
		}
	}
	o.Env = env
	var err error
	if e.workshop, err = e.prepare(ctx, o, &r.Terms); err != nil {
		return err
	}
	e.nameFixes()
	if e.worlds != nil {
		if err := e.worlds.Check(e.plan.Variants); err != nil {
			return err
		}
	}
	return nil
}

// Plain builds the program of a command as it is. A cache keeps it, so that trials
// that follow find it built.
func Plain(ctx context.Context, t Terms, command []string, stdin string, l Listener) (rebuild.Plain, error) {
	if l == nil {
		l = silence{}
	}
	e := &experiment{machine: thisMachine(), listener: l}
	defer e.close()
	if err := t.check(&e.plan); err != nil {
		return rebuild.Plain{}, err
	}
	e.plan.Command, e.plan.Stdin = command, stdin
	o := t.Build
	o.Env = t.Env
	w, err := e.prepare(ctx, o, &t)
	if err != nil {
		return rebuild.Plain{}, explain(err, command)
	}
	return w.Plain(ctx), nil
}

// prepare builds the variants of the plan and moves the plan to their places.
func (e *experiment) prepare(ctx context.Context, o rebuild.Options, t *Terms) (*rebuild.Workshop, error) {
	p := &e.plan
	var err error
	if o.Dir, err = filepath.Abs(t.Directory); err != nil {
		return nil, fmt.Errorf("the current directory: %w", err)
	}
	// A runner of its own: outputs of builds are not compared with those of runs.
	runner, release, err := e.machine.runner()
	if err != nil {
		return nil, fmt.Errorf("preparing to build: %w", err)
	}
	e.onClose(release)
	if o.Root == "" {
		o.Root = "."
	}
	o.Root, o.Run, o.Stdin = t.path(o.Root), p.Command, p.Stdin
	o.Runner, o.Sample, o.Feedback, o.Progress = runner, sample.Leaves, sample.Feedback, e.listener.Building
	var builds []*variant.Build
	for _, v := range p.Variants {
		if v.Build != nil {
			builds = append(builds, v.Build)
		}
	}
	w, err := rebuild.Prepare(ctx, o, builds)
	if errors.Is(err, context.Canceled) {
		return nil, &InterruptedError{"interrupted while building: the copies are removed, nothing was measured"}
	}
	if err != nil {
		return nil, err
	}
	e.onClose(func() { closeWorkshop(w, o.Keep, e.listener) })
	remarkFailures(w, 0, e.listener)
	base := w.Baseline()
	p.Command, p.Dir = w.Command(base), base.Dir
	p.Env = variant.Variant{Env: base.Env}.Environ(p.Env)
	for i := range p.Variants {
		v := &p.Variants[i]
		if v.Build == nil {
			continue
		}
		v.Built = w.Built(v.Build)
		if words := w.Command(v.Built); !slices.Equal(words, p.Command) {
			v.Command = words
		}
	}
	return w, nil
}

// nameFixes has the recipes of builds speak of the fixes, whose patches go with
// the trial.
func (e *experiment) nameFixes() {
	for i := range e.plan.Variants {
		built := e.plan.Variants[i].Built
		if built == nil {
			continue
		}
		for k, step := range built.Steps {
			for _, fix := range e.fixes {
				if strings.HasSuffix(step, fix[0]) {
					built.Steps[k] = "whyhot fix " + shellwords.Quote(fix[1]) + " --apply"
				}
			}
		}
	}
}

// remarkFailures tells which builds failed, after so many that are known.
func remarkFailures(w *rebuild.Workshop, known int, l Listener) {
	for _, failure := range w.Failures[known:] {
		l.Remark(failure.Error())
	}
}

// closeWorkshop removes the copies, or says where they are.
func closeWorkshop(w *rebuild.Workshop, keep bool, l Listener) {
	begin := time.Now()
	if err := w.Close(); err != nil {
		l.Remark(fmt.Sprintf("%v (after %s)", err, time.Since(begin).Round(time.Second)))
	}
	if keep {
		l.Remark(fmt.Sprintf("the copies are in %s (00 is the baseline)", w.Dir))
	}
}

// test runs the user's tests on every patched build, or on every variant. One that
// fails them is not measured, unless the baseline fails the same ones.
func (e *experiment) test(ctx context.Context, t *Terms) error {
	check := t.Check
	if check == "" {
		return nil
	}
	tested := 0
	var base *testRun
	for i := range e.plan.Variants {
		v := &e.plan.Variants[i]
		if v.Built != nil && (v.Built.Failed != "" || v.Built.Same != "") || !t.CheckAll && (v.Built == nil || len(v.Build.Patches) == 0) {
			continue
		}
		tested++
		e.listener.Remark(v.Name + ": " + check)
		dir := e.plan.Dir
		switch {
		case v.Built != nil:
			dir = v.Built.Dir
		case v.Dir != "":
			dir = v.Dir
		}
		result, err := e.check(ctx, t, dir, v.Environ(e.plan.Env))
		if err != nil {
			return err
		}
		if result.err == nil {
			continue
		}
		if base == nil {
			e.listener.Remark("baseline: " + check)
			if base, err = e.check(ctx, t, e.plan.Dir, e.plan.Env); err != nil {
				return err
			}
		}
		if base.err != nil && len(result.failed) > 0 && !slices.ContainsFunc(result.failed, func(t string) bool { return !slices.Contains(base.failed, t) }) {
			e.listener.Remark(fmt.Sprintf("%s: it fails the tests that the baseline fails, too: %s", v.Name, strings.Join(result.failed, ", ")))
			continue
		}
		if v.Built == nil {
			v.Built = &variant.Built{Dir: dir}
		}
		v.Built.Failed = result.explain(check, base)
	}
	if tested == 0 && !t.CheckAll {
		return errors.New("--check tests builds with --fix or --patch: none of them was built")
	}
	return nil
}

// testRun is what one run of the tests came to.
type testRun struct {
	err    error // nil where they passed
	failed []string
	log    string // "" where it could not be kept
	end    string
}

// check runs the tests in a place. What they wrote is kept where they fail.
func (e *experiment) check(ctx context.Context, t *Terms, dir string, env []string) (*testRun, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if !t.Deadline.IsZero() {
		limited, cancel = context.WithDeadline(ctx, t.Deadline)
	}
	defer cancel()
	c := exec.CommandContext(limited, "/bin/sh", "-c", t.Check)
	c.Dir, c.Env, c.WaitDelay = dir, env, time.Second
	// The shell's children end with it.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if limited.Err() != nil {
		return &testRun{err: limited.Err(), end: "it was ended with the time that there was"}, nil
	}
	if err == nil {
		return &testRun{}, nil
	}
	r := &testRun{err: err, failed: testlog.Failed(string(out)), end: lastLines(string(out))}
	if f, err := os.CreateTemp(t.Build.Work, "whyhot-check-*.log"); err == nil {
		if _, err := f.Write(out); errors.Join(err, f.Close()) == nil {
			r.log = f.Name()
		}
	}
	return r, nil
}

// explain says which tests failed.
func (r *testRun) explain(check string, base *testRun) string {
	const most = 5
	var text string
	switch n := len(r.failed); {
	case n == 0:
		text = fmt.Sprintf("it fails the tests (%s: %v): %s", check, r.err, r.end)
	case n > most:
		text = fmt.Sprintf("it fails %d tests of %s: %s and others", n, check, strings.Join(r.failed[:most], ", "))
	default:
		text = fmt.Sprintf("it fails the tests (%s): %s", check, strings.Join(r.failed, ", "))
	}
	if base.err != nil {
		text += "; the baseline fails, too"
		if len(base.failed) > 0 {
			text += ": " + strings.Join(base.failed[:min(most, len(base.failed))], ", ")
		}
	}
	if r.log != "" {
		text += " (the whole output is in " + r.log + ")"
	}
	return text
}

// lastLines is the end of what a failed command wrote.
func lastLines(text string) string {
	const most = 5
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
