package rule

import (
	"slices"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// called is a function of a kind in a binary, or in a source file.
type called struct {
	kind     profile.Kind
	in, name string
	file     string
	line     int32
}

func native(in, name string) called {
	return called{kind: profile.KindNative, in: in, name: name}
}

func python(name, file string, line int32) called {
	return called{kind: profile.KindPython, name: name, file: file, line: line}
}

// stacked builds a profile of stacks, from the root, with how many samples each has.
func stacked(rows ...any) *profile.Profile {
	b := profile.NewBuilder()
	address := uint64(0x1000)
	for i := 0; i < len(rows); i += 2 {
		frames := slices.Clone(rows[i].([]called)) //nolint:forcetypeassert // the test's own
		slices.Reverse(frames)
		stack := make([]profile.LocationID, 0, len(frames))
		for _, f := range frames {
			var m profile.MappingID
			if f.in != "" {
				m = b.Mapping(profile.Mapping{Path: f.in})
			}
			address += 0x10
			id := b.Function(profile.Function{Name: f.name, File: f.file, Kind: f.kind, Mapping: m})
			stack = append(stack, b.Location(m, address, f.kind, profile.Line{Function: id, Line: f.line}))
		}
		n := int64(rows[i+1].(int)) //nolint:forcetypeassert // the test's own
		b.Sample(profile.Sample{Stack: b.Stack(stack), Count: n, Value: n})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "count"}})
}

func foundIn(t *testing.T, p *profile.Profile, ids ...string) map[string]judge.Found {
	t.Helper()
	all, _, err := find(t.Context(), p, only(t, ids...), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]judge.Found{}
	for _, f := range all {
		out[f.Rule] = f
	}
	return out
}

// Who asks for a collection is in its stack, or gets the memory, or is all that is left.
func TestWhoAsksForAService(t *testing.T) {
	const interpreter = "/usr/bin/python3.11"
	load, report := python("load", "/srv/app/load.py", 7), python("report", "/srv/app/report.py", 9)
	collect := native(interpreter, "gc_collect_main")
	goes := func(name string) called { return called{kind: profile.KindGo, in: "/srv/app/run", name: name} }
	java := func(name string) called { return called{kind: profile.KindJava, name: name, file: "A.java", line: 3} }
	jvm := func(name string) called { return native("/usr/lib/jvm/17/lib/server/libjvm.so", name) }
	for _, x := range []struct {
		name    string
		p       *profile.Profile
		rule    string
		want    []int32
		roughly bool
	}{
		{"its own stacks", stacked([]called{load, collect}, 60, []called{report}, 500, []called{report, collect}, 10, []called{native(interpreter, "Py_FinalizeEx"), collect}, 20),
			"python-gc", []int32{0, 2}, false},
		{"what gets memory", stacked([]called{goes("runtime.gcBgMarkWorker"), goes("runtime.gcDrain")}, 300, []called{goes("main.main"), goes("runtime.mallocgc")}, 50, []called{goes("main.main")}, 400),
			"go-gc", []int32{1}, false},
		{"all that runs besides", stacked([]called{goes("runtime.gcBgMarkWorker"), goes("runtime.gcDrain")}, 300, []called{goes("main.main"), goes("main.fill")}, 50, []called{goes("main.main")}, 400),
			"go-gc", []int32{1, 2}, true},
		{"what runs in a virtual machine", stacked([]called{jvm("thread_native_entry"), jvm("CompileBroker::compiler_thread_loop"), jvm("C2Compiler::compile_method")}, 600, []called{java("void A.main(String[])")}, 400),
			"java-jit", []int32{1}, true},
	} {
		f, is := foundIn(t, x.p, x.rule)[x.rule]
		if !is || !f.Service || f.Removes || f.Roughly != x.roughly || !slices.Equal(f.Demand, x.want) {
			t.Errorf("%s: found %v, service %v, roughly %v, %v asks, want %v", x.name, is, f.Service, f.Roughly, f.Demand, x.want)
		}
	}
}

// What is called back into the program stays when a library is replaced.
func TestWhatIsReplaced(t *testing.T) {
	main := python("main", "/srv/app/main.py", 3)
	orm := python("_instance", "/srv/venv/lib/python3.11/site-packages/sqlalchemy/orm/loading.py", 100)
	hook := python("on_load", "/srv/app/main.py", 40)
	library := python("loads", "/usr/lib/python3.11/json/__init__.py", 5)
	f := foundIn(t, stacked([]called{main, orm, library}, 200, []called{main, orm, hook, library}, 200, []called{main, orm}, 100, []called{main}, 500), "python-orm")["python-orm"]
	if f.Rule == "" || f.Removes || f.Service || !slices.Equal(f.Samples, []int32{0, 1, 2}) || !slices.Equal(f.Replaced, []int32{0, 2}) {
		t.Errorf("%s: %v, of it replaced %v", f.Rule, f.Samples, f.Replaced)
	}
}

// sourceHere has every source file.
type sourceHere struct{ noFacts }

func (sourceHere) Source(path string) ([]string, bool) { return []string{"double v;"}, path != "" }

// Who has the source of a binary builds it, wherever it is installed.
func TestCodeWithItsSourceIsTheReaders(t *testing.T) {
	field := native("/usr/bin/app", "read_field")
	field.file, field.line = "/home/me/app/field.c", 1
	p := stacked([]called{field, native("/usr/lib/x86_64-linux-gnu/libc.so.6", "____strtod_l_internal")}, 300, []called{native("/usr/bin/app", "main")}, 700)
	for _, x := range []struct {
		facts Facts
		minor bool
	}{{sourceHere{}, false}, {nil, true}} {
		all, _, err := find(t.Context(), p, only(t, "strtod-fast-float"), x.facts, Options{})
		if err != nil || len(all) != 1 || (all[0].Minor != "") != x.minor {
			t.Errorf("minor %v wanted: %+v, %v", x.minor, all, err)
		}
	}
}

// Nobody changes the code of a package.
func TestCodeOfOthersIsMinor(t *testing.T) {
	number := func(in string) *profile.Profile {
		return stacked([]called{native(in, "main"), native(in, "read_field"), native("/usr/lib/x86_64-linux-gnu/libc.so.6", "____strtod_l_internal")}, 300, []called{native(in, "main")}, 700)
	}
	binding := func(in string) *profile.Profile {
		return stacked([]called{native("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "dl_main"), native("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "_dl_relocate_object")}, 300, []called{native(in, "main")}, 700)
	}
	for _, x := range []struct {
		p     *profile.Profile
		rule  string
		minor bool
	}{
		{number("/usr/bin/mawk"), "strtod-fast-float", true},
		{stacked([]called{{kind: profile.KindJIT, name: "$report:price_for/2"}, native("/usr/lib/erlang/erts-13/bin/beam.smp", "erts_trapping_length_1")}, 300, []called{{kind: profile.KindJIT, name: "$report:work/1"}}, 700), "erlang-length", false},
		{number("/srv/venv/lib/python3.11/site-packages/numpy/core/_multiarray.so"), "strtod-fast-float", true},
		{number("/home/me/app/build/app"), "strtod-fast-float", false},
		{number("/usr/local/bin/app"), "strtod-fast-float", false},
		{binding("/usr/bin/find"), "lazy-binding", true},
		{binding("/home/me/app/build/app"), "lazy-binding", false},
	} {
		f, is := foundIn(t, x.p, x.rule)[x.rule]
		if !is || (f.Minor != "") != x.minor {
			t.Errorf("%s in %s: found %v, minor %q", x.rule, f.Place.Binary, is, f.Minor)
		}
	}
}

// What an entry knows of a line is not why, where the entry says so: a rule that reads the line
// leads.
func TestEntriesThatTellASymptom(t *testing.T) {
	p := parse(t, "R;progress (model.R:33);[;[.data.frame;[unknown]_[libR.so] 500\nR;progress (model.R:40);sum 500\n")
	if f, ok := foundIn(t, p, "r-data-frame-element")["r-data-frame-element"]; !ok || !f.Symptom {
		t.Errorf("%v, %+v", ok, f)
	}
}
