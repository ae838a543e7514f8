package machine

import (
	"slices"
	"testing"

	"whyhot/internal/profile"
)

// A loop's samples are its own, as its share is: those of a loop in it are that one's.
func TestALoopHasItsOwnSamples(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/home/me/app"})
	fn := b.Function(profile.Function{Name: "flow", Kind: profile.KindNative, Mapping: m})
	for _, address := range []uint64{0x104, 0x124, 0x150, 0x200} { // before, in the inner loop, behind it, elsewhere
		stack := b.Stack([]profile.LocationID{b.Location(m, address, profile.KindNative, profile.Line{Function: fn})})
		b.Sample(profile.Sample{Stack: stack, Count: 1, Value: 1})
	}
	p := b.Build(profile.Meta{})
	code := func(_ *profile.Mapping, address uint64) (uint64, bool) { return address, true }
	outer := Loop{Mapping: p.Mapping(m), Ranges: [][2]uint64{{0x100, 0x160}}, nested: [][2]uint64{{0x120, 0x140}}}
	inner := Loop{Mapping: p.Mapping(m), Ranges: [][2]uint64{{0x120, 0x140}}}
	at := func(rows []int32) (out []uint64) {
		for _, row := range rows {
			out = append(out, p.Location(p.Stack(p.Samples()[row].Stack)[0]).Address)
		}
		slices.Sort(out)
		return out
	}
	if got := at(outer.Samples(p, code)); !slices.Equal(got, []uint64{0x104, 0x150}) {
		t.Errorf("outer: %x", got)
	}
	if got := at(inner.Samples(p, code)); !slices.Equal(got, []uint64{0x124}) {
		t.Errorf("inner: %x", got)
	}
}
