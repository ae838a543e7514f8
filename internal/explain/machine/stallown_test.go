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
		"own code":                  {Stall{Kind: "table", Load: Instruction{Lines: at("/home/me/app/f.c")}}, "/home/me/app/app", true},
		"a chain, compared":         {Stall{Kind: "chase", Jumps: true, Load: Instruction{Lines: at("/home/me/app/f.c")}}, "/home/me/app/app", true},
		"no line":                   {Stall{Kind: "chase"}, "/home/me/app/app", false},
		"an interpreter":            {Stall{Kind: "chase", Load: Instruction{Lines: at("/tmp/build/Python-3.11.7/Objects/setobject.c")}}, "/opt/lib/libpython3.11.so.1.0", false},
		"a library":                 {Stall{Kind: "table", Load: Instruction{Lines: at("driver/level3/gemm.c")}}, "/srv/venv/numpy.libs/libopenblas.so", false},
		"the header of a library":   {Stall{Kind: "table", Load: Instruction{Lines: at("/usr/include/c++/12/bits/hashtable.h")}}, "/home/me/app/app", false},
		"the first touch":           {Stall{Kind: "object", Load: Instruction{Lines: at("/home/me/app/f.c")}}, "/home/me/app/app", false},
		"a branch, or so it may be": {Stall{Kind: "table", Jumps: true, Load: Instruction{Lines: at("/home/me/app/f.c")}}, "/home/me/app/app", false},
	} {
		c.stall.Function, c.stall.Mapping = "f", &profile.Mapping{Path: c.binary}
		if got := c.stall.canBeChanged(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
