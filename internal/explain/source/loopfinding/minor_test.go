package loopfinding

import (
	"math"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
)

func TestMinor(t *testing.T) {
	candidate := func(edit func(*analyzer.Candidate, *analyzer.LoopState)) analyzer.Candidate {
		c := analyzer.Candidate{Confirmed: true, Effect: "fewer loads", Reach: []string{analyzer.WorldHoisted}, Function: "f", Enclosing: [][]analyzer.Point{{{File: "a.c", Line: 1}}}}
		written := analyzer.LoopState{Present: true, UsualLoads: 6, UsualNestLoads: 6}
		edited := analyzer.LoopState{Present: true, UsualLoads: 2, UsualNestLoads: 2}
		edit(&c, &written)
		c.Worlds = map[string]analyzer.LoopState{analyzer.WorldWritten: written, analyzer.WorldHoisted: edited}
		return c
	}
	for _, x := range []struct {
		name, want string
		edit       func(*analyzer.Candidate, *analyzer.LoopState)
	}{
		{"six loads to two", "", func(*analyzer.Candidate, *analyzer.LoopState) {}},
		{"six loads to two beside three stores", "its stores take as long without these loads", func(_ *analyzer.Candidate, w *analyzer.LoopState) { w.StoresPerIteration = 3 }},
		{"six loads to two beside two stores", "", func(_ *analyzer.Candidate, w *analyzer.LoopState) { w.StoresPerIteration = 2 }},
		{"stores on branches that are hardly taken", "", func(_ *analyzer.Candidate, w *analyzer.LoopState) {
			w.StoresPerIteration, w.LoadsPerIteration = 6, 18
		}},
		{"twelve iterations", "few iterations", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations, c.Enclosing = 12, nil }},
		{"twelve iterations in a loop", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations = 12 }},
		{"four iterations in a loop", "few iterations", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations = 4 }},
		{"not in a loop", "a loop by itself that loads a little less, which only a profile shows to matter", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Enclosing = nil }},
		{"not in a loop, vectorised after the edit", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Enclosing, c.Effect = nil, "vectorised" }},
		{"a carry", "ends where nothing is carried any more", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Carries = true }},
		{"up to 18 elements, by itself", "the array that it walks along has few elements", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Capacity, c.MostIterations, c.Effect, c.Enclosing = 18, math.MaxInt32, "vectorised", nil
		}},
		{"up to 18 elements, in a loop", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Capacity, c.MostIterations, c.Effect = 18, math.MaxInt32, "vectorised"
		}},
		{"all of 64 elements, by itself", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Capacity, c.MostIterations, c.Effect, c.Enclosing = 64, 64, "vectorised", nil
		}},
		{"vectorised, by itself, a tenth of its function", "a loop by itself in a function that does much else", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Part, c.Effect, c.Enclosing = 0.1, "vectorised", nil
		}},
		{"vectorised, by itself, half of its function", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Part, c.Effect, c.Enclosing = 0.5, "vectorised", nil
		}},
		{"vectorised, in a loop, a tenth of its function", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Part, c.Effect = 0.1, "vectorised" }},
		{"padding", "pads to a multiple of a few bytes", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Pads, c.Effect = true, "idiom" }},
		{"the bytes of a number", "as many iterations as a number has bytes", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Digits, c.Effect = true, "vectorised" }},
		{"six loads to two beside three stores, one of which the next iteration waits for", "", func(c *analyzer.Candidate, w *analyzer.LoopState) { c.Counts, w.StoresPerIteration = true, 3 }},
		{"vectorised, in a nest that prints for a programmer", "in a function that by its name is for debugging", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Function, c.Effect = "heap_dbg_sections_cb", "vectorised"
		}},
		{"a word that only holds another", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Function = "undebugged" }},
		{"a counter in a byte", "its bound is kept in a byte", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations = 255 }},
		{"256 iterations", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations = 256 }},
		{"before main", "runs once, before main", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Function = "_GLOBAL__sub_I_a.cpp" }},
		{"a call an iteration", "calls in the loop", func(_ *analyzer.Candidate, w *analyzer.LoopState) { w.UsualNestCalls = 1 }},
		{"a call where it is vectorised after the edit", "", func(c *analyzer.Candidate, w *analyzer.LoopState) { c.Effect, w.UsualNestCalls = "vectorised", 1 }},
		{"four loads of a nest of forty", "a small part of what the loop loads", func(_ *analyzer.Candidate, w *analyzer.LoopState) { w.UsualNestLoads = 40 }},
		{"a constructor", "by its name run once for an object", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Function, c.Enclosing = "_ZN4Gost9PublicKeyC2Ev", nil
		}},
		{"a nest that allocates", "by its name run once for an object", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Function = "vp9_row_mt_mem_alloc" }},
		{"a key schedule", "by its name run once for an object", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Function, c.Enclosing = "rc4_key_schedule", nil
		}},
		{"a loop around it", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Function = "rc4_key_schedule" }},
		{"a bound kept in a byte", "its bound is kept in a byte", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Loads = []analyzer.Access{{Kind: "load", Type: "i8", Where: []analyzer.Point{{File: "a.c", Line: 7}}}}
		}},
		{"nothing confirms it", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Confirmed, c.MostIterations = false, 2 }},
	} {
		c := candidate(x.edit)
		l := loop{best: c, place: analyzer.Point{File: "a.c", Line: 7}}
		if got := l.minor(); got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}

func TestCountsOfParts(t *testing.T) {
	var o analyzer.Outcome
	o.Reply.Hoists = []analyzer.Hoist{{File: "/a.c", Line: 7, Column: 3, Values: []string{"state->n_colors", "out"}}}
	l := loop{from: o, place: analyzer.Point{File: "/a.c", Line: 7, Column: 3}}
	l.best.Confirmed, l.best.Effect, l.best.Enclosing = true, "vectorised", [][]analyzer.Point{{{File: "/a.c", Line: 5}}}
	if got := l.minor(); got != "as many iterations as a pixel or sample has parts" {
		t.Errorf("%q", got)
	}
	l.best.Enclosing = nil
	if got := l.minor(); got != "as many iterations as a pixel or sample has parts" {
		t.Errorf("not in a loop: %q", got)
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"fz_read_IDAT_header": "fz read idat header", "Image::readHeader(int)": "read header", "pix->numComps": "num comps", "x": "x",
	} {
		if got := strings.Join(words(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
