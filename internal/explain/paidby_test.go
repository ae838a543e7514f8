package explain

import (
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
