package looptext

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/report/loopview"
	"whyhot/internal/report/term"
)

func loop(worlds map[string]analyzer.LoopState) analyzer.Candidate {
	return analyzer.Candidate{
		Predicate: "char", Function: "_Z4fillPcRKSt6vectorIiSaIiEE", Depth: 2, Worlds: worlds,
		Start: []analyzer.Point{{File: "/usr/include/c++/12/bits/stl_vector.h", Line: 900, Column: 2}, {File: "/src/fill.cc", Line: 12, Column: 5}},
	}
}

var (
	scalar = analyzer.LoopState{Present: true, LoadsPerIteration: 3, StoresPerIteration: 1, Assembly: "\tmovb\t%al, (%rdi)\n"}
	vector = analyzer.LoopState{Present: true, Vectorised: true, VectorWidth: 16, Interleave: 2, LoadsPerIteration: 0.06, Assembly: "\tmovdqu\t(%rsi), %xmm0\n"}
)

// printed is what a printer of the given width gets.
func printed(t *testing.T, columns string, loops ...analyzer.Candidate) string {
	t.Helper()
	var out strings.Builder
	p := term.New(&out, []string{"COLUMNS=" + columns})
	Print(p, loops, analyzer.At{File: "fill.cc", Line: 12})
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWorldsOfTheSameCodeAreOne(t *testing.T) {
	got := columnsOf(loop(map[string]analyzer.LoopState{
		analyzer.WorldWritten: scalar, analyzer.WorldPlacebo: scalar, analyzer.WorldHoisted: vector,
	}))
	names := make([]string, len(got))
	for i, c := range got {
		names[i] = c.name()
	}
	if want := []string{"as written = placebo", "hoisted into locals"}; !slices.Equal(names, want) {
		t.Errorf("columns %q, want %q", names, want)
	}
}

func TestWideTerminalsShowWorldsSideBySide(t *testing.T) {
	c := loop(map[string]analyzer.LoopState{analyzer.WorldWritten: scalar, analyzer.WorldHoisted: vector})
	beside := func(text string) bool {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "movb %al") && strings.Contains(line, "movdqu") {
				return true
			}
		}
		return false
	}
	narrow, wide := printed(t, "80", c), printed(t, "160", c)
	if beside(narrow) || !beside(wide) {
		t.Errorf("narrow:\n%s\nwide:\n%s", narrow, wide)
	}
	for _, text := range []string{narrow, wide} {
		for _, want := range []string{"fill(char*", "inlined at /src/fill.cc:12:5", "vectorised 16 × 2", "0.06"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

// What is said of a world is what a finding of the same loop says.
func TestWorldsAreSaidAsInFindings(t *testing.T) {
	c := loop(map[string]analyzer.LoopState{
		analyzer.WorldWritten: {Present: true, Unroll: 4, Calls: 2, LoadsPerIteration: 3, Cycles: map[string]float64{"a": 1.25, "b": 2.5}},
		analyzer.WorldRetyped: {FullyUnrolled: true, Unroll: 8},
		analyzer.WorldHoisted: {Present: true, Vectorised: true, VectorWidth: 16, Interleave: 1},
		analyzer.WorldPlacebo: {},
	})
	var worlds []finding.World
	for _, w := range source.Worlds(c) {
		worlds = append(worlds, w.World)
	}
	said, _ := loopview.Worlds(worlds)
	text := printed(t, "100", c)
	for _, w := range said {
		found := false
		for line := range strings.Lines(text) {
			rest, ok := strings.CutPrefix(strings.TrimSpace(line), w.Name)
			found = found || ok && strings.HasPrefix(strings.TrimSpace(rest), w.Shape) && strings.HasSuffix(rest, w.Cycles)
		}
		if !found {
			t.Errorf("%+v is not said in\n%s", w, text)
		}
	}
	for _, want := range []string{"unrolled fully, 8 iterations", "vectorised 16 ", "not found again", "2 calls", "1.25–2.5", loopview.Note(worlds)} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The signs in the margin are those of findings: 1 loaded, 2 written, 3 loaded
// again.
func TestSourceIsMarkedAsInFindings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fill.cc")
	if err := os.WriteFile(path, []byte("for (;;) {\n  n = *p;\n  *q = 1;\n  n = *p;\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	access := func(kind string, line int) analyzer.Access {
		return analyzer.Access{Kind: kind, Where: []analyzer.Point{{File: path, Line: line}}}
	}
	c := loop(nil)
	c.Start = []analyzer.Point{{File: path, Line: 1}}
	c.Loads = []analyzer.Access{access("load", 4), access("first", 2)}
	c.Writes = []analyzer.Access{access("write", 3)}
	text := printed(t, "100", c)
	for _, want := range []string{"1 loaded · 2 written · 3 loaded again", "2 1     n = *p", "3 2     *q = 1", "4 3     n = *p"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestALoopWithoutWorldsIsShown(t *testing.T) {
	if got := printed(t, "160", loop(nil)); !strings.Contains(got, "loop of depth 2") {
		t.Errorf("got\n%s", got)
	}
}

func TestManyLoopsAreListed(t *testing.T) {
	loops := slices.Repeat([]analyzer.Candidate{loop(map[string]analyzer.LoopState{analyzer.WorldWritten: scalar})}, mostLoops+3)
	got := printed(t, "100", loops...)
	if !strings.Contains(got, "3 more loops") || strings.Count(got, "loop of depth 2") != mostLoops {
		t.Errorf("got\n%s", got)
	}
}

func TestRemarksAreSaidOnceWithTheirLinesInOrder(t *testing.T) {
	at := func(line int) analyzer.Remark {
		return analyzer.Remark{Pass: "licm", Message: "failed to move load", Where: []analyzer.Point{{File: "a.c", Line: line}}}
	}
	got := remarkLines([]analyzer.Remark{at(10), at(9), at(10)})
	if want := []string{"licm: failed to move load (line 9, 10)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
