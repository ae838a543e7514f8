package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/host/allocator"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/metric"
	"whyhot/internal/trial/suite"
)

// eachBenchmark is the budget of a benchmark where the suite has none.
const eachBenchmark = time.Minute

// SuiteRequest is a trial of each benchmark of a suite.
type SuiteRequest struct {
	Terms

	Path    string          // of the file of benchmarks, "-" for Input
	Input   io.Reader       // nil for none
	Only    string          // regular expression for names of benchmarks, "" for all
	Repeats *archive.Record // nil for none
	// Continue adds rounds to the trial that this one repeats.
	Continue bool
}

// SuiteResult is what a suite comes to.
type SuiteResult struct {
	Result *suite.Result
	Record *archive.Record // nil where nothing was measured
}

// Suite tries every benchmark of a file. When ctx ends in the middle, the result
// holds what was measured until then and says so.
func Suite(ctx context.Context, r SuiteRequest, l Listener) (*SuiteResult, error) {
	return suiteOn(ctx, thisMachine(), r, l)
}

func suiteOn(ctx context.Context, m machine, r SuiteRequest, l Listener) (*SuiteResult, error) {
	if l == nil {
		l = silence{}
	}
	e := &experiment{machine: m, listener: l}
	defer e.close()
	result, err := e.suite(ctx, &r)
	return result, explain(err, nil)
}

func (e *experiment) suite(ctx context.Context, r *SuiteRequest) (*SuiteResult, error) {
	only, err := compiled(r.Only)
	if err != nil {
		return nil, err
	}
	if err := r.check(&e.plan); err != nil {
		return nil, err
	}
	file, err := r.load()
	if err != nil {
		return nil, err
	}
	variants, err := r.suiteVariants(file, e.listener)
	if err != nil {
		return nil, err
	}
	var notes []string
	if r.built() {
		if notes, err = e.buildSuite(ctx, r, file, variants); err != nil {
			return nil, err
		}
	}
	if !r.built() {
		for _, v := range variants {
			e.plan.Variants = append(e.plan.Variants, v.Variant)
		}
	}
	if err := e.test(ctx, &r.Terms); err != nil {
		return nil, err
	}
	for i := range variants {
		variants[i].Variant = e.plan.Variants[i]
	}
	earlier, err := e.continuedSuite(r)
	if err != nil {
		return nil, err
	}
	m := e.machine.start()
	plan := e.plan
	plan.Variants, plan.Command, plan.Busy = nil, nil, m.busy
	if !r.built() {
		plan.Dir = "" // the suite's own directory starts from the current one
	}
	each := eachBenchmark
	if r.Schedule.Budget != nil {
		each = 0
	}
	result, err := suite.Run(ctx, file, suite.Options{
		Plan: plan, Variants: variants, Chain: len(file.Steps) > 0,
		Metric: r.Metric.Given(), Each: each, Clock: e.machine.clock, Only: only,
		Counter: func() (*metric.Counter, error) { return metric.NewCounter(os.TempDir()) },
		Runner:  m.runner, Begin: e.listener.Benchmark, Progress: e.listener.Measuring,
		Earlier: earlier,
	})
	if err != nil {
		return nil, err
	}
	describe(&result.Machine, plan.Pin)
	result.Notes = append(result.Notes, notes...)
	result.Notes = append(result.Notes, m.watch.Notes(m.ours(), "")...)
	out := &SuiteResult{Result: result}
	if len(result.Benchmarks) > 0 {
		out.Record = archive.OfSuite(result, r.path(r.Path), r.Env)
		circumstances(out.Record, &r.Terms, r.Repeats)
	}
	return out, nil
}

// continuedSuite gives the trials that this one goes on with, and refuses where
// the machine, the environment or the suite is no longer as it was then. What a
// benchmark runs is looked at by what it writes.
func (e *experiment) continuedSuite(r *SuiteRequest) (func(name string) *trial.Outcome, error) {
	if !r.Continue || r.Repeats == nil {
		return nil, nil //nolint:nilnil // nothing is continued
	}
	was, err := r.Repeats.Suite()
	if err != nil {
		return nil, fmt.Errorf("no runs can be added to trial %s: %w", r.Repeats.ID, err)
	}
	again := *was
	describe(&again.Machine, e.plan.Pin)
	now := archive.OfSuite(&again, r.path(r.Path), r.Env)
	circumstances(now, &r.Terms, r.Repeats)
	now.Whyhot = r.Repeats.Whyhot // another version measures alike
	if r.built() {
		return nil, fmt.Errorf("no runs can be added to trial %s: the programs of a suite that was built are not kept (whyhot try again %s repeats it)", r.Repeats.ID, r.Repeats.ID)
	}
	if changes := archive.Changes(r.Repeats, now); len(changes) > 0 {
		return nil, fmt.Errorf("no runs can be added to trial %s, since something has changed: %s (whyhot try again %s repeats it)", r.Repeats.ID, strings.Join(changes, "; "), r.Repeats.ID)
	}
	return func(name string) *trial.Outcome {
		for i := range was.Benchmarks {
			if b := &was.Benchmarks[i]; b.Name == name && b.Outcome != nil && b.Outcome.Rounds > 0 {
				return b.Outcome
			}
		}
		return nil
	}, nil
}

// load reads the suite and looks whether its benchmarks can be run.
func (r *SuiteRequest) load() (*suite.File, error) {
	if len(r.Variants.Versus) > 0 {
		return nil, errors.New("--versus is another command line for one command: in a suite, give the variant a set of its own (docs/guide/try-suite.md)")
	}
	path := r.Path
	if path != "-" {
		path = r.path(path)
	}
	file, err := suite.Load(path, r.Input)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		file.Dir = r.path(".")
	}
	if err := file.CheckFiles(); err != nil || !r.built() {
		return file, err
	}
	here, err := filepath.Abs(r.Directory)
	if err != nil {
		return nil, fmt.Errorf("the current directory: %w", err)
	}
	return file, file.MoveInto(here)
}

// suiteVariants are those of the request, then those of the file.
func (r *SuiteRequest) suiteVariants(file *suite.File, l Listener) ([]suite.Variant, error) {
	fromFile, missing, err := file.Changes(allocator.NewFinder())
	if err != nil {
		return nil, err
	}
	named, notThere, err := r.named()
	switch {
	case err != nil:
		return nil, err
	case len(named)+len(fromFile)+len(missing) == 0:
		return nil, nothing(notThere)
	case len(file.Steps) > 0 && len(named) > 0:
		return nil, errors.New("the suite has steps: variants from the command line have no place in the chain")
	}
	skip(l, notThere)
	skip(l, missing)
	var out []suite.Variant
	for _, v := range named {
		out = append(out, suite.Variant{Variant: v})
	}
	out = append(out, fromFile...)
	for i := range out {
		if out[i].Build != nil && !r.built() {
			return nil, fmt.Errorf("%q is built: say how with --build, for example --build 'make -j2'", out[i].Name)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("none of the suite's variants can be tried")
	}
	return out, nil
}

// buildSuite makes the programs of all variants and gives the notes of that. The
// first command tells whose tree it is, and what to train with unless that is
// given.
func (e *experiment) buildSuite(ctx context.Context, r *SuiteRequest, file *suite.File, variants []suite.Variant) ([]string, error) {
	e.plan.Command = file.Benchmarks[0].Command
	for _, v := range variants {
		e.plan.Variants = append(e.plan.Variants, v.Variant)
	}
	o := r.Build
	o.Env = e.plan.Env
	w, err := e.prepare(ctx, o, &r.Terms)
	if err != nil {
		return nil, err
	}
	for i := range variants {
		variants[i].Variant = e.plan.Variants[i]
	}
	return w.Notes, nil
}

// SuiteEnding is the error that a suite ends in although it has a result, nil
// where something was compared.
func SuiteEnding(r *suite.Result) error {
	if err := interrupted(r.Stopped); err != nil {
		return err
	}
	if r.Counted() == 0 {
		return errors.New("nothing was measured: no variant could be compared with the baseline on any benchmark")
	}
	return nil
}
