package loopview

import (
	"testing"

	"whyhot/internal/finding"
)

func TestWorldsInWords(t *testing.T) {
	n := func(f float64) *float64 { return &f }
	said, cycles := Worlds([]finding.World{
		{Name: "as written", Fate: finding.FateScalar, Unroll: 4, Calls: 1, Loads: n(8), Stores: n(0.125), Cycles: map[string]float64{"b": 4.11, "a": 3.25}},
		{Name: "hoisted", Fate: finding.FateVectorised, Width: 16, Interleave: 2, Reached: true},
		{Name: "retyped", Fate: finding.FateReplaced},
		{Name: "placebo", Fate: finding.FateUnknown},
	})
	want := []World{
		{Name: "as written", Shape: "scalar, unrolled 4 times, 1 call", Loads: "8", Stores: "0.125", Cycles: "3.25–4.11"},
		{Name: "hoisted", Shape: "vectorised 16 × 2", Reached: true},
		{Name: "retyped", Shape: "a library call, or gone"},
		{Name: "placebo", Shape: "not found again"},
	}
	if !cycles || len(said) != len(want) {
		t.Fatalf("%+v, cycles %v", said, cycles)
	}
	for i := range want {
		if said[i] != want[i] {
			t.Errorf("got  %+v\nwant %+v", said[i], want[i])
		}
	}
	if _, cycles := Worlds([]finding.World{{Name: "x"}}); cycles {
		t.Error("cycles without a model")
	}
}

func TestLegendNamesEachRoleAndOtherFiles(t *testing.T) {
	f := finding.Finding{
		Source: &finding.Excerpt{File: "a.c"},
		Accesses: []finding.Access{
			{Role: finding.RoleWrite, File: "a.c", Line: 5, Text: "out[i]"},
			{Role: finding.RoleWrite, File: "a.c", Line: 6, Text: "out[j]"},
			{Role: finding.RoleFirst, File: "b.h", Line: 7, Type: "a pointer"},
		},
	}
	got := Legend(f)
	want := []Mark{{"1", "loaded", "a pointer", "b.h:7"}, {"2", "written", "out[i]", ""}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRestLeavesOutWhatIsShown(t *testing.T) {
	f := finding.Finding{Evidence: []finding.Evidence{{Kind: "world"}, {Kind: "write"}, {Kind: "declaration"}}}
	if got := Rest(f); len(got) != 3 {
		t.Errorf("without source and worlds everything is said: %v", got)
	}
	f.Worlds = []finding.World{{}}
	f.Source, f.Accesses = &finding.Excerpt{}, []finding.Access{{}}
	if got := Rest(f); len(got) != 1 || got[0].Kind != "declaration" {
		t.Errorf("got %v", got)
	}
}

// What is said is what the advised edit gives, though another world gives more.
func TestEffectOfTheAdvisedEdit(t *testing.T) {
	n := func(f float64) *float64 { return &f }
	world := func(name string, loads float64) finding.World {
		return finding.World{Name: name, Fate: finding.FateScalar, Edit: name != "as written", Reached: name != "as written", Loads: n(loads), Stores: n(4)}
	}
	worlds := []finding.World{world("as written", 9), world("written type changed", 1), world("hoisted into locals", 4)}
	if got := Effect(worlds); got != "loads 9 → 1" {
		t.Errorf("%q", got)
	}
	worlds[2].Advised = true
	if got := Effect(worlds); got != "loads 9 → 4" {
		t.Errorf("%q", got)
	}
	worlds[2].Partial = true
	if got := Effect(worlds); got != "at best loads 9 → 4" {
		t.Errorf("%q", got)
	}
}
