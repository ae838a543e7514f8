package build

import (
	"testing"

	"whyhot/internal/elfinfo"
)

// The level is that of the units that tell one, where they are not the smaller part: the C of
// a Go program says nothing of what Go compiled.
func TestLevelOfMixedLanguages(t *testing.T) {
	t.Parallel()
	c := func(units int, flags ...string) elfinfo.Producer {
		return elfinfo.Producer{Compiler: "gcc", Text: "GNU C17 12.2.0", Flags: flags, Units: units}
	}
	golang := elfinfo.Producer{Compiler: "go", Text: "Go cmd/compile go1.26", Units: 762}
	for name, x := range map[string]struct {
		of   []elfinfo.Producer
		want string
	}{
		"Go and a little C":          {[]elfinfo.Producer{golang, c(40, "-mtune=generic")}, ""},
		"C without its switches":     {[]elfinfo.Producer{c(40)}, ""},
		"C alone":                    {[]elfinfo.Producer{c(40, "-mtune=generic")}, "-O0"},
		"C, and a library without":   {[]elfinfo.Producer{c(40, "-mtune=generic", "-O2"), c(9)}, "-O2"},
		"a library with its level":   {[]elfinfo.Producer{c(40), c(9, "-mtune=generic")}, ""},
		"assembler is no other part": {[]elfinfo.Producer{{Text: "GNU AS 2.40", Units: 90}, c(4, "-mtune=generic")}, "-O0"},
	} {
		var q Quality
		q.read(&elfinfo.Info{Producers: x.of})
		if q.Level != x.want {
			t.Errorf("%s: level %q, want %q", name, q.Level, x.want)
		}
	}
}
