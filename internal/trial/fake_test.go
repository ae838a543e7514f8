package trial

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/ending"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

// fake is a machine on which a run takes as long as the test says. Its clock
// moves by what its runs take.
type fake struct {
	now   time.Time
	specs []run.Spec
	names []string
	rng   *rand.Rand
	// each makes the result of the n-th run (from 0) of an arm.
	each func(arm string, n int) (*run.Result, error)
	seen map[string]int
}

func newFake(each func(arm string, n int) (*run.Result, error)) *fake {
	return &fake{now: time.Unix(1000, 0), rng: rand.New(rand.NewPCG(7, 7)), each: each, seen: map[string]int{}}
}

func (f *fake) Now() time.Time { return f.now }

func (f *fake) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	arm := baselineName
	for _, e := range spec.Env {
		if name, ok := strings.CutPrefix(e, "ARM="); ok {
			arm = name
		}
	}
	n := f.seen[arm]
	f.seen[arm]++
	f.specs = append(f.specs, spec)
	f.names = append(f.names, arm)
	res, err := f.each(arm, n)
	if err == nil {
		f.now = f.now.Add(res.Wall)
	}
	return res, err
}

func (f *fake) noisy(d time.Duration) time.Duration {
	return time.Duration(float64(d) * math.Exp(0.01*f.rng.NormFloat64()))
}

func result(d time.Duration) *run.Result {
	return &run.Result{Wall: d, User: d, PeakRSS: 1 << 26, MinorFaults: 100, Stdout: output("standard output", "same")}
}

func output(name, content string) run.Output {
	return run.Output{Name: name, Length: int64(len(content)), SHA256: content, Written: true, FirstDifference: -1}
}

func envVariants(names ...string) []variant.Variant {
	var vs []variant.Variant
	for _, n := range names {
		vs = append(vs, variant.Variant{Name: n, Env: []string{"ARM=" + n}})
	}
	return vs
}

func planOf(names ...string) Plan {
	return Plan{Command: []string{"prog"}, Metric: Wall, Budget: 2 * time.Minute, WarmUps: 1, Seed: 1, Variants: envVariants(names...)}
}

func do(t *testing.T, f *fake, p Plan) *Outcome {
	t.Helper()
	o, err := Run(t.Context(), p, f, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// speeds gives every arm a run time.
func speeds(ms map[string]int) *fake {
	var f *fake
	f = newFake(func(arm string, _ int) (*run.Result, error) {
		return result(f.noisy(time.Duration(ms[arm]) * time.Millisecond)), nil
	})
	return f
}

func verdicts(o *Outcome) []Verdict {
	var out []Verdict
	for _, v := range o.Variants {
		out = append(out, v.Verdict)
	}
	return out
}

func failing(code int) *run.Result {
	return &run.Result{Wall: time.Millisecond, End: ending.Ending{Code: code}, StderrTail: "first\nlast words\n", Stdout: output("standard output", "same")}
}
