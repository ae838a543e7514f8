package explain

import (
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// A finding in a library names the line of the program that calls it; one that has the line
// already says nothing twice.
func TestTheLineThatPays(t *testing.T) {
	b := profile.NewBuilder()
	frame := func(name, file, binary string, line int32) profile.LocationID {
		m := b.Mapping(profile.Mapping{Path: binary, Start: 1, Limit: 1 << 40})
		f := b.Function(profile.Function{Name: name, File: file, Mapping: m, Kind: profile.KindNative})
		return b.Location(m, 0, profile.KindNative, profile.Line{Function: f, Line: line})
	}
	deflate := frame("deflate", "", "/usr/lib/x86_64-linux-gnu/libz.so.1", 0)
	save, load := frame("save", "/home/me/src/app.c", "/home/me/app", 41), frame("load", "/home/me/src/app.c", "/home/me/app", 90)
	for _, of := range []struct {
		at    profile.LocationID
		count int64
	}{{save, 300}, {load, 100}} {
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{deflate, of.at}), Count: of.count, Value: of.count})
	}
	p := b.Build(profile.Meta{})
	found := []judge.Found{
		{Samples: []int32{0, 1}},
		{Samples: []int32{0, 1}, Finding: finding.Finding{Place: finding.Place{File: "/home/me/src/app.c", Line: 41}}},
		{Samples: []int32{0, 1}, Finding: finding.Finding{Aside: true}},
	}
	setPaidBy(p, found, func(string) ([]string, bool) { return nil, false })
	got := found[0].PaidBy
	if len(got) != 2 || got[0].Function != "save" || got[0].Line != 41 || got[0].Share != 0.75 || got[1].Line != 90 {
		t.Errorf("%+v", got)
	}
	if len(found[1].PaidBy) > 0 || len(found[2].PaidBy) > 0 {
		t.Errorf("%+v, %+v", found[1].PaidBy, found[2].PaidBy)
	}
}

// A wrapper of malloc pays for nothing: who asks it does. Where one line allocates most and one
// frees most, their objects are to be kept.
func TestWhoAsksAWrapperPays(t *testing.T) {
	b := profile.NewBuilder()
	frame := func(name, file, binary string, line int32) profile.LocationID {
		m := b.Mapping(profile.Mapping{Path: binary, Start: 1, Limit: 1 << 40})
		f := b.Function(profile.Function{Name: name, File: file, Mapping: m, Kind: profile.KindNative})
		return b.Location(m, 0, profile.KindNative, profile.Line{Function: f, Line: line})
	}
	const libc, app = "/usr/lib/x86_64-linux-gnu/libc.so.6", "/home/me/app"
	malloc, free := frame("_int_malloc", "", libc, 0), frame("_int_free", "", libc, 0)
	xmalloc := frame("xmalloc", "/home/me/src/x.c", app, 9)
	create, drop := frame("newState", "/home/me/src/state.c", app, 112), frame("dropState", "/home/me/src/state.c", app, 130)
	var others []profile.LocationID
	for i := range int32(9) {
		others = append(others, frame(string(rune('a'+i)), "/home/me/src/other.c", app, 10*i+1))
	}
	add := func(count int64, stack ...profile.LocationID) {
		b.Sample(profile.Sample{Stack: b.Stack(stack), Count: count, Value: count})
	}
	add(40, malloc, xmalloc, create)
	add(40, free, drop)
	for _, o := range others {
		add(9, malloc, xmalloc, o)
	}
	p := b.Build(profile.Meta{})
	found := func(rows ...int32) judge.Found {
		share := float64(p.Weight(rows)) / float64(p.Total())
		f := judge.Found{Samples: rows}
		f.Rule, f.Share.Inclusive, f.Fix.Steps = allocatorRule, &share, []string{"another allocator"}
		return f
	}
	all := []judge.Found{found(0, 1), found(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)}
	setPaidBy(p, all, func(string) ([]string, bool) { return nil, false })
	if got := all[0].PaidBy; len(got) != 2 || got[0].Function != "dropState" && got[1].Function != "dropState" || got[0].Function == "xmalloc" || got[1].Function == "xmalloc" {
		t.Errorf("%+v", got)
	}
	if steps := all[0].Fix.Steps; len(steps) != 2 || !strings.HasPrefix(steps[0], "Most is asked for at state.c:1") {
		t.Errorf("%q", steps)
	}
	if steps := all[1].Fix.Steps; len(steps) != 1 {
		t.Errorf("of eleven places: %q", steps)
	}
}

// A line of the script that a finding is at pays itself: what it leads to does not call it.
func TestAScriptsOwnPlacePaysItself(t *testing.T) {
	b := profile.NewBuilder()
	frame := func(name, file string, line int32) profile.LocationID {
		f := b.Function(profile.Function{Name: name, File: file, Kind: profile.KindPython})
		return b.Location(0, 0, profile.KindPython, profile.Line{Function: f, Line: line})
	}
	const script, pandas = "/home/me/rollup.py", "/usr/lib/python3/dist-packages/pandas/core/groupby/groupby.py"
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{frame("hour_stats", script, 48), frame("apply", pandas, 1420), frame("hourly", script, 54)}), Count: 100, Value: 100})
	p := b.Build(profile.Meta{})
	found := []judge.Found{
		{Samples: []int32{0}, Finding: finding.Finding{Place: finding.Place{Function: "hourly", File: script, Line: 54}}},
		{Samples: []int32{0}, Finding: finding.Finding{Place: finding.Place{Function: "apply", File: pandas, Line: 1420}}},
	}
	setPaidBy(p, found, func(string) ([]string, bool) { return nil, false })
	if len(found[0].PaidBy) > 0 || len(found[1].PaidBy) != 1 || found[1].PaidBy[0].Line != 48 {
		t.Errorf("%+v, %+v", found[0].PaidBy, found[1].PaidBy)
	}
}
