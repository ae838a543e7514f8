package profile

import "testing"

func TestComplete(t *testing.T) {
	b := NewBuilder()
	id := b.Mapping(Mapping{Path: "/bin/a"})
	loc := b.Location(id, 0x1010, KindNative)
	whole := Mapping{Path: "/bin/a", BuildID: "ab", Start: 0x1000, Limit: 0x2000}
	b.Complete(id, whole)
	if b.Mapping(whole) != id || b.Mapping(Mapping{Path: "/bin/a"}) == id {
		t.Error("the builder still knows the mapping as it was")
	}
	p := b.Build(Meta{})
	if got := *p.Mapping(p.Location(loc).Mapping); got != whole {
		t.Errorf("%+v", got)
	}
}
