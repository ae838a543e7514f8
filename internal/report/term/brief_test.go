package term

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/finding"
)

func briefReport() finding.Report {
	loop := finding.Finding{
		ID: "alias-char-write-11223344", Rule: "alias-char-write", Certainty: finding.Confirmed,
		Title: "Writes through a char-like type (line 12) force 3 needless loads per iteration",
		Place: finding.Place{File: "/src/lib/a.cpp", Line: 10, Function: "f(int)"},
		Share: finding.Share{Exclusive: new(0.136), Error: new(0.023)},
		Gain:  &finding.Gain{Low: 0, High: 0.1},
		Worlds: []finding.World{
			{Name: "as written", Fate: finding.FateScalar, Loads: new(5.0), Stores: new(1.0)},
			{Name: "written type changed", Edit: true, Reached: true, Fate: finding.FateScalar, Loads: new(3.0), Stores: new(1.0)},
			{Name: "hoisted into locals", Edit: true, Reached: true, Fate: finding.FateVectorised, Width: 16},
		},
		Fix: finding.Fix{Caveats: []string{"measure"}},
		See: []finding.Command{{Verb: "explain-loop", Args: []string{"/src/lib/a.cpp:10", "-p", "b"}}},
	}
	second := loop
	second.ID, second.Place.Line = "alias-char-write-55667788", 20
	second.Gain = &finding.Gain{Low: 0, High: 0.1, Likely: 0.072}
	small := loop
	small.ID, small.Minor = "alias-char-write-99aabbcc", "at most 4 iterations"
	lost := finding.Finding{ID: "glibc-malloc-1", Title: "Time in malloc", Certainty: finding.Refuted}
	return finding.Report{Findings: []finding.Finding{loop, small, second, lost}, Notes: []string{"a note"}}
}

func brief(t *testing.T, show func(*Printer)) []string {
	t.Helper()
	var b bytes.Buffer
	p := New(&b, []string{"COLUMNS=100"})
	show(p)
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

// What to change stands below a finding as far as three lines go, and once where it is the
// same; an aside is no advice.
func TestWhatToChange(t *testing.T) {
	r := briefReport()
	first := "keep a reader for each file, and give each of them a buffer that is as large as what it reads at a time is"
	r.Findings[0].Fix.Steps = []string{first, "one line", "one more line"}
	r.Findings[1].Fix.Steps = []string{"of a minor one"}
	r.Findings[2].Fix.Steps = r.Findings[0].Fix.Steps
	aside := finding.Finding{ID: "aside", Title: "An aside", Aside: true, Fix: finding.Fix{Steps: []string{"for another day"}}}
	r.Findings = append(r.Findings, aside)
	text := strings.Join(brief(t, func(p *Printer) { p.Brief(r, "") }), "\n")
	for _, want := range []string{
		"alias-char-write-11223344\n    → keep a reader for each file, and give each of them a buffer that is as large as what it reads\n      at a time is\n    → one line\n 2  ",
		"alias-char-write-55667788\n    → as for 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"one more line", "minor one", "another day"} {
		if strings.Contains(text, not) {
			t.Errorf("%q in\n%s", not, text)
		}
	}
}

func TestTwoLinesAFinding(t *testing.T) {
	got := brief(t, func(p *Printer) { p.Brief(briefReport(), "whyhot explain x --finding ID") })
	want := []string{
		"1  Writes through a char-like type (line 12) force 3 needless loads per iteration",
		"    13.6% ± 2.3 · confirmed · /src/lib/a.cpp:10 · alias-char-write-11223344",
		" 2  Writes through a char-like type (line 12) force 3 needless loads per iteration",
		"    13.6% ± 2.3 · may save 7% (0 … 10%) · confirmed · /src/lib/a.cpp:20 · alias-char-write-55667788",
		"  +  1 more that can give little back (--long lists them): at most 4 iterations (1)",
		"  −  refuted: Time in malloc",
		"",
		"next, for the first; --long prints the commands of each:",
		"details   whyhot explain x --finding alias-char-write-11223344",
		"look      whyhot explain-loop /src/lib/a.cpp:10 -p b",
		"",
		"note  a note",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What follows from a finding that is listed is named under the list, by its rank.
func TestWhatToLookAtAgain(t *testing.T) {
	r := briefReport()
	share := 0.182
	r.Findings = append(r.Findings, finding.Finding{
		ID: "go-gc-1", Rule: "go-gc", Minor: "follows", After: r.Findings[2].ID, Share: finding.Share{Inclusive: &share},
	})
	got := brief(t, func(p *Printer) { p.Brief(r, "") })
	if want := "  +  look again after 2: go-gc (18.2%)"; !slices.Contains(got, want) || strings.Contains(strings.Join(got, "\n"), "follows") {
		t.Errorf("got\n%s\nwant %q", strings.Join(got, "\n"), want)
	}
}

func TestOneLineAFinding(t *testing.T) {
	got := brief(t, func(p *Printer) { p.Table(briefReport(), "") })
	want := []string{
		"share  rule              where              effect",
		"13.6%  alias-char-write  /src/lib/a.cpp:10  vectorised 16",
		"13.6%  alias-char-write  /src/lib/a.cpp:20  vectorised 16",
		"  +  1 more that can give little back (--long lists them): at most 4 iterations (1)",
	}
	if strings.Join(got[:4], "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLongSaysSharedCaveatsOnceAndMinorLast(t *testing.T) {
	text := strings.Join(brief(t, func(p *Printer) { p.Long(briefReport()) }), "\n")
	if n := strings.Count(text, "measure"); n != 1 {
		t.Errorf("the caveat of all is printed %d times:\n%s", n, text)
	}
	if n := strings.Count(text, "as for 1"); n != 2 {
		t.Errorf("%d of the others refer to it, want 2:\n%s", n, text)
	}
	if strings.Index(text, "99aabbcc") < strings.Index(text, "55667788") {
		t.Errorf("what can give back little stands before the rest:\n%s", text)
	}
}

func TestVersusIsExplained(t *testing.T) {
	r := briefReport()
	r.Findings[0].Next = finding.Command{Verb: "try", Args: []string{"--versus", "changed=<the command after the change>"}, Program: []string{"app"}}
	for name, show := range map[string]func(p *Printer){
		"brief": func(p *Printer) { p.Brief(r, "") },
		"long":  func(p *Printer) { p.Long(r) },
	} {
		text := strings.Join(brief(t, show), " ")
		if !strings.Contains(strings.Join(strings.Fields(text), " "), "--versus says how the copy is run") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
