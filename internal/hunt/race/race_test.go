package race

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"whyhot/internal/finding"
)

func everybody([]string, string) bool { return true }

// play runs a race of candidates with these gains, and gives those that end as
// finalists.
func play(rng *rand.Rand, noise float64, gains map[string]float64, groups map[string]string) *Race {
	r := &Race{}
	names := make([]string, 0, len(gains))
	for n := range gains {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		r.Enter(n, groups[n])
	}
	for {
		stage, rounds := r.Next(everybody)
		if len(stage) == 0 {
			return r
		}
		for _, n := range stage {
			var logs []float64
			for range rounds {
				logs = append(logs, math.Log(gains[n])+noise*rng.NormFloat64())
			}
			r.Add(n, logs)
		}
		r.Look()
	}
}

func TestRaceSeparates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	gains := map[string]float64{"much": 1.3, "some": 1.08, "none": 1, "worse": 0.8, "a": 1.2, "b": 1.1}
	r := play(rng, 0.01, gains, map[string]string{"a": "allocator", "b": "allocator"})
	if got := r.Finalists(10); !slices.Equal(got, []string{"much", "a", "some"}) {
		t.Fatalf("%q\n%+v", got, r.Standings)
	}
	for name, rounds := range map[string]int{"worse": 4, "much": 4} {
		if s := r.Of(name); len(s.Logs) != rounds {
			t.Errorf("%s took %d rounds: what is clear should leave early", name, len(s.Logs))
		}
	}
	if s := r.Of("b"); s.State != Left || s.Beaten != "a" {
		t.Errorf("%+v", s)
	}
}

// What gains as much as is worth a proof is seldom sent away.
func TestRaceKeepsWhatPays(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const races = 2000
	lost := 0
	for range races {
		r := play(rng, 0.03, map[string]float64{"x": 1 + Worth}, nil)
		if s := r.Of("x"); s.State == Left && len(s.Logs) < looks[len(looks)-1] {
			lost++
		}
	}
	if share := float64(lost) / races; share > alpha {
		t.Errorf("%.3f of races sent a candidate away that gains %.2f", share, Worth)
	}
}

func TestNextMeasuresTheLeastKnownFirst(t *testing.T) {
	r := &Race{}
	r.Enter("a", "")
	r.Enter("b", "")
	r.Enter("c", "")
	pair := func(chosen []string, _ string) bool { return len(chosen) < 2 }
	names, rounds := r.Next(pair)
	if !slices.Equal(names, []string{"a", "b"}) || rounds != 4 {
		t.Fatalf("%q %d", names, rounds)
	}
	r.Add("a", []float64{0, 0.1, -0.1, 0})
	r.Break("b", finding.Failed, "exit status 1")
	r.Look()
	if s := r.Of("b"); s.State != Broken || s.Verdict != finding.Failed || s.Why != "exit status 1" {
		t.Errorf("%+v", s)
	}
	if names, rounds = r.Next(pair); !slices.Equal(names, []string{"c"}) || rounds != 4 {
		t.Fatalf("%q %d", names, rounds)
	}
	r.Unmake("c", true, "no time")
	if names, rounds = r.Next(pair); !slices.Equal(names, []string{"a"}) || rounds != 4 {
		t.Fatalf("%q %d", names, rounds)
	}
	r.Stop("the budget is spent")
	if s := r.Of("a"); s.State != Left {
		t.Errorf("%+v", s)
	}
	if names, _ = r.Next(everybody); len(names) != 0 {
		t.Errorf("after the end: %q", names)
	}
}

// Few finalists are proved better than many: the best come first.
func TestFinalistsAreBounded(t *testing.T) {
	r := &Race{Standings: []Standing{
		{Name: "a", State: Finalist, Logs: []float64{0.1, 0.1}},
		{Name: "b", State: Finalist, Logs: []float64{0.3, 0.3}},
		{Name: "c", State: Left, Logs: []float64{0.5, 0.5}},
	}}
	if got := r.Finalists(1); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%q", got)
	}
}
