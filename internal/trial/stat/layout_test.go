package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// laidOut makes up the values of layouts that differ by themselves.
func laidOut(rng *rand.Rand, layouts, runs int, ratio, between, within float64) [][]float64 {
	out := make([][]float64, layouts)
	for i := range out {
		own := between * rng.NormFloat64()
		for range runs {
			out[i] = append(out[i], math.Exp(own+within*rng.NormFloat64())/ratio)
		}
	}
	return out
}

// Layouts that differ by 2 % among themselves: one program against itself must
// not differ in more than one case of twenty, whatever the number of runs.
func TestAcrossLayoutsHoldsTheTruth(t *testing.T) {
	const trials = 2000
	for _, layouts := range []int{2, 3, 5, 8} {
		rng, out := source(uint64(layouts)), 0
		for range trials {
			i, ok := AcrossLayouts(laidOut(rng, layouts, 9, 1, 0.02, 0.005), laidOut(rng, layouts, 9, 1, 0.02, 0.005), 0.95)
			if !ok {
				t.Fatal("not ok")
			}
			if i.Excludes(1) {
				out++
			}
		}
		if share := float64(out) / trials; share > 0.06 {
			t.Errorf("%d layouts: %.3f", layouts, share)
		}
	}
}

func TestAcrossLayoutsFindsWhatIsThere(t *testing.T) {
	rng, found := source(1), 0
	for range 200 {
		i, _ := AcrossLayouts(laidOut(rng, 5, 9, 1, 0.02, 0.005), laidOut(rng, 5, 9, 1.08, 0.02, 0.005), 0.95)
		if i.Low > 1 {
			found++
		}
	}
	if found < 180 {
		t.Errorf("8%% found in %d of 200", found)
	}
}

func TestOneLayoutTellsNoSpread(t *testing.T) {
	if _, ok := AcrossLayouts([][]float64{{1, 2}}, [][]float64{{1}, {2}}, 0.95); ok {
		t.Error("ok")
	}
	if i, ok := AcrossLayouts([][]float64{{2}, {2}, nil}, [][]float64{{1}, {1}}, 0.95); !ok || i.Low != i.High || math.Abs(i.Estimate-2) > 1e-12 {
		t.Errorf("%+v, %v", i, ok)
	}
}
