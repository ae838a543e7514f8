package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestRankedMedianIsTheMedianOfTheResample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(0.1, 100), 1, 30).Draw(t, "xs")
		counts := make([]uint16, len(xs))
		var resample []float64
		for range xs {
			i := rapid.IntRange(0, len(xs)-1).Draw(t, "i")
			counts[i]++
			resample = append(resample, xs[i])
		}
		if got, want := newRanked(xs).median(counts), Median(resample); got != want {
			t.Fatalf("median of %v: got %v, want %v", resample, got, want)
		}
	})
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}} {
		if got := Median(c.xs); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.xs, got, c.want)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
	xs := []float64{3, 1, 2}
	Median(xs)
	if !slices.Equal(xs, []float64{3, 1, 2}) {
		t.Error("Median reordered its input")
	}
}

// rounds makes up n rounds of a program and of one that is ratio times as fast.
func rounds(seed uint64, n int, ratio, sd, drift float64) (base, variant []float64) {
	rng := source(seed)
	for i := range n {
		slow := 1 + drift*float64(i)/float64(n)
		base = append(base, slow*math.Exp(sd*rng.NormFloat64()))
		variant = append(variant, slow*math.Exp(sd*rng.NormFloat64())/ratio)
	}
	return base, variant
}

// The interval must hold the true ratio as often as it says, for few rounds and
// many, with drift and without. 600 samples at 95 % have a standard error of
// 0.9 points; 92.5 is nearly three of them below.
func TestIntervalHoldsTheTruth(t *testing.T) {
	const trials = 600
	for _, c := range []struct {
		n     int
		drift float64
	}{{7, 0}, {10, 0.3}, {25, 0.1}} {
		held := 0
		for seed := range uint64(trials) {
			b, v := rounds(seed, c.n, 1.1, 0.03, c.drift)
			if i := RatioOfMedians(b, v, source(seed)).Interval(0.95); i.Low <= 1.1 && 1.1 <= i.High {
				held++
			}
		}
		if share := float64(held) / trials; share < 0.925 {
			t.Errorf("%d rounds, drift %v: the 95%% interval held the truth in %.1f%% only", c.n, c.drift, 100*share)
		}
	}
}

// Drift that both sides meet must not widen the interval much: rounds are
// resampled as pairs.
func TestPairedResamplingCancelsDrift(t *testing.T) {
	calmB, calmV := rounds(1, 40, 1.05, 0.01, 0)
	driftB, driftV := rounds(1, 40, 1.05, 0.01, 0.5)
	calm := RatioOfMedians(calmB, calmV, source(1)).Interval(0.95)
	drift := RatioOfMedians(driftB, driftV, source(1)).Interval(0.95)
	if drift.HalfWidth() > 4*calm.HalfWidth() {
		t.Errorf("drift of 50%% widened the interval from %v to %v", calm, drift)
	}
}

func TestIntervalOfOneRoundKnowsNothing(t *testing.T) {
	i := RatioOfMedians([]float64{2}, []float64{1}, source(1)).Interval(0.95)
	if i.Estimate != 2 || i.Low != 0 || !math.IsInf(i.High, 1) {
		t.Errorf("got %+v", i)
	}
}

func TestWiderLevelWiderInterval(t *testing.T) {
	b, v := rounds(3, 30, 1, 0.05, 0)
	s := RatioOfMedians(b, v, source(3))
	narrow, wide := s.Interval(0.9), s.Interval(0.999)
	if wide.Low > narrow.Low || wide.High < narrow.High || wide == narrow {
		t.Errorf("90%%: %v, 99.9%%: %v", narrow, wide)
	}
}

func fixed(low, high float64) Sample {
	s := Sample{estimate: math.Sqrt(low * high)}
	for i := range 1000 {
		s.sorted = append(s.sorted, low+(high-low)*float64(i)/999)
	}
	return s
}

func TestJudge(t *testing.T) {
	r := DefaultRules(1)
	for _, c := range []struct {
		low, high, swap float64
		rounds          int
		want            Verdict
	}{
		{1.02, 1.10, 0.001, 20, Faster},
		{0.90, 0.97, 0.001, 20, Slower},
		{0.995, 1.01, 0.5, 20, Same},
		{1.002, 1.008, 0.001, 20, Same}, // surely above 1, and yet less than layout alone moves
		{1.004, 1.05, 0.01, 20, Faster},
		{1.004, 1.05, 0.06, 20, Unclear}, // the interval is too short
		{0.96, 1.05, 0.01, 20, Unclear},
		{1.5, 1.6, 0.001, 3, Unclear}, // too few rounds for any verdict
	} {
		i := Interval{math.Sqrt(c.low * c.high), c.low, c.high}
		if got := r.Judge(i, c.swap, c.rounds); got != c.want {
			t.Errorf("[%v, %v], p %v after %d rounds: %s, want %s", c.low, c.high, c.swap, c.rounds, got, c.want)
		}
	}
}

// The swap test must keep its level for any noise, here one of two humps that
// whole stretches of rounds share, and with few rounds; and it must see a true
// difference.
func TestSwapTest(t *testing.T) {
	const trials = 400
	for _, ratio := range []float64{1, 1.5} {
		found := 0
		for seed := range uint64(trials) {
			rng := source(seed)
			var b, v []float64
			level := 1.0
			for range 11 {
				if rng.IntN(4) == 0 {
					level = 1 + 2*rng.Float64()
				}
				b = append(b, level*math.Exp(0.05*rng.NormFloat64()))
				v = append(v, level*math.Exp(0.05*rng.NormFloat64())/ratio)
			}
			if SwapTest(b, v) <= 0.05 {
				found++
			}
		}
		share := float64(found) / trials
		if ratio == 1 && share > 0.08 || ratio > 1 && share < 0.5 { // three standard errors above 5 %
			t.Errorf("true ratio %v: a difference in %.1f%% of trials", ratio, 100*share)
		}
	}
	if p := SwapTest([]float64{1, 1, 1}, []float64{1, 1, 1}); p != 1 {
		t.Errorf("equal runs: p = %v", p)
	}
	// All nine rounds point one way: 2 of 2^9 swaps are as extreme.
	nine := slices.Repeat([]float64{2}, 9)
	if p := SwapTest(nine, slices.Repeat([]float64{1}, 9)); math.Abs(p-2.0/512) > 1e-12 {
		t.Errorf("nine rounds that agree: p = %v", p)
	}
	// Textbook values: of 2^5 sign patterns of ranks 1 to 5, 3 have a sum of at
	// most 2 ({}, {1}, {2}), so that p = 6/32.
	if p := SwapTest([]float64{1, 2, 3, 4, 5}, []float64{0.9, 2.4, 2, 2.2, 2}); math.Abs(p-6.0/32) > 1e-12 {
		t.Errorf("rank sum 2 of 5: p = %v", p)
	}
	if p := SwapTest(nil, nil); p != 1 {
		t.Errorf("no runs: p = %v", p)
	}
}

// Where exact and normal meet they agree.
func TestSwapTestLargeSamples(t *testing.T) {
	b, v := rounds(4, 60, 1.01, 0.03, 0.1)
	var diffs []float64
	for i := range b {
		diffs = append(diffs, math.Log(b[i]/v[i]))
	}
	ranks, positive := doubledRanks(diffs)
	if e, n := exactP(ranks, positive), normalP(ranks, positive); math.Abs(e-n) > 0.01 {
		t.Errorf("exact %v, normal %v", e, n)
	}
}

func TestSettled(t *testing.T) {
	r := DefaultRules(1)
	for _, c := range []struct {
		name      string
		low, high float64
		swap      float64
		rounds    int
		want      bool
	}{
		{"same within the band", 0.995, 1.005, 0.01, 20, true},
		{"clear and narrow", 1.08, 1.10, 0.004, 20, true},
		{"clear, wide, but small for its size", 1.9, 2.4, 0.004, 20, true},
		{"clear enough at the end only", 1.08, 1.10, 0.01, 20, false},
		{"clear and narrow, but by chance", 1.08, 1.10, 0.06, 20, false},
		{"clear and wide", 1.02, 1.2, 0.01, 20, false},
		{"crosses 1", 0.97, 1.05, 0.01, 20, false},
		{"too few rounds", 0.999, 1.001, 0.01, 3, false},
	} {
		if got := r.Settled(fixed(c.low, c.high), c.swap, c.rounds); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestManyVariantsAskMoreOfEach(t *testing.T) {
	one, four := DefaultRules(1), DefaultRules(4)
	if one.Each() != 0.95 || math.Abs(four.Each()-0.9875) > 1e-12 {
		t.Errorf("levels %v and %v", one.Each(), four.Each())
	}
	many := DefaultRules(64)
	if one.FewestRounds() != 9 || four.FewestRounds() != 9 || many.FewestRounds() != 12 {
		t.Errorf("fewest rounds %d, %d and %d", one.FewestRounds(), four.FewestRounds(), many.FewestRounds())
	}
}

func TestLooksThinOut(t *testing.T) {
	looks := 0
	for n := 7; n < 10000; n = NextLook(n) {
		looks++
	}
	if looks > 40 {
		t.Errorf("%d looks within 10000 rounds", looks)
	}
}

func TestDrift(t *testing.T) {
	up, _ := rounds(5, 40, 1, 0.01, 0.2)
	if d := Drift(up); d.P > 0.001 || d.Change < 0.1 || d.Change > 0.3 {
		t.Errorf("a rise of 20%%: %+v", d)
	}
	found := 0
	for seed := range uint64(400) {
		flat, _ := rounds(seed, 30, 1, 0.02, 0)
		if Drift(flat).P < 0.01 {
			found++
		}
	}
	if found > 12 { // 1 % of 400 is 4
		t.Errorf("drift seen in %d of 400 flat series at 1%%", found)
	}
	if d := Drift([]float64{1, 2, 3}); d.P != 1 {
		t.Errorf("three values: %+v", d)
	}
	if d := Drift(slices.Repeat([]float64{1}, 20)); d.Change != 0 || d.P < 0.99 {
		t.Errorf("constant: %+v", d)
	}
}

// At another level all that depends on it moves along.
func TestRulesAt(t *testing.T) {
	r := DefaultRules(2).At(0.99)
	if r.Level != 0.99 || math.Abs(r.Interim-0.9998) > 1e-12 || math.Abs(r.Each()-0.995) > 1e-12 {
		t.Errorf("%+v", r)
	}
	if same := DefaultRules(3).At(0.95); math.Abs(same.Interim-DefaultRules(3).Interim) > 1e-12 {
		t.Errorf("%+v", same)
	}
}
