package summary

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/hunt"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/report/term"
)

func ratio(e, l, h float64) *finding.Interval { return &finding.Interval{Estimate: e, Low: l, High: h} }

func sample() *hunt.Result {
	known := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	return &hunt.Result{
		Command: []string{"./app", "in put"}, Finished: true, Level: 0.95, Spent: 150, Budget: 300, Run: 0.25,
		Proved: []hunt.Verdict{
			{Name: "pgo", Kind: candidate.PGO, Ratio: ratio(1.2, 1.15, 1.25), Verdict: finding.Faster, Runs: 12, How: "build with profile-guided optimisation"},
			{Name: "what-if x", Kind: candidate.WhatIf, Ratio: ratio(1.06, 1.002, 1.1), Verdict: finding.Faster, How: "edit a.c:7: <copy> n"},
		},
		Refuted: []hunt.Verdict{{Name: "mimalloc", Ratio: ratio(0.98, 0.95, 1.01), Verdict: finding.Same}, {Name: "-O3", Ratio: ratio(0.9, 0.8, 0.95), Verdict: finding.Slower, Known: &known}},
		Open:    []hunt.Verdict{{Name: "lto", Ratio: ratio(1.03, 0.99, 1.08), Why: "too short"}},
		Untried: []hunt.Untried{{Name: "bolt", Why: "no time", Command: "whyhot try build --bolt"}},
		Combined: &hunt.Combined{
			Names: []string{"pgo", "jemalloc"}, Ratio: ratio(1.3, 1.2, 1.4), Verdict: finding.Faster,
			Left: []hunt.Leftover{{Name: "tcmalloc", Why: "excludes jemalloc"}},
		},
	}
}

func printed(r *hunt.Result) string {
	var b bytes.Buffer
	p := term.New(&b, nil)
	p.Width = 80
	Print(p, r)
	return b.String()
}

func TestSummary(t *testing.T) {
	got := printed(sample())
	for _, want := range []string{
		"./app 'in put'", "measured in 2m30s of 5m", "1.20× (1.15 to 1.25)  build with profile-guided optimisation",
		"1.060× (1.002 to 1.100)  predicted by compiling it so: edit a.c:7", "1.30× (1.20 to 1.40)  pgo + jemalloc",
		"without tcmalloc: excludes jemalloc", "mimalloc 0.98×; -O3 0.90×, known since 2026-11-22", "lto 1.03× (0.99 to 1.08): too short", "bolt: no time",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A short budget ends with one proof, of all changes together: it is said how to have
// each, and at what price, and not that nothing is proved.
func TestAProofOfAllTogetherIsSaid(t *testing.T) {
	r := sample()
	r.Proved = nil
	r.Open = []hunt.Verdict{
		{Name: "GOGC=400", How: "GOGC=400", Ratio: ratio(1.2, 1.1, 1.3), Why: "not decided", Caveats: []string{"the heap grows up to fivefold"}},
		{Name: "pgo", How: "build with profile-guided optimisation", Ratio: ratio(1.1, 1.05, 1.2), Why: "not decided"},
	}
	r.Combined = &hunt.Combined{
		Names: []string{"GOGC=400", "pgo"}, Ratio: ratio(1.3, 1.2, 1.4), Verdict: finding.Faster,
		How: []string{"GOGC=400", "build with profile-guided optimisation"},
	}
	got := printed(r)
	for _, want := range []string{
		"no change is proved by itself", "1.30× (1.20 to 1.40)  GOGC=400 + pgo",
		"\n    GOGC=400 (the heap grows up to fivefold)\n", "\n    build with profile-guided optimisation\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "nothing is proved") {
		t.Errorf("something is proved:\n%s", got)
	}
}

// What the budget had no room for is told in one line, with a budget that has.
func TestNoTimeIsSaid(t *testing.T) {
	r := sample()
	r.Build, r.Enough = 41, 660
	r.Untried = append(r.Untried, hunt.Untried{Name: "pgo", Why: "no time was left", Needs: 95}, hunt.Untried{Name: "lto", Why: "no time was left", Needs: 60})
	got := printed(r)
	for _, want := range []string{"one build 41.0 s", "no time was left for\n  --budget 11m has room: pgo (1m35s), lto (1m)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Where the time ended before the most promising change was proved, that is said, and what
// proves it: not that nothing is faster.
func TestNotProvedInTheTimeIsSaid(t *testing.T) {
	r := sample()
	r.Proved, r.Combined, r.Enough = nil, nil, 480
	r.Open = []hunt.Verdict{{Name: "-march=native", Ratio: ratio(1.15, 1.13, 1.17), Promising: true, Why: "promising in the race", Command: "whyhot try build --variant cflags=-march=native -- ./app 'in put' " + strings.Repeat("argument", 10)}}
	got := printed(r)
	for _, want := range []string{
		"nothing was proved in the time; -march=native looks like 1.15× (1.13 to 1.17)\n",
		"\n  this proves it: " + r.Open[0].Command + "\n", "or the same hunt with --budget 8m",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "by more than chance") {
		t.Errorf("one is faster by more than chance:\n%s", got)
	}
	r.Open[0].Promising = false
	if got := printed(r); !strings.Contains(got, "no change that was tried is clearly faster, and the time ended") {
		t.Error(got)
	}
}

// A list is not cut to leave out one.
func TestOneMoreIsListed(t *testing.T) {
	r := sample()
	for _, name := range []string{"b", "c", "last-of-four"} {
		r.Open = append(r.Open, hunt.Verdict{Name: name, Why: "why"})
	}
	if got := printed(r); !strings.Contains(got, "last-of-four") || strings.Contains(got, "1 more") {
		t.Error(got)
	}
	r.Open = append(r.Open, hunt.Verdict{Name: "last-of-five", Why: "why"})
	if got := printed(r); !strings.Contains(got, "and 2 more undecided") {
		t.Error(got)
	}
}

// However much a hunt found, its summary fits a screen.
func TestSummaryFitsAScreen(t *testing.T) {
	r := sample()
	for i := range 40 {
		name := fmt.Sprintf("a-rather-long-name-of-a-candidate-%d", i)
		r.Proved = append(r.Proved, hunt.Verdict{Name: name, Ratio: ratio(1.1, 1.05, 1.2), How: strings.Repeat(name, 5)})
		r.Refuted = append(r.Refuted, hunt.Verdict{Name: name, Ratio: ratio(1, 0.99, 1.01)})
		r.Open = append(r.Open, hunt.Verdict{Name: name, Why: strings.Repeat("why ", 50)})
		r.Untried = append(r.Untried, hunt.Untried{Name: name, Why: strings.Repeat("why ", 50)})
		r.Combined.Left = append(r.Combined.Left, hunt.Leftover{Name: name, Why: "adds nothing that is clear"})
	}
	got := printed(r)
	if n := strings.Count(got, "\n"); n > 40 {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

func TestNothing(t *testing.T) {
	r := &hunt.Result{Command: []string{"x"}, Finished: true}
	if got := printed(r); !strings.Contains(got, "nothing is proved: no change") {
		t.Error(got)
	}
	r.Finished, r.Stage = false, "racing pgo"
	if got := printed(r); !strings.Contains(got, "the same command goes on") || !strings.Contains(got, "nothing is proved yet") {
		t.Error(got)
	}
}

// The page needs nothing else, and text of programs cannot become part of it.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := Page(&b, sample()); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{"<h2>Together</h2>", "1.30× (1.20 to 1.40)", "&lt;copy&gt;", "whyhot try build --bolt", "an earlier hunt, 2026-11-22"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "<script") || strings.Contains(got, "://") {
		t.Error("the page asks for something else")
	}
}
