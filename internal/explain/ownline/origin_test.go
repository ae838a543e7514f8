package ownline

import (
	"testing"

	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// What a runtime carries with it is not the program's own, though no path says so.
func TestCodeOfRuntimes(t *testing.T) {
	for name, c := range map[string]struct {
		fn   profile.Function
		want origin.Origin
	}{
		"a script":                            {profile.Function{Name: "main", File: "sums.py", Kind: profile.KindPython}, origin.Own},
		"a frozen module":                     {profile.Function{Name: "main", File: "site.py", Kind: profile.KindPython}, origin.Library},
		"a file of a user's with such a name": {profile.Function{Name: "main", File: "/home/me/site.py", Kind: profile.KindPython}, origin.Own},
		"a header of another root":            {profile.Function{Name: "boost::format", File: "/sysroot/usr/include/boost/format.hpp", Kind: profile.KindNative}, origin.Library},
		"a header of the user's":              {profile.Function{Name: "sum", File: "/home/me/include/sum.h", Kind: profile.KindNative}, origin.Own},
		"a method":                            {profile.Function{Name: "long Sums.of(int)", File: "Sums.java", Kind: profile.KindJava}, origin.Own},
		"a stub":                              {profile.Function{Name: "StubRoutines (2) [arrayof_jbyte_disjoint_arraycopy]", Kind: profile.KindJava}, origin.Library},
		"a stub without such":                 {profile.Function{Name: "vtable stub", Kind: profile.KindJava}, origin.Library},
	} {
		b := profile.NewBuilder()
		c.fn.Mapping = b.Mapping(profile.Mapping{Path: "/home/me/app", Start: 1, Limit: 1 << 40})
		id := b.Function(c.fn)
		if got := Origin(b.Build(profile.Meta{}), id); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
