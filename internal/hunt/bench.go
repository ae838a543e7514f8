package hunt

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/rebuild/cache"
	"whyhot/internal/trial/suite"
	"whyhot/internal/trial/whatif"
)

// bench measures; tests bring their own.
type bench interface {
	measure(ctx context.Context, a ask) (*told, error)
	// plain builds the program as it is, until then at the latest.
	plain(ctx context.Context, command []string, until time.Time) (rebuild.Plain, error)
}

// ask is one trial: the baseline and these in turn.
type ask struct {
	arms    []arm
	whatIf  string        // a finding that is taken for fixed, in place of arms
	rounds  int           // exactly so many, 0 for as many as a verdict takes
	budget  time.Duration // where rounds is 0
	level   float64       // joint confidence
	layouts int
	check   bool      // run the user's tests on every arm
	keep    bool      // put it into the archive
	until   time.Time // when builds have to be over, zero for never
	end     time.Time // when all of it has to be, zero for never
}

// arm is a variant of a trial: its name, and what --variant takes.
type arm struct{ name, text string }

// told is what a trial came to.
type told struct {
	arms  map[string]measured
	notes []string
	run   time.Duration // of the baseline
	build time.Duration // of one build, 0 where none was made
	built time.Duration // of all builds, several of them at once; 0 where none was made
	late  bool          // builds ran into the end of their time
}

// measured is what a trial says of one arm.
type measured struct {
	verdict  finding.Verdict
	why      string
	ratio    *finding.Interval
	logs     []float64 // log(baseline / arm) of each round
	calm     []float64 // the same by what disturbs least: CPU time on a busy machine
	runs     int
	compared trial.Compared
	laidOut  bool // several layouts decided
	unbuilt  bool // there was nothing to run
}

// broken says that the arm cannot be used whatever its speed.
func (m *measured) broken() bool {
	return m.verdict == finding.Failed || m.verdict == finding.Different || m.verdict == finding.NoEffect
}

// machine measures with real trials.
type machine struct{ h *hunt }

func newMachine(h *hunt) *machine { return &machine{h} }

func (m *machine) terms(a ask) experiment.Terms {
	r := &m.h.request
	t := experiment.Terms{
		Directory: r.Directory, Env: r.Env, Metric: r.Metric, Ignore: r.Ignore, Outputs: r.Outputs, IgnoreFailure: r.IgnoreFailure,
		Build: r.Build, Layouts: a.layouts,
		Schedule: trial.Schedule{Rounds: a.rounds, Unjudged: a.rounds > 0, WarmUps: 1, Timeout: r.Timeout, Pin: r.Pin, Level: a.level},
	}
	t.Build.Until, t.Deadline = a.until, a.end
	if a.rounds == 0 {
		t.Schedule.Budget = &a.budget
	}
	if t.Build.Cache == nil {
		t.Build.Cache = cache.Open(os.Getenv)
	}
	if a.check {
		t.Check, t.CheckAll = r.Check, r.Check != ""
	}
	for _, v := range a.arms {
		t.Variants.Builds.Named = append(t.Variants.Builds.Named, v.text)
	}
	return t
}

// fewestRounds are those that a proof is given time for: where they agree, fewer are
// enough.
const fewestRounds = 9

func (m *machine) measure(ctx context.Context, a ask) (*told, error) {
	clock := &builds{Listener: m.h.listener}
	var out *told
	var record *archive.Record
	var err error
	if m.h.request.Suite != "" {
		out, record, err = m.suite(ctx, a, clock)
	} else {
		out, record, err = m.one(ctx, a, clock)
	}
	if err != nil {
		return nil, err
	}
	if out.build = clock.each(); clock.made > 0 {
		out.built = clock.spent
	}
	late := func(end time.Time) bool { return !end.IsZero() && time.Now().After(end) }
	out.late = late(a.until) || late(a.end)
	if a.keep && record != nil {
		m.h.archive(record, a)
	}
	return out, nil
}

func (m *machine) plain(ctx context.Context, command []string, until time.Time) (rebuild.Plain, error) {
	t := m.terms(ask{rounds: 1, until: until})
	stdin := m.h.request.Stdin
	if stdin != "" {
		stdin = m.h.request.path(stdin)
	}
	return experiment.Plain(ctx, t, command, stdin, m.h.listener)
}

func (m *machine) one(ctx context.Context, a ask, l experiment.Listener) (*told, *archive.Record, error) {
	r := &m.h.request
	request := experiment.Request{Terms: m.terms(a), Command: r.Command}
	if a.whatIf != "" {
		request.WhatIf = whatif.Wish{Findings: []string{a.whatIf}, BuildDir: r.BuildDir}
	}
	if r.Stdin != "" {
		request.Stdin = func(context.Context) (string, func(), error) { return r.path(r.Stdin), func() {}, nil }
	}
	result, err := experiment.Run(ctx, request, l)
	if err != nil {
		return nil, nil, err
	}
	o := result.Outcome
	if o.Stopped == trial.StopInterrupted {
		return nil, nil, context.Canceled
	}
	out := &told{arms: map[string]measured{}, notes: o.Notes, run: time.Duration(o.Baseline.Summary[trial.Wall].Median * float64(time.Second))}
	for i := range o.Variants {
		v := &o.Variants[i]
		t := measured{verdict: v.Verdict, why: v.Explanation, runs: v.Runs, compared: v.Compared, laidOut: v.AcrossLayouts != nil, logs: logsOf(o, v, o.Metric)}
		t.unbuilt = v.Build != nil && v.Build.Failed != ""
		t.calm = calm(o, v, t.logs)
		if ratio, ok := o.SpeedUp(v); ok {
			t.ratio = &ratio
		}
		out.arms[v.Name] = t
	}
	return out, result.Record, nil
}

// calm are the logarithms by which a race chooses. On a machine that others use the
// wall time of a few rounds says little, and a proof by wall time asks the CPU time,
// too (docs/decisions/0063-busy-machines.md): so the CPU time chooses where it varies
// less than half as much.
func calm(o *trial.Outcome, v *trial.VariantArm, logs []float64) []float64 {
	const fewest, clearly = 3, 0.5
	cpu := logsOf(o, v, trial.CPU)
	if o.Metric != trial.Wall || len(cpu) != len(logs) || len(cpu) < fewest {
		return logs
	}
	if stat.StdDev(cpu, nil) < clearly*stat.StdDev(logs, nil) {
		return cpu
	}
	return logs
}

// logsOf are the logarithms of the ratios of an outcome's rounds by a metric.
func logsOf(o *trial.Outcome, v *trial.VariantArm, m trial.Metric) []float64 {
	b, x := o.Baseline.Summary[m].Samples, v.Summary[m].Samples
	var out []float64
	for i := range min(len(b), len(x)) {
		if b[i] <= 0 || x[i] <= 0 {
			return nil
		}
		d := math.Log(b[i] / x[i])
		if o.HigherIsBetter && m == o.Metric {
			d = -d
		}
		out = append(out, d)
	}
	return out
}

func (m *machine) suite(ctx context.Context, a ask, l experiment.Listener) (*told, *archive.Record, error) {
	r := &m.h.request
	if a.whatIf != "" {
		return nil, nil, errors.New("what-if measures one command, not a suite")
	}
	result, err := experiment.Suite(ctx, experiment.SuiteRequest{Terms: m.terms(a), Path: r.Suite, Only: r.Only}, l)
	if err != nil {
		return nil, nil, err
	}
	if result.Result.Stopped == trial.StopInterrupted {
		return nil, nil, context.Canceled
	}
	return ofSuite(result.Result), result.Record, nil
}

// ofSuite is a suite as if it were one command whose ratio in a round is the
// geometric mean of its benchmarks' ratios.
func ofSuite(r *suite.Result) *told {
	out := &told{arms: map[string]measured{}, notes: r.Notes}
	for i := range r.Benchmarks {
		if o := r.Benchmarks[i].Outcome; o != nil {
			out.run += time.Duration(o.Baseline.Summary[trial.Wall].Median * float64(time.Second))
		}
	}
	for i, name := range r.Variants {
		s := &r.Summary[i]
		t := measured{verdict: s.Verdict, why: s.Caveat(), compared: trial.ComparedWhole, laidOut: true}
		if len(s.NotCompared) > 0 {
			t.compared = trial.NotCompared
		} else if len(s.InPart) > 0 {
			t.compared = trial.ComparedPart
		}
		if s.GeoMean.Known() {
			t.ratio = s.GeoMean.Interval()
		}
		var each, still [][]float64
		for k := range r.Benchmarks {
			o := r.Benchmarks[k].Outcome
			if o == nil || i >= len(o.Variants) {
				continue
			}
			v := &o.Variants[i]
			t.laidOut = t.laidOut && v.AcrossLayouts != nil
			if m := (&measured{verdict: v.Verdict}); m.broken() && (v.Verdict != finding.NoEffect || len(r.Benchmarks) == 1) {
				t.verdict, t.why = v.Verdict, r.Benchmarks[k].Name+": "+v.Explanation
				t.unbuilt = v.Build != nil && v.Build.Failed != ""
			}
			logs := logsOf(o, v, o.Metric)
			each, still = append(each, logs), append(still, calm(o, v, logs))
		}
		t.logs, t.calm = meanOf(each), meanOf(still)
		t.runs = len(t.logs)
		out.arms[name] = t
	}
	return out
}

// meanOf averages rounds over benchmarks.
func meanOf(each [][]float64) []float64 {
	if len(each) == 0 {
		return nil
	}
	n := len(each[0])
	for _, logs := range each {
		n = min(n, len(logs))
	}
	out := make([]float64, n)
	for _, logs := range each {
		for i := range out {
			out[i] += logs[i] / float64(len(each))
		}
	}
	return out
}

// suiteLines are the commands of a suite.
func (h *hunt) suiteLines() ([]line, error) {
	file, err := suite.Load(h.request.path(h.request.Suite), nil)
	if err != nil {
		return nil, err
	}
	if len(file.Variants)+len(file.Steps) > 0 {
		return nil, errors.New("the suite names variants of its own: a hunt finds them; leave them out (whyhot try suite measures them)")
	}
	plans, err := file.Plans(h.request.Env, h.request.Only)
	if err != nil {
		return nil, err
	}
	var out []line
	for i := range plans {
		p := &plans[i]
		out = append(out, line{args: p.Command, env: p.Env, dir: h.request.path(p.Dir), stdin: p.Stdin})
	}
	return out, nil
}

// builds listens to how long builds take.
type builds struct {
	experiment.Listener

	began time.Time
	spent time.Duration
	made  int
}

func (b *builds) Building(s rebuild.Step) {
	if b.began.IsZero() {
		b.began = time.Now()
	}
	if s.What == "build" || s.What == "instrument" {
		b.made++
	}
	b.Listener.Building(s)
}

func (b *builds) Measuring(p trial.Progress) {
	if !b.began.IsZero() {
		b.spent += time.Since(b.began)
		b.began = time.Time{}
	}
	b.Listener.Measuring(p)
}

// each is what one build took, 0 where none was made.
func (b *builds) each() time.Duration {
	if b.made == 0 {
		return 0
	}
	return b.spent / time.Duration(b.made)
}

// arguments are those of `whyhot try` that repeat a trial.
func (r *Request) arguments(a ask) []string {
	var out []string
	switch {
	case r.Suite != "":
		out = append(out, "suite", r.Suite)
	case r.Build.Command != "":
		out = append(out, "build")
	}
	add := func(flag, value string) {
		if value != "" {
			out = append(out, flag, value)
		}
	}
	add("--only", r.Only)
	add("--build", r.Build.Command)
	add("--tree", r.Build.Root)
	for _, e := range r.Build.Exclude {
		add("--exclude", e)
	}
	for _, t := range r.Build.Train {
		add("--train", t)
	}
	add("--compiler", r.Build.Compiler)
	add("--metric", r.Metric.Name)
	add("--metric-regex", r.Metric.Pattern)
	if r.Metric.HigherIsBetter {
		out = append(out, "--higher-is-better")
	}
	for _, i := range r.Ignore {
		add("--ignore", i)
	}
	for _, o := range r.Outputs {
		add("--output", o)
	}
	if r.IgnoreFailure {
		out = append(out, "--ignore-failure")
	}
	if a.whatIf != "" {
		add("--what-if", a.whatIf)
		add("-p", r.BuildDir)
	}
	for _, v := range a.arms {
		add("--variant", v.text)
	}
	if r.Suite == "" {
		out = append(append(out, "--"), r.Command...)
	}
	return slices.Clip(out)
}

// tryCommand is how a person makes a trial by hand.
func (r *Request) tryCommand(a ask) string {
	text := "whyhot try " + shellwords.Join(r.arguments(a))
	if r.Stdin != "" {
		text += " <" + shellwords.Quote(r.Stdin)
	}
	return text
}
