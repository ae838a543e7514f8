package build

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func TestBuiltForSize(t *testing.T) {
	const toml = "[package]\nname = \"reef\"\n\n[profile.dev]\nopt-level = \"s\"\n\n[profile.release]\ndebug = 1\nopt-level = \"z\" # small\n"
	source := func(path string) ([]string, bool) {
		if path != "/work/reef/Cargo.toml" {
			return nil, false
		}
		return strings.Split(toml, "\n"), true
	}
	for name, c := range map[string]struct {
		quality Quality
		line    int
		found   bool
	}{
		"Cargo.toml":           {Quality{Binary: "/work/reef/target/release/reef", Share: 0.9}, 9, true},
		"for another target":   {Quality{Binary: "/work/reef/target/x86_64-unknown-linux-musl/release/reef", Share: 0.9}, 9, true},
		"another profile":      {Quality{Binary: "/work/reef/target/bench/reef", Share: 0.9}, 0, false},
		"another project":      {Quality{Binary: "/work/other/target/release/reef", Share: 0.9}, 0, false},
		"debug information":    {Quality{Binary: "/usr/local/bin/app", Share: 0.9, Level: "-Os"}, 0, true},
		"optimised":            {Quality{Binary: "/usr/local/bin/app", Share: 0.9, Level: "-O2"}, 0, false},
		"hardly used":          {Quality{Binary: "/usr/local/bin/app", Share: 0.03, Level: "-Os"}, 0, false},
		"a file that is gone":  {Quality{Binary: "/usr/local/bin/app", Share: 0.9, Level: "-Os", Problem: "missing"}, 0, false},
		"a binary moved away":  {Quality{Binary: "/usr/local/bin/reef", Share: 0.9}, 0, false},
		"the profile for devs": {Quality{Binary: "/work/reef/target/debug/reef", Share: 0.9}, 5, true},
	} {
		got := forSize(profile.NewBuilder().Build(profile.Meta{}), []Quality{c.quality}, source)
		if len(got) > 0 != c.found || c.found && got[0].Place.Line != c.line {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
