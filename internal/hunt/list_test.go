package hunt

import (
	"testing"

	"whyhot/internal/profile"
)

// What the build compiles is native code in the tree: not Go's, and not a library's.
func TestNativeCodeOfTheTree(t *testing.T) {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/src/app/app", Start: 1, Limit: 1 << 20})
	libc := b.Mapping(profile.Mapping{Path: "/usr/lib/libc.so.6", Start: 1 << 20, Limit: 1 << 21})
	for _, of := range []struct {
		m     profile.MappingID
		name  string
		kind  profile.Kind
		count int64
	}{{app, "main.work", profile.KindGo, 70}, {app, "sqlite3_step", profile.KindNative, 20}, {libc, "memcpy", profile.KindNative, 10}} {
		f := b.Function(profile.Function{Name: of.name, Mapping: of.m, Kind: of.kind})
		stack := b.Stack([]profile.LocationID{b.Location(of.m, 0, of.kind, profile.Line{Function: f})})
		b.Sample(profile.Sample{Stack: stack, Count: of.count, Value: of.count})
	}
	p := b.Build(profile.Meta{})
	if got := native(p, "/src/app"); got != 0.2 {
		t.Errorf("%v of the CPU is in native code of the tree", got)
	}
	if got := native(nil, "/src/app"); got != 1 {
		t.Errorf("without a profile: %v", got)
	}
}
