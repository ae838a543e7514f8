package surprise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"whyhot/internal/finding"
)

// The functions of a made-up service: share, library, family.
var functions = []struct {
	name, library, family string
	share                 float64
}{
	{"render", "/srv/web", "", 0.30}, {"route", "/srv/web", "", 0.15}, {"query", "/srv/web", "", 0.12},
	{"memcpy", "/lib/libc.so.6", "copies and fills", 0.10}, {"malloc", "/lib/libc.so.6", "memory management", 0.08},
	{"free", "/lib/libc.so.6", "memory management", 0.05}, {"deflate", "/lib/libz.so.1.2.13", "compression", 0.02},
	{"longest_match", "/lib/libz.so.1.2.13", "compression", 0.01}, {"read", "[kernel]", "kernel", 0.10}, {"write", "[kernel]", "kernel", 0.07},
}

// draw samples a window of n events; factors multiply the shares of functions, and
// each share also varies by itself with the standard deviation of scatter.
func draw(rnd *rand.Rand, name string, n int, scatter float64, factors map[string]float64) Window {
	weights := make([]float64, len(functions))
	sum := 0.0
	for i, f := range functions {
		weights[i] = f.share * math.Exp(scatter*rnd.NormFloat64())
		if x, ok := factors[f.name]; ok {
			weights[i] *= x
		}
		sum += weights[i]
	}
	w := Window{Name: name, Events: int64(n)}
	for range n {
		at := rnd.Float64() * sum
		for i, f := range functions {
			if at -= weights[i]; at < 0 || i == len(functions)-1 {
				w.Add(f.name, f.library, f.family, 1)
				break
			}
		}
	}
	return w
}

func draws(rnd *rand.Rand, k, n int, scatter float64) []Window {
	out := make([]Window, k)
	for i := range out {
		out[i] = draw(rnd, fmt.Sprint("w", i), n, scatter, nil)
	}
	return out
}

// TestSilent holds the rate of false surprises where nothing changed, with windows
// that scatter as sampling makes them and with windows that scatter more.
func TestSilent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const rounds = 100
	for _, c := range []struct {
		windows, events int
		scatter         float64
		most            int
	}{{1, 2000, 0, 5}, {6, 2000, 0, 5}, {6, 300, 0, 5}, {2, 2000, 0, 5}, {3, 2000, 0, 5}, {2, 2000, 0.1, 10}, {2, 2000, 0.3, 10}, {3, 2000, 0.3, 10}, {6, 2000, 0.3, 10}, {13, 3000, 0.3, 10}} {
		loud := 0
		for range rounds {
			if len(Find(Request{Now: draw(rnd, "now", c.events, c.scatter, nil), Past: draws(rnd, c.windows, c.events, c.scatter)})) > 0 {
				loud++
			}
		}
		if loud > c.most {
			t.Errorf("%d windows of %d events, scatter %v: %d of %d times a surprise where there is none", c.windows, c.events, c.scatter, loud, rounds)
		}
	}
}

// TestOneCauseIsOneSurprise: a function grows, with it its library and its family, and
// all others shrink.
func TestOneCauseIsOneSurprise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, windows := range []int{1, 2, 3, 6} {
		got := Find(Request{Now: draw(rnd, "now", 2000, 0, map[string]float64{"deflate": 12}), Past: draws(rnd, windows, 2000, 0)})
		if len(got) != 1 || got[0].Name != "deflate" || got[0].Binary != "libz.so" || got[0].Against != finding.AgainstPast {
			t.Fatalf("%d windows: %+v", windows, got)
		}
		if s := got[0]; s.Error < 0.01 || s.Error > 0.03 || !strings.Contains(s.Text, "deflate (libz.so) takes") || !strings.Contains(s.Text, "± ") {
			t.Errorf("%+v", s)
		}
	}
}

// TestSharesAreOfAllSamples: the second thing that grew is found in what the first left,
// and told as a share of the whole.
func TestSharesAreOfAllSamples(t *testing.T) {
	window := func(slow, other, work int64) Window {
		w := Window{Events: slow + other + work}
		w.Add("slow", "/srv/web", "", slow)
		w.Add("other", "/lib/liby.so.1", "", other)
		w.Add("work", "/srv/web", "", work/2)
		w.Add("more", "/lib/libx.so.1", "", work-work/2)
		return w
	}
	got := Find(Request{Now: window(1200, 200, 600), Past: []Window{window(0, 0, 2000)}})
	if len(got) != 2 || got[0].Name != "slow" || got[1].Name != "other" {
		t.Fatalf("%+v", got)
	}
	if s := got[1].Share; math.Abs(s-0.1) > 1e-9 || !strings.Contains(got[1].Text, "takes 10.0% of the CPU") {
		t.Errorf("%+v", got[1])
	}
	// What is left doubles, and so keeps its share of all: nothing to tell.
	for _, s := range Find(Request{Now: window(1000, 200, 800), Past: []Window{window(0, 210, 1790)}}) {
		if s.Name == "other" {
			t.Errorf("its share of all is what it was: %+v", s)
		}
	}
}

// TestWholeLibrary names the library where no function is nearly all of it.
func TestWholeLibrary(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	got := Find(Request{Now: draw(rnd, "now", 3000, 0, map[string]float64{"deflate": 8, "longest_match": 16}), Past: draws(rnd, 6, 3000, 0)})
	if len(got) != 1 || got[0].Kind != finding.SurpriseLibrary || got[0].Name != "libz.so" {
		t.Fatalf("%+v", got)
	}
}

func TestFell(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	got := Find(Request{Now: draw(rnd, "now", 3000, 0, map[string]float64{"query": 0}), Past: draws(rnd, 6, 3000, 0)})
	if len(got) != 1 || got[0].Name != "query" || !strings.Contains(got[0].Text, "it is gone") {
		t.Fatalf("%+v", got)
	}
}

// TestOddWindows: what is now and then as high as now is no surprise.
func TestOddWindows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	past := draws(rnd, 8, 2000, 0)
	past[2] = draw(rnd, "batch", 2000, 0, map[string]float64{"deflate": 15})
	if got := Find(Request{Now: draw(rnd, "now", 2000, 0, map[string]float64{"deflate": 12}), Past: past}); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
}

func TestPeers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	others := draws(rnd, 6, 2000, 0.2)
	got := Find(Request{Now: draw(rnd, "now", 2000, 0, map[string]float64{"malloc": 5}), Peers: others})
	if len(got) != 1 || got[0].Name != "malloc" || got[0].Against != finding.AgainstPeers || got[0].Usual.Number != 6 {
		t.Fatalf("%+v", got)
	}
	if got := Find(Request{Now: draw(rnd, "now", 2000, 0.2, nil), Peers: others}); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	if got := Find(Request{Now: draw(rnd, "now", 2000, 0, map[string]float64{"malloc": 5}), Peers: others[:3]}); len(got) != 0 {
		t.Errorf("three services have no quartiles: %+v", got)
	}
}

// TestPastSpeaksFirst: what the past has told is not told again by others.
func TestPastSpeaksFirst(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	now := draw(rnd, "now", 2000, 0, map[string]float64{"malloc": 5})
	got := Find(Request{Now: now, Past: draws(rnd, 6, 2000, 0), Peers: draws(rnd, 6, 2000, 0.1), Priors: Learn("made up", draws(rnd, 20, 2000, 0.1))})
	if len(got) != 1 || got[0].Against != finding.AgainstPast {
		t.Fatalf("%+v", got)
	}
}

func TestPriors(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	priors := Learn("made up", draws(rnd, 20, 2000, 0.2))
	now := draw(rnd, "now", 2000, 0, map[string]float64{"malloc": 5, "free": 5})
	got := Find(Request{Now: now, Priors: priors})
	if len(got) != 1 || got[0].Name != "libc.so" || got[0].Kind != finding.SurpriseLibrary || !strings.Contains(got[0].Text, "20 of 20 programs") {
		t.Fatalf("%+v", got)
	}
	if few := Learn("made up", draws(rnd, 18, 2000, 0.2)); len(few.Shares) != 0 {
		t.Errorf("18 profiles are too few: %+v", few.Shares)
	}
}

func TestFewSamples(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	if got := Find(Request{Now: draw(rnd, "now", 40, 0, map[string]float64{"malloc": 9}), Past: draws(rnd, 6, 2000, 0)}); got != nil {
		t.Errorf("40 samples say nothing: %+v", got)
	}
}
