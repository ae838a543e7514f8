package check

import (
	"math"
	"math/rand/v2"
	"testing"
)

// laidOut is a simulated check of a change that is slow by some share of the base's time,
// with room for most rounds. Each layout adds what layout gives, to all of its rounds;
// found says whether the first comparison found a slow-down.
func laidOut(rng *rand.Rand, slow, noise float64, most int, layout func(*rand.Rand) float64) (found bool, v Verdict) {
	r := newRules(1, 0)
	round := func(of float64) (base, change float64) {
		x := noise * rng.NormFloat64()
		if rng.IntN(10) == 0 {
			x *= 3
		}
		return 1, (1 + slow) * math.Exp(of+x)
	}
	first, settled := layout(rng), false
	var base, change []float64
	for len(base) < most && !settled {
		b, c := round(first)
		base, change = append(base, b), append(change, c)
		settled = r.enough(base, change, false)
	}
	if v, _ := r.conclude(base, change, settled, false); v != Slower {
		return false, v
	}
	asBuilt := logsOf(base, change)
	all := make([][]float64, 1+mostLayouts)
	all[0] = asBuilt
	adds := make([]float64, mostLayouts)
	for i := range adds {
		adds[i] = layout(rng)
	}
	settled = false
	for n := 1; n <= max(most-len(base), 2*mostLayouts); n++ {
		at := (n - 1) % mostLayouts
		b, c := round(adds[at])
		all[1+at] = append(all[1+at], logsOf([]float64{b}, []float64{c})...)
		if r.looksAtLayouts(n, mostLayouts) && r.layoutsTell(all) {
			settled = true
			break
		}
	}
	if stands, _ := r.stands(all, !settled); stands {
		return true, Slower
	}
	return true, Undecided
}

// either adds as much or takes as much away.
func either(size float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return size * float64(2*rng.IntN(2)-1) }
}

func normal(size float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return size * rng.NormFloat64() }
}

// A layout that makes a program slower by 2% is no alarm, however well or badly a round is
// known and however much room there is. Where layouts add or take 2% and nothing in between,
// eight of them say the same by chance too often: a rate of 2.5% has to do.
func TestALayoutIsNoAlarm(t *testing.T) {
	const checks, twoSided = 600, 0.025
	for _, c := range []struct {
		name   string
		noise  float64
		rounds int
		layout func(*rand.Rand) float64
		rate   float64
	}{
		{"none", 0.02, 60, either(0), FalseAlarms},
		{"±2%, quiet", 0.003, 60, either(0.02), twoSided},
		{"±2%", 0.02, 60, either(0.02), FalseAlarms},
		{"±2%, little room", 0.02, 20, either(0.02), FalseAlarms},
		{"±2%, noisy", 0.04, 100, either(0.02), FalseAlarms},
		{"±1%", 0.01, 100, either(0.01), FalseAlarms},
		{"2%, normal", 0.01, 60, normal(0.02), FalseAlarms},
		{"2%, normal, noisy", 0.03, 100, normal(0.02), FalseAlarms},
		{"±12%", 0.01, 40, either(0.12), twoSided},
		{"10%, normal, noisy", 0.04, 60, normal(0.1), FalseAlarms},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng, first, alarms := seeded(7), 0, 0
			for range checks {
				found, v := laidOut(rng, 0, c.noise, c.rounds, c.layout)
				if found {
					first++
				}
				if v == Slower {
					alarms++
				}
			}
			t.Logf("the first comparison alarms in %d of %d checks, the verdict in %d", first, checks, alarms)
			// The 99.9% quantile of a count.
			if most := int(checks*c.rate + 3.1*math.Sqrt(checks*c.rate)); alarms > most {
				t.Errorf("%d alarms in %d checks; at most %d", alarms, checks, most)
			}
		})
	}
}

// Layouts take back few of the slow-downs that the first comparison finds.
func TestASlowDownStands(t *testing.T) {
	const checks = 200
	for _, c := range []struct {
		name        string
		slow, noise float64
		rounds      int
		layout      func(*rand.Rand) float64
		least       float64 // of what the first comparison finds
	}{
		{"2%, quiet", 0.02, 0.005, 60, normal(0.003), 0.95},
		{"2%", 0.02, 0.02, 100, normal(0.003), 0.8},
		{"2%, noisy", 0.02, 0.04, 150, normal(0.003), 0.5},
		{"2%, layouts differ by 1%", 0.02, 0.02, 100, normal(0.01), 0.5},
		{"5%, noisy", 0.05, 0.04, 60, normal(0.003), 0.9},
		{"5%, layouts differ by 2%", 0.05, 0.04, 60, normal(0.02), 0.7},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng, first, stand := seeded(9), 0, 0
			for range checks {
				found, v := laidOut(rng, c.slow, c.noise, c.rounds, c.layout)
				if found {
					first++
				}
				if v == Slower {
					stand++
				}
			}
			t.Logf("the first comparison finds %d of %d, and %d stand", first, checks, stand)
			if float64(stand) < c.least*float64(first) || first < checks/2 {
				t.Errorf("%d of %d stand, of %d", stand, first, checks)
			}
		})
	}
}
