package rule

import (
	"fmt"
	"testing"

	"whyhot/internal/profile"
)

// Advice to use another library is none for those who develop this one; an installed one, a copy
// of an algorithm and classes of which nobody knows where they lie are others.
func TestTheLibraryIsDevelopedHere(t *testing.T) {
	for name, x := range map[string]struct {
		entry, file, function string
		kind                  profile.Kind
		functions             int
		want                  bool
	}{
		"in its own tree":               {"python-rdflib-store", "/home/me/rdflib/graph.py", "Graph.add%d", profile.KindPython, 1, true},
		"installed":                     {"python-rdflib-store", "/usr/lib/python3/dist-packages/rdflib/graph.py", "Graph.add%d", profile.KindPython, 1, false},
		"native, all of it":             {"yaml-ryml", "/home/me/yaml-cpp/src/scan.cpp", "YAML::Scanner::Scan%d", profile.KindNative, 6, true},
		"native, a function":            {"yaml-ryml", "/home/me/app/yaml.cpp", "YAML::Scanner::Scan%d", profile.KindNative, 1, false},
		"native, with lines of headers": {"yaml-ryml", "/home/me/yaml-cpp/src/scan.cpp", "YAML::Scanner::Scan%d", profile.KindNative, 6, true},
		"what programs write":           {"perl-autoload", "/home/me/shop/Iterator.pm", "Shop::Iterator%d::AUTOLOAD", profile.KindPerl, 1, false},
		"no directory":                  {"yaml-ryml", "scan.cpp", "YAML::Scanner::Scan%d", profile.KindNative, 6, false},
	} {
		b := profile.NewBuilder()
		m := b.Mapping(profile.Mapping{Path: "/home/me/app/app"})
		main := b.Location(m, 1, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "main", File: "/home/me/app/main.c", Kind: profile.KindNative, Mapping: m}), Line: 3})
		for n := range x.functions {
			id := b.Function(profile.Function{Name: fmt.Sprintf(x.function, n), File: x.file, Kind: x.kind, Mapping: m})
			if name == "native, with lines of headers" {
				id := b.Function(profile.Function{Name: fmt.Sprintf(x.function, n), File: "/usr/include/c++/12/bits/stl_tree.h", Kind: x.kind, Mapping: m})
				b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(m, uint64(100+n), x.kind, profile.Line{Function: id, Line: 7}), main}), Count: 300, Value: 300})
			}
			b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(m, uint64(10+n), x.kind, profile.Line{Function: id, Line: 7}), main}), Count: 600, Value: 600})
		}
		found := run(t, b.Build(profile.Meta{}), only(t, x.entry), nil)
		if len(found) != 1 {
			t.Errorf("%s: %+v", name, found)
			continue
		}
		if f := found[0]; (f.Minor == developedHere) != x.want || f.Aside != x.want {
			t.Errorf("%s: minor %q, aside %v", name, f.Minor, f.Aside)
		}
	}
}

// Where a script fills a map and most of the CPU is in the map's own search, that is hot, and not that
// the script is interpreted.
func TestAnInterpreterOfOneFunction(t *testing.T) {
	for name, x := range map[string]struct {
		file string
		part int64
		want int
	}{
		"most is a search":     {"/home/me/vm/map.c", 700, 0},
		"some is a search":     {"/home/me/vm/map.c", 300, 1},
		"most is in a library": {"/usr/include/c++/12/bits/stl_tree.h", 700, 1},
	} {
		b := profile.NewBuilder()
		m := b.Mapping(profile.Mapping{Path: "/home/me/app/app"})
		at := func(n uint64, name, file string) profile.LocationID {
			return b.Location(m, n, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: name, File: file, Kind: profile.KindNative, Mapping: m}), Line: 3})
		}
		main, engine := at(1, "main", "/home/me/app/main.c"), at(2, "runInterpreter", "/home/me/vm/vm.c")
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{at(3, "findEntry", x.file), engine, main}), Count: x.part, Value: x.part})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{engine, main}), Count: 1000 - x.part, Value: 1000 - x.part})
		if found := run(t, b.Build(profile.Meta{}), only(t, "native-script-engine"), nil); len(found) != x.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
