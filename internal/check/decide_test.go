package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"whyhot/internal/trial/stat"
)

// noises make up how much longer each run takes, in the order of the runs.
var noises = map[string]func(rng *rand.Rand, run int, state *float64) float64{
	"heavy tails": func(rng *rand.Rand, _ int, _ *float64) float64 {
		return 0.01 * rng.NormFloat64() / max(0.05, rng.Float64())
	},
	"drift": func(rng *rand.Rand, run int, _ *float64) float64 {
		return 0.02*rng.NormFloat64() + 0.005*float64(run)
	},
	"autocorrelated": func(rng *rand.Rand, _ int, state *float64) float64 {
		*state = 0.9**state + 0.02*rng.NormFloat64()
		return *state
	},
	"two humps": func(rng *rand.Rand, _ int, _ *float64) float64 {
		return 0.1*float64(rng.IntN(2)) + 0.003*rng.NormFloat64()
	},
}

// checked is one simulated check of several commands that all take slow more after the
// change: the verdicts, and the rounds of all.
func checked(rng *rand.Rand, next func(*rand.Rand, int, *float64) float64, commands, most int, slow, limit float64) (verdicts []Verdict, rounds int) {
	r := newRules(commands, limit)
	for range commands {
		var base, change []float64
		state, run, settled := 0.0, 0, false
		for len(base) < most && !settled {
			first, second := next(rng, run, &state), next(rng, run+1, &state)
			run += 2
			if rng.IntN(2) == 1 {
				first, second = second, first
			}
			base, change = append(base, math.Exp(first)), append(change, (1+slow)*math.Exp(second))
			settled = r.enough(base, change, false)
		}
		v, _ := r.conclude(base, change, settled, false)
		verdicts, rounds = append(verdicts, v), rounds+len(base)
	}
	return verdicts, rounds
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }

// Where the change takes exactly the limit more, each of the two verdicts is wrong on one
// side, and comes in at most one of a hundred checks: over all looks and three commands,
// whatever the noise and the room for rounds. Of a change that is no slower, "slower" comes
// in fewer still.
func TestFalseAlarms(t *testing.T) {
	const checks = 600
	for name, next := range noises {
		for _, c := range []struct{ slow, limit float64 }{{0.02, 0.02}, {0, 0}, {0, 0.02}} {
			t.Run(fmt.Sprintf("%s, %v with limit %v", name, c.slow, c.limit), func(t *testing.T) {
				t.Parallel()
				rng, slower, not := seeded(uint64(len(name))), 0, 0
				for range checks {
					verdicts, _ := checked(rng, next, 3, 8+rng.IntN(40), c.slow, c.limit)
					alarm, pass := false, false
					for _, v := range verdicts {
						alarm, pass = alarm || v == Slower, pass || v == NotSlower
					}
					if alarm {
						slower++
					}
					if pass {
						not++
					}
				}
				// The 99.9% quantile of a count with a chance of one in a hundred.
				most := int(checks*FalseAlarms + 3.1*math.Sqrt(checks*FalseAlarms))
				t.Logf("slower in %d of %d, not slower in %d", slower, checks, not)
				if slower > most || c.slow == c.limit && not > most {
					t.Errorf("slower in %d, not slower in %d of %d checks; at most %d of what is wrong", slower, not, checks, most)
				}
			})
		}
	}
}

func TestDifferencesAreDecided(t *testing.T) {
	const checks = 100
	for _, c := range []struct {
		slow, limit float64
		most        int
		want        Verdict
		least       float64
		mean        float64 // rounds
	}{
		{0.05, 0.02, 200, Slower, 0.9, 90},
		{0.20, 0.02, 100, Slower, 0.99, 18},
		{0, 0.02, 300, NotSlower, 0.9, 200},
		{-0.10, 0.02, 100, NotSlower, 0.99, 40},
	} {
		rng, right, rounds := seeded(3), 0, 0
		for range checks {
			v, n := checked(rng, func(rng *rand.Rand, _ int, _ *float64) float64 { return 0.04 * rng.NormFloat64() }, 1, c.most, c.slow, c.limit)
			rounds += n
			if v[0] == c.want {
				right++
			}
		}
		if share, mean := float64(right)/checks, float64(rounds)/checks; share < c.least || mean > c.mean {
			t.Errorf("%v with limit %v: %s in %.3f of checks after %.1f rounds, want %v after %v", c.slow, c.limit, c.want, share, mean, c.least, c.mean)
		}
	}
}

// What is said to be decidable is about what is decided.
func TestDecides(t *testing.T) {
	const spread, rounds = 0.05, 100
	at := decides(spread, rounds, 1)
	rng, half := seeded(5), 0.0
	r := newRules(1, 0)
	const trials = 200
	for range trials {
		var base, change []float64
		for range rounds {
			base, change = append(base, 1), append(change, math.Exp(spread*rng.NormFloat64()))
		}
		i := stat.Pair(change, base).Interval(r.looks.Final(rounds))
		half += math.Sqrt(i.High/i.Low) - 1
	}
	if half /= trials; at < 0.8*half || at > 1.25*half {
		t.Errorf("decides from %.4f, and half of an interval is %.4f", at, half)
	}
}

func TestMoreRounds(t *testing.T) {
	r := newRules(1, 0.02)
	// Half as wide an interval would do: three times the rounds more.
	i := stat.Interval{Estimate: math.Exp(0.04 + math.Log1p(0.02)), Low: math.Exp(-0.04 + math.Log1p(0.02)), High: math.Exp(0.12 + math.Log1p(0.02))}
	if more, ok := r.moreRounds(i, 10); !ok || more != 30 {
		t.Errorf("%d more, %v", more, ok)
	}
	i.Estimate = 1.0201
	if _, ok := r.moreRounds(i, 10); ok {
		t.Error("a ratio at the limit is decided")
	}
	if more, ok := r.moreRounds(stat.Interval{Estimate: 1, Low: 0, High: math.Inf(1)}, 3); !ok || more != r.looks.FirstLook()-3 {
		t.Errorf("too few rounds: %d more, %v", more, ok)
	}
}

// Counted values that repeat themselves need three rounds and no distribution.
func TestCounts(t *testing.T) {
	r := newRules(1, 0.02)
	base, change := []float64{1000, 1000, 1001}, []float64{1050, 1051, 1050}
	if r.enough(base[:2], change[:2], true) || !r.enough(base, change, true) {
		t.Error("three that agree are enough")
	}
	if v, i := r.conclude(base, change, true, true); v != Slower || i.Low < 1.045 {
		t.Errorf("%s, %+v", v, i)
	}
}

// Equal programs alarm where all of their interval is beyond the limit, on either side.
func TestAlarm(t *testing.T) {
	r := newRules(1, 0.02)
	for _, c := range []struct{ low, high, want float64 }{
		{0.99, 1.05, 0},
		{1.01, 1.05, 0},
		{1.03, 1.05, 0.05},
		{1 / 1.05, 1 / 1.03, 0.05},
		{0, math.Inf(1), 0},
	} {
		if got := r.alarm(stat.Interval{Estimate: 1, Low: c.low, High: c.high}); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}
