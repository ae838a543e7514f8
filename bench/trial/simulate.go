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
	noise weather
	slow  bool
	was   float64 // the remembered part of the last run's noise
}

// weather is what disturbs the runs. The median of a run is base × drift.
type weather struct {
	name   string
	sd     float64 // of the logarithm
	spikes float64 // share of runs that take exponentially longer, by 30 % on average
	drift  float64 // standard deviation of the linear change over 100 runs
	phases float64 // chance per run that a slow phase begins or ends
	slower float64 // how much longer runs take in a slow phase
	second float64 // share of runs in the second of two modes
	apart  float64 // how much longer those take
	memory float64 // correlation of a run's noise with that of the run before
	noisy  float64 // standard deviation of the part that is remembered
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
	if w.rng.Float64() < n.second {
		f *= 1 + n.apart
	}
	w.was = n.memory*w.was + math.Sqrt(1-n.memory*n.memory)*w.rng.NormFloat64()
	f *= math.Exp(n.noisy * w.was)
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
	many := func(trials int, n weather, variants int, truth float64, rounds int, name string) {
		if wanted.MatchString(name) {
			_ = many(trials, n, variants, truth, rounds, name)
		}
	}
	usual := weather{name: "sd 2%, 8% spikes, drift", sd: 0.02, spikes: 0.08, drift: 0.1}
	phases := weather{name: "sd 2%, 8% spikes, drift, slow phases", sd: 0.02, spikes: 0.08, drift: 0.1, phases: 0.05, slower: 0.15}
	rough := weather{name: "sd 5%, 15% spikes, drift", sd: 0.05, spikes: 0.15, drift: 0.2}
	shared := weather{name: "sd 3%, 15% spikes, every other run up to 3× as long", sd: 0.03, spikes: 0.15, drift: 0.1, phases: 0.4, slower: 1}
	for i, n := range []weather{usual, phases, rough, shared} {
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

// prove makes the trials that have to keep the tool's word: 200 of a program
// against itself under each kind of noise, of which at most 5 % may see a
// difference, and 50 of a true gain of 3 %, of which at least 90 % have to find
// it within the default budget.
func prove() error {
	const against, gains, truth = 200, 50, 1.03
	var broken []string
	kinds := []weather{
		{name: "drift", sd: 0.02, drift: 0.1},
		{name: "spikes", sd: 0.02, spikes: 0.15},
		{name: "two modes, 6 % apart", sd: 0.01, second: 0.4, apart: 0.06},
		{name: "autocorrelated, 0.9", sd: 0.01, memory: 0.9, noisy: 0.03},
		{name: "slow phases", sd: 0.02, spikes: 0.08, phases: 0.05, slower: 0.15},
		{name: "all of these", sd: 0.01, spikes: 0.08, drift: 0.1, second: 0.3, apart: 0.04, memory: 0.9, noisy: 0.02, phases: 0.05, slower: 0.05},
	}
	for _, n := range kinds {
		sum := many(against, n, 1, 1, 0, "against itself; "+n.name)
		if share := float64(sum.wrong) / against; share > 0.05 {
			broken = append(broken, fmt.Sprintf("%s: %.1f%% false", n.name, 100*share))
		}
	}
	// A trial to which rounds are added while it is unclear looks at its numbers more
	// often.
	for _, n := range kinds[:2] {
		const trials = 300
		var after [4]int
		for seed := range uint64(trials) {
			if at, wrong := continued(seed, n); wrong {
				after[at]++
			}
		}
		first, share := float64(after[0])/trials, float64(after[0]+after[1]+after[2]+after[3])/trials
		fmt.Printf("%-60s %d trials  any difference %.1f%%, of half a minute alone %.1f%%\n", "against itself, up to three times continued; "+n.name, trials, 100*share, 100*first)
		if share > 0.06 {
			broken = append(broken, fmt.Sprintf("%s, continued: %.1f%% false", n.name, 100*share))
		}
	}
	usual := weather{sd: 0.02, spikes: 0.08, drift: 0.1}
	busy := weather{sd: 0.03, spikes: 0.15, drift: 0.1, phases: 0.4, slower: 1}
	for _, gain := range []float64{1.1, 1.25, 2} {
		many(gains, usual, 1, gain, 0, fmt.Sprintf("%.2f times as fast; sd 2%%, 8%% spikes, drift", gain))
		many(gains, busy, 1, gain, 0, fmt.Sprintf("%.2f times as fast; sd 3%%, 15%% spikes, every other run up to 3× as long", gain))
	}
	sum := many(gains, usual, 1, truth, 0, "3 % faster; sd 2%, 8% spikes, drift")
	if found := float64(sum.verdicts[trial.Faster]) / gains; found < 0.9 {
		broken = append(broken, fmt.Sprintf("3%% found in %.0f%%", 100*found))
	}
	if len(broken) > 0 {
		return fmt.Errorf("not kept: %s", strings.Join(broken, "; "))
	}
	fmt.Println("kept: at most 5 % false under every noise, 3 % found in at least 90 %")
	return nil
}

// many runs trials with the default budget of two minutes and runs of a second.
func many(trials int, n weather, variants int, truth float64, rounds int, name string) *tally {
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
	return &sum
}

// continued tries a program against itself for half a minute, and adds as much up
// to three times while the answer is unclear.
func continued(seed uint64, n weather) (at int, wrong bool) {
	rng := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // made-up noise has to be repeatable
	n.drift *= rng.NormFloat64()
	w := &world{rng: rng, noise: n, truth: 1, base: time.Second, now: time.Unix(0, 0)}
	plan := trial.Plan{
		Command: []string{"made-up"}, Metric: trial.Wall, Budget: 30 * time.Second,
		WarmUps: 1, Seed: seed, Variants: copiesOf(1),
	}
	const most = 3
	for at := range 1 + most {
		o, err := trial.Run(context.Background(), plan, w, w, nil)
		if err != nil {
			panic(err)
		}
		switch o.Variants[0].Verdict { //nolint:exhaustive // the others are right or still open
		case trial.Faster, trial.Slower:
			return at, true
		case trial.Unclear:
			plan.Earlier = o
			plan.Seed++
		default:
			return at, false
		}
	}
	return most, false
}

func simulated(seed uint64, n weather, variants int, truth float64, rounds int) (*trial.Outcome, error) {
	rng := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // made-up noise has to be repeatable
	n.drift *= rng.NormFloat64()
	w := &world{rng: rng, noise: n, truth: truth, base: time.Second, now: time.Unix(0, 0), slow: rng.IntN(2) == 0 && n.phases > 0}
	plan := trial.Plan{
		Command: []string{"made-up"}, Metric: trial.Wall, Budget: 2 * time.Minute, Rounds: rounds,
		WarmUps: 1, Seed: seed, Variants: copiesOf(variants),
	}
	return trial.Run(context.Background(), plan, w, w, nil)
}
