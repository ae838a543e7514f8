package suite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/allocator"
	"whyhot/internal/trial"
	"whyhot/internal/trial/metric"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

const text = `
name: solver
defaults: {dir: inputs, env: {LANG: C}, ignore: 'took \d+'}
set: {bin: ./solver}
benchmarks:
  - {name: easy, command: '{bin} easy.smt2'}
  - {name: hard, command: ['{bin}', 'hard {input}'], env: {LEVEL: 3}, runs: 9, stdin: in.txt}
steps:
  - {name: allocator, preload: lib}
  - {name: flags, env: {OPT: yes}, set: {bin: ./solver-o3}}
`

// located finds every library.
type located struct{}

func (located) Find(name string) (allocator.Library, error) {
	if name == "missing" {
		return allocator.Library{}, errors.New("missing is not installed")
	}
	return allocator.Library{Name: name, Path: "/lib/" + name + ".so"}, nil
}

func parse(t *testing.T, s string) *File {
	t.Helper()
	f, err := Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestStepsAddUp(t *testing.T) {
	f := parse(t, text)
	steps, missing, err := f.Changes(located{})
	if err != nil || len(missing) > 0 || len(steps) != 2 {
		t.Fatalf("%v, %v, %v", steps, missing, err)
	}
	if s := steps[0]; s.Preload == nil || len(s.Env) != 0 || len(s.Set) != 0 {
		t.Errorf("first step: %+v", s)
	}
	if s := steps[1]; s.Preload == nil || !slices.Equal(s.Env, []string{"OPT=yes"}) || s.Set["bin"] != "./solver-o3" {
		t.Errorf("second step: %+v", s)
	}
	f.Steps[0].Preload = "missing"
	if _, _, err := f.Changes(located{}); err == nil || !strings.Contains(err.Error(), "allocator") {
		t.Errorf("a step that cannot be: %v", err)
	}
	f.Variants, f.Steps = f.Steps, nil
	if vs, missing, err := f.Changes(located{}); err != nil || len(missing) != 1 || len(vs) != 1 || vs[0].Preload != nil {
		t.Errorf("variants: %v, %v, %v", vs, missing, err)
	}
}

func TestStepsOfBuildsAddUp(t *testing.T) {
	f := parse(t, "benchmarks: [{command: a}]\nsteps:\n"+
		"- {name: allocator, preload: lib}\n- {name: loops, build: patch=loops.diff}\n- {name: flags, build: pgo+lto=thin}\n")
	f.Dir = "suites"
	steps, _, err := f.Changes(located{})
	if err != nil || len(steps) != 3 {
		t.Fatalf("%v, %v", steps, err)
	}
	patches := []string{"suites/loops.diff"}
	if b := steps[0].Build; b != nil {
		t.Errorf("first step builds %+v", b)
	}
	if b := steps[1].Build; b == nil || !slices.Equal(b.Patches, patches) || b.PGO || b.LTO != "" {
		t.Errorf("second step builds %+v", b)
	}
	if s := steps[2]; s.Name != "flags" || s.Preload == nil || !slices.Equal(s.Build.Patches, patches) || !s.Build.PGO || s.Build.LTO != "thin" {
		t.Errorf("third step: %+v, builds %+v", s, s.Build)
	}
}

func TestFilesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"benchmarks: []":                                              "no benchmarks",
		"benchmarks: [{name: a}]":                                     "no command",
		"benchmarks: [{command: a}, {command: a}]":                    `two benchmarks are called "a"`,
		"benchmarks: [{command: \"a 'b\"}]":                           "is not closed",
		"benchmarks: [{command: a, comand: b}]":                       "comand",
		"benchmarks: [{command: a, timeout: 3}]":                      "not a time",
		"benchmarks: [{command: a, env: {X: [1]}}]":                   "one value",
		"benchmarks: [{command: a, runs: -1}]":                        "negative",
		"benchmarks: [{command: a}]\nsteps: [{name: s}]":              "changes nothing",
		"benchmarks: [{command: a}]\nsteps: [{env: {A: 1}}]":          "no name",
		"benchmarks: [{command: a}]\nsteps: [{name: s, set: {b: 1}}]": "no value for the baseline",
		"benchmarks: [{command: a}]\nsteps: [{name: s, env: {A: 1}}]\nvariants: [{name: t, env: {A: 1}}]": "exclude each other",
		"benchmarks: [{command: a}]\nsteps: [{name: s, build: o3}]":                                       `"o3" is no part`,
		"benchmarks: [{command: a}]\nsteps: [{name: s, build: lto=fast}]":                                 "lto=fast",
		"benchmarks: [{command: a}]\nsteps: [{name: s, build: preload=mimalloc}]":                         "under preload",
		"benchmarks: [{command: a}]\nsteps: [{name: s, build: pgo+env=A=1}]":                              "under env",
		"benchmarks: [": "[",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// machine makes up runs: it takes a time by program and environment.
type machine struct {
	now   time.Time
	rng   *rand.Rand
	specs []run.Spec
	fails func(spec run.Spec) bool
}

func (m *machine) Now() time.Time { return m.now }

func (m *machine) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.specs = append(m.specs, spec)
	seconds := 1.0
	if slices.Contains(spec.Env, "OPT=yes") {
		seconds /= 1.5
	}
	if strings.Contains(strings.Join(spec.Args, " "), "solver-o3") {
		seconds /= 1.2
	}
	res := &run.Result{Wall: time.Duration(seconds * 1e9 * math.Exp(0.01*m.rng.NormFloat64())), Stdout: run.Output{Name: run.Stdout, Written: true, FirstDifference: -1}}
	if m.fails != nil && m.fails(spec) {
		res.End.Code = 2
	}
	m.now = m.now.Add(res.Wall)
	return res, nil
}

func tried(t *testing.T, f *File, m *machine, change func(*Options)) *Result {
	t.Helper()
	vs, _, err := f.Changes(located{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Plan:     trial.Plan{Env: []string{"PATH=/bin"}, Metric: trial.Wall, WarmUps: 1, Seed: 1, Budget: 2 * time.Minute},
		Variants: vs, Chain: len(f.Steps) > 0, Each: time.Minute, Clock: m,
		Runner:  func() (run.Runner, func(), error) { return m, func() {}, nil },
		Counter: func() (*metric.Counter, error) { return nil, errors.New("no valgrind") },
	}
	if change != nil {
		change(&o)
	}
	r, err := Run(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newMachine() *machine { return &machine{now: time.Unix(0, 0), rng: rand.New(rand.NewPCG(1, 1))} }

func TestChain(t *testing.T) {
	m := newMachine()
	r := tried(t, parse(t, text), m, nil)
	if len(r.Benchmarks) != 2 || len(r.Summary) != 2 || !r.Chain || r.Stopped != trial.StopSettled {
		t.Fatalf("%+v", r)
	}
	first, second := r.Summary[0], r.Summary[1]
	if first.Verdict != trial.Same || first.Counted != 2 {
		t.Errorf("allocator: %+v", first)
	}
	if second.Verdict != trial.Faster || second.GeoMean.Low > 1.8 || second.GeoMean.High < 1.8 || second.Min.Ratio.Estimate > second.Max.Ratio.Estimate {
		t.Errorf("flags: %+v, %+v", second, second.GeoMean)
	}
	base := m.specs[0]
	if base.Dir != "inputs" || !slices.Equal(base.Args, []string{"./solver", "easy.smt2"}) || !slices.Contains(base.Env, "LANG=C") || base.Filter == nil {
		t.Errorf("baseline of the first: %+v", base)
	}
	hard := m.specs[len(m.specs)-1]
	if hard.Args[1] != "hard {input}" || !slices.Contains(hard.Env, "LEVEL=3") || hard.Stdin != "inputs/in.txt" {
		t.Errorf("second: %+v", hard)
	}
	if o := r.Benchmarks[1].Outcome; o.Rounds != 9 || o.Stopped != trial.StopRounds {
		t.Errorf("runs: %d, %s", o.Rounds, o.Stopped)
	}
}

func TestOneBenchmarkThatFailsLeavesTheOthers(t *testing.T) {
	m := newMachine()
	m.fails = func(s run.Spec) bool { return slices.Contains(s.Env, "LEVEL=3") }
	r := tried(t, parse(t, text), m, nil)
	if r.Benchmarks[1].Error == "" || r.Summary[1].Counted != 1 || r.Summary[1].Verdict != trial.Faster {
		t.Errorf("%+v", r.Summary[1])
	}
	n := newMachine()
	n.fails = func(s run.Spec) bool { return slices.Contains(s.Env, "LEVEL=3") && slices.Contains(s.Env, "OPT=yes") }
	r = tried(t, parse(t, text), n, nil)
	if s := r.Summary[1]; s.Counted != 1 || len(s.Left) != 1 || !strings.HasPrefix(s.Left[0], "hard: failed") {
		t.Errorf("%+v", s)
	}
}

func TestBudgetIsShared(t *testing.T) {
	m := newMachine()
	f := parse(t, text)
	f.Benchmarks[1].Runs = 0
	r := tried(t, f, m, func(o *Options) { o.Plan.Budget, o.Each = 30*time.Second, 0 })
	if r.Elapsed > 31 {
		t.Errorf("took %.0f s", r.Elapsed)
	}
	if a, b := r.Benchmarks[0].Outcome.Rounds, r.Benchmarks[1].Outcome.Rounds; a < 2 || b < 2 {
		t.Errorf("%d and %d rounds", a, b)
	}
}

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	m := newMachine()
	f := parse(t, text)
	f.Benchmarks = append(f.Benchmarks, Benchmark{Name: "never", Command: Words{"x"}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m.fails = func(s run.Spec) bool {
		if slices.Contains(s.Env, "LEVEL=3") {
			cancel()
		}
		return false
	}
	vs, _, _ := f.Changes(located{})
	r, err := Run(ctx, f, Options{
		Plan: trial.Plan{Metric: trial.Wall, WarmUps: 1, Budget: time.Minute}, Variants: vs, Each: time.Minute, Clock: m,
		Runner: func() (run.Runner, func(), error) { return m, func() {}, nil },
	})
	if err != nil || r.Stopped != trial.StopInterrupted || len(r.Benchmarks) != 1 || r.Summary[1].Counted != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSetup(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.yaml")
	yaml := "benchmarks:\n  - {name: a, command: x, setup: 'echo made >made'}\n  - {name: b, command: x, setup: 'echo why; exit 3'}\nvariants: [{name: v, env: {A: 1}}]\n"
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := tried(t, f, newMachine(), func(o *Options) { o.Plan.Env = os.Environ() })
	if _, err := os.Stat(filepath.Join(dir, "made")); err != nil || r.Name != "s" {
		t.Errorf("%v, name %s", err, r.Name)
	}
	if e := r.Benchmarks[1].Error; !strings.Contains(e, "exit status 3") || !strings.Contains(e, "why") {
		t.Errorf("error %q", e)
	}
}

func TestBuiltVariantsRunInTheirPlace(t *testing.T) {
	m := newMachine()
	f := parse(t, text)
	f.Steps = nil
	tried(t, f, m, func(o *Options) {
		o.Plan.Dir = "/work/00"
		o.Variants = []Variant{{Variant: variant.Variant{Name: "lto", Command: []string{"stale"}, Built: &variant.Built{Dir: "/work/01"}}}}
	})
	seen := map[string]bool{}
	for _, s := range m.specs {
		seen[s.Dir+" "+s.Args[0]] = true
	}
	if !seen["/work/00/inputs ./solver"] || !seen["/work/01/inputs ./solver"] || len(seen) != 2 {
		t.Errorf("%v", seen)
	}
}

func TestVerdictsThatDoNotCount(t *testing.T) {
	v := Value{Verdict: trial.Different, Ratio: &Ratio{Estimate: 3}}
	if v.counts() {
		t.Error("another output counts as a gain")
	}
	if s := fmt.Sprint((&Result{Benchmarks: []Benchmarked{{Name: "a", Variants: []Value{{Verdict: trial.Slower}}}}}).Worst(0)); s != "[a]" {
		t.Errorf("worst %s", s)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(text))
	f.Add([]byte("benchmarks: [{command: a, timeout: 3s, output: [x]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		for _, b := range file.Benchmarks {
			if len(file.filled(b).Command) == 0 || b.Name == "" {
				t.Fatalf("%+v", b)
			}
		}
	})
}
