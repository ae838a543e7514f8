package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noise makes up how much longer each run takes, in the order in which runs are made.
type noise struct {
	name string
	next func(rng *rand.Rand, run int, state *float64) float64
}

var noises = []noise{
	{"heavy tails", func(rng *rand.Rand, _ int, _ *float64) float64 {
		return 0.02 * rng.NormFloat64() / max(0.01, rng.Float64()) // no variance
	}},
	{"drift", func(rng *rand.Rand, run int, _ *float64) float64 {
		return 0.02*rng.NormFloat64() + 0.01*float64(run)
	}},
	{"autocorrelated", func(rng *rand.Rand, _ int, state *float64) float64 {
		*state = 0.9**state + 0.03*rng.NormFloat64()
		return *state + 0.005*rng.NormFloat64()
	}},
	{"every other run slow", func(rng *rand.Rand, run int, _ *float64) float64 {
		return 0.3*float64(run%2) + 0.001*rng.NormFloat64()
	}},
	{"two humps and slow phases", func(rng *rand.Rand, _ int, state *float64) float64 {
		if rng.Float64() < 0.05 {
			*state = 0.5 - *state
		}
		return *state + 0.06*float64(rng.IntN(2)) + 0.005*rng.NormFloat64()
	}},
}

// simulated makes one trial of at most so many rounds, each in random order, and says
// what comes out and after how many.
func simulated(rng *rand.Rand, n *noise, ratio float64, most int) (Verdict, int) {
	r := DefaultRules(1)
	var logs []float64
	state, run := 0.0, 0
	for len(logs) < most {
		first, second := n.next(rng, run, &state), n.next(rng, run+1, &state)
		run += 2
		if rng.IntN(2) == 1 {
			first, second = second, first
		}
		logs = append(logs, first-second+math.Log(ratio))
		if r.Interim(len(logs)) == 1 {
			continue
		}
		if p := PairLogs(logs); r.Settled(p) {
			v, _ := r.Judge(p, r.Interim(len(logs)))
			return v, len(logs)
		}
	}
	v, _ := r.Judge(PairLogs(logs), r.Final(len(logs)))
	return v, len(logs)
}

// A program against itself differs in at most 5% of trials, whatever the noise and
// however often the numbers were looked at: 20,000 trials of each kind of noise.
func TestNoiseIsNotCalledADifference(t *testing.T) {
	const trials, most = 20_000, 0.05
	for k := range noises {
		t.Run(noises[k].name, func(t *testing.T) {
			t.Parallel()
			wrong, rng := 0, source(uint64(k))
			for range trials {
				// From what a budget of long runs has room for to what ends at a look.
				if v, _ := simulated(rng, &noises[k], 1, 6+rng.IntN(30)); v == Faster || v == Slower {
					wrong++
				}
			}
			share := float64(wrong) / trials
			upper := share + 1.96*math.Sqrt(share*(1-share)/trials)
			t.Logf("a difference in %.2f%% of %d trials, 95%% CI to %.2f%%", 100*share, trials, 100*upper)
			if upper > most {
				t.Errorf("a difference in %.2f%% of trials (95%% CI to %.2f%%), want at most 5%%", 100*share, 100*upper)
			}
		})
	}
}

// What is there is found, and a large difference after few rounds.
func TestDifferencesAreFoundInTime(t *testing.T) {
	const trials = 2000
	for _, c := range []struct {
		noise int
		ratio float64
		most  int // rounds that there is time for
		least float64
		mean  float64 // rounds
	}{
		{0, 576, 6, 0.99, 6},
		{1, 576, 40, 0.99, 8},
		{2, 1.25, 40, 0.99, 12},
		{4, 1.10, 60, 0.95, 52},
		{1, 1.05, 60, 0.95, 24},
	} {
		rng, found, rounds := source(9), 0, 0
		for range trials {
			v, n := simulated(rng, &noises[c.noise], c.ratio, c.most)
			rounds += n
			if v == Faster {
				found++
			}
		}
		share, mean := float64(found)/trials, float64(rounds)/trials
		t.Logf("%s, %.2f×: found in %.1f%%, after %.1f rounds", noises[c.noise].name, c.ratio, 100*share, mean)
		if share < c.least || mean > c.mean {
			t.Errorf("%s, %.2f×: found in %.1f%% after %.1f rounds, want %.0f%% after %.0f", noises[c.noise].name, c.ratio, 100*share, mean, 100*c.least, c.mean)
		}
	}
}
