package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/host/allocator"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
	"whyhot/internal/trial/whatif"
)

// Result is what a trial of one command comes to.
type Result struct {
	Outcome *trial.Outcome
	// Record is the trial with its inputs, for the archive. Who keeps it adds what was
	// typed.
	Record *archive.Record
	// Finding is the one that the trial proves or refutes, "" for none, and Trials
	// are what it says of it.
	Profile, Finding string
	Trials           []finding.Trial
}

// experiment is a trial on its way.
type experiment struct {
	machine  machine
	listener Listener
	request  *Request
	plan     trial.Plan
	runner   run.Runner // of all its trials

	deadline time.Time      // of the terms
	fixes    [][2]string    // file of the patch, and what it fixes
	worlds   *whatif.Worlds // nil without what-if
	workshop *rebuild.Workshop
	closing  []func()
}

// Run carries out a trial of one command. The result may come with an error: what
// was measured before the trial broke off. When ctx ends after something was
// measured, the outcome says that it was interrupted, else the error is an
// *InterruptedError. A nil listener is told nothing.
func Run(ctx context.Context, r Request, l Listener) (*Result, error) {
	return runOn(ctx, thisMachine(), r, l)
}

func runOn(ctx context.Context, m machine, r Request, l Listener) (*Result, error) {
	if l == nil {
		l = silence{}
	}
	e := &experiment{machine: m, listener: l, request: &r, deadline: r.Deadline}
	defer e.close()
	result, err := e.run(ctx)
	return result, explain(err, e.plan.Command)
}

func (e *experiment) onClose(f func()) { e.closing = append(e.closing, f) }

func (e *experiment) close() {
	for _, f := range slices.Backward(e.closing) {
		f()
	}
}

func (e *experiment) run(ctx context.Context) (*Result, error) {
	r, p := e.request, &e.plan
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := r.Terms.check(p); err != nil {
		return nil, err
	}
	if r.Finding != "" && !r.Metric.Given() && p.Load == nil {
		p.Metric = trial.CPU // of which the finding has a share
	}
	if err := e.lookUp(ctx); err != nil {
		return nil, err
	}
	if err := e.writeFixes(ctx); err != nil {
		return nil, err
	}
	if err := e.chooseVariants(ctx); err != nil {
		return nil, err
	}
	if err := e.place(ctx); err != nil {
		return nil, err
	}
	input, err := e.openInput(ctx)
	if err != nil {
		return nil, err
	}
	if r.built() {
		if err := e.build(ctx); err != nil {
			return nil, err
		}
	}
	if err := e.test(ctx, &r.Terms); err != nil {
		return nil, err
	}
	if err := e.continued(input); err != nil {
		return nil, err
	}
	o, disturbed, tryErr := e.measure(ctx, *p)
	if o != nil && o.Stopped == trial.StopInterrupted && o.Rounds == 0 {
		// The signal may come in the warm-up or just behind it: either way there are
		// no numbers to show or to keep.
		return nil, context.Canceled
	}
	if o == nil {
		return nil, tryErr
	}
	if e.workshop != nil {
		o.Notes = append(o.Notes, e.workshop.Notes...)
	}
	o.Notes = append(o.Notes, disturbed...)
	if e.workshop != nil && tryErr == nil {
		e.tryLayouts(ctx, o)
	}
	if e.worlds != nil {
		o.Notes = append(o.Notes, e.worlds.Notes(o)...)
	}
	return e.result(o, input), tryErr
}

// lookUp takes command and variants from a profile where they are not given.
func (e *experiment) lookUp(ctx context.Context) (err error) {
	r, p := e.request, &e.plan
	p.Command = r.Command
	if r.Run != "" {
		if p.Command, err = run.Words(r.Run); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	if r.Profile != "" {
		if err := e.fromProfile(ctx); err != nil {
			return err
		}
	}
	if len(p.Command) == 0 {
		return errors.New("missing command: give it after --, as in: whyhot try --preload mimalloc -- COMMAND")
	}
	return nil
}

func (e *experiment) fromProfile(ctx context.Context) error {
	r, p := e.request, &e.plan
	target, err := r.Findings.Target(ctx, r.Profile, r.Finding)
	if err != nil {
		return err
	}
	if len(p.Command) == 0 {
		if len(target.Command) == 0 {
			return fmt.Errorf("%s does not name the recorded command: give it after --", r.Profile)
		}
		p.Command = target.Command
	}
	if r.Variants.Any() || len(r.Fixes) > 0 {
		return nil
	}
	r.Variants.Preload, r.Variants.Env = target.Preload, target.Env
	if r.Finding != "" && !r.Variants.Any() {
		return fmt.Errorf("finding %s proposes nothing that can be tried without a change to the program: make the change in a copy of the program and name how that is run, for example --versus 'changed=../changed/app input' (docs/guide/try.md, a change you make yourself)", r.Finding)
	}
	return nil
}

// writeFixes adds the machine-written fixes to the patches that are tried, each a
// variant of its own.
func (e *experiment) writeFixes(ctx context.Context) error {
	r := e.request
	if len(r.Fixes) == 0 {
		return nil
	}
	buildDir, err := whatif.FindBuildDir(r.Directory, r.WhatIf.BuildDir)
	if err != nil && r.Profile == "" { // a finding of the profile needs no build
		return fmt.Errorf("--fix looks for the finding in the source: %w", err)
	}
	dir, err := os.MkdirTemp("", "whyhot-fix-")
	if err != nil {
		return fmt.Errorf("a directory for the fixes: %w", err)
	}
	e.onClose(func() { _ = os.RemoveAll(dir) })
	patches := slices.Clone(r.Variants.Builds.Patches)
	for _, want := range r.Fixes {
		fix, err := r.Findings.Fix(ctx, want, buildDir)
		if err != nil {
			return fmt.Errorf("--fix %s: %w", want, err)
		}
		for _, a := range fix.Assumptions {
			e.listener.Remark(fmt.Sprintf("--fix %s is right if %s", want, a))
		}
		path := filepath.Join(dir, "fix-"+strings.NewReplacer("/", "-", ":", "-").Replace(want)+".diff")
		if err := os.WriteFile(path, []byte(fix.Diff), 0o600); err != nil {
			return fmt.Errorf("keeping the fix: %w", err)
		}
		patches = append(patches, path)
		e.fixes = append(e.fixes, [2]string{path, want})
	}
	r.Variants.Builds.Patches = patches
	return nil
}

// chooseVariants makes the variants that the request names, then those of
// what-if, which take longest to find.
func (e *experiment) chooseVariants(ctx context.Context) error {
	r, p := e.request, &e.plan
	found, missing, err := r.named()
	if err != nil {
		return err
	}
	if len(found) == 0 && !r.WhatIf.Asked() {
		return nothing(missing)
	}
	e.skip(missing)
	p.Variants = found
	if !r.WhatIf.Asked() {
		return nil
	}
	if e.worlds, err = whatif.Make(ctx, &r.WhatIf, r.Directory); err != nil {
		return err
	}
	e.onClose(e.worlds.Close)
	p.Variants = append(p.Variants, e.worlds.Variants...)
	return nil
}

// named makes the variants that the terms name; missing are those without their
// library.
func (t *Terms) named() (found []variant.Variant, missing []error, err error) {
	found, missing, err = t.Variants.Variants(t.built(), allocator.NewFinder())
	for _, v := range found {
		if v.Build == nil {
			continue
		}
		for i, p := range v.Build.Patches {
			v.Build.Patches[i] = t.path(p)
		}
	}
	return found, missing, err
}

// nothing is the error of a trial without a variant.
func nothing(missing []error) error {
	if len(missing) > 0 {
		return errors.Join(missing...)
	}
	return errors.New("nothing to try: name a variant, for example --preload mimalloc,jemalloc,tcmalloc, --env NAME=VALUE, --versus 'NAME=OTHER COMMAND', or --lto, --pgo, --cflags together with --build")
}

func (e *experiment) skip(missing []error) { skip(e.listener, missing) }

func skip(l Listener, missing []error) {
	for _, err := range missing {
		l.Remark(fmt.Sprintf("skipping a variant: %v", err))
	}
}

// openInput gives every run the same standard input, and describes it.
func (e *experiment) openInput(ctx context.Context) (*archive.File, error) {
	path := ""
	if e.request.Stdin != nil {
		opened, release, err := e.request.Stdin(ctx)
		if err != nil {
			return nil, err
		}
		e.onClose(release)
		path = opened
	}
	path, described, err := archive.StandardInput(e.request.Repeats, path)
	e.plan.Stdin = path
	return described, err
}

// continued finds the trial that this one goes on with, and refuses where something
// is no longer as it was then.
func (e *experiment) continued(input *archive.File) error {
	r := e.request
	if !r.Continue || r.Repeats == nil {
		return nil
	}
	now := archive.Of(&trial.Outcome{Command: e.plan.Command}, &e.plan)
	if input != nil {
		now.Files = append(now.Files, *input)
	}
	circumstances(now, &r.Terms, r.Repeats)
	describe(&now.Machine, e.plan.Pin)
	now.Whyhot = r.Repeats.Whyhot // another version measures alike
	if changes := archive.Changes(r.Repeats, now); len(changes) > 0 {
		return fmt.Errorf("no runs can be added to trial %s, since something has changed: %s (whyhot try again %s repeats it)", r.Repeats.ID, strings.Join(changes, "; "), r.Repeats.ID)
	}
	var err error
	if e.plan.Earlier, err = r.Repeats.Trial(); err != nil {
		return fmt.Errorf("no runs can be added to trial %s: %w", r.Repeats.ID, err)
	}
	return nil
}

// result puts together what others keep.
func (e *experiment) result(o *trial.Outcome, input *archive.File) *Result {
	r := e.request
	out := &Result{Outcome: o, Record: archive.Of(o, &e.plan), Profile: r.Profile, Finding: r.Finding, Trials: o.Trials()}
	if e.worlds != nil {
		out.Finding, out.Trials = e.worlds.Judged(r.Profile, r.Finding, out.Trials)
	}
	if len(r.Fixes) == 1 && r.Finding == "" && r.Profile != "" && len(o.Variants) == 1 && !finding.IsLine(r.Fixes[0]) {
		out.Finding = r.Fixes[0] // its patch is all that was tried
	}
	if input != nil {
		out.Record.Files = append(out.Record.Files, *input)
	}
	out.Record.Profile, out.Record.Finding = r.Profile, out.Finding
	circumstances(out.Record, &r.Terms, r.Repeats)
	return out
}

// circumstances fills what every record says of when, where and how.
func circumstances(record *archive.Record, t *Terms, repeats *archive.Record) {
	record.Time, record.Environment = time.Now(), archive.Environment(t.Env)
	if dir, err := filepath.Abs(t.Directory); err == nil {
		record.Directory = dir
	}
	if repeats != nil {
		record.Repeats = repeats.ID
	}
}
