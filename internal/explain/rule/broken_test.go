package rule

import (
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Why stacks are cut is what the recorder said: frame pointers are no matter of Python.
func TestWhyStacksAreCutIsWhatTheRecorderSaid(t *testing.T) {
	const why = "40 where a stack is deeper than the profiler unwinds"
	for _, warnings := range [][]string{nil, {"40 of 100 stacks are truncated: " + why}} {
		b := profile.NewBuilder()
		leaf := b.Location(0, 0, profile.KindPython, profile.Line{Function: b.Function(profile.Function{Name: "walk", File: "a.py", Kind: profile.KindPython})})
		cut := b.Location(0, 0, profile.KindUnknown, profile.Line{Function: b.Function(profile.Function{Name: profile.TruncatedStack})})
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

// A function that calls itself for each element of a list has stacks that are deeper than a
// recorder unwinds: those that reach a caller say who calls, unless they are too few.
func TestWhoCallsIsWhatWholeStacksSay(t *testing.T) {
	for _, c := range []struct {
		whole, cut string
		says       bool
	}{
		{"28", "72", true},
		{"100", "", true},
		{"5", "95", false},
	} {
		text := "app;main_[app];camlBook__add_473_[app];camlStdlib__$40_197_[app];camlStdlib__$40_197_[app] " + c.whole + "\n"
		if c.cut != "" {
			text += "app;" + profile.TruncatedStack + ";camlStdlib__$40_197_[app];camlStdlib__$40_197_[app] " + c.cut + "\n"
		}
		found := run(t, parse(t, text), only(t, "ocaml-list-append"), nil)
		if len(found) != 1 {
			t.Fatalf("%d findings", len(found))
		}
		if said := found[0].Place.Function == "camlBook__add_473"; said != c.says {
			t.Errorf("of %s of 100 whole: at %q", c.whole, found[0].Place.Function)
		}
		judged := slices.ContainsFunc(found[0].Evidence, func(e finding.Evidence) bool { return strings.Contains(e.Text, "judged by the 28%") })
		if judged != (c.whole == "28") {
			t.Errorf("of %s of 100 whole: %+v", c.whole, found[0].Evidence)
		}
	}
}

// Of a script's runtime nobody changes a line: the place is the script's own that leads there.
func TestThePlaceIsTheScriptsOwnLine(t *testing.T) {
	found := run(t, parse(t, "main (/home/me/app.py:3);parse (/home/me/app.py:7);datetime_strptime_[_datetime.cpython-311.so];_strptime_datetime (/usr/lib/python3.11/_strptime.py:568) 300\n"+
		"main (/home/me/app.py:3);work (/home/me/app.py:9) 700\n"), only(t, "python-strptime"), nil)
	if len(found) != 1 || found[0].Place.File != "/home/me/app.py" || found[0].Place.Line != 7 {
		t.Errorf("%+v", found)
	}
}
