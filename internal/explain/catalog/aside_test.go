package catalog

import (
	"slices"
	"testing"
)

// What is true of every run of a program is said last. Who adds an entry that names a
// program itself finds it here; who narrows one takes it out.
func TestAsides(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range c.Entries {
		if e := &c.Entries[i]; e.IsAside() && !e.Fallback {
			got = append(got, e.ID)
		}
	}
	slices.Sort(got)
	want := []string{
		"awk-mawk", "bio-programs", "coreutils-digest", "encoder-effort", "fail2ban-dates", "ghostscript",
		"go-build-cache", "graphviz-layout", "grep-ripgrep", "gzip-pigz", "inkscape-batch", "jq-interpreted",
		"ld-mold", "localedef-all", "locate-plocate", "lua-luajit", "man-db-update", "node-bundlers",
		"perl-awstats", "perl-exiftool", "perl-source-tools", "python-old-interpreter", "qemu-emulation", "ruby-rubocop",
		"sphinx-build", "zip-infozip",
	}
	for _, id := range got {
		if !slices.Contains(want, id) {
			t.Errorf("%s is an aside", id)
		}
	}
	for _, id := range want {
		if !slices.Contains(got, id) {
			t.Errorf("%s is no aside", id)
		}
	}
}
