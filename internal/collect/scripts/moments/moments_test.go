package moments

import (
	"slices"
	"testing"
	"time"

	"whyhot/internal/profile"
)

const (
	lua  = "/usr/bin/lua5.4"
	libc = "/lib/libc.so.6"
)

// recorded builds a profile of samples that are one millisecond apart, each of native frames,
// innermost first, with the address in the runtime.
func recorded(stacks ...[]native) *profile.Profile {
	b := profile.NewBuilder()
	mappings := map[string]profile.MappingID{
		lua: b.Mapping(profile.Mapping{Path: lua, Start: 0x1000, Limit: 0x9000, Offset: 0x500}), libc: b.Mapping(profile.Mapping{Path: libc, Start: 0x10000, Limit: 0x20000}),
		"[kernel.kallsyms]": b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"}),
	}
	labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 7}})
	for i, s := range stacks {
		var locs []profile.LocationID
		for _, n := range s {
			fn := b.Function(profile.Function{Name: n.name, Mapping: mappings[n.in], Kind: profile.KindNative})
			locs = append(locs, b.Location(mappings[n.in], n.at, profile.KindNative, profile.Line{Function: fn}))
		}
		b.Sample(profile.Sample{Stack: b.Stack(locs), Labels: labels, Time: int64(i+1) * int64(time.Millisecond), Count: 1, Value: 1})
	}
	return b.Build(profile.Meta{Elapsed: true})
}

type native struct {
	name, in string
	at       uint64
}

// outer is how the C library calls a program's main.
func outer(inner ...native) []native {
	return append(inner, native{"lua_pcallk", lua, 0x1100}, native{"", lua, 0x1200}, native{"__libc_start_main", libc, 0x10010}, native{"_start", lua, 0x1300})
}

// names are the names of a sample's stack, outermost first.
func names(p *profile.Profile, row int) (out []string) {
	for _, loc := range slices.Backward(p.Stack(p.Samples()[row].Stack)) {
		out = append(out, p.Function(p.Lines(loc)[0].Function).Name)
	}
	return out
}

func rough(elapsed time.Duration) int64 { return int64(elapsed.Truncate(10*time.Millisecond)) + 1 }

func TestJoin(t *testing.T) {
	from := time.Unix(1000, 0)
	main := Frame{Function: "main chunk", File: "/a.lua", Line: 9}
	track := &Track{PID: 7, Kind: profile.KindLua, Within: 5 * time.Millisecond, Copying: "..",
		Code: []Code{{Path: lua, Low: 0x640, High: 0x700, Function: "table.remove"}}}
	at := func(ms float64) time.Time { return from.Add(time.Duration(ms * float64(time.Millisecond))) }
	track.Add(at(0.9), []Frame{{Function: "table.remove"}, main})
	track.Add(at(2.1), []Frame{{Function: ".."}, {Function: "row", File: "/a.lua", Line: 3}, main})
	track.Add(at(3.2), []Frame{main})
	p := recorded(
		outer(native{"", lua, 0x1150}),                                  // table.remove: 0x650 in the file
		outer(native{"", lua, 0x1150}),                                  // and here, although the nearest moment concatenates
		outer(native{"memcpy", libc, 0x10100}, native{"", lua, 0x1400}), // copies
		outer(native{"", lua, 0x1400}),                                  // neither
		[]native{{"do_exit", "[kernel.kallsyms]", 1}},                   // not in the runtime
	)
	var ts Tracks
	marked := ts.Mark(p, from, []*Track{track}, rough)
	if marked.Samples()[0].Time != 1 {
		t.Errorf("a time of %d", marked.Samples()[0].Time)
	}
	got := ts.Splice(marked)
	inner := []string{"_start", "__libc_start_main", "", "main chunk"}
	want := [][]string{
		append(slices.Clone(inner), "table.remove", "lua_pcallk", ""), nil,
		append(slices.Clone(inner), "row", "..", "lua_pcallk", "", "memcpy"),
		append(slices.Clone(inner), "lua_pcallk", ""), {"do_exit"},
	}
	var stacks [][]string
	for i, s := range got.Samples() {
		stacks = append(stacks, names(got, i))
		if len(got.Labels(s.Labels)) != 1 {
			t.Errorf("labels %v", got.Labels(s.Labels))
		}
	}
	for _, w := range want {
		if w != nil && !slices.ContainsFunc(stacks, func(s []string) bool { return slices.Equal(s, w) }) {
			t.Errorf("no %q in %q", w, stacks)
		}
	}
	if got.Count() != p.Count() || got.Total() != p.Total() {
		t.Errorf("%d samples of %d", got.Count(), p.Count())
	}
}

// Samples far from every moment, and of other processes, stay as they are.
func TestOutsideOfTracks(t *testing.T) {
	from := time.Unix(1000, 0)
	far := &Track{PID: 7, Within: time.Millisecond}
	far.Add(from.Add(time.Second), []Frame{{Function: "f", File: "/a.R", Line: 1}})
	other := &Track{PID: 8, Within: time.Second}
	other.Add(from, []Frame{{Function: "f", File: "/a.R", Line: 1}})
	p := recorded(outer(native{"", lua, 0x1150}))
	var ts Tracks
	if got := ts.Splice(ts.Mark(p, from, []*Track{far, other}, rough)); len(names(got, 0)) != 5 {
		t.Errorf("%q", names(got, 0))
	}
	var none Tracks
	if none.Splice(none.Mark(p, from, nil, rough)) != p {
		t.Error("a profile without tracks is another one")
	}
}
