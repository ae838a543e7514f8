package hunt

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/hunt/race"
)

// A budget that has no room to prove each change proves all of them together.
func TestAShortBudgetEndsWithOneProof(t *testing.T) {
	f := &fake{
		rng: rand.New(rand.NewPCG(11, 1)), noise: 0.01, run: 2 * time.Second,
		gains: map[string]float64{"A=1": 1.3, "B=1": 1.2, "C=1": 1.15},
	}
	h := hunted(t, f, t.TempDir(), setting("A=1", ""), setting("B=1", ""), setting("C=1", ""))
	h.request.Budget = 4 * time.Minute
	r := do(t, h)
	c := r.Combined
	if c == nil || c.Verdict != finding.Faster || !slices.Equal(slices.Sorted(slices.Values(c.Names)), []string{"A=1", "B=1", "C=1"}) {
		t.Fatalf("%+v", c)
	}
	if want := 1.3 * 1.2 * 1.15; c.Ratio.Low > want || c.Ratio.High < want {
		t.Errorf("%+v, want %.2f", c.Ratio, want)
	}
	first := f.asked[slices.IndexFunc(f.asked, func(a ask) bool { return a.keep })]
	if len(first.arms) != 1 || strings.Count(first.arms[0].name, "+") != 2 || first.level < 0.995 {
		t.Errorf("the first proof is %+v", first)
	}
	if spent := h.spent(); spent > h.request.Budget+h.request.Budget/10 {
		t.Errorf("%s of %s", spent, h.request.Budget)
	}
}

// What tunes the C library's malloc is no part of one proof with an allocator: it would
// be called proved and do nothing.
func TestTheOneProofHasNoIdleChange(t *testing.T) {
	f := &fake{
		rng: rand.New(rand.NewPCG(13, 1)), noise: 0.01, run: 2 * time.Second,
		gains: map[string]float64{"mimalloc": 1.3, "GLIBC_TUNABLES=glibc.malloc.hugetlb=1": 1.2, "C=1": 1.15},
	}
	allocator := setting("mimalloc", "allocator")
	allocator.Kind, allocator.Variant = candidate.Preload, "preload=mimalloc"
	h := hunted(t, f, t.TempDir(), allocator, setting("GLIBC_TUNABLES=glibc.malloc.hugetlb=1", ""), setting("C=1", ""))
	if got := h.winners(); len(got) != 0 {
		t.Fatalf("winners before the race: %v", got)
	}
	for i := range h.state.Race.Standings {
		h.state.Race.Standings[i].State = race.Finalist
		h.state.Race.Standings[i].Logs = []float64{0.3 - 0.1*float64(i), 0.3 - 0.1*float64(i)}
	}
	if got := h.winners(); !slices.Equal(got, []string{"mimalloc", "C=1"}) {
		t.Errorf("together: %v", got)
	}
}

// A change whose tests fail gives its place to the next of its group.
func TestAFailedTestTakesOutTheVariantAlone(t *testing.T) {
	f := &fake{
		rng: rand.New(rand.NewPCG(12, 1)), noise: 0.004,
		gains:     map[string]float64{"-O3": 1.4, "-O2": 1.3},
		failsTest: map[string]string{"-O3": "it fails the tests (make check): t1 (the whole output is in /tmp/x.log)"},
	}
	level := func(name string) candidate.Candidate {
		return candidate.Candidate{Name: name, Kind: candidate.Flags, Group: "level", Variant: "cflags=" + name, Builds: 1}
	}
	h := hunted(t, f, t.TempDir(), level("-O2"), level("-O3"))
	h.request.Check = "make check"
	r := do(t, h)
	if names(r.Proved) != "-O2" || names(r.Refuted) != "-O3" || !strings.Contains(r.Refuted[0].Why, "/tmp/x.log") {
		t.Errorf("proved %s, refuted %+v", names(r.Proved), r.Refuted)
	}
}
