package bisect

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// world is a simulated history: what each commit costs, which are broken, how noisy runs
// are and what things take. Its clock is its own.
type world struct {
	cost     []float64
	broken   map[int]bool
	programs []string
	sigma    float64
	spikes   float64 // share of runs that something else disturbs
	rng      *rand.Rand
	now      time.Time
	builds   map[int]bool
	runs     int
}

const (
	buildTime = 20 * time.Second
	runTime   = time.Second
)

func (w *world) Build(_ context.Context, c int) (Built, error) {
	kept := w.builds[c]
	if !kept {
		w.now = w.now.Add(buildTime)
	}
	if w.broken[c] {
		return Built{}, &UnfitError{c, "build: exit status 2"}
	}
	w.builds[c] = true
	b := Built{Took: buildTime, Kept: kept}
	if w.programs != nil {
		b.Programs = w.programs[c]
	}
	return b, nil
}

func (w *world) Round(_ context.Context, commits []int) ([]float64, error) {
	drift := 0.05 * w.rng.NormFloat64() // the machine's mood, which a round shares
	out := make([]float64, len(commits))
	for i, c := range commits {
		w.now = w.now.Add(runTime)
		w.runs++
		log := drift + w.sigma*w.rng.NormFloat64()
		if w.rng.Float64() < w.spikes {
			log += 0.3 * w.rng.Float64()
		}
		out[i] = w.cost[c] * math.Exp(log)
	}
	return out, nil
}

func (w *world) Now() time.Time { return w.now }

type silent struct{}

func (silent) measuring(int, int, float64) {}
func (silent) skipped(int, string)         {}

// newWorld is a history of n commits whose k-th changes the cost by delta, and whose
// commits all differ by own at random.
func newWorld(seed uint64, n, k int, delta, own, sigma float64) *world {
	w := &world{sigma: sigma, rng: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(0, 0), builds: map[int]bool{}, broken: map[int]bool{}}
	for i := range n + 1 {
		log := own * w.rng.NormFloat64()
		if i >= k {
			log += math.Log1p(delta)
		}
		w.cost = append(w.cost, math.Exp(log))
	}
	return w
}

func (w *world) search(t *testing.T, terms Terms) (*search, Verdict) {
	t.Helper()
	s := newSearch(w, terms, newState("k"), len(w.cost), silent{}, func() error { return nil })
	v, err := s.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, v
}

var usual = Terms{Limit: 0.02, Confidence: 0.95, Budget: 3 * time.Hour}

// What a search calls found with a probability is so at least as often: over histories of
// several lengths and kinds of noise, with commits that all differ a little.
func TestProbabilityIsHonest(t *testing.T) {
	const histories = 120
	rng := rand.New(rand.NewPCG(7, 7))
	found, right, promised, undecided := 0, 0, 0.0, 0
	builds, commits := 0, 0
	for seed := range uint64(histories) {
		n := 8 + rng.IntN(120)
		k := 1 + rng.IntN(n)
		w := newWorld(seed, n, k, 0.03+0.15*rng.Float64(), []float64{0, 0.001, 0.004, 0.007}[rng.IntN(4)], []float64{0.003, 0.01, 0.03}[rng.IntN(3)])
		w.spikes = []float64{0, 0.1}[rng.IntN(2)]
		s, v := w.search(t, usual)
		switch v {
		case Found:
			b := s.best()
			found++
			promised += b.p
			if b.at == k {
				right++
			}
		case Undecided:
			undecided++
		case Difference:
			t.Errorf("history %d: no difference seen, and there is one", seed)
		}
		builds += s.state.Builds
		commits += n
	}
	t.Logf("%d found, %d right, %.1f promised, %d undecided; %.1f builds for %.1f commits", found, right, promised, undecided, float64(builds)/histories, float64(commits)/histories)
	if found < histories*9/10 {
		t.Errorf("%d of %d histories were decided", found, histories)
	}
	// Two standard deviations of what chance does to a count.
	if slack := 2 * math.Sqrt(promised*(1-promised/float64(found))); float64(right) < promised-slack {
		t.Errorf("%d of %d answers are right, and %.1f were promised", right, found, promised)
	}
	if builds > commits/3 {
		t.Errorf("%d builds for %d commits", builds, commits)
	}
}

// Where nothing changed by the limit there is no culprit, however the commits scatter.
func TestNoDifferenceIsSaid(t *testing.T) {
	for seed := range uint64(40) {
		w := newWorld(seed, 30, 31, 0, 0.002, 0.02)
		terms := usual
		terms.Limit = 0.05
		if _, v := w.search(t, terms); v != Difference {
			t.Errorf("history %d: %s", seed, v)
		}
	}
}

// Commits that cannot be built are skipped, and a change that hides among them is told
// with all that it may be.
func TestBrokenCommitsAreOneAnswer(t *testing.T) {
	w := newWorld(3, 40, 20, 0.1, 0.001, 0.005)
	for c := 18; c <= 21; c++ {
		w.broken[c] = true
	}
	s, v := w.search(t, usual)
	b := s.best()
	if v != Found || b.at != 22 || len(b.group) != 5 || b.before() != 17 {
		t.Errorf("%s: %+v", v, b)
	}
}

// Commits with equal programs are measured once, and none of them is the culprit.
func TestEqualProgramsAreOne(t *testing.T) {
	w := newWorld(5, 64, 33, 0.05, 0, 0.01)
	for c := range w.cost {
		p := "before"
		if c >= 33 {
			p = "after"
		}
		w.programs = append(w.programs, p)
	}
	s, v := w.search(t, usual)
	if b := s.best(); v != Found || b.at != 33 {
		t.Errorf("%s: %+v", v, b)
	}
	// The ends, six halvings, and no run but those that show that the ends differ and
	// those that compare the two programs.
	if s.state.Builds > 9 {
		t.Errorf("%d builds", s.state.Builds)
	}
	for c, logs := range s.state.Logs {
		if c != 64 && c != 33 && c != 32 && len(logs) > 0 {
			t.Errorf("commit %d was measured %d times", c, len(logs))
		}
	}
}

// An improvement is found as a slow-down is.
func TestLessIsFound(t *testing.T) {
	w := newWorld(11, 50, 41, -0.12, 0.002, 0.01)
	terms := usual
	terms.Less = true
	s, v := w.search(t, terms)
	if b := s.best(); v != Found || b.at != 41 {
		t.Errorf("%s: %+v", v, b)
	}
	if i := s.ratio(s.direct(s.best())); i == nil || i.Estimate > 0.92 || i.Estimate < 0.84 {
		t.Errorf("the step is %+v", i)
	}
	if _, v := newWorld(11, 50, 41, 0.12, 0.002, 0.01).search(t, terms); v != Difference {
		t.Errorf("a rise where a fall was looked for: %s", v)
	}
}

// A search whose budget ends says what it knows, and goes on from there.
func TestABudgetEndsAndTheSearchGoesOn(t *testing.T) {
	state := newState("k")
	w := newWorld(13, 100, 60, 0.06, 0.002, 0.01)
	terms := usual
	terms.Budget = 3 * time.Minute
	for range 30 {
		s := newSearch(w, terms, state, len(w.cost), silent{}, func() error { return nil })
		v, err := s.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v == Found {
			if b := s.best(); b.at != 60 {
				t.Errorf("%+v", b)
			}
			if state.Builds > 14 {
				t.Errorf("%d builds", state.Builds)
			}
			return
		}
		state.Exhausted = false
	}
	t.Error("the search does not end")
}
