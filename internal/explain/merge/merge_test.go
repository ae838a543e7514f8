package merge

import (
	"math"
	"slices"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

func at(file string, line, end int) finding.Place {
	return finding.Place{File: file, Line: line, EndLine: end}
}

func found(id, rule string, p finding.Place, samples ...int32) judge.Found {
	return judge.Found{Finding: finding.Finding{ID: id, Rule: rule, Place: p, Certainty: finding.Suspected, Evidence: []finding.Evidence{{Kind: "x", Text: id}}}, Samples: samples}
}

// joined is the index of the known finding that m became one with, -1 for none.
func joined(t *testing.T, known []judge.Found, m judge.Found) int {
	t.Helper()
	m.ID = "new"
	out := Add(known, []judge.Found{m}, Options{Samples: 1000})
	for i := range known {
		if slices.Contains(out[i].SameAs, "new") {
			if len(out) != len(known) || out[i].Certainty != finding.Confirmed || out[i].Evidence[len(out[i].Evidence)-1].Text != m.Evidence[0].Text {
				t.Errorf("%+v", out)
			}
			return i
		}
	}
	if len(out) > len(known)+1 {
		t.Errorf("%+v", out)
	}
	return -1
}

func TestSourceAndMachineCodeAreOneFinding(t *testing.T) {
	source := []judge.Found{
		found("a", "alias-char-write", at("/src/lib/a.c", 10, 14)),
		found("b", "column-walk", at("/src/lib/a.c", 10, 14)),
	}
	for name, test := range map[string]struct {
		in   judge.Found
		want int
	}{
		"lines meet":           {found("", "machine-reload", at("/build/lib/a.c", 12, 13)), 0},
		"other lines":          {found("", "machine-reload", at("/build/lib/a.c", 15, 19)), -1},
		"another directory":    {found("", "machine-reload", at("/build/test/a.c", 12, 13)), -1},
		"about something else": {found("", "machine-division", at("/build/lib/a.c", 12, 13)), -1},
		"no lines known":       {found("", "machine-reload", at("", 0, 0)), -1},
		"a report of the rule": {found("", "missed-hoist", at("/build/lib/a.c", 12, 0)), 0},
		"another rule's":       {found("", "missed-inline", at("/build/lib/a.c", 12, 0)), -1},
	} {
		if got := joined(t, source, test.in); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// Two files of one tree that have the same name and directory are two.
func TestFilesOfOneTreeAreTold(t *testing.T) {
	known := []judge.Found{found("a", "alias-char-write", at("/home/me/a/src/util.c", 10, 14))}
	if got := joined(t, known, found("", "machine-reload", at("/home/me/b/src/util.c", 10, 14))); got != -1 {
		t.Errorf("another util.c of the tree is the same")
	}
	if got := joined(t, known, found("", "machine-reload", at("/build/a/src/util.c", 10, 14))); got != 0 {
		t.Errorf("the file in a copy of the tree is another")
	}
}

// Of loops inside each other, the evidence goes to the one whose code it is.
func TestEvidenceIsOfTheLoopItself(t *testing.T) {
	place := func(line, end int) finding.Place { return at("/src/lib/a.c", line, end) }
	loop := func(p finding.Place, lines ...int) judge.Found {
		f := found("", "machine-reload", p)
		for _, n := range lines {
			f.Code = append(f.Code, []finding.Line{{File: "/src/lib/a.c", Line: n}})
		}
		return f
	}
	outer, inner := loop(place(262, 290), 262, 263, 273, 289, 290), loop(place(273, 276), 273, 274, 275, 275)
	for name, test := range map[string]struct {
		source []finding.Place
		m      judge.Found
		want   int
	}{
		"the loop around it":         {[]finding.Place{place(273, 276)}, outer, -1},
		"itself":                     {[]finding.Place{place(273, 276)}, inner, 0},
		"the inner of two":           {[]finding.Place{place(262, 290), place(273, 276)}, inner, 1},
		"the outer of two":           {[]finding.Place{place(273, 276), place(262, 290)}, outer, 1},
		"one line of it, not a loop": {[]finding.Place{place(289, 0)}, outer, 0},
	} {
		var known []judge.Found
		for _, p := range test.source {
			known = append(known, found("k", "alias-char-write", p))
		}
		if got := joined(t, known, test.m); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// An entry of the catalogue has no lines: its samples tell that it is about the loop.
func TestCatalogueAndMachineCodeAreOneFinding(t *testing.T) {
	known := []judge.Found{found("malloc", "glibc-malloc", finding.Place{}, 0, 1, 2, 3), found("crc", "crc32-hardware", finding.Place{}, 2, 3, 4)}
	for name, test := range map[string]struct {
		rule string
		rows []int32
		want int
	}{
		"all of its samples":   {"machine-checksum", []int32{2, 3}, 1},
		"half of them":         {"machine-checksum", []int32{4, 5}, 1},
		"fewer":                {"machine-checksum", []int32{4, 5, 6}, -1},
		"no samples":           {"machine-checksum", nil, -1},
		"about something else": {"machine-hash", []int32{2, 3}, -1},
	} {
		if got := joined(t, known, found("", test.rule, finding.Place{}, test.rows...)); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// What a binary says of its build supports the entry that knows it by its frames.
func TestABuildSupportsTheEntry(t *testing.T) {
	build := finding.Place{Binary: "/bin/app"}
	for name, test := range map[string]struct {
		known judge.Found
		m     judge.Found
		want  int
	}{
		"the same binary":   {found("", "debug-build", build), found("", "build-unoptimised", build), 0},
		"binary not known":  {found("", "debug-build", finding.Place{}), found("", "build-unoptimised", build), 0},
		"another binary":    {found("", "debug-build", finding.Place{Binary: "/bin/b"}), found("", "build-unoptimised", build), -1},
		"another statement": {found("", "debug-build", build), found("", "build-sanitizer", build), -1},
	} {
		if got := joined(t, []judge.Found{test.known}, test.m); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// The entry keeps its share and estimate, the source gives the places.
func TestABuildIsOfTheWholeBinary(t *testing.T) {
	share := func(v float64, g *finding.Gain) judge.Found {
		f := found("", "debug-build", finding.Place{Binary: "/bin/app"}, 1)
		f.Share, f.Gain = finding.Share{Inclusive: &v}, g
		return f
	}
	whole := share(0.95, &finding.Gain{Low: 0.3, Likely: 0.8, High: 0.9})
	whole.Rule, whole.Samples = "build-unoptimised", nil
	out := Add([]judge.Found{share(0.4, &finding.Gain{NoEstimate: true})}, []judge.Found{whole}, Options{})
	if len(out) != 1 || out[0].Share.Main() != 0.95 || out[0].Gain.Likely != 0.8 {
		t.Errorf("%+v", out)
	}
	out = Add([]judge.Found{share(0.4, &finding.Gain{Low: 0.1, Likely: 0.2, High: 0.3})}, []judge.Found{whole}, Options{})
	if len(out) != 1 || out[0].Share.Main() != 0.4 || out[0].Gain.Likely != 0.2 {
		t.Errorf("an estimate of its own is lost: %+v", out)
	}
}

func TestOneCause(t *testing.T) {
	share := func(f judge.Found, v float64) judge.Found {
		f.Share.Inclusive = &v
		return f
	}
	entry := func(id string, v float64) judge.Found {
		f := share(found(id, "an-entry", finding.Place{Binary: "/bin/" + id}), v)
		f.Cause = "vector-bool"
		return f
	}
	source := share(found("vector-bool-1", "vector-bool", at("/src/a.cpp", 3, 5)), 0.1)
	source.Cause, source.Sites = "vector-bool", []finding.Site{{Kind: finding.SiteLoop}}
	out := Add([]judge.Found{entry("small", 0.2), entry("large", 0.5)}, []judge.Found{source}, Options{})
	if len(out) != 2 || len(out[0].Sites) != 0 {
		t.Fatalf("%+v", out)
	}
	f := out[1]
	if f.ID != "vector-bool-1" || f.Certainty != finding.Confirmed || f.Share.Main() != 0.5 || f.Place.File != "/src/a.cpp" || f.Place.Binary != "/bin/large" || len(f.Evidence) != 2 {
		t.Errorf("%+v", f)
	}
	general := entry("general", 0.9)
	general.General = true
	if out := Add([]judge.Found{general}, []judge.Found{source}, Options{}); len(out) != 2 {
		t.Errorf("general advice met something: %+v", out)
	}
}

// Advice that holds for nearly every program is given once for a binary.
func TestGeneralAdviceIsGivenOnce(t *testing.T) {
	of := func(rule, binary string) judge.Found {
		f := found(rule+binary, rule, finding.Place{Binary: binary})
		f.General = true
		return f
	}
	for binary, want := range map[string]int{"/bin/a": 1, "/bin/b": 2} {
		if out := Add([]judge.Found{of("pgo-lto-native", "/bin/a")}, []judge.Found{of("build-plain", binary)}, Options{All: true}); len(out) != want {
			t.Errorf("%s: %+v", binary, out)
		}
	}
}

// Advice to use another library holds for its loops; they are no findings beside it.
func TestLoopsOfALibraryThatIsReplaced(t *testing.T) {
	blas := finding.Place{Binary: "/usr/lib/libblas.so.3"}
	library := found("blas-reference-1", "blas-reference", blas, 1, 2, 3, 4)
	in := func(binary string, rows ...int32) judge.Found {
		return found("loop", "machine-scalar", finding.Place{Binary: binary, Function: "dgemv_"}, rows...)
	}
	function := library
	function.Place.Function = "dgemm_"
	program := found("x", "blas-reference", finding.Place{Binary: "/bin/gzip"}, 1, 2, 3, 4)
	for _, x := range []struct {
		name string
		of   judge.Found
		m    judge.Found
		want bool
	}{
		{"its loop", library, in(blas.Binary, 2, 3, 9), true},
		{"mostly other samples", library, in(blas.Binary, 3, 8, 9), false},
		{"another library", library, in("/usr/lib/mgcv.so", 2, 3), false},
		{"another function's finding", function, in(blas.Binary, 2, 3), false},
		{"the program itself", program, in("/bin/gzip", 2, 3), false},
	} {
		if got := len(Add([]judge.Found{x.of}, []judge.Found{x.m}, Options{})) == 1; got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
		if len(Add([]judge.Found{x.of}, []judge.Found{x.m}, Options{All: true})) != 2 {
			t.Errorf("%s: --all leaves it out", x.name)
		}
	}
}

// What the flags of a binary mend is one finding, however many loops have it; loops that
// are changed one by one stay apart, and so do binaries.
func TestLoopsOfOneFlagAreOneFinding(t *testing.T) {
	loop := func(whole, where string, share float64, row int32) judge.Found {
		f := found(where, "machine-scalar", finding.Place{Binary: whole}, row)
		f.Share, f.Gain, f.Whole, f.Where = finding.Share{Exclusive: &share}, &finding.Gain{High: share * 0.9}, whole, where
		return f
	}
	out := Add(nil, []judge.Found{
		loop("a", "1", 0.012, 1), loop("a", "2", 0.3, 2), loop("", "3", 0.05, 3), loop("", "4", 0.06, 4),
		loop("b", "5", 0.04, 5), loop("c", "6", 0.008, 6), loop("a", "7", 0.1, 7),
	}, Options{Samples: 1000})
	ids := map[string]judge.Found{}
	for _, f := range out {
		ids[f.ID] = f
	}
	if len(out) != 4 || ids["c"].ID != "" || ids["b"].Share.Main() != 0.04 {
		t.Fatalf("%d findings: %+v", len(out), out)
	}
	a := ids["a"]
	if math.Abs(a.Share.Main()-0.412) > 1e-9 || math.Abs(a.Gain.High-0.412*0.9) > 1e-9 || *a.Share.Error <= 0 || !slices.Equal(a.Samples, []int32{2, 7, 1}) {
		t.Errorf("%+v", a)
	}
	if a.Evidence[0].Text != "2" || a.Evidence[1].Text != "7" {
		t.Errorf("the hottest is not first: %+v", a.Evidence)
	}
}

// What behaviour tells gives way to what knows the cause by name.
func TestWhatIsToldByBehaviourYields(t *testing.T) {
	told := found("m", "made-per-call", finding.Place{}, 1, 2, 3)
	told.Yields = true
	for name, x := range map[string]struct {
		of   judge.Found
		want int
	}{
		"an entry that takes the work away": {judge.Found{Finding: finding.Finding{ID: "f"}, Samples: []int32{1, 2, 3, 4, 5, 6, 7, 8}, Removes: true}, 1},
		"a slow library with the same":      {judge.Found{Finding: finding.Finding{ID: "f"}, Samples: []int32{1, 2, 3, 4}}, 1},
		"a slow library with much else":     {judge.Found{Finding: finding.Finding{ID: "f"}, Samples: []int32{1, 2, 3, 4, 5, 6, 7, 8}}, 2},
		"the copying that it is":            {judge.Found{Finding: finding.Finding{ID: "f"}, Samples: []int32{1, 2, 3}, Removes: true, Basic: true}, 2},
		"its memory":                        {judge.Found{Finding: finding.Finding{ID: "f"}, Samples: []int32{1, 2, 3}, Service: true}, 2},
		"something else":                    {judge.Found{Finding: finding.Finding{ID: "f"}, Samples: []int32{3, 4}, Removes: true}, 2},
	} {
		if got := Add([]judge.Found{x.of}, []judge.Found{told}, Options{}); len(got) != x.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	told.Certainty = finding.Confirmed
	told.Evidence = []finding.Evidence{{Kind: "counted"}}
	of := judge.Found{Finding: finding.Finding{ID: "f", Certainty: finding.Suspected}, Samples: []int32{1, 2, 3}, Removes: true}
	if got := Add([]judge.Found{of}, []judge.Found{told}, Options{}); len(got) != 1 || got[0].Certainty != finding.Confirmed || len(got[0].Evidence) != 1 {
		t.Errorf("what was counted is lost: %+v", got)
	}
}

// A library that is developed here is mended at its lines: what an entry says of it comes after.
func TestALibraryThatIsTheProgramsOwn(t *testing.T) {
	entry := judge.Found{Finding: finding.Finding{ID: "f", Rule: "f", Certainty: finding.Suspected}, Samples: []int32{1, 2, 3, 4}, Replaced: []int32{1, 2, 3, 4}, Directories: []string{"/me/lib"}}
	for name, x := range map[string]struct {
		file    string
		samples []int32
		after   string // which finding comes after the other, "" for none
		want    int
	}{
		"in the library":       {"/me/lib/sheet.go", []int32{1, 2, 3}, "f", 2},
		"a little of it":       {"/me/lib/sheet.go", []int32{1}, "", 2},
		"in a program with it": {"/me/main.go", []int32{1, 2, 3}, "", 1},
	} {
		told := found("m", "growth-whole-copy", at(x.file, 7, 7), x.samples...)
		told.Yields, told.Removes = true, true
		got := Add([]judge.Found{entry}, []judge.Found{told}, Options{})
		Settle(got, nil)
		var after string
		for _, f := range got {
			if f.Minor != "" {
				after += f.ID
			}
		}
		if len(got) != x.want || after != x.after {
			t.Errorf("%s: %d findings, %q comes after", name, len(got), after)
		}
	}
}

func TestTheCauseLeadsAndTheSymptomSupports(t *testing.T) {
	symptom := found("slows", "growth-accumulation", at("/src/a.py", 7, 0), 1, 2, 3, 4)
	symptom.Symptom = true
	for name, x := range map[string]struct {
		m     judge.Found
		leads bool
	}{
		"its cause":                      {found("why", "position-per-pass", at("/src/a.py", 7, 0), 1, 2, 3), true},
		"told by behaviour":              {judge.Found{Finding: found("why", "made-per-call", at("/src/a.py", 7, 0)).Finding, Samples: []int32{1, 2, 3}, Yields: true}, false},
		"told by how it is written":      {judge.Found{Finding: found("why", "position-per-pass", at("/src/a.py", 7, 0)).Finding, Samples: []int32{1, 2, 3}, Yields: true, Takes: true}, true},
		"a part of it, by another rule":  {found("why", "position-per-pass", at("/src/a.py", 7, 0), 1), false},
		"a part of it, by a related one": {found("why", "copied-per-pass", at("/src/a.py", 7, 0), 1), true},
		"another line":                   {found("why", "position-per-pass", at("/src/a.py", 8, 0), 1, 2, 3), false},
		"another file":                   {found("why", "position-per-pass", at("/src/b.py", 7, 0), 1, 2, 3), false},
		"another line, by counting": {func() judge.Found {
			f := found("why", "slower-per-call", at("/src/b.py", 9, 0), 1, 2, 3, 4)
			f.Certainty, f.Removes = finding.Confirmed, true
			return f
		}(), true},
		"a part of it, by counting": {func() judge.Found {
			f := found("why", "slower-per-call", at("/src/b.py", 9, 0), 1)
			f.Certainty, f.Removes = finding.Confirmed, true
			return f
		}(), false},
		"other samples": {found("why", "position-per-pass", at("/src/a.py", 7, 0), 5, 6), false},
	} {
		out := Add([]judge.Found{symptom}, []judge.Found{x.m}, Options{Samples: 1000})
		led := len(out) == 1 && out[0].ID == "why" && slices.Equal(out[0].SameAs, []string{"slows"}) && out[0].Certainty == finding.Confirmed && len(out[0].Evidence) == 2
		if led != x.leads || !x.leads && out[0].ID != "slows" {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// A process of a runtime has no line of the program: a related rule that knows one leads.
func TestASymptomWithoutALine(t *testing.T) {
	symptom := found("copies", "erlang-message-copy", finding.Place{Binary: "/usr/lib/erlang/beam.smp"}, 1, 2, 3, 4)
	symptom.Symptom = true
	for rule, leads := range map[string]bool{"growth-whole-copy": true, "growth-list-walk": false} {
		m := found("why", rule, at("/src/a.ex", 7, 0), 1, 2, 3)
		m.Yields = true
		if out := Add([]judge.Found{symptom}, []judge.Found{m}, Options{Samples: 1000}); (out[0].ID == "why") != leads || len(out) != 1 {
			t.Errorf("%s: %+v", rule, out)
		}
	}
}

// Of code that a JIT has optimised only the function is known: a related rule that has found the line
// there leads.
func TestASymptomOfAFunction(t *testing.T) {
	place := at("/src/a.js", 0, 0)
	place.Function = "replaceAt"
	symptom := found("copies", "memcpy-fresh-buffer", place, 1, 2, 3, 4)
	symptom.Symptom = true
	for function, leads := range map[string]bool{"replaceAt": true, "other": false} {
		m := found("why", "growth-whole-copy", at("/src/a.js", 11, 0), 1, 2, 3)
		m.Yields, m.Place.Function = true, function
		if out := Add([]judge.Found{symptom}, []judge.Found{m}, Options{Samples: 1000}); (out[0].ID == "why") != leads {
			t.Errorf("%s: %+v", function, out)
		}
	}
}

func TestTheCauseLeadsWhoeverSpokeFirst(t *testing.T) {
	symptom := found("slows", "growth-accumulation", at("/src/a.js", 7, 0), 1, 2, 3, 4)
	symptom.Symptom = true
	cause := found("spread", "node-object-spread", at("/src/a.js", 7, 0), 1, 2, 3)
	cause.Removes = true
	if out := Add([]judge.Found{cause}, []judge.Found{symptom}, Options{Samples: 1000}); len(out) != 1 || out[0].ID != "spread" || !slices.Equal(out[0].SameAs, []string{"slows"}) || len(out[0].Evidence) != 2 {
		t.Errorf("it stands alone: %+v", out)
	}
	for name, change := range map[string]func(*judge.Found){
		"a collector":          func(f *judge.Found) { f.Service = true },
		"copying, by whatever": func(f *judge.Found) { f.Basic = true },
		"an aside":             func(f *judge.Found) { f.Aside = true },
		"a faster library":     func(f *judge.Found) { f.Removes = false },
		"another line":         func(f *judge.Found) { f.Place.Line = 8 },
	} {
		f := cause
		change(&f)
		if out := Add([]judge.Found{f}, []judge.Found{symptom}, Options{Samples: 1000}); len(out) != 2 {
			t.Errorf("%s explains what grows: %+v", name, out)
		}
	}
}
