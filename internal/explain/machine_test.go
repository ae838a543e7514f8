package explain

import (
	"testing"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

func TestSourceAndMachineCodeAreOneFinding(t *testing.T) {
	source := []finding.Finding{
		{ID: "a", Rule: "alias-char-write", Place: finding.Place{File: "/src/lib/a.c", Line: 10, EndLine: 14}},
		{ID: "b", Rule: "column-walk", Place: finding.Place{File: "/src/lib/a.c", Line: 10, EndLine: 14}},
	}
	code := func(rule, file string, line, end int) finding.Finding {
		return finding.Finding{Rule: rule, Place: finding.Place{File: file, Line: line, EndLine: end}}
	}
	for name, test := range map[string]struct {
		in   finding.Finding
		want int
	}{
		"lines meet":           {code("machine-reload", "/build/lib/a.c", 12, 13), 0},
		"other lines":          {code("machine-reload", "/build/lib/a.c", 15, 19), -1},
		"another directory":    {code("machine-reload", "/build/test/a.c", 12, 13), -1},
		"about something else": {code("machine-division", "/build/lib/a.c", 12, 13), -1},
		"no lines known":       {code("machine-reload", "", 0, 0), -1},
	} {
		if got := sameLoop(source, machine.Found{Finding: test.in}, nil, nil); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// Of loops inside each other, the evidence goes to the one whose code it is.
func TestEvidenceIsOfTheLoopItself(t *testing.T) {
	place := func(line, end int) finding.Place {
		return finding.Place{File: "/src/lib/a.c", Line: line, EndLine: end}
	}
	loop := func(lines ...int32) *machine.Loop {
		l := &machine.Loop{}
		for _, n := range lines {
			l.Instructions = append(l.Instructions, machine.Instruction{Lines: []profile.Frame{{Function: profile.Function{File: "/src/lib/a.c"}, Line: n}}})
		}
		return l
	}
	outer := machine.Found{Finding: finding.Finding{Rule: "machine-reload", Place: place(262, 290)}, Loop: loop(262, 263, 273, 289, 290)}
	inner := machine.Found{Finding: finding.Finding{Rule: "machine-reload", Place: place(273, 276)}, Loop: loop(273, 274, 275, 275)}
	for name, test := range map[string]struct {
		source []finding.Place
		m      machine.Found
		want   int
	}{
		"the loop around it":         {[]finding.Place{place(273, 276)}, outer, -1},
		"itself":                     {[]finding.Place{place(273, 276)}, inner, 0},
		"the inner of two":           {[]finding.Place{place(262, 290), place(273, 276)}, inner, 1},
		"the outer of two":           {[]finding.Place{place(273, 276), place(262, 290)}, outer, 1},
		"one line of it, not a loop": {[]finding.Place{place(289, 0)}, outer, 0},
	} {
		var found []finding.Finding
		for _, p := range test.source {
			found = append(found, finding.Finding{Rule: "alias-char-write", Place: p})
		}
		if got := sameLoop(found, test.m, nil, nil); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// An entry of the catalogue has no lines: its samples tell that it is about the loop.
func TestCatalogueAndMachineCodeAreOneFinding(t *testing.T) {
	found := []finding.Finding{{ID: "malloc", Rule: "glibc-malloc"}, {ID: "crc", Rule: "crc32-hardware"}}
	samplesOf := map[string][]int32{"malloc": {0, 1, 2, 3}, "crc": {2, 3, 4}}
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
		m := machine.Found{Finding: finding.Finding{Rule: test.rule}}
		if got := sameLoop(found, m, test.rows, samplesOf); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestWhatMakesOthersMootComesFirst(t *testing.T) {
	found := []finding.Finding{
		{ID: "large", Rule: "alias-char-write"},
		{ID: "seen in frames alone", Rule: unoptimised, Certainty: finding.Suspected},
		{ID: "refuted", Rule: build.RuleInstrumented, Certainty: finding.Refuted},
		{ID: "moot", Rule: build.RuleSanitizer, Certainty: finding.Confirmed},
	}
	markForemost(found)
	finding.Rank(found)
	if found[0].ID != "moot" || found[1].ID != "large" {
		t.Errorf("%+v", found)
	}
}

// Advice to use another library holds for its loops; they are no findings beside it.
func TestLoopsOfALibraryThatIsReplaced(t *testing.T) {
	blas := finding.Place{Binary: "/usr/lib/libblas.so.3"}
	library := finding.Finding{ID: "blas-reference-1", Place: blas}
	samplesOf := map[string][]int32{library.ID: {1, 2, 3, 4}}
	in := func(binary string) machine.Found {
		return machine.Found{Finding: finding.Finding{Place: finding.Place{Binary: binary, Function: "dgemv_"}}}
	}
	function := library
	function.Place.Function = "dgemm_"
	for _, x := range []struct {
		name string
		of   finding.Finding
		m    machine.Found
		rows []int32
		want bool
	}{
		{"its loop", library, in(blas.Binary), []int32{2, 3, 9}, true},
		{"mostly other samples", library, in(blas.Binary), []int32{3, 8, 9}, false},
		{"another library", library, in("/usr/lib/mgcv.so"), []int32{2, 3}, false},
		{"another function's finding", function, in(blas.Binary), []int32{2, 3}, false},
		{"the program itself", finding.Finding{ID: library.ID, Place: finding.Place{Binary: "/bin/gzip"}}, in("/bin/gzip"), []int32{2, 3}, false},
	} {
		if got := isReplaced([]finding.Finding{x.of}, x.m, x.rows, samplesOf); got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}
