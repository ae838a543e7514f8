package loopfinding

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/finding"
)

func at(file string, line int) []analyzer.Point {
	return []analyzer.Point{{File: file, Line: line, Column: 3, Function: "_Z1fv"}}
}

// candidate is a loop at line whose two writes must change together, with the
// bound loaded in a system header that is inlined at line.
func candidate(line int, confirmed bool) analyzer.Candidate {
	inlined := append([]analyzer.Point{{File: "/usr/include/c++/12/bits/stl_vector.h", Line: 900}}, at("/src/a.cpp", line)...)
	c := analyzer.Candidate{
		Predicate: "char", Function: "_Z1fv", Start: at("/src/a.cpp", line), Depth: 1, Innermost: true,
		Loads: []analyzer.Access{{Kind: "load", Type: "i64", Where: inlined}},
		Writes: []analyzer.Access{
			{Kind: "write", Type: "i8", Where: at("/src/a.cpp", line+1)},
			{Kind: "write", Type: "i8", Where: at("/src/a.cpp", line+2)},
		},
		Worlds: map[string]analyzer.LoopState{
			analyzer.WorldWritten: {Present: true, LoadsPerIteration: 6, StoresPerIteration: 2},
			analyzer.WorldRetyped: {Present: true, Vectorised: true, VectorWidth: 16, Interleave: 2, LoadsPerIteration: 0.06},
		},
		Groups: [][]int{{0, 1}},
	}
	if confirmed {
		c.Confirmed, c.Reach, c.Effect = true, []string{analyzer.WorldRetyped, analyzer.WorldHoisted}, "vectorised"
	}
	return c
}

func outcome(strict bool, cs ...analyzer.Candidate) analyzer.Outcome {
	return analyzer.Outcome{Reply: analyzer.Reply{StrictAliasing: strict, Candidates: cs}}
}

func TestCopiesOfALoopAreOneFinding(t *testing.T) {
	copied := candidate(10, false)
	copied.Function = "_Z5otherv"
	fs := Findings([]analyzer.Outcome{outcome(true, candidate(10, true), copied), outcome(true, candidate(10, true))}, Options{Suspected: true})
	if len(fs) != 1 {
		t.Fatalf("got %d findings, want 1", len(fs))
	}
	f := fs[0]
	if f.Certainty != finding.Confirmed || f.Rule != "alias-char-write" || f.Place.File != "/src/a.cpp" || f.Place.Line != 10 || f.Place.EndLine != 12 || f.Place.Function != "f()" {
		t.Errorf("got %s, %s at %+v", f.Certainty, f.Rule, f.Place)
	}
	if !strings.Contains(f.Title, "lines 11, 12") || !strings.Contains(f.Title, "vectorised") {
		t.Errorf("title %q", f.Title)
	}
	if steps := strings.Join(f.Fix.Steps, "\n"); !strings.Contains(steps, "together: the writes of lines 11, 12") || !strings.Contains(steps, "local") {
		t.Errorf("steps %q", steps)
	}
}

func TestCopiesSayWhatBecameOfThem(t *testing.T) {
	worse, better := candidate(10, true), candidate(10, false)
	worse.Fine = []analyzer.FineCopy{
		{Function: "_Z4mainv", Start: at("/src/a.cpp", 10)}, {Function: "_Z5otherv", Start: at("/src/a.cpp", 10)}, // seen from this copy; the other one is in it
	}
	better.Function = "_Z5otherv"
	fs := Findings([]analyzer.Outcome{outcome(true, worse, better)}, Options{Suspected: true})
	want := []finding.Copy{
		{Function: "_Z1fv", State: finding.CopyConfirmed}, {Function: "_Z4mainv", State: finding.CopyFine}, {Function: "_Z5otherv", State: finding.CopySuspected},
	}
	if len(fs) != 1 || !slices.Equal(fs[0].Copies, want) {
		t.Errorf("copies %+v, want %+v", fs, want)
	}
	// The copy that nothing confirms is known where only confirmed ones are reported.
	if fs := Findings([]analyzer.Outcome{outcome(true, worse, better)}, Options{}); len(fs) != 1 || !slices.Equal(fs[0].Copies, want) {
		t.Errorf("copies %+v, want %+v", fs, want)
	}
}

// A loop of a library's inline function stands in one place for all its callers: a
// caller whose loop is fine says nothing of the loop in another.
func TestFineLoopsOfOtherCallersAreNoCopies(t *testing.T) {
	t.Parallel()
	library := analyzer.Point{File: "/usr/include/c++/12/bits/stl_algo.h", Line: 80}
	inLibrary := func(line int) []analyzer.Point {
		return append([]analyzer.Point{library}, at("/src/a.cpp", line)...)
	}
	c := candidate(10, true)
	c.Start = inLibrary(10)
	c.Fine = []analyzer.FineCopy{{Function: "_Z4mainv", Start: inLibrary(90)}, {Function: "_Z4warmv", Start: inLibrary(10)}}
	fs := Findings([]analyzer.Outcome{outcome(true, c)}, Options{})
	want := []finding.Copy{{Function: "_Z1fv", State: finding.CopyConfirmed}, {Function: "_Z4warmv", State: finding.CopyFine}}
	if len(fs) != 1 || !slices.Equal(fs[0].Copies, want) {
		t.Errorf("copies %+v, want %+v", fs, want)
	}
}

func TestOnlyConfirmedUnlessAsked(t *testing.T) {
	in := []analyzer.Outcome{outcome(true, candidate(10, false))}
	if fs := Findings(in, Options{}); len(fs) != 0 {
		t.Errorf("an unconfirmed loop was reported: %q", fs[0].Title)
	}
	if fs := Findings(in, Options{Suspected: true}); len(fs) != 1 || fs[0].Certainty != finding.Suspected {
		t.Errorf("asked for, got %v", fs)
	}
}

func TestOrderAndLibraries(t *testing.T) {
	fewer := candidate(40, true)
	fewer.Effect = "fewer loads"
	library := candidate(50, true)
	library.Start = []analyzer.Point{{File: "/usr/include/x.h", Line: 5}}
	fs := Findings([]analyzer.Outcome{outcome(false, fewer, candidate(10, true), library)}, Options{})
	if len(fs) != 2 || fs[0].Place.Line != 10 || fs[1].Place.Line != 40 {
		t.Fatalf("got %d findings, the first at line %d", len(fs), fs[0].Place.Line)
	}
	if !strings.Contains(strings.Join(fs[0].Fix.Caveats, "\n"), "-fno-strict-aliasing") {
		t.Error("-fno-strict-aliasing is not told")
	}
}

func TestIDSurvivesLineShifts(t *testing.T) {
	in := func(line int, cs ...analyzer.Candidate) string {
		o := outcome(true, cs...)
		o.Reply.Functions = []analyzer.Function{{File: "/src/a.cpp", Line: line - 2, EndLine: line + 20, Key: "f void ()", Loops: [][2]int{{line, 3}, {line + 5, 3}}}}
		return Findings([]analyzer.Outcome{o}, Options{})[0].ID
	}
	a, b := in(10, candidate(10, true)), in(25, candidate(25, true))
	if a != b {
		t.Errorf("the ID moved with the lines: %s, %s", a, b)
	}
	if c := in(10, candidate(15, true)); c == a {
		t.Errorf("two loops of a function share the ID %s", c)
	}
	// The same loop, told by another copy: of an instantiation, with other accesses.
	copied := candidate(10, true)
	copied.Start[0].Function, copied.Loads = "_Z1fIcEvv", nil
	if c := in(10, copied); c != a {
		t.Errorf("the ID is the copy's: %s, %s", a, c)
	}
}

func TestCIsToldWhatHelpsInC(t *testing.T) {
	for file, want := range map[string]string{"/src/a.c": "struct", "/src/a.cpp": "char8_t (C++20)"} {
		o := outcome(true, candidate(10, true))
		o.Unit = compdb.Unit{File: file, Arguments: []string{"cc", "-O2", "-c", file}}
		steps := strings.Join(Findings([]analyzer.Outcome{o}, Options{})[0].Fix.Steps, "\n")
		if !strings.Contains(steps, want) || (want == "struct") != strings.Contains(steps, "no help") {
			t.Errorf("%s: %q", file, steps)
		}
	}
}

func TestLoopsOfANestAreOneFinding(t *testing.T) {
	inner, outer := candidate(12, true), candidate(10, true)
	inner.Depth, inner.Enclosing = 2, [][]analyzer.Point{at("/src/a.cpp", 10)}
	inner.Writes, outer.Innermost, outer.Effect = outer.Writes, false, "fewer loads"
	fs := Findings([]analyzer.Outcome{outcome(true, outer, inner)}, Options{})
	if len(fs) != 1 || fs[0].Place.Line != 12 {
		t.Fatalf("got %d findings, the first at line %d; want the inner loop alone", len(fs), fs[0].Place.Line)
	}
	if !slices.ContainsFunc(fs[0].Evidence, func(e finding.Evidence) bool { return e.Kind == "nest" && strings.Contains(e.Text, "line 10") }) {
		t.Error("the outer loop is not told")
	}
	inner.MostIterations = 3
	if fs := Findings([]analyzer.Outcome{outcome(true, outer, inner)}, Options{}); len(fs) != 1 || fs[0].Place.Line != 12 {
		t.Errorf("a vectorised inner loop gave way to the outer one, line %d", fs[0].Place.Line)
	}
	inner.Effect = "fewer loads"
	if fs := Findings([]analyzer.Outcome{outcome(true, outer, inner)}, Options{}); len(fs) != 1 || fs[0].Place.Line != 10 {
		t.Errorf("a loop of three iterations is told for its nest, line %d", fs[0].Place.Line)
	}
	inner.Writes = candidate(40, true).Writes
	if fs := Findings([]analyzer.Outcome{outcome(true, outer, inner)}, Options{}); len(fs) != 2 {
		t.Errorf("loops with different writes are %d findings, want 2", len(fs))
	}
}

func TestWhatALibraryStoresIsNoConfirmedFinding(t *testing.T) {
	grows := candidate(10, true)
	for i := range grows.Writes {
		grows.Writes[i].Where = append([]analyzer.Point{{File: "/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/char_traits.h", Line: 354}}, grows.Writes[i].Where...)
	}
	in := []analyzer.Outcome{outcome(true, grows)}
	if fs := Findings(in, Options{}); len(fs) != 0 {
		t.Errorf("confirmed: %q", fs[0].Title)
	}
	fs := Findings(in, Options{Suspected: true})
	if len(fs) != 1 || fs[0].Certainty != finding.Suspected {
		t.Errorf("as a suspicion, got %v", fs)
	}
}

func TestPlacesAreTheUsersAndStandOnce(t *testing.T) {
	c := candidate(10, true)
	c.Loads = append(c.Loads, c.Loads[0])
	c.Loads[1].Where = append([]analyzer.Point{{File: "/usr/include/c++/12/bits/stl_vector.h", Line: 990}}, at("/src/a.cpp", 10)...)
	fs := Findings([]analyzer.Outcome{outcome(true, c)}, Options{})
	var loads []string
	for _, e := range fs[0].Evidence {
		if e.Kind == "load" {
			loads = append(loads, e.Text)
		}
	}
	if len(loads) != 1 || loads[0] != "repeated load of a 64-bit integer at a.cpp:10:3 (2 of them)" {
		t.Errorf("got %q", loads)
	}
}

func TestProjectsStandInOptToo(t *testing.T) {
	c := candidate(10, true)
	for _, chain := range [][]analyzer.Point{c.Start, c.Writes[0].Where, c.Writes[1].Where, c.Loads[0].Where[1:]} {
		chain[0].File = "/opt/project/src/a.cpp"
	}
	for unit, want := range map[string]int{"/opt/project/src/a.cpp": 1, "/opt/other/src/a.cpp": 0} {
		o := outcome(true, c)
		o.Unit.File = unit
		fs := Findings([]analyzer.Outcome{o}, Options{})
		if len(fs) != want {
			t.Errorf("compiled from %s: %d findings, want %d", unit, len(fs), want)
		}
		for _, f := range fs {
			if len(f.Accesses) != 3 || f.Accesses[0].File != "/opt/project/src/a.cpp" {
				t.Errorf("accesses %+v", f.Accesses)
			}
		}
	}
}

// What the first step gives is what the title says.
func TestTheTitleIsOfTheEditThatIsAdvised(t *testing.T) {
	c := candidate(10, true)
	c.Worlds[analyzer.WorldHoisted] = analyzer.LoopState{Present: true, LoadsPerIteration: 4, StoresPerIteration: 2}
	c.Effects = map[string]string{analyzer.WorldRetyped: "vectorised", analyzer.WorldHoisted: "fewer loads"}
	c.Start[0].Column = 3
	find := func(c analyzer.Candidate, h ...analyzer.Hoist) finding.Finding {
		o := outcome(true, c)
		o.Reply.Hoists = h
		return Findings([]analyzer.Outcome{o}, Options{})[0]
	}
	right := analyzer.Hoist{File: "/src/a.cpp", Line: 10, Column: 3, Values: []string{"s->n", "s->out"}}
	f := find(c, right)
	if !strings.HasSuffix(f.Title, "force 2 needless loads per iteration") {
		t.Errorf("the locals take two loads away, the title is %q", f.Title)
	}
	if !strings.HasPrefix(f.Fix.Steps[0], "copy s->n, s->out into local variables") || !strings.Contains(f.Fix.Steps[1], "(with it: vectorised, 16 wide") {
		t.Errorf("steps %q", f.Fix.Steps)
	}
	// What an inlined function of the program loads is out of the locals' reach.
	deep := c
	deep.Loads = append(slices.Clone(c.Loads), analyzer.Access{Kind: "load", Type: "ptr", Where: append([]analyzer.Point{{File: "/src/a.h", Line: 7, Column: 9, Function: "_ZN5Image3getEi"}}, at("/src/a.cpp", 11)...)})
	if f = find(deep, right); !strings.HasSuffix(f.Title, "force up to 2 needless loads per iteration") || !strings.Contains(f.Fix.Steps[0], "in Image::get(int) stays") {
		t.Errorf("%q: %q", f.Title, f.Fix.Steps)
	}
	// What the loop counts up has to be written back.
	counts := right
	counts.Updates = []analyzer.Update{{Text: "s->pos", Line: 10}, {Text: "s->other", Line: 12}}
	if f = find(c, counts); !strings.Contains(f.Fix.Steps[0], "keep s->pos, which the loop changes") {
		t.Errorf("steps %q", f.Fix.Steps)
	}
	// Something else that the loop reads again stays where it is.
	part := right
	part.Stays = []analyzer.Stay{{Line: 10}, {Line: 11}, {Line: 12}}
	if f = find(c, part); !strings.HasSuffix(f.Title, "force up to 2 needless loads per iteration") || !marked(f, "hoisted into locals", true) {
		t.Errorf("%q: %+v", f.Title, f.Worlds)
	}
	// An element of another width, which no local before the loop can hold, is none of it.
	part.Stays = []analyzer.Stay{{Line: 10, Bytes: 3}, {Line: 11, Bytes: 3}, {Line: 12, Bytes: 3}}
	if f = find(c, part); !marked(f, "hoisted into locals", false) {
		t.Errorf("%+v", f.Worlds)
	}
	part.Stays = []analyzer.Stay{{Line: 99}} // where nothing is loaded again
	if f = find(c, part); !marked(f, "hoisted into locals", false) {
		t.Errorf("%+v", f.Worlds)
	}
	// What has moved to a branch is not counted in loads an iteration.
	rare := c
	rare.Worlds = maps.Clone(c.Worlds)
	rare.Worlds[analyzer.WorldHoisted] = c.Worlds[analyzer.WorldWritten]
	if f = find(rare, right); !strings.HasSuffix(f.Title, "force needless loads in most iterations") {
		t.Errorf("%q", f.Title)
	}
	// The loop changes what is read again: locals would break it.
	refused := right
	refused.Values, refused.Refusal = nil, "`s->n` stays: the loop assigns it"
	f = find(c, refused)
	if !strings.HasSuffix(f.Title, "keep this loop from being vectorised") || len(f.Fix.Steps) != 1 || strings.Contains(f.Fix.Steps[0], "local") {
		t.Errorf("%q: %q", f.Title, f.Fix.Steps)
	}
	c.Reach, c.Effect = []string{analyzer.WorldHoisted}, "fewer loads"
	if f = find(c, refused); len(f.Fix.Steps) != 1 || !strings.Contains(f.Fix.Steps[0], "the loop assigns it") {
		t.Errorf("%q: %q", f.Title, f.Fix.Steps)
	}
	// Another loop's locals are none of this one's.
	right.Line = 9
	if f = find(c, right); strings.Contains(f.Fix.Steps[0], "s->n") {
		t.Errorf("steps %q", f.Fix.Steps)
	}
}

// What a library stores may still be read again and again by the caller, who can
// use locals; what is read inside the call that stores is not the caller's.
func TestLocalsForWhatALibraryStores(t *testing.T) {
	operator := analyzer.Point{File: "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/cstddef", Line: 167}
	xored := candidate(10, true)
	xored.Reach, xored.Groups = []string{analyzer.WorldHoisted}, nil
	for i := range xored.Writes {
		xored.Writes[i].Where = append([]analyzer.Point{operator}, xored.Writes[i].Where...)
	}
	fs := Findings([]analyzer.Outcome{outcome(true, xored)}, Options{})
	if len(fs) != 1 || !slices.Equal(fs[0].Fix.Steps, []string{hoistStep}) || !strings.Contains(fs[0].Title, "lines 11, 12") {
		t.Errorf("got %+v, want locals as the only fix, and the lines of the calls", fs)
	}
	grown := xored
	grown.Loads = []analyzer.Access{{Kind: "load", Type: "ptr", Where: xored.Writes[0].Where}}
	if fs := Findings([]analyzer.Outcome{outcome(true, grown)}, Options{}); len(fs) != 0 {
		t.Errorf("confirmed, though one call loads and stores: %q", fs[0].Title)
	}
}

func TestStoresOfNoTypeAreNotCalledBytes(t *testing.T) {
	c := candidate(10, true)
	c.Writes[1].Type = "memcpy"
	f := Findings([]analyzer.Outcome{outcome(true, c)}, Options{})[0]
	if !strings.HasPrefix(f.Title, "Stores that may change any object (lines 11, 12)") {
		t.Errorf("title %q", f.Title)
	}
	if !slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool {
		return strings.HasPrefix(e.Text, "store of bytes by memcpy at a.cpp:12")
	}) {
		t.Errorf("evidence %+v", f.Evidence)
	}
}

func TestWiderVectors(t *testing.T) {
	c := candidate(10, true)
	c.Effect, c.Reach = "wider vectors", []string{analyzer.WorldRetyped}
	c.Worlds[analyzer.WorldWritten] = analyzer.LoopState{Present: true, Vectorised: true, VectorWidth: 4, LoadsPerIteration: 0.25}
	fs := Findings([]analyzer.Outcome{outcome(true, c)}, Options{})
	if len(fs) != 1 || !strings.HasSuffix(fs[0].Title, "keep this loop at vectors of 4 elements instead of 16") {
		t.Errorf("got %+v", fs)
	}
}

func TestLocalsAreLoadedAgainBehindSlowCalls(t *testing.T) {
	c := candidate(10, true)
	c.SlowCalls = []analyzer.Access{{Kind: "call", Where: at("/src/a.cpp", 14)}}
	f := Findings([]analyzer.Outcome{outcome(true, c)}, Options{})[0]
	if step := f.Fix.Steps[0]; !strings.HasPrefix(step, hoistStep+"; calls may change the originals (line 14)") {
		t.Errorf("step %q", step)
	}
}

// marked says whether the world is the only one that the finding advises, and may be
// reached in part only.
func marked(f finding.Finding, name string, partial bool) bool {
	for _, w := range f.Worlds {
		if w.Advised != (w.Name == name) || w.Partial != (partial && w.Advised) {
			return false
		}
	}
	return true
}
