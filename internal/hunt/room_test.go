package hunt

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/hunt/candidate"
	"whyhot/internal/hunt/race"
	"whyhot/internal/trial/rebuild"
)

const oneBuild = 24 * time.Second

// built is a candidate that is built.
func built(name, variant string, builds float64) candidate.Candidate {
	return candidate.Candidate{Name: name, Kind: candidate.Flags, Variant: variant, Builds: builds, How: name}
}

// raceOver is a hunt with so much of its budget left, when the race has been decided: one
// change is clearly faster and built fast, others take long to build, and one is noise.
func raceOver(t *testing.T, f *fake, left time.Duration) *hunt {
	t.Helper()
	f.run = 360 * time.Millisecond
	h := hunted(t, f, t.TempDir(),
		built("-march=native", "cflags=-march=native", 1), built("pgo", "pgo", 2.5), setting("NOISE=1", ""), built("bolt", "bolt", 2))
	h.request.Budget, h.state.Build, h.state.Phase = 5*time.Minute, oneBuild, phaseProof
	h.state.Spent = h.request.Budget - left
	h.state.Raced = h.state.Spent
	for i, logs := range [][]float64{{0.13, 0.14, 0.15, 0.14}, {0.035, 0.045, 0.04, 0.04}, {0.3, -0.1, 0.2, -0.2}, {0.03, 0.032, 0.031, 0.03}} {
		h.state.Race.Standings[i].Logs, h.state.Race.Standings[i].State = logs, race.Finalist
	}
	return h
}

// A combination whose build does not fit is not begun: the best change, which is built, is
// proved in the time that is left.
func TestNoCombinationThatDoesNotFit(t *testing.T) {
	f := &fake{rng: rand.New(rand.NewPCG(21, 1)), noise: 0.005, gains: map[string]float64{"-march=native": 1.15, "pgo": 1.04, "bolt": 1.03}}
	h := raceOver(t, f, 64*time.Second)
	r := do(t, h)
	if !strings.Contains(names(r.Proved), "-march=native") {
		t.Errorf("proved %s", names(r.Proved))
	}
	if first := f.asked[0]; len(first.arms) == 1 && strings.Contains(first.arms[0].name, "+") {
		t.Errorf("the first trial was of %s, whose build does not fit", first.arms[0].name)
	}
	if h.spent() > h.request.Budget {
		t.Errorf("%s of %s", h.spent(), h.request.Budget)
	}
}

// A combination that was expected to fit and does not leaves the time in which the best of
// its parts is proved. What may be noise is no part of it.
func TestAnEndedCombinationLeavesAProof(t *testing.T) {
	const whole = "-march=native+pgo"
	f := &fake{
		rng: rand.New(rand.NewPCG(22, 1)), noise: 0.005, gains: map[string]float64{"-march=native": 1.15, "pgo": 1.04, "bolt": 1.03},
		fails: map[string]string{whole: "timed out"}, late: true,
	}
	h := raceOver(t, f, 85*time.Second)
	f.builds = map[string]time.Duration{}
	f.before = func(n int, a ask) error {
		if n != 1 {
			return nil
		}
		if len(a.arms) != 1 || a.arms[0].name != whole {
			t.Errorf("the first trial is of %+v", a.arms)
		}
		if kept := h.left() - a.end.Sub(f.now); kept != h.oneProof() {
			t.Errorf("%s is kept for a proof, %s is needed", kept, h.oneProof())
		}
		if !a.until.Before(a.end) {
			t.Error("a build may take all of the time")
		}
		// The fake machine adds the rounds that a trial of nothing does not make.
		f.now = f.now.Add(a.end.Sub(f.now) - 2*(proofRounds+1)*f.run)
		return nil
	}
	r := do(t, h)
	if names(r.Proved) != "-march=native" {
		t.Errorf("proved %s", names(r.Proved))
	}
	if h.spent() > h.request.Budget {
		t.Errorf("%s of %s", h.spent(), h.request.Budget)
	}
}

// Without time for any proof, what is clear in the race is called promising, what is not is
// not, and the budget that is named is one in which the best is proved.
func TestWhatWasNotProvedInTheTime(t *testing.T) {
	gains := map[string]float64{"-march=native": 1.15, "pgo": 1.04}
	f := &fake{rng: rand.New(rand.NewPCG(23, 1)), noise: 0.005, gains: gains}
	r := do(t, raceOver(t, f, time.Second))
	best := r.Best()
	if len(r.Proved) > 0 || best == nil || best.Name != "-march=native" || !strings.Contains(best.Command, "--variant cflags=-march=native") {
		t.Fatalf("proved %s, best %+v", names(r.Proved), best)
	}
	for _, v := range r.Open {
		if noise := v.Name == "NOISE=1"; v.Promising == noise || noise == strings.Contains(v.Why, "promising") {
			t.Errorf("%+v", v)
		}
	}
	if r.Enough <= r.Budget {
		t.Fatalf("a budget of %g s is enough, after %g s were not", r.Enough, r.Budget)
	}
	again := &fake{
		rng: rand.New(rand.NewPCG(24, 1)), noise: 0.005, gains: gains, run: f.run,
		builds: map[string]time.Duration{"-march=native": oneBuild, "pgo": 5 * oneBuild / 2, "bolt": 2 * oneBuild},
	}
	h := hunted(t, again, t.TempDir(),
		built("-march=native", "cflags=-march=native", 1), built("pgo", "pgo", 2.5), setting("NOISE=1", ""), built("bolt", "bolt", 2))
	h.request.Budget, h.state.Build = time.Duration(r.Enough*float64(time.Second)), oneBuild
	if r := do(t, h); !strings.Contains(names(r.Proved), "-march=native") {
		t.Errorf("with a budget of %s: proved %s", h.request.Budget, names(r.Proved))
	}
}

// A small gain of a build is proved in several layouts: the budget that is named has room for
// them.
func TestEnoughForLayouts(t *testing.T) {
	gains := map[string]float64{"pgo": 1.04}
	h := raceOver(t, &fake{rng: rand.New(rand.NewPCG(25, 1)), noise: 0.002, gains: gains}, time.Second)
	h.state.Race.Standings[0].State, h.state.Race.Standings[3].State = race.Left, race.Left
	r := do(t, h)
	if best := r.Best(); best == nil || best.Name != "pgo" {
		t.Fatalf("%+v", r.Open)
	}
	again := &fake{rng: rand.New(rand.NewPCG(26, 1)), noise: 0.002, gains: gains, run: 360 * time.Millisecond}
	h = hunted(t, again, t.TempDir(), built("pgo", "pgo", 2.5), setting("NOISE=1", ""))
	h.request.Budget, h.state.Build = time.Duration(r.Enough*float64(time.Second)), oneBuild
	h.state.Spent = 4*time.Minute + 50*time.Second // as long as the race of the first
	if r := do(t, h); names(r.Proved) != "pgo" {
		t.Errorf("with a budget of %s: proved %s, %+v", h.request.Budget, names(r.Proved), r.Open)
	}
}

// The measured time of a build counts, not the usual one of its kind.
func TestBuildsAreTimed(t *testing.T) {
	h := raceOver(t, &fake{}, time.Minute)
	h.timeBuilds(ask{arms: []arm{{name: "pgo"}, {name: "-march=native"}}}, 100*time.Second)
	for name, want := range map[string]time.Duration{"pgo": 100 * time.Second, "-march=native": 40 * time.Second, "bolt": 48 * time.Second} {
		if got := h.buildTime(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	// A plain build of 24 s, and what each takes beyond it: 76, 16 and 24 s.
	if got := h.buildTogether([]string{"pgo", "-march=native", "NOISE=1", "bolt"}); got != 140*time.Second {
		t.Errorf("together %s", got)
	}
	if got := h.buildTogether([]string{"pgo", "NOISE=1"}); got != 0 {
		t.Errorf("one that is built takes %s", got)
	}
}

// A command that does not exist is an error at once, before anything is announced.
func TestNoSuchProgram(t *testing.T) {
	var said heard
	r := Request{Command: []string{"./nosuchprog"}, Directory: t.TempDir(), Budget: time.Minute, State: t.TempDir()}
	_, err := Run(t.Context(), r, &said)
	if err == nil || !strings.Contains(err.Error(), `"./nosuchprog" does not exist`) || len(said.stages) > 0 {
		t.Errorf("%v, after %q", err, said.stages)
	}
}

// logging writes what is announced into a file of the tree, as a shell does for >log.
type logging struct {
	deaf

	path string
}

func (l logging) Stage(text string, _ time.Duration) { _ = os.WriteFile(l.path, []byte(text), 0o600) }

// A log of the hunt itself in the tree is no part of the program: each trial would build all
// of it again.
func TestTheLogOfTheHuntIsNotBuilt(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	log := filepath.Join(dir, "hunt.log")
	for _, name := range []string{log, filepath.Join(dir, "a.c")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := Request{Command: []string{"true"}, Directory: dir, Env: os.Environ(), Budget: time.Minute, Build: rebuild.Options{Command: "true"}}
	h, err := prepare(t.Context(), r, logging{path: log})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	lines, err := h.lines()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.first(t.Context(), lines); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(h.state.Products, []string{"hunt.log"}) {
		t.Errorf("written while the command ran: %q", h.state.Products)
	}
}
