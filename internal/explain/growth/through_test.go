package growth

import (
	"testing"

	"whyhot/internal/explain/growth/primitive"
	"whyhot/internal/profile"
)

// one is a profile of stacks with their counts.
func one(costs ...cost) *profile.Profile {
	b := profile.NewBuilder()
	for _, c := range costs {
		b.Sample(profile.Sample{Stack: b.Stack(locations(b, c.frames)), Count: int64(c.grown), Value: int64(c.grown)})
	}
	return b.Build(profile.Meta{})
}

// throughs are those of a profile, by the table of the program.
func throughs(t *testing.T, costs ...cost) []Through {
	t.Helper()
	table, err := primitive.Load()
	if err != nil {
		t.Fatal(err)
	}
	return throughsIn(newFrames(one(costs...)), table)
}

func TestALineUnderWhichAListIsSearched(t *testing.T) {
	main := []frame{native("Py_BytesMain"), py("<module>", 60), py("unique", 41)}
	search := append(main[:3:3], native("list_contains"), native("PyObject_RichCompare"), native("memcmp"))
	other := append(main[:2:2], py("read", 12))
	got := throughs(t, cost{0, 300, 0, search}, cost{0, 20, 0, main}, cost{0, 680, 0, other})
	if len(got) != 1 || got[0].Place != (Place{"unique", "report.py", 41}) || got[0].Name != "list_contains" || got[0].Share != 0.3 || got[0].Cure == "" {
		t.Fatalf("%+v", got)
	}
	if len(got[0].Callers) != 1 || got[0].Callers[0].Line != 60 || len(got[0].Samples) != 1 {
		t.Errorf("%+v", got[0])
	}
	text := append(main[:3:3], native("PyUnicode_Find"), native("memchr"))
	little := append(main[:3:3], native("list_contains"))
	if got := throughs(t, cost{0, 300, 0, text}, cost{0, 640, 0, other}, cost{0, 60, 0, little}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	// Of a list of eight, what surrounds the search costs as much.
	if got := throughs(t, cost{0, 300, 0, search}, cost{0, 300, 0, main}, cost{0, 400, 0, other}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	// A copy that takes as much is none of a few bytes.
	copies := append(main[:3:3], native("bytes_concat"), native("memcpy"))
	if got := throughs(t, cost{0, 350, 0, copies}, cost{0, 300, 0, main}, cost{0, 350, 0, other}); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestALineThatCopiesTheWhole(t *testing.T) {
	main := []frame{native("Py_BytesMain"), py("<module>", 60), py("feed", 41)}
	for name, c := range map[string]struct {
		copying []frame
		share   float64
		found   bool
	}{
		"bytes":                    {[]frame{native("bytes_concat"), native("memcpy")}, 400, true},
		"a list, in a loop":        {[]frame{native("list_concat")}, 400, true},
		"little":                   {[]frame{native("bytes_concat"), native("memcpy")}, 80, false},
		"allocating for it":        {[]frame{native("bytes_concat"), native("malloc")}, 900, false},
		"a copy of another reason": {[]frame{native("buffer_read"), native("memcpy")}, 900, false},
	} {
		got := throughs(t, cost{0, c.share, 0, append(main[:3:3], c.copying...)}, cost{0, 1000 - c.share, 0, append(main[:2:2], py("read", 12))})
		if (len(got) == 1) != c.found {
			t.Errorf("%s: %+v", name, got)
		} else if c.found && (got[0].Line != 41 || len(got[0].Samples) != 1 || got[0].Cure == "") {
			t.Errorf("%s: %+v", name, got[0])
		}
	}
}

// The list that the copy takes the place of is freed at the same line: that goes with it.
func TestACopyFreesTheOneBefore(t *testing.T) {
	main := []frame{native("Py_BytesMain"), py("<module>", 60), py("feed", 41)}
	copies, frees := append(main[:3:3], native("list_concat")), append(main[:3:3], native("list_dealloc"), native("Py_DECREF"))
	got := throughs(t, cost{0, 140, 0, copies}, cost{0, 160, 0, frees}, cost{0, 700, 0, append(main[:2:2], py("read", 12))})
	if len(got) != 1 || got[0].Share < 0.29 || got[0].Share > 0.31 || len(got[0].Samples) != 2 {
		t.Errorf("%+v", got)
	}
	if got := throughs(t, cost{0, 300, 0, frees}, cost{0, 700, 0, append(main[:2:2], py("read", 12))}); len(got) != 0 {
		t.Errorf("nothing is copied: %+v", got)
	}
}

// Where a library names its exported functions only, the mix of those tells.
func TestTheMixOfLeavesTells(t *testing.T) {
	lua := func(name string) frame { return frame{name: name, binary: "/usr/bin/lua5.4", kind: profile.KindNative} }
	get, set := []frame{lua("lua_pcallk"), lua("lua_geti")}, []frame{lua("lua_pcallk"), lua("lua_seti")}
	other := []frame{lua("lua_pcallk")}
	if got := throughs(t, cost{0, 300, 0, get}, cost{0, 300, 0, set}, cost{0, 100, 0, other}); len(got) != 1 || got[0].Language != "Lua" || got[0].Binary != "/usr/bin/lua5.4" || got[0].Function != "" {
		t.Errorf("%+v", got)
	}
	if got := throughs(t, cost{0, 600, 0, get}, cost{0, 100, 0, other}); len(got) != 0 { // table.unpack
		t.Errorf("%+v", got)
	}
}

// An engine that goes to rows by their key searches an index, one that goes on from row to row
// a table.
func TestWhatADatabaseExecutes(t *testing.T) {
	main := []frame{native("Py_BytesMain"), py("<module>", 60), py("total", 16)}
	engine := func(names ...string) []frame {
		out := append(main[:3:3], native("sqlite3_step"), native("sqlite3VdbeExec"))
		for _, n := range names {
			out = append(out, native(n))
		}
		return out
	}
	other := cost{0, 300, 0, main[:2]}
	got := throughs(t, cost{0, 600, 0, engine()}, cost{0, 100, 0, engine("sqlite3BtreeNext")}, other)
	if len(got) != 1 || got[0].Language != "SQL" || got[0].Line != 16 || got[0].Share != 0.7 {
		t.Errorf("%+v", got)
	}
	if got := throughs(t, cost{0, 500, 0, engine()}, cost{0, 50, 0, engine("sqlite3BtreeNext")}, cost{0, 150, 0, engine("sqlite3BtreeTableMoveto")}, other); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	redis := func(name string) []frame {
		return []frame{{name: "main", binary: "/usr/bin/redis-server", kind: profile.KindNative}, {name: name, binary: "/usr/bin/redis-server", kind: profile.KindNative}}
	}
	got = throughs(t, cost{0, 600, 0, redis("keysCommand")}, cost{0, 400, 0, redis("readQueryFromClient")})
	if len(got) != 1 || got[0].Operation != "KEYS" || got[0].Binary != "/usr/bin/redis-server" {
		t.Errorf("%+v", got)
	}
}

// A vector that moves objects of the program calls their assignment for each: the line that
// pays is the one that erases.
func TestElementsThatACollectionMoves(t *testing.T) {
	header := func(name string) frame {
		return frame{name: name, file: "/usr/include/c++/12/bits/vector.tcc", binary: "/home/u/app", kind: profile.KindNative, line: 178}
	}
	main := []frame{own("main", 11)}
	erase := append(main[:1:1], header("std::vector<Job, std::allocator<Job>>::_M_erase"), header("std::__copy_move<true>::__copy_m<Job*, Job*>"), own("Job::operator=", 4), header("std::__cxx11::basic_string<char>::operator="))
	got := throughs(t, cost{0, 800, 0, erase}, cost{0, 200, 0, []frame{own("main", 12)}})
	if len(got) != 1 || got[0].Line != 11 || got[0].Container != "vector" {
		t.Errorf("%+v", got)
	}
	// What an object does itself when it is assigned is its own work.
	assigned := append(main[:1:1], own("Job::operator=", 4), header("std::vector<int, std::allocator<int>>::_M_erase"), native("memmove"))
	if got := throughs(t, cost{0, 800, 0, assigned}, cost{0, 200, 0, []frame{own("main", 12)}}); len(got) != 1 || got[0].Line != 4 {
		t.Errorf("%+v", got)
	}
}
