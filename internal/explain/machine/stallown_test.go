package machine

import (
	"testing"

	"whyhot/internal/profile"
)

// A wait is told where the reader can change the code, and where it is a wait.
func TestWaitsThatCanBeChanged(t *testing.T) {
	at := func(file string) []profile.Frame {
		return []profile.Frame{{Function: profile.Function{Name: "f", File: file}, Line: 7}}
	}
	for name, c := range map[string]struct {
		stall  Stall
		binary string
		want   bool
	}{
		"own code":                {Stall{Kind: "table", Load: Instruction{Lines: at("/home/me/app/f.c")}}, "/home/me/app/app", true},
		"a chain, compared":       {Stall{Kind: "chase", Jumps: true, Load: Instruction{Lines: at("/home/me/app/f.c")}}, "/home/me/app/app", true},
		"no line":                 {Stall{Kind: "chase"}, "/home/me/app/app", false},
		"an interpreter":          {Stall{Kind: "chase", Load: Instruction{Lines: at("/tmp/build/Python-3.11.7/Objects/setobject.c")}}, "/opt/lib/libpython3.11.so.1.0", false},
		"a library":               {Stall{Kind: "table", Load: Instruction{Lines: at("driver/level3/gemm.c")}}, "/srv/venv/numpy.libs/libopenblas.so", false},
		"the header of a library": {Stall{Kind: "table", Load: Instruction{Lines: at("/usr/include/c++/12/bits/hashtable.h")}}, "/home/me/app/app", false},
		"a library's hash table": {Stall{Kind: "table", Load: Instruction{Lines: []profile.Frame{
			{Function: profile.Function{Name: "core::ptr::read", File: "/rustc/5980/library/core/src/ptr/mod.rs"}, Line: 1},
			{Function: profile.Function{Name: "<hashbrown::raw::RawTableInner>::find_inner", File: "/rust/deps/hashbrown-0.16.1/src/raw/mod.rs"}, Line: 2},
			{Function: profile.Function{Name: "count", File: "/home/me/app/src/count.rs"}, Line: 3},
		}}}, "/home/me/app/app", false},
		"the first touch":           {Stall{Kind: "object", Load: Instruction{Lines: at("/home/me/app/f.c")}}, "/home/me/app/app", false},
		"a branch, or so it may be": {Stall{Kind: "table", Jumps: true, Load: Instruction{Lines: at("/home/me/app/f.c")}}, "/home/me/app/app", false},
	} {
		c.stall.Function, c.stall.Mapping = "f", &profile.Mapping{Path: c.binary}
		if got := c.stall.canBeChanged(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A comparison's jump that was followed tells which of both is waited for.
func TestComparisonsThatWereFollowed(t *testing.T) {
	p := profile.NewBuilder().Build(profile.Meta{Branches: []profile.Branch{
		{Path: "/app", Address: 0x106, Seen: 4000, Judged: 2000, Missed: 20},
		{Path: "/app", Address: 0x206, Seen: 4000, Judged: 2000, Missed: 900},
		{Path: "/app", Address: 0x306, Seen: 20, Judged: 10},
	}})
	for address, want := range map[uint64]struct {
		missed float64
		known  bool
	}{0x100: {0.01, true}, 0x200: {0.45, true}, 0x300: {}, 0x400: {}, 0xf0: {}} {
		s := Stall{Mapping: &profile.Mapping{Path: "/app"}, Load: Instruction{Address: address}}
		if missed, known := s.misses(p); missed != want.missed || known != want.known {
			t.Errorf("%x: %v, %v", address, missed, known)
		}
	}
}
