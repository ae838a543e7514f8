package fix

import (
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
)

// A loop that became a library call is in no list of loops: that is better where a
// world foretold it, and nothing known where none did.
func TestALoopThatBecameACall(t *testing.T) {
	loop := func(idiom bool) []analyzer.Candidate {
		return []analyzer.Candidate{{Function: "f", Depth: 1, Worlds: map[string]analyzer.LoopState{
			analyzer.WorldWritten: {Present: true, LoadsPerIteration: 1, StoresPerIteration: 1},
			analyzer.WorldHoisted: {Idiom: idiom},
		}}}
	}
	if c := compare(loop(true), nil, false); c.verdict != 1 || !strings.HasSuffix(c.effect, "a library call after") {
		t.Errorf("%q, verdict %d", c.effect, c.verdict)
	}
	if c := compare(loop(false), nil, false); c.verdict != 0 {
		t.Errorf("%q, verdict %d", c.effect, c.verdict)
	}
	if c := compare(loop(true), loop(true), false); c.verdict != 0 {
		t.Errorf("%q, verdict %d", c.effect, c.verdict)
	}
}

// What is on the line of a loop may be part of the one around it.
func TestTheLoopOfTheLine(t *testing.T) {
	loop := func(line int) analyzer.Candidate {
		return analyzer.Candidate{Start: []analyzer.Point{{File: "/src/a.c", Line: line}}}
	}
	both := []analyzer.Candidate{loop(10), loop(12)}
	if got := thatBegin(both, Place{File: "a.c", Line: 12}); len(got) != 1 || got[0].Start[0].Line != 12 {
		t.Errorf("%+v", got)
	}
	if got := thatBegin(both, Place{File: "a.c", Line: 11}); len(got) != 2 {
		t.Errorf("none begins there: %+v", got)
	}
}
