package heat

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/compdb"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// project writes files and gives a tree of units over them.
func project(t *testing.T, files map[string]string, units ...string) (*Tree, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list := make([]compdb.Unit, len(units))
	for i, u := range units {
		list[i] = compdb.Unit{Directory: dir, File: filepath.Join(dir, u), Arguments: []string{"c++", "-Iinclude", "-c", u}}
	}
	return NewTree(list), dir
}

var twoUnits = map[string]string{
	"src/a.cpp":        "#include \"a.h\"\n#include <shared.h>\n#include <vector>\n",
	"src/b.cpp":        " # include <shared.h>\n",
	"src/a.h":          "#include \"deep/d.h\"\n",
	"src/deep/d.h":     "",
	"include/shared.h": "#include \"shared.h\"\n", // itself
	"other/d.h":        "",
}

func TestTreeFollowsIncludes(t *testing.T) {
	tree, dir := project(t, twoUnits, "src/a.cpp", "src/b.cpp")
	for file, want := range map[string][]int{"src/a.h": {0}, "src/deep/d.h": {0}, "include/shared.h": {0, 1}, "other/d.h": nil} {
		if got := tree.users[filepath.Join(dir, file)]; !slices.Equal(got, want) {
			t.Errorf("%s is used by units %v, want %v", file, got, want)
		}
	}
}

func TestPathsMeetAtTheirTails(t *testing.T) {
	files := map[string]string{"one/util/str.cpp": "", "two/util/str.cpp": "", "main.cpp": "", "two/x.cpp": ""}
	tree, dir := project(t, files, "one/util/str.cpp", "two/util/str.cpp", "main.cpp", "two/x.cpp")
	for path, want := range map[string]string{
		filepath.Join(dir, "main.cpp"):      "main.cpp", // itself
		"./main.cpp":                        "main.cpp", // -ffile-prefix-map
		"/build/pkg-1.0/two/util/str.cpp":   "two/util/str.cpp",
		"/usr/src/pkg-1.0/one/util/str.cpp": "one/util/str.cpp",
		"../two/x.cpp":                      "two/x.cpp",
		"/build/util/str.cpp":               "", // either
		"/usr/include/c++/12/bits/main.cpp": "",
		"/usr/include/x.cpp":                "",
		"":                                  "",
		"<built-in>":                        "",
		"/build/pkg/three/nothing.cpp":      "",
		"/elsewhere/main.cpp":               "main.cpp",
	} {
		got := tree.resolve(path).file
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
	if m := tree.resolve("/elsewhere/main.cpp"); !m.weak {
		t.Error("a file name alone is a weak sign")
	}
	if m := tree.resolve("main.cpp"); m.weak {
		t.Error("a recorded name without a directory can say no more")
	}
}

// frame is one function of a stack, with what was inlined there.
type frame struct {
	binary string
	lines  []inlined // innermost first
}

type inlined struct {
	symbol, file string
	line         int
}

func profileOf(stacks map[string][]frame, weights map[string]int64) *profile.Profile {
	b := profile.NewBuilder()
	addr := uint64(0x1000)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range stacks {
			if !yield(k) {
				return
			}
		}
	}) {
		var locs []profile.LocationID
		for _, f := range stacks[name] {
			m := b.Mapping(profile.Mapping{Path: f.binary})
			var lines []profile.Line
			for _, l := range f.lines {
				fn := b.Function(profile.Function{Name: l.symbol + "()", SystemName: l.symbol, File: l.file, Mapping: m, Kind: profile.KindNative})
				lines = append(lines, profile.Line{Function: fn, Line: int32(l.line)})
			}
			addr += 16
			locs = append(locs, b.Location(m, addr, profile.KindNative, lines...))
		}
		b.Sample(profile.Sample{Stack: b.Stack(locs), Count: weights[name], Value: 10 * weights[name]})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

func joined(t *testing.T) (*Heat, string) {
	t.Helper()
	tree, dir := project(t, twoUnits, "src/a.cpp", "src/b.cpp")
	a, b, shared := "/build/src/a.cpp", "/build/src/b.cpp", "/build/include/shared.h"
	mainB := frame{"/bin/p", []inlined{{"main", b, 50}}}
	p := profileOf(map[string][]frame{
		// What was inlined into line 12 of f runs there.
		"inlined": {{"/bin/p", []inlined{{"_ZN3stl3getEv", "/usr/include/c++/12/x.h", 7}, {"_Z1hv", shared, 3}, {"_Z1fv.part.0", a, 12}}}, mainB},
		"own":     {{"/bin/p", []inlined{{"_Z1fv", a, 11}}}, mainB},
		// An inline function that stands out of line: b.cpp calls it.
		"header": {{"/bin/p", []inlined{{"_ZN1SC1Ev", shared, 5}}}, {"/bin/p", []inlined{{"_ZN3stl5applyEv", "/usr/include/c++/12/x.h", 9}}}, mainB},
		"libc":   {{"/usr/lib/libc.so.6", []inlined{{"memcpy", "/glibc/string/a.cpp", 1}}}, mainB},
		"blank":  {{"/bin/q", []inlined{{"nolines", "", 0}}}, mainB},
	}, map[string]int64{"inlined": 40, "own": 20, "header": 20, "libc": 10, "blank": 10})
	return NewHeat(p, tree), dir
}

func TestSelfCountsWhatWasInlined(t *testing.T) {
	h, dir := joined(t)
	a, shared := filepath.Join(dir, "src/a.cpp"), filepath.Join(dir, "include/shared.h")
	for _, test := range []struct {
		r    Range
		want int64
	}{
		{Range{File: a, Line: 12, End: 0}, 400},
		{Range{File: a, Line: 11, End: 12}, 600}, // each sample once
		{Range{File: a, Line: 13, End: 99}, 0},
		{Range{File: shared, Line: 3, End: 5}, 600},
		{Range{File: shared, Line: 5, End: 5}, 200},
		{Range{File: shared, Line: 3, End: 5, Except: []string{"_Z1fv"}}, 200},   // not where it was inlined into f
		{Range{File: shared, Line: 5, End: 5, Except: []string{"_ZN1SC2Ev"}}, 0}, // another name of the same constructor
		// f is called by main, the constructor by a library's function alone.
		{Range{File: shared, Line: 3, End: 5, Except: []string{"_Z1fv", "_ZN1SC1Ev"}, Callers: []string{"main"}}, 400},
	} {
		if got, count := h.Self(test.r); got != test.want || count != test.want/10 {
			t.Errorf("%v: %d of %d samples, want %d", test.r, got, count, test.want)
		}
	}
	if lines := h.Lines(a); math.Abs(lines[12]-0.4) > 1e-9 || math.Abs(lines[11]-0.2) > 1e-9 || len(lines) != 2 {
		t.Errorf("lines %v", lines)
	}
	if got := h.InTree(); math.Abs(got-0.8) > 1e-9 {
		t.Errorf("in the tree: %v", got)
	}
}

func TestHottestFirstUntilCovered(t *testing.T) {
	h, _ := joined(t)
	for coverage, want := range map[float64]int{0.5: 1, 0.7: 1, 0.8: 2, 1: 2} {
		if got := h.Cover(coverage).Functions(); got != want {
			t.Errorf("%v of the CPU: %d functions, want %d", coverage, got, want)
		}
	}
	work := h.Cover(0.5).Next(func(compdb.Unit, string) bool { return false })
	if len(work) != 1 || filepath.Base(work[0].Unit.File) != "a.cpp" || !slices.Equal(work[0].Functions, []string{"_Z1fv", "_Z1hv"}) {
		t.Errorf("work %v: want f of a.cpp and what was inlined into it, without gcc's suffix", work)
	}
}

func TestHeaderFunctionsAreLookedForWhereTheyAreCalled(t *testing.T) {
	h, _ := joined(t)
	plan := h.Cover(1)
	none := func(compdb.Unit, string) bool { return true }
	first := plan.Next(none)
	i := slices.IndexFunc(first, func(w Work) bool { return slices.Contains(w.Functions, "_ZN1SC1Ev") })
	if i < 0 || filepath.Base(first[i].Unit.File) != "b.cpp" || !slices.Contains(first[i].Functions, "_ZN1SC2Ev") {
		t.Fatalf("first asked: %v", first)
	}
	second := plan.Next(none) // b.cpp lacks it: the other unit that includes the header
	if !slices.ContainsFunc(second, func(w Work) bool {
		return filepath.Base(w.Unit.File) == "a.cpp" && (w.Functions == nil || slices.Contains(w.Functions, "_ZN1SC1Ev"))
	}) {
		t.Errorf("then asked: %v", second)
	}
	for range 10 {
		if len(plan.Next(none)) == 0 {
			return
		}
	}
	t.Error("the plan asks without end")
}

func TestWhatIsDefinedIsAskedOnce(t *testing.T) {
	h, _ := joined(t)
	plan := h.Cover(1)
	all := func(compdb.Unit, string) bool { return false }
	if len(plan.Next(all)) == 0 {
		t.Fatal("nothing is asked")
	}
	if again := plan.Next(all); len(again) > 0 {
		t.Errorf("asked again: %v", again)
	}
	if m := plan.Missing(all); len(m) > 0 {
		t.Errorf("missing %v", m)
	}
}

func TestNotesSayWhatIsOutside(t *testing.T) {
	h, _ := joined(t)
	text := strings.Join(h.Notes(), "\n")
	for _, want := range []string{"20% of the CPU is in code whose source is not in this build", "libc.so.6 10%", "no line numbers for q 10%", "-g"} {
		if !strings.Contains(text, want) {
			t.Errorf("the notes lack %q:\n%s", want, text)
		}
	}
	other := profileOf(map[string][]frame{"x": {{"/bin/x", []inlined{{"g", "/x/g.c", 1}}}}}, map[string]int64{"x": 100})
	if text := strings.Join(NewHeat(other, h.tree).Notes(), "\n"); !strings.Contains(text, "another program") {
		t.Errorf("a profile of another program: %s", text)
	}
}

func TestSourceNewerThanTheProgramIsNoted(t *testing.T) {
	h, dir := joined(t)
	h.p.Meta.Start = time.Now().Add(time.Hour)
	if text := strings.Join(h.Notes(), "\n"); strings.Contains(text, "changed after") {
		t.Errorf("nothing was changed: %s", text)
	}
	future := time.Now().Add(2 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "src/a.cpp"), future, future); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(h.Notes(), "\n"); !strings.Contains(text, "changed after the profiled program was built: a.cpp;") {
		t.Errorf("a changed file is not told: %s", text)
	}
}

func TestRankLeavesOutWhatIsCold(t *testing.T) {
	h, dir := joined(t)
	a := filepath.Join(dir, "src/a.cpp")
	two, one := 2.0, 1.0
	worlds := []finding.World{
		{Name: "as written", Fate: finding.FateScalar, Loads: &two, Stores: &two, Cycles: map[string]float64{"x": 4}},
		{Name: "hoisted", Edit: true, Reached: true, Fate: finding.FateScalar, Loads: &one, Stores: &two, Cycles: map[string]float64{"x": 1}},
	}
	hot := finding.Finding{ID: "hot", Place: finding.Place{File: "/build/src/a.cpp", Line: 10, EndLine: 12}, Worlds: worlds}
	cold := finding.Finding{ID: "cold", Place: finding.Place{File: a, Line: 90, EndLine: 95}}
	r := h.Rank([]finding.Finding{hot, cold}, Options{})
	if len(r.Findings) != 1 || r.Cold != 1 || r.Findings[0].ID != "hot" {
		t.Fatalf("ranked %+v", r)
	}
	f := r.Findings[0]
	if math.Abs(*f.Share.Exclusive-0.6) > 1e-9 || f.Share.Error == nil || f.Share.Inclusive != nil {
		t.Errorf("share %+v", f.Share)
	}
	// Three quarters of at most the share's upper end.
	if want := (0.6 + *f.Share.Error) * 0.75; f.Gain == nil || f.Gain.Low != 0 || math.Abs(f.Gain.High-want) > 1e-4 {
		t.Errorf("gain %+v, want up to %v", f.Gain, want)
	}
	// What is shown with All is what is too small to pay, never what prints as 0.0 %.
	small := hot
	small.ID, small.Worlds = "small", []finding.World{worlds[0], {Name: "hoisted", Edit: true, Reached: true, Fate: finding.FateScalar, Loads: &two, Stores: &one, Cycles: map[string]float64{"x": 3.98}}}
	if r := h.Rank([]finding.Finding{small}, Options{}); len(r.Findings) != 0 || r.Small != 1 {
		t.Errorf("without all: %+v", r)
	}
	if r := h.Rank([]finding.Finding{hot, cold, small}, Options{All: true}); len(r.Findings) != 2 || r.Findings[1].ID != "small" || r.Cold != 1 {
		t.Errorf("with all: %+v", r)
	}
}

// A loop may be made well where the caller is known: what is hot there is no
// reason to change it.
func TestRankDoesNotCountFineCopies(t *testing.T) {
	h, dir := joined(t)
	f := finding.Finding{
		ID: "copies", Place: finding.Place{File: filepath.Join(dir, "include/shared.h"), Line: 3, EndLine: 5},
		Copies: []finding.Copy{{Function: "_Z1fv", State: finding.CopyFine}, {Function: "_ZN1SC1Ev", State: finding.CopyConfirmed}},
	}
	r := h.Rank([]finding.Finding{f}, Options{})
	if len(r.Findings) != 1 || math.Abs(*r.Findings[0].Share.Exclusive-0.2) > 1e-9 {
		t.Errorf("the share is not that of the copy that is confirmed: %+v", r)
	}
	f.Copies[0].State = finding.CopySuspected // the edit that helps elsewhere does nothing there
	if r := h.Rank([]finding.Finding{f}, Options{}); len(r.Findings) != 1 || math.Abs(*r.Findings[0].Share.Exclusive-0.2) > 1e-9 {
		t.Errorf("a copy that no edit helps counts: %+v", r)
	}
	f.Copies[0].State, f.Copies[1].State = finding.CopyFine, finding.CopyFine
	if r := h.Rank([]finding.Finding{f}, Options{}); len(r.Findings) != 0 || r.Fine != 1 || r.Cold != 0 {
		t.Errorf("all hot copies are made well, yet: %+v", r)
	}
}

// Clang inlines h into main, where the edit helps, and leaves h alone, where it does
// not. The program's compiler left h alone everywhere: main's part of it counts.
func TestRankCountsWhatACallerWithARealReloadCalled(t *testing.T) {
	tree, dir := project(t, twoUnits, "src/a.cpp", "src/b.cpp")
	h, mainB, other := frame{"/bin/p", []inlined{{"_Z1hv", "/build/include/shared.h", 3}}}, frame{"/bin/p", []inlined{{"main", "/build/src/b.cpp", 50}}}, frame{"/bin/p", []inlined{{"_Z5otherv", "/build/src/a.cpp", 9}}}
	p := profileOf(map[string][]frame{"main": {h, mainB}, "other": {h, other, mainB}}, map[string]int64{"main": 60, "other": 40})
	f := finding.Finding{
		ID: "copies", Place: finding.Place{File: filepath.Join(dir, "include/shared.h"), Line: 3, EndLine: 5},
		Copies: []finding.Copy{{Function: "_Z1hv", State: finding.CopyFine}, {Function: "main", State: finding.CopyConfirmed}},
	}
	r := NewHeat(p, tree).Rank([]finding.Finding{f}, Options{})
	if len(r.Findings) != 1 || math.Abs(*r.Findings[0].Share.Exclusive-0.6) > 1e-9 {
		t.Errorf("ranked %+v, want what main called", r)
	}
}

func TestReduction(t *testing.T) {
	n := func(f float64) *float64 { return &f }
	written := finding.World{Name: "as written", Fate: finding.FateScalar, Loads: n(8), Stores: n(2), Cycles: map[string]float64{"x": 4, "y": 2}}
	edit := func(w finding.World) finding.World { w.Edit, w.Reached = true, true; return w }
	for name, test := range map[string]struct {
		worlds []finding.World
		want   float64
	}{
		"cycles, the best processor": {[]finding.World{written, edit(finding.World{Cycles: map[string]float64{"x": 1, "y": 1}, Loads: n(1), Stores: n(2)})}, 0.75},
		"the model sees no gain":     {[]finding.World{written, edit(finding.World{Cycles: map[string]float64{"x": 5, "y": 2}, Loads: n(1), Stores: n(2)})}, 0},
		"a library call":             {[]finding.World{written, edit(finding.World{Fate: finding.FateReplaced})}, 15.0 / 16},
		"wider vectors":              {[]finding.World{{Fate: finding.FateVectorised, Width: 4, Loads: n(1), Stores: n(1)}, edit(finding.World{Fate: finding.FateVectorised, Width: 16, Loads: n(1), Stores: n(1)})}, 3.0 / 4},
		"vectors":                    {[]finding.World{written, edit(finding.World{Fate: finding.FateVectorised, Width: 8, Loads: n(1), Stores: n(1)})}, 7.0 / 8},
		"fewer loads":                {[]finding.World{written, edit(finding.World{Loads: n(3), Stores: n(2)})}, 0.5},
		"not reached":                {[]finding.World{written, {Edit: true, Loads: n(1), Stores: n(1)}}, 0},
		"nothing known as written":   {[]finding.World{{Name: "as written"}, edit(finding.World{Loads: n(1), Stores: n(1)})}, 0},
		"no worlds":                  {nil, 0},
	} {
		if got, _ := reduction(test.worlds); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func TestLinkageNames(t *testing.T) {
	for _, test := range []struct{ name, system, want string }{
		{"main", "", "main"},
		{"f(int)", "_Z1fi.constprop.0", "_Z1fi"},
		{"ns::f(int)", "", ""}, // for people only
		{"sum.part.0", "", "sum"},
	} {
		if got := linkage(&profile.Function{Name: test.name, SystemName: test.system}); got != test.want {
			t.Errorf("%v: got %q", test, got)
		}
	}
	if got := variants("_ZN3FooC4Ei"); !slices.Contains(got, "_ZN3FooC1Ei") || !slices.Contains(got, "_ZN3FooC2Ei") {
		t.Errorf("a constructor's names: %v", got)
	}
	if got := variants("_Z1fi"); len(got) != 1 {
		t.Errorf("a plain function's names: %v", got)
	}
}
