package astfinding

import (
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/finding"
)

func span(line, end int, text string) analyzer.Span {
	return analyzer.Span{File: "src/a.cpp", Line: line, Column: 3, EndLine: end, Text: text}
}

func boundMatch(rule string) analyzer.Match {
	first, write := span(10, 10, "b.size()"), span(11, 11, "out[i] = 0")
	return analyzer.Match{
		Rule: rule, Function: "fill", Place: span(10, 12, "for …"), InLoop: true, Depth: 1,
		Location: "b.size()", First: &first, Write: &write, Second: &first,
		Written: &analyzer.Written{Type: "char", Declaration: "out", Scope: "project"},
	}
}

func outcome(loops int, ms ...analyzer.Match) analyzer.Outcome {
	r := analyzer.Reply{StrictAliasing: true, Loops: loops}
	r.Matches = ms
	return analyzer.Outcome{Unit: compdb.Unit{Directory: "/build"}, Reply: r}
}

func TestJoinOneFindingPerLoop(t *testing.T) {
	ir := []finding.Finding{{Rule: "alias-char-write", Certainty: finding.Confirmed, Place: finding.Place{File: "/build/src/a.cpp", Line: 10}}}
	got := Join(ir, []analyzer.Outcome{outcome(3, boundMatch("alias-pointer-field"), boundMatch("alias-loop-condition"))}, Options{Suspected: true})
	if len(got) != 1 || got[0].Rule != "alias-char-write" {
		t.Fatalf("got %+v, want the one confirmed finding", got)
	}
	if !hasEvidence(got[0], "3 read again: b.size() at a.cpp:10:3") {
		t.Errorf("the places of the source are missing: %+v", got[0].Evidence)
	}
	if len(ir[0].Evidence) != 0 {
		t.Error("the caller's findings were changed")
	}
}

func hasEvidence(f finding.Finding, text string) bool {
	for _, e := range f.Evidence {
		if strings.Contains(e.Text, text) {
			return true
		}
	}
	return false
}

func TestJoinNamesTheMostPreciseRule(t *testing.T) {
	o := outcome(0, boundMatch("alias-pointer-field"), boundMatch("alias-loop-condition-linear"))
	o.Reply.Hoists = []analyzer.Hoist{{File: "src/a.cpp", Line: 10, Column: 3, Values: []string{"b.size()", "b.data()"}}}
	got := Join(nil, []analyzer.Outcome{o}, Options{})
	if len(got) != 1 || got[0].Rule != "alias-loop-condition-linear" || got[0].Certainty != finding.Suspected {
		t.Fatalf("got %+v", got)
	}
	if !hasEvidence(got[0], "alias-pointer-field") || !strings.Contains(got[0].Fix.Steps[0], "copy b.size(), b.data() into") {
		t.Errorf("got %+v", got[0])
	}
	// Without the fix's analysis nothing is named: the match has one place of several.
	o.Reply.Hoists = nil
	if step := Join(nil, []analyzer.Outcome{o}, Options{})[0].Fix.Steps[0]; strings.Contains(step, "b.size()") {
		t.Errorf("advised without an analysis: %s", step)
	}
}

func TestJoinKeepsBackWhatTheIRDidNotConfirm(t *testing.T) {
	outcomes := []analyzer.Outcome{outcome(3, boundMatch("alias-pointer-field"))}
	if got := Join(nil, outcomes, Options{}); len(got) != 0 {
		t.Errorf("reported although the IR layer saw no gain: %+v", got)
	}
	if got := Join(nil, outcomes, Options{Suspected: true}); len(got) != 1 {
		t.Errorf("asked for and not reported: %+v", got)
	}
}

func TestJoinOnceForAHeaderInManyUnits(t *testing.T) {
	o := outcome(0, boundMatch("alias-pointer-field"))
	if got := Join(nil, []analyzer.Outcome{o, o, o}, Options{}); len(got) != 1 {
		t.Errorf("got %d findings", len(got))
	}
}

func TestJoinUserRules(t *testing.T) {
	m := analyzer.Match{Rule: "no-regex", Place: span(4, 4, "std::regex r"), Location: "std::regex r"}
	got := Join(nil, []analyzer.Outcome{outcome(0, m)}, Options{UserRules: map[string]UserRule{"no-regex": {Title: "std::regex 100%", Steps: []string{"use re2"}}}})
	if len(got) != 1 || got[0].Title != "std::regex 100%" || got[0].Fix.Steps[0] != "use re2" {
		t.Errorf("got %+v", got)
	}
}

func TestJoinDebugSTLIsOneFinding(t *testing.T) {
	a, b := boundMatch("debug-stl"), boundMatch("debug-stl")
	a.Location, b.Location = "_GLIBCXX_ASSERTIONS", "_GLIBCXX_ASSERTIONS"
	b.Place = span(40, 44, "for …")
	got := Join(nil, []analyzer.Outcome{outcome(5, a, b)}, Options{})
	if len(got) != 1 || !hasEvidence(got[0], "2 loops") || got[0].Fix.Kind != "build" {
		t.Errorf("got %+v", got)
	}
}

func TestJoinNoStrictAliasingAdvisesOnlyLocals(t *testing.T) {
	o := outcome(0, boundMatch("alias-pointer-field"))
	o.Reply.StrictAliasing = false
	f := Join(nil, []analyzer.Outcome{o}, Options{})[0]
	if len(f.Fix.Steps) != 1 {
		t.Errorf("got the steps %q", f.Fix.Steps)
	}
}

func TestJoinLibraryGrowthAloneIsNoFinding(t *testing.T) {
	m := boundMatch("alias-pointer-field")
	m.Weak = true
	if got := Join(nil, []analyzer.Outcome{outcome(0, m)}, Options{}); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

// What each call costs is left to a profile, unless the source shows a loop; so is
// an array that may be small.
func TestWhatMayBeColdWaitsForAProfile(t *testing.T) {
	first := span(4, 4, "std::map<int, int> m = {…}")
	cold := analyzer.Match{Rule: ruleConstantContainer, Function: "f", Place: first, First: &first, Location: "m, a std::map of 2 constant elements"}
	looped := cold
	looped.InLoop, looped.Place = true, span(20, 20, "…")
	small := analyzer.Match{Rule: "column-walk", Function: "g", Place: span(30, 40, "for …"), InLoop: true, Weak: true, Location: "a[j][i]"}
	short := small
	short.Rule, short.Weak, short.Place = "short-loop", false, span(50, 52, "for …")
	outcomes := []analyzer.Outcome{outcome(0, cold, looped, small, short)}
	for _, test := range []struct {
		opts Options
		want int
	}{{Options{}, 1}, {Options{Profiled: true}, 4}, {Options{Suspected: true}, 4}} {
		got := Join(nil, outcomes, test.opts)
		if len(got) != test.want {
			t.Errorf("%+v: %d findings, want %d: %+v", test.opts, len(got), test.want, got)
		}
		for _, f := range got { // listed where a profile will rank them, or on request
			if listed := f.Minor == ""; listed != (test.opts.Profiled || test.opts.Suspected) {
				t.Errorf("%+v: folded for %q", test.opts, f.Minor)
			}
		}
	}
	got := Join(nil, outcomes[:1], Options{})
	if len(got) != 1 || got[0].Place.Line != 20 || got[0].Cost == nil || got[0].Cost.From.Line != 20 || len(got[0].Accesses) > 0 {
		t.Errorf("the one in a loop, with what its line calls: %+v", got)
	}
}

func TestJoinTellsCWhatHelpsInC(t *testing.T) {
	for file, want := range map[string]string{"/build/src/a.c": "struct byte", "/build/src/a.cpp": "char8_t"} {
		o := outcome(0, boundMatch("alias-pointer-field"))
		o.Unit.File, o.Unit.Arguments = file, []string{"cc", "-c", file}
		if steps := Join(nil, []analyzer.Outcome{o}, Options{})[0].Fix.Steps; len(steps) != 2 || !strings.Contains(steps[1], want) {
			t.Errorf("%s: %q", file, steps)
		}
	}
}
