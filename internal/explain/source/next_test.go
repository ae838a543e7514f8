package source_test

import (
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
)

// Loops in source say how to see, fix and prove them; without a build directory the
// commands would not find their unit.
func TestNextCommands(t *testing.T) {
	loop := finding.Finding{ID: "alias-char-write-1a2b3c4d", Rule: "alias-char-write", Certainty: finding.Confirmed, Worlds: []finding.World{{}}, Place: finding.Place{File: "/s/a b.c", Line: 7}}
	fs := []finding.Finding{loop, loop, {ID: "x"}}
	fs[1].Certainty = finding.Suspected
	source.NameCommands(fs, "", "p")
	if !fs[0].Next.IsZero() {
		t.Errorf("no build, and yet %q", fs[0].Next)
	}
	source.NameCommands(fs, "build", "p.pb.gz")
	want := []string{"whyhot explain-loop '/s/a b.c:7' -p build", "whyhot fix alias-char-write-1a2b3c4d -p build"}
	if !slices.EqualFunc(fs[0].See, want, func(c finding.Command, text string) bool { return c.String() == text }) {
		t.Errorf("see %q, want %q", fs[0].See, want)
	}
	if !strings.Contains(fs[0].Next.String(), "--profile p.pb.gz -p build --what-if alias-char-write-1a2b3c4d") || !fs[1].Next.IsZero() || len(fs[2].See) > 0 {
		t.Errorf("next %q, %q, %q", fs[0].Next, fs[1].Next, fs[2].See)
	}
}
