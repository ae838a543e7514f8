package machine

import (
	"reflect"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Where walks are short, what leads to them shows in the profile as well.
func TestShortWalksAreNone(t *testing.T) {
	for _, x := range []struct {
		loop, function int64
		want           bool
	}{{90, 100, true}, {80, 100, true}, {50, 100, false}} {
		l := Loop{Function: "find", Mapping: &profile.Mapping{Path: "/p/app"}, Self: x.loop, Count: 100, function: &function{name: "find", value: x.function}}
		l.Matches = []analyzer.MachineMatch{{Rule: "machine-walk", At: []uint64{0x200}, Facts: map[string]string{"by": "load"}}}
		if found := Findings(samplesOf(100, 1), []Loop{l}); (ruleIn(found, "machine-walk") != nil) != x.want {
			t.Errorf("%d of %d: %+v", x.loop, x.function, found)
		}
	}
}

// The line that asks is behind the door to the function; a library has none, and of a
// recursion it is the outermost call's.
func TestWhoAsksForAWalk(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/p/app"})
	address := uint64(0x1000)
	frame := func(name, file string, line int32) profile.LocationID {
		address += 16
		return b.Location(m, address, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: name, File: file, Kind: profile.KindNative}), Line: line})
	}
	search, find := frame("search", "/p/list.c", 7), frame("find", "/p/list.c", 20)
	parse, read, sort := frame("parse", "/p/parse.c", 41), frame("read", "/p/read.c", 9), frame("qsort", "/usr/include/x.h", 3)
	for _, stack := range [][]profile.LocationID{{search, find, parse}, {search, find, parse}, {search, find, parse}, {search, search, read}, {search, sort}} {
		b.Sample(profile.Sample{Stack: b.Stack(stack), Count: 1, Value: 10})
	}
	p := b.Build(profile.Meta{})
	text := func(file string) ([]string, bool) {
		return []string{"x = find(l);"}, file == "/p/parse.c"
	}
	got := askedBy(p, []int32{0, 1, 2}, "search", text)
	// parse.c has one line: there is no 41st to be shown.
	want := []finding.HotLine{{File: "/p/parse.c", Line: 41, Function: "parse", Share: 0.6}, {File: "/p/read.c", Line: 9, Function: "read", Share: 0.2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
