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

// Pairs that all have the logarithm of a ratio, and a little more or less.
func around(ratio, spread float64, n int) Paired {
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = math.Log(ratio) + spread*(float64(i)/float64(n-1)-0.5)
	}
	return PairLogs(logs)
}

func TestJudge(t *testing.T) {
	r := DefaultRules(1)
	for _, c := range []struct {
		pairs Paired
		want  Verdict
	}{
		{around(1.05, 0.02, 20), Faster},
		{around(0.95, 0.02, 20), Slower},
		{around(1.002, 0.02, 20), Same},
		{around(1.005, 0.004, 20), Same}, // surely above 1, and yet less than layout alone moves
		{around(1.01, 0.2, 20), Unclear},
		{around(576, 2, 6), Faster},  // all six agree: chance does that in 3%
		{around(576, 2, 5), Unclear}, // in 6%
	} {
		got, i := r.Judge(c.pairs, r.Each())
		if got != c.want {
			t.Errorf("%.3f to %.3f after %d rounds: %s, want %s", i.Low, i.High, c.pairs.Rounds(), got, c.want)
		}
	}
}

// The p value and the interval are one test: the interval of a level leaves 1 exactly
// where the p value says so, also where rounds are equal.
func TestIntervalAndTestAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-3, 4).Draw(t, "step")) / 8 }), 1, 30).Draw(t, "logs")
		level := rapid.Float64Range(0.5, 0.9999).Draw(t, "level")
		p := PairLogs(logs)
		i := p.Interval(level)
		if (p.P() <= 1-level) != i.Excludes(1) {
			t.Fatalf("%v: p = %v, at %v from %v to %v", logs, p.P(), level, i.Low, i.High)
		}
		if e := p.Estimate(); e < i.Low || e > i.High {
			t.Fatalf("%v: %v is not in %v to %v", logs, e, i.Low, i.High)
		}
	})
}

// More rounds than have their pairs listed give what listing gives.
func TestManyRoundsAreCountedAsFewAre(t *testing.T) {
	b, v := rounds(3, 400, 1.02, 0.05, 0.2)
	p := Pair(b, v)
	var means []float64
	for i, x := range p.sorted {
		for _, y := range p.sorted[i:] {
			means = append(means, (x+y)/2)
		}
	}
	slices.Sort(means)
	for _, k := range []int{1, 2, 1000, len(means) / 2, len(means)} {
		if got := newWalsh(p.sorted).smallest(k); math.Abs(got-means[k-1]) > 1e-12 {
			t.Errorf("mean %d of %d: %v, want %v", k, len(means), got, means[k-1])
		}
	}
}

func TestSignedRanks(t *testing.T) {
	p := func(b, v []float64) float64 { return Pair(b, v).P() }
	const trials = 400
	for _, ratio := range []float64{1, 1.05} {
		found := 0
		for seed := range uint64(trials) {
			b, v := rounds(seed, 12, ratio, 0.03, 0.2)
			if p(b, v) <= 0.05 {
				found++
			}
		}
		share := float64(found) / trials
		if ratio == 1 && share > 0.08 || ratio > 1 && share < 0.5 { // three standard errors above 5 %
			t.Errorf("true ratio %v: a difference in %.1f%% of trials", ratio, 100*share)
		}
	}
	if p := p([]float64{1, 1, 1}, []float64{1, 1, 1}); p != 1 {
		t.Errorf("equal runs: p = %v", p)
	}
	// All nine rounds point one way: 2 of 2^9 swaps are as extreme.
	nine := slices.Repeat([]float64{2}, 9)
	if p := p(nine, slices.Repeat([]float64{1}, 9)); math.Abs(p-2.0/512) > 1e-12 {
		t.Errorf("nine rounds that agree: p = %v", p)
	}
	// Textbook values: of 2^5 sign patterns of ranks 1 to 5, 3 have a sum of at
	// most 2 ({}, {1}, {2}), so that p = 6/32.
	if p := p([]float64{1, 2, 3, 4, 5}, []float64{0.9, 2.4, 2, 2.2, 2}); math.Abs(p-6.0/32) > 1e-12 {
		t.Errorf("rank sum 2 of 5: p = %v", p)
	}
	if p := p(nil, nil); p != 1 {
		t.Errorf("no runs: p = %v", p)
	}
}

// Where exact and normal meet, the normal distribution is the more careful.
func TestNormalRanksAreAsGood(t *testing.T) {
	n := exactRanks
	mean, sd := rankMoments(n)
	for w := 100; float64(w) < mean; w += 50 {
		exact := rankSums(n)[w]
		normal := math.Erfc((mean-float64(w)-0.5)/(sd*math.Sqrt2)) / 2
		if normal < 0.98*exact || normal > exact+0.001 {
			t.Errorf("sum %d: exact %v, normal %v", w, exact, normal)
		}
	}
}

func TestSettled(t *testing.T) {
	r := DefaultRules(1)
	for _, c := range []struct {
		name  string
		pairs Paired
		want  bool
	}{
		{"same within the band", around(1, 0.01, 22), true},
		{"clear and narrow", around(1.09, 0.02, 22), true},
		{"clear, wide, but small for its size", around(2.1, 0.3, 22), true},
		{"all of the first look agree", around(576, 1, 8), true},
		{"clear and wide", around(1.11, 0.2, 22), false},
		{"crosses 1", around(1.01, 0.3, 22), false},
		{"too few rounds", around(1.5, 0.01, 7), false},
		{"no look after so many", around(1.5, 0.01, 9), false},
	} {
		if got := r.Settled(c.pairs); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	r.Once = true
	if r.Settled(around(576, 1, 8)) {
		t.Error("a fixed number of rounds ends early")
	}
}

func TestManyVariantsAskMoreOfEach(t *testing.T) {
	one, four := DefaultRules(1), DefaultRules(4)
	if one.Each() != 0.95 || math.Abs(four.Each()-0.9875) > 1e-12 {
		t.Errorf("levels %v and %v", one.Each(), four.Each())
	}
	for variants, want := range map[int][2]int{1: {6, 8}, 4: {8, 10}, 64: {12, 14}} {
		r := DefaultRules(variants)
		if r.FewestRounds() != want[0] || r.FirstLook() != want[1] {
			t.Errorf("%d variants: fewest %d, first look after %d; want %v", variants, r.FewestRounds(), r.FirstLook(), want)
		}
	}
}

// All looks and the end together spend what the level leaves, and no more.
func TestLooksSpendTheErrorOnce(t *testing.T) {
	r := DefaultRules(3)
	const n = 100_000
	spent := 1 - r.Final(n)
	looks := 0
	for k := range n {
		if here := 1 - r.Interim(k); here > 1e-15 {
			spent += here
			looks++
		}
	}
	if alpha := 1 - r.Each(); math.Abs(spent-alpha) > 1e-9 || 1-r.Final(n) < 2*alpha/3-1e-9 {
		t.Errorf("%d looks and the end spend %v of %v, the end %v", looks, spent, alpha, 1-r.Final(n))
	}
	if before := DefaultRules(1); before.Final(7) != before.Each() {
		t.Error("something is spent before the first look")
	}
	r.From = 40
	if r.Interim(40) == 1 || r.Interim(14) != 1 {
		t.Error("a trial that goes on is not looked at first")
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

func TestGeoMean(t *testing.T) {
	var samples []Sample
	for k, r := range []float64{1.1, 1.2, 1.5} {
		base, variant := rounds(uint64(k), 30, r, 0.02, 0)
		samples = append(samples, RatioOfMedians(base, variant, source(9)))
	}
	i := GeoMean(samples, source(1)).Interval(0.95)
	want := math.Cbrt(1.1 * 1.2 * 1.5)
	if i.Low > want || i.High < want || i.HalfWidth() > 0.02 {
		t.Errorf("%+v, want %v", i, want)
	}
	alone := samples[0].Interval(0.95)
	if i.HalfWidth() > alone.HalfWidth() {
		t.Errorf("the mean of three is less certain than one: %v, %v", i.HalfWidth(), alone.HalfWidth())
	}
}
