package remarks

import (
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/finding"
)

func at(line, column int) []analyzer.Point {
	return []analyzer.Point{
		{File: "/usr/include/c++/12/bits/stl_vector.h", Line: 1124}, // the place in the library is nobody's loop
		{File: "src/a.cpp", Line: line, Column: column},
	}
}

func outcome() analyzer.Outcome {
	remark := func(kind, pass, name, message string, where []analyzer.Point) analyzer.Remark {
		return analyzer.Remark{Kind: kind, Pass: pass, Name: name, Message: message, Where: where}
	}
	return analyzer.Outcome{
		Unit: compdb.Unit{Directory: "/p", File: "/p/src/a.cpp"},
		Reply: analyzer.Reply{
			SourceLoops: []analyzer.SourceLoop{
				{Function: "_Z1fv", File: "src/a.cpp", Line: 10, Column: 3, EndLine: 20, Depth: 1},
				{Function: "_Z1fv", File: "src/a.cpp", Line: 12, Column: 5, EndLine: 15, Depth: 2},
				{Function: "_Z1gv", File: "/usr/include/c++/12/bits/stl_vector.h", Line: 1100, EndLine: 1200, Depth: 1},
			},
			Remarks: []analyzer.Remark{
				remark("missed", "loop-vectorize", "MissedDetails", "loop not vectorized", at(12, 5)),
				remark("analysis", "loop-vectorize", "CantComputeNumberOfIterations", "loop not vectorized: could not determine number of loop iterations", at(12, 5)),
				remark("analysis", "loop-vectorize", "CantReorderFPOps", "loop not vectorized: cannot prove it is safe to reorder floating-point operations", at(12, 5)),
				remark("missed", "licm", "LoadWithLoopInvariantAddressInvalidated", "failed to move load", at(13, 9)),
				remark("missed", "licm", "LoadWithLoopInvariantAddressInvalidated", "failed to move load", at(14, 9)),
				remark("missed", "inline", "NoDefinition", "_Z3extd will not be inlined into _Z1fv because its definition is unavailable", at(18, 1)),
				remark("missed", "inline", "NoDefinition", "malloc will not be inlined into _Z1fv because its definition is unavailable", at(12, 1)),
				remark("missed", "gvn", "LoadClobbered", "load of type i32 not eliminated", at(40, 1)), // in no loop
				remark("passed", "loop-vectorize", "Vectorized", "vectorized loop", at(10, 3)),
			},
		},
	}
}

func TestRemarksAreGroupedByLoopAndCause(t *testing.T) {
	fs := Missed([]analyzer.Outcome{outcome(), outcome()}) // a header's loop is met in every unit
	var got []string
	for _, f := range fs {
		got = append(got, f.Rule)
		if f.Certainty != finding.Suspected || f.Place.File != "/p/src/a.cpp" || len(f.Fix.Steps) == 0 {
			t.Errorf("%+v", f)
		}
	}
	if want := []string{"missed-hoist", "missed-vectorize", "missed-inline"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v: the deeper loop first", got, want)
	}
	vector := fs[1]
	if vector.Place.Line != 12 || vector.Place.EndLine != 15 || !strings.Contains(vector.Title, "floating-point numbers must keep its order") {
		t.Errorf("the most telling cause names it: %+v", vector)
	}
	if text := fs[0].Evidence[1].Text; !strings.Contains(text, "lines 13, 14") {
		t.Errorf("where: %q", text)
	}
	if text := fs[2].Evidence[1].Text; !strings.Contains(text, "ext(double)") || strings.Contains(text, "_Z") || fs[2].Place.Line != 10 {
		t.Errorf("names as people write them, in the loop around the call: %+v", fs[2])
	}
	if fs[0].ID == fs[1].ID {
		t.Error("two findings share an ID")
	}
}
