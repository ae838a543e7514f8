package view

import (
	"testing"

	"whyhot/internal/profile"
)

func TestPlainName(t *testing.T) {
	for name, want := range map[string]string{
		"tokenize.constprop.0": "tokenize", "f.isra.0.part.3": "f", "f.part.0.cold": "f", "f.cold": "f", "x.lto_priv.12": "x", "f.llvm.123": "f",
		"a::f(int) [clone .isra.0] [clone .part.1]": "a::f(int)", "tokenize": "tokenize", "f.particle": "f.particle", ".cold": ".cold",
	} {
		if got := plainName(name, profile.KindNative); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := plainName("mod.part.0", profile.KindPython); got != "mod.part.0" {
		t.Errorf("of Python: %s", got)
	}
}

// costs is a profile of functions of one file, each called by main.
func costs(file string, of map[string]int64) *profile.Profile {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/usr/bin/app"})
	at := func(name string) profile.LocationID {
		return b.Location(app, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: name, File: file, Mapping: app, Kind: profile.KindNative})})
	}
	for name, n := range of {
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{at(name), at("main")}), Count: n, Value: n})
	}
	return b.Build(profile.Meta{})
}

// Neither the suffix of a copy nor another name at the same cost makes a function slower; at
// another cost, or where it may be one of two, a new name is a new function.
func TestRenamedFunctions(t *testing.T) {
	base := map[string]int64{"insert": 8000, "tokenize.constprop.0": 1000, "other": 1000}
	for _, c := range []struct {
		name        string
		after       map[string]int64
		file        string
		grows, rows int
	}{
		{"a copy no more", map[string]int64{"insert": 8000, "tokenize": 1000, "other": 1000}, "a.c", 0, 4},
		{"a copy and its cold part", map[string]int64{"insert": 8000, "tokenize.isra.0": 950, "tokenize.isra.0.cold": 50, "other": 1000}, "a.c", 0, 4},
		{"renamed", map[string]int64{"add": 8020, "tokenize": 1000, "other": 980}, "a.c", 0, 4},
		{"renamed and moved to another file", map[string]int64{"add": 8020, "tokenize": 1000, "other": 980}, "b.c", 1, 5},
		{"renamed and slower", map[string]int64{"add": 16000, "tokenize": 1000, "other": 1000}, "a.c", 1, 5},
		{"one of two", map[string]int64{"insert": 8000, "first": 1000, "second": 1000}, "a.c", 2, 6},
	} {
		for _, absolute := range []bool{false, true} {
			d := Diff(costs("src/a.c", base), costs("build/"+c.file, c.after), DiffOptions{Absolute: absolute})
			grows := 0
			for _, x := range d.Changes(SortSelf, 0.95) {
				if x.Grows && x.Name != "" {
					grows++
				}
			}
			if grows != c.grows || len(d.Rows) != c.rows {
				t.Errorf("%s (absolute %v): %d functions grow, want %d; rows %+v", c.name, absolute, grows, c.grows, d.Rows)
			}
		}
	}
	d := Diff(costs("a.c", base), costs("a.c", map[string]int64{"add": 8000, "tokenize": 1000, "other": 1000}), DiffOptions{})
	was := map[string]string{}
	for _, r := range d.Rows {
		was[r.Name] = r.Was
	}
	if was["add"] != "insert" || was["tokenize"] != "" {
		t.Errorf("renamed: %v", was)
	}
}
