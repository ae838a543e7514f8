package main

import (
	"slices"
	"testing"

	"whyhot/internal/finding"
	"whyhot/internal/trial/variant"
	"whyhot/internal/trial/whatif"
)

// Builds are known by their names: two layouts of one what-if build are two.
func TestLayoutsOfALabelledBuildAreApart(t *testing.T) {
	seen := map[string]bool{}
	b := &variant.Build{Label: whatif.Side, CFlags: "-x"}
	for _, l := range layoutFlags {
		seen[laidOut(b, l).Name()] = true
	}
	if len(seen) != len(layoutFlags) || seen[whatif.Side] {
		t.Errorf("%d layouts have the names %v", len(layoutFlags), seen)
	}
}

func TestPlaceOf(t *testing.T) {
	for want, ok := range map[string]bool{"a.cpp:12": true, "dir/a:b.cpp:3": true, "alias-char-write-0123": false, "a.cpp:": false, ":3": false, "a.cpp:0": false} {
		if _, _, got := placeOf(want); got != ok {
			t.Errorf("%q is a place: %t", want, got)
		}
	}
}

func TestEnvironmentForClang(t *testing.T) {
	if env := (&whatIfFlags{}).environ([]string{"A=1"}); !slices.Equal(env, []string{"A=1"}) {
		t.Errorf("nothing to drop, and yet %q", env)
	}
	f := whatIfFlags{foreign: []string{"-fipa-pta"}, lto: true}
	got := f.environ([]string{"A=1", "CCC_OVERRIDE_OPTIONS=# x-pipe"})
	if want := []string{"A=1", "CCC_OVERRIDE_OPTIONS=# x-pipe x-fipa-pta +-fuse-ld=lld +-Qunused-arguments"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlaceboJudgesNoFinding(t *testing.T) {
	ts := []finding.Trial{{Variant: "mimalloc"}, {Variant: whatif.Side}, {Variant: whatif.PlaceboSide}}
	f := whatIfFlags{wanted: []string{"f-1"}, plan: whatif.Plan{Edits: []whatif.Edit{{Finding: "f-1"}}}}
	id, kept := f.judged("profile", "", slices.Clone(ts))
	if id != "f-1" || len(kept) != 1 || kept[0].Variant != whatif.Side {
		t.Errorf("finding %q is judged by %v", id, kept)
	}
	if id, _ := f.judged("", "", slices.Clone(ts)); id != "" {
		t.Errorf("without a profile there is nowhere to keep it, and yet %q", id)
	}
	f.plan.Edits = append(f.plan.Edits, whatif.Edit{Finding: "f-2"})
	if id, _ := f.judged("profile", "", slices.Clone(ts)); id != "" {
		t.Errorf("two findings at once judge %q", id)
	}
	if id, kept := (&whatIfFlags{}).judged("profile", "f-3", ts); id != "f-3" || len(kept) != len(ts) {
		t.Errorf("an ordinary trial: %q, %v", id, kept)
	}
}
