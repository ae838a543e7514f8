package rule

import (
	"slices"
	"strings"
	"testing"
	"time"

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

// Samples of which nearly all are missing give no true shares, whoever reads the file.
func TestMissingSamplesAreSaid(t *testing.T) {
	for _, used := range []time.Duration{0, 2100 * time.Millisecond, 10 * time.Second} {
		b := profile.NewBuilder()
		leaf := b.Location(0, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "work", Kind: profile.KindNative})})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{leaf}), Count: 2000, Value: int64(2 * time.Second)})
		p := b.Build(profile.Meta{
			ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Recorded: true,
			Coverage: profile.Coverage{Samples: 2000, Seen: 2 * time.Second, Used: used, Why: "a reason"},
		})
		_, notes, err := Run(t.Context(), p, only(t), nil, Options{ProfilePath: "p"})
		if err != nil {
			t.Fatal(err)
		}
		const want = "The samples cover 2s (20%) of the 10s of CPU time that the command used: a reason."
		if slices.Contains(notes, want) != (used == 10*time.Second) {
			t.Errorf("of %s: %q", used, notes)
		}
	}
}
