package rule

import (
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// Why stacks are cut is what the recorder said: frame pointers are no matter of Python.
func TestWhyStacksAreCutIsWhatTheRecorderSaid(t *testing.T) {
	const why = "40 where a stack is deeper than the profiler unwinds"
	for _, warnings := range [][]string{nil, {"40 of 100 stacks are truncated: " + why}} {
		b := profile.NewBuilder()
		leaf := b.Location(0, 0, profile.KindPython, profile.Line{Function: b.Function(profile.Function{Name: "walk", File: "a.py", Kind: profile.KindPython})})
		cut := b.Location(0, 0, profile.KindUnknown, profile.Line{Function: b.Function(profile.Function{Name: truncatedName})})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{leaf, cut}), Count: 40, Value: 400})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{leaf}), Count: 60, Value: 600})
		p := b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Warnings: warnings})
		_, notes, err := Run(t.Context(), p, only(t), nil, Options{ProfilePath: "p"})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "are truncated ("+why+")") })
		usual := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "without frame pointers") })
		if said != (warnings != nil) || usual != (warnings == nil) {
			t.Errorf("%q", notes)
		}
	}
}
