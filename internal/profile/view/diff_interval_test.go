package view

import (
	"math/rand/v2"
	"testing"
)

// Of two profiles of the same program no function is said to change in at least 95% of
// cases, however many functions there are; and a change of four points in 20,000 samples
// is seen.
func TestJointIntervalsHold(t *testing.T) {
	const pairs, functions, samples = 400, 60, 20000
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(extra float64) *Sums {
		self := make([]int64, functions)
		for range samples {
			if rng.Float64() < extra {
				self[0]++
				continue
			}
			// A few functions have most of the samples, as in real profiles.
			self[int(functions*rng.Float64()*rng.Float64()*rng.Float64())]++
		}
		s := &Sums{Total: samples, Events: samples, functions: map[diffKey]diffSide{}}
		for i, v := range self {
			key := diffKey{name: string(rune('A' + i))}
			s.functions[key] = diffSide{Side: Side{Self: v, Total: v}, name: key.name, events: samples}
		}
		return s
	}
	for _, absolute := range []bool{false, true} {
		wrong, seen := 0, 0
		for range pairs {
			for _, c := range DiffSums(draw(0), draw(0), DiffOptions{Absolute: absolute}).Changes(SortSelf, 0.95) {
				if c.Grows || c.Shrinks {
					wrong++
					break
				}
			}
			for _, c := range DiffSums(draw(0), draw(0.05), DiffOptions{Absolute: absolute}).Changes(SortSelf, 0.95) {
				if c.Name == "A" && c.Grows {
					seen++
				}
			}
		}
		if wrong > pairs/20 {
			t.Errorf("absolute %v: %d of %d pairs of equal programs are said to differ", absolute, wrong, pairs)
		}
		if seen < pairs*9/10 {
			t.Errorf("absolute %v: %d of %d changes are seen", absolute, seen, pairs)
		}
	}
}
