package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
)

// world makes up run times: a program on a machine with noise.
type world struct {
	rng   *rand.Rand
	now   time.Time
	runs  int
	truth float64 // how much faster the variants are
	base  time.Duration
	noise noise
	slow  bool
}

// noise is what disturbs the runs. The median of a run is base × drift.
type noise struct {
	name   string
	sd     float64 // of the logarithm
	spikes float64 // share of runs that take exponentially longer, by 30 % on average
	drift  float64 // standard deviation of the linear change over 100 runs
	phases float64 // chance per run that a slow phase begins or ends
	slower float64 // how much longer runs take in a slow phase
}

// Now is the made-up time.
func (w *world) Now() time.Time { return w.now }

// Run makes up one run.
func (w *world) Run(_ context.Context, spec run.Spec) (*run.Result, error) {
	n := w.noise
	f := math.Exp(n.sd * w.rng.NormFloat64())
	if w.rng.Float64() < n.spikes {
		f *= 1 + 0.3*w.rng.ExpFloat64()
	}
	if w.rng.Float64() < n.phases {
		w.slow = !w.slow
	}
	if w.slow {
		f *= 1 + n.slower*w.rng.Float64()*2
	}
	f *= max(0.5, 1+n.drift*float64(w.runs)/100)
	w.runs++
	for _, e := range spec.Env {
		if strings.HasPrefix(e, "WHYHOT_COPY=") {
			f /= w.truth
		}
	}
	wall := time.Duration(float64(w.base) * f)
	w.now = w.now.Add(wall)
	return &run.Result{Wall: wall}, nil
}

// simulate makes all trials of the usual noise and fewer of the others.
func simulate(trials int, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	many := func(trials int, n noise, variants int, truth float64, rounds int, name string) {
		if wanted.MatchString(name) {
			many(trials, n, variants, truth, rounds, name)
		}
	}
	usual := noise{name: "sd 2%, 8% spikes, drift", sd: 0.02, spikes: 0.08, drift: 0.1}
	phases := noise{name: "sd 2%, 8% spikes, drift, slow phases", sd: 0.02, spikes: 0.08, drift: 0.1, phases: 0.05, slower: 0.15}
	rough := noise{name: "sd 5%, 15% spikes, drift", sd: 0.05, spikes: 0.15, drift: 0.2}
	shared := noise{name: "sd 3%, 15% spikes, every other run up to 3× as long", sd: 0.03, spikes: 0.15, drift: 0.1, phases: 0.4, slower: 1}
	for i, n := range []noise{usual, phases, rough, shared} {
		few := trials
		if i > 0 {
			few = trials / 4
		}
		for _, variants := range []int{1, 3} {
			for _, truth := range []float64{1, 1.03} {
				many(few, n, variants, truth, 0, fmt.Sprintf("%s; %d variant(s); true ratio %.2f", n.name, variants, truth))
			}
		}
	}
	for _, rounds := range []int{7, 9, 12, 20, 40} {
		many(trials/2, usual, 1, 1, rounds, fmt.Sprintf("exactly %d rounds; %s", rounds, usual.name))
		many(trials/2, shared, 1, 1, rounds, fmt.Sprintf("exactly %d rounds; %s", rounds, shared.name))
	}
	return nil
}

// many runs trials with the default budget of two minutes and runs of a second.
func many(trials int, n noise, variants int, truth float64, rounds int, name string) {
	var sum tally
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				o, err := simulated(uint64(i), n, variants, truth, rounds)
				if err != nil {
					panic(err)
				}
				mu.Lock()
				sum.add(o, truth)
				mu.Unlock()
			}
		})
	}
	for i := range trials {
		next <- i
	}
	close(next)
	wg.Wait()
	sum.print(name)
}

func simulated(seed uint64, n noise, variants int, truth float64, rounds int) (*trial.Outcome, error) {
	rng := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // made-up noise has to be repeatable
	n.drift *= rng.NormFloat64()
	w := &world{rng: rng, noise: n, truth: truth, base: time.Second, now: time.Unix(0, 0), slow: rng.IntN(2) == 0 && n.phases > 0}
	plan := trial.Plan{
		Command: []string{"made-up"}, Metric: trial.Wall, Budget: 2 * time.Minute, Rounds: rounds,
		WarmUps: 1, Seed: seed, Variants: copiesOf(variants),
	}
	return trial.Run(context.Background(), plan, w, w, nil)
}
