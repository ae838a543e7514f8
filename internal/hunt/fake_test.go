package hunt

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/hunt/keep"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/stat"

	"whyhot/internal/trial"
)

// fake is a machine on which every change gains what the test says. Its trials judge
// as real ones do: by the rules of internal/trial/stat, on rounds with noise.
type fake struct {
	rng    *rand.Rand
	noise  float64
	gains  map[string]float64           // by name of the arm, 1 where it is not there
	joint  func(parts []string) float64 // of several at once, nil for the product
	broken map[string]finding.Verdict   // of these arms
	run    time.Duration                // of the baseline
	builds map[string]time.Duration     // what building an arm takes, once
	fails  map[string]string            // why these arms cannot be built
	// failsTest are arms that fail the user's tests, where those are run.
	failsTest map[string]string
	late      bool // builds that fail ran into the end of their time
	now       time.Time
	asked     []ask
	before    func(n int, a ask) error // before the n-th trial
}

func (f *fake) gain(name string) float64 {
	if g, ok := f.gains[name]; ok {
		return g
	}
	parts := strings.Split(name, "+")
	if len(parts) > 1 && f.joint != nil {
		return f.joint(parts)
	}
	g := 1.0
	for _, p := range parts {
		if x, ok := f.gains[p]; ok {
			g *= x
		}
	}
	return g
}

const proofRounds = 15

func (f *fake) measure(ctx context.Context, a ask) (*told, error) {
	f.asked = append(f.asked, a)
	if f.before != nil {
		if err := f.before(len(f.asked), a); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rounds := a.rounds
	if rounds == 0 {
		rounds = proofRounds
	}
	arms := a.arms
	if a.whatIf != "" {
		arms = []arm{{name: "what-if"}, {name: "placebo"}}
	}
	rules := stat.DefaultRules(len(arms))
	if a.level > 0 {
		rules = rules.At(a.level)
	}
	out := &told{arms: map[string]measured{}, run: f.run, build: time.Second}
	f.now = f.now.Add(time.Duration((rounds+1)*(1+len(arms))) * f.run)
	for _, v := range arms {
		f.now = f.now.Add(f.builds[v.name])
		if took := f.builds[v.name]; took > 0 {
			out.build = took
			delete(f.builds, v.name)
		}
	}
	shared := make([]float64, rounds) // the baseline's noise is in every ratio
	for i := range shared {
		shared[i] = f.noise * f.rng.NormFloat64()
	}
	for _, v := range arms {
		name := v.name
		if name == "what-if" {
			name = candidate.WhatIfName(a.whatIf)
		}
		m := measured{runs: rounds, compared: trial.ComparedWhole, laidOut: a.layouts > 0}
		base, other := make([]float64, rounds), make([]float64, rounds)
		for i := range rounds {
			base[i] = math.Exp(shared[i])
			other[i] = math.Exp(f.noise*f.rng.NormFloat64()) / f.gain(name)
			m.logs = append(m.logs, math.Log(base[i]/other[i]))
		}
		m.calm = m.logs
		if rounds >= rules.FewestRounds() {
			var i stat.Interval
			m.verdict, i = rules.Judge(stat.Pair(base, other), rules.Each())
			m.ratio = &finding.Interval{Estimate: i.Estimate, Low: i.Low, High: i.High}
		} else {
			m.verdict = finding.Unclear
		}
		if b := f.broken[v.name]; b != "" {
			m.verdict, m.why, m.ratio, m.logs, m.calm = b, "it fails", nil, nil, nil
		}
		if why := f.fails[v.name]; why != "" {
			m = measured{verdict: finding.Failed, why: why, unbuilt: true}
			out.late = f.late
		}
		if why := f.failsTest[v.name]; why != "" && a.check {
			m = measured{verdict: finding.Failed, why: why, unbuilt: true}
		}
		out.arms[v.name] = m
	}
	return out, nil
}

func (f *fake) plain(context.Context, []string, time.Time) (rebuild.Plain, error) {
	return rebuild.Plain{Took: time.Second, Level: "-O2"}, nil
}

type deaf struct{}

func (deaf) Building(rebuild.Step)       {}
func (deaf) Benchmark(string, int, int)  {}
func (deaf) Measuring(trial.Progress)    {}
func (deaf) Remark(string)               {}
func (deaf) Stage(string, time.Duration) {}

var _ experiment.Listener = deaf{}

// setting is a candidate that needs no build.
func setting(name, group string) candidate.Candidate {
	return candidate.Candidate{Name: name, Kind: candidate.Environment, Group: group, Variant: "env=" + name, How: name}
}

// hunted is a hunt whose candidates are known, on the fake machine.
func hunted(t *testing.T, f *fake, dir string, candidates ...candidate.Candidate) *hunt {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", filepath.Join(t.TempDir(), "state"))
	d, err := keep.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	f.now = time.Unix(1000, 0)
	if f.run == 0 {
		f.run = 100 * time.Millisecond
	}
	h := &hunt{request: Request{Command: []string{"prog"}, Budget: 30 * time.Minute}, listener: deaf{}, dir: d, bench: f, now: func() time.Time { return f.now }}
	h.mark = h.now()
	h.state = state{Version: stateVersion, Phase: phaseRace, Started: f.now, Run: f.run, Candidates: candidates}
	for _, c := range candidates {
		h.state.Race.Enter(c.Name, c.Group)
	}
	return h
}

func names(vs []Verdict) string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Name)
	}
	return strings.Join(out, ", ")
}
