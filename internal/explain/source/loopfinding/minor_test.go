package loopfinding

import (
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
)

func TestMinor(t *testing.T) {
	candidate := func(edit func(*analyzer.Candidate, *analyzer.LoopState)) analyzer.Candidate {
		c := analyzer.Candidate{Confirmed: true, Effect: "fewer loads", Reach: []string{analyzer.WorldHoisted}, Function: "f"}
		written := analyzer.LoopState{Present: true, UsualLoads: 6, UsualNestLoads: 6}
		edited := analyzer.LoopState{Present: true, UsualLoads: 2, UsualNestLoads: 2}
		edit(&c, &written)
		c.Worlds = map[string]analyzer.LoopState{analyzer.WorldWritten: written, analyzer.WorldHoisted: edited}
		return c
	}
	around := [][]analyzer.Point{{{File: "a.c", Line: 1}}}
	for _, x := range []struct {
		name, want string
		edit       func(*analyzer.Candidate, *analyzer.LoopState)
	}{
		{"six loads to two", "", func(*analyzer.Candidate, *analyzer.LoopState) {}},
		{"twelve iterations", "few iterations", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations = 12 }},
		{"twelve iterations in a loop", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations, c.Enclosing = 12, around }},
		{"before main", "runs once, before main", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Function = "_GLOBAL__sub_I_a.cpp" }},
		{"a call an iteration", "calls in the loop", func(_ *analyzer.Candidate, w *analyzer.LoopState) { w.UsualNestCalls = 1 }},
		{"a call where it is vectorised after the edit", "", func(c *analyzer.Candidate, w *analyzer.LoopState) { c.Effect, w.UsualNestCalls = "vectorised", 1 }},
		{"four loads of a nest of forty", "a small part of what the loop loads", func(_ *analyzer.Candidate, w *analyzer.LoopState) { w.UsualNestLoads = 40 }},
		{"a constructor", "by its name run once for an object", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Function = "_ZN4Gost9PublicKeyC2Ev" }},
		{"a key schedule", "by its name run once for an object", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Function = "rc4_key_schedule" }},
		{"a loop around it", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Function, c.Enclosing = "rc4_key_schedule", around
		}},
		{"a bound kept in a byte", "its bound is kept in a byte", func(c *analyzer.Candidate, _ *analyzer.LoopState) {
			c.Enclosing = around
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
	if got := l.minor(); got != "" {
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
