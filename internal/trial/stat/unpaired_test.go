package stat

import (
	"math"
	"testing"
)

// The shares are those of the tables of Mann and Whitney: of the 70 ways to
// share eight ranks among two fours, one gives 0, one 1, two 2.
func TestWhitney(t *testing.T) {
	p := whitney(4, 4)
	for u, want := range []float64{1, 1, 2, 3, 5, 5, 7, 7, 8} {
		if math.Abs(p[u]*70-want) > 1e-9 {
			t.Errorf("U = %d: %v of 70, want %v", u, p[u]*70, want)
		}
	}
	sum := 0.0
	for _, x := range whitney(7, 12) {
		sum += x
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("sum %v", sum)
	}
}

func TestShiftNeedsFourEach(t *testing.T) {
	base := []float64{2.0, 2.1, 2.2, 2.05}
	variant := []float64{1.0, 1.1, 1.05, 1.02}
	i, ok := Shift(base, variant, 0.95)
	if !ok || i.Low != 2.0/1.1 || i.High != 2.2/1.0 || i.Estimate < i.Low || i.Estimate > i.High {
		t.Errorf("%+v, %v", i, ok)
	}
	if i, ok := Shift(base[:3], variant, 0.95); ok || !math.IsInf(i.High, 1) {
		t.Errorf("three values: %+v, %v", i, ok)
	}
	if _, ok := Shift(nil, variant, 0.95); ok {
		t.Error("no values: ok")
	}
}

func TestShiftHoldsTheTruth(t *testing.T) {
	const trials, truth = 2000, 1.2
	for _, n := range []int{4, 6, 10, 50} {
		rng := source(uint64(n))
		held := 0
		for range trials {
			base, variant := make([]float64, n), make([]float64, n)
			for i := range n {
				base[i] = truth * math.Exp(0.1*rng.ExpFloat64())
				variant[i] = math.Exp(0.1 * rng.ExpFloat64())
			}
			if i, ok := Shift(base, variant, 0.95); ok && i.Low <= truth && truth <= i.High {
				held++
			}
		}
		if share := float64(held) / trials; share < 0.94 || n >= 6 && share > 0.985 {
			t.Errorf("%d values: %.3f", n, share)
		}
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

func TestUnpairedDoesNotCancelDrift(t *testing.T) {
	base, variant := rounds(3, 30, 1.1, 0.01, 0.5)
	paired := RatioOfMedians(base, variant, source(1)).Interval(0.95)
	apart := RatioOfUnpaired(base, variant, source(1)).Interval(0.95)
	if apart.HalfWidth() < 2*paired.HalfWidth() {
		t.Errorf("apart ±%v, paired ±%v", apart.HalfWidth(), paired.HalfWidth())
	}
}
