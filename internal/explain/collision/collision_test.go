package collision

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// profileOf makes one of folded stacks with counts, outermost first, separated by "; ".
func profileOf(t *testing.T, kind profile.Kind, stacks map[string]int64) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder()
	for stack, n := range stacks {
		var locs []profile.LocationID
		for name := range strings.SplitSeq(stack, "; ") {
			fn := b.Function(profile.Function{Name: name, Kind: kind, File: "/home/me/app.src"})
			locs = append([]profile.LocationID{b.Location(0, 0, kind, profile.Line{Function: fn, Line: 7})}, locs...)
		}
		b.Sample(profile.Sample{Stack: b.Stack(locs), Count: n, Value: n * int64(time.Millisecond)})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

func TestCollisions(t *testing.T) {
	const (
		java = "void app.Mesh.add(app.Key); java.lang.Object java.util.HashMap.put(java.lang.Object, java.lang.Object); "
		ml   = "camlAgg__add_462; camlStdlib__Hashtbl__find_rec_1009"
	)
	for name, x := range map[string]struct {
		kind   profile.Kind
		stacks map[string]int64
		want   bool
	}{
		"OCaml, one bucket":      {profile.KindNative, map[string]int64{ml + "; caml_compare; do_compare_val": 900, "camlAgg__add_462; camlStdlib__Hashtbl__find_1020; caml_hash": 20, "main": 80}, true},
		"OCaml, spread":          {profile.KindNative, map[string]int64{ml + "; caml_compare": 200, "camlAgg__add_462; camlStdlib__Hashtbl__find_1020; caml_hash": 250, "main": 500}, false},
		"OCaml, a tree":          {profile.KindNative, map[string]int64{"camlAgg__add_462; camlStdlib__Map__find_1009; caml_compare": 900, "main": 80}, false},
		"Java, equals":           {profile.KindJava, map[string]int64{java + "boolean app.Key.equals(java.lang.Object)": 600, java + "int app.Key.hashCode()": 30, "void app.Main.main()": 300}, true},
		"Java, a bucket's tree":  {profile.KindJava, map[string]int64{java + "java.util.HashMap$TreeNode java.util.HashMap$TreeNode.putTreeVal(java.util.HashMap)": 600, java + "int app.Key.hashCode()": 30, "void app.Main.main()": 300}, true},
		"Java, hashing is dear":  {profile.KindJava, map[string]int64{java + "boolean app.Key.equals(java.lang.Object)": 300, java + "int app.Key.hashCode()": 300, "void app.Main.main()": 300}, false},
		"Python":                 {profile.KindPython, map[string]int64{"main; _Py_dict_lookup; Point.__eq__": 500, "main; Point.__hash__": 40, "main": 400}, true},
		"Java, texts as keys":    {profile.KindJava, map[string]int64{java + "boolean java.lang.String.equals(java.lang.Object)": 600, java + "int java.lang.String.hashCode()": 5, "void app.Main.main()": 300}, false},
		"hashing costs nothing":  {profile.KindPython, map[string]int64{"main; _Py_dict_lookup; Point.__eq__": 500, "main": 400}, false},
		"little of the program":  {profile.KindPython, map[string]int64{"main; _Py_dict_lookup; Point.__eq__": 100, "main": 900}, false},
		"equality, but no table": {profile.KindPython, map[string]int64{"main; Point.__eq__": 500, "main": 400}, false},
	} {
		a, err := Judge(t.Context(), judge.Subject{Profile: profileOf(t, x.kind, x.stacks)})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range a.Found {
			if f.Rule == Rule {
				n++
			}
		}
		if (n == 1) != x.want {
			t.Errorf("%s: %d findings, want %v", name, n, x.want)
		}
	}
}

// Of a table in a library the line that looks it up is told, beside the program's that asks the library.
func TestTheLibraryThatLooksUp(t *testing.T) {
	const put = "java.lang.Object java.util.HashMap.put(java.lang.Object, java.lang.Object); java.util.HashMap$TreeNode java.util.HashMap$TreeNode.putTreeVal(java.util.HashMap); boolean java.awt.geom.Point2D.equals(java.lang.Object)"
	for from, want := range map[string]bool{
		"void app.Main.main(); void org.apache.pdfbox.Shading.calcPixelTable(); ": true,
		"void app.Main.main(); ": false,
	} {
		a, err := Judge(t.Context(), judge.Subject{Profile: profileOf(t, profile.KindJava, map[string]int64{
			from + put: 600, from + "int java.util.HashMap.hash(java.lang.Object); int java.awt.geom.Point2D.hashCode()": 10, "void app.Main.main()": 300,
		})})
		if err != nil || len(a.Found) != 1 {
			t.Fatal(err, a.Found)
		}
		if first := a.Found[0].Fix.Steps[0]; strings.HasPrefix(first, "The table is looked up in calcPixelTable (app.src:7)") != want {
			t.Errorf("%s: %q", from, first)
		}
	}
}

func TestKeysThatAreHashedAgain(t *testing.T) {
	const java = "void app.Store.append(app.Key); java.lang.Object java.util.HashMap.get(java.lang.Object); "
	for name, x := range map[string]struct {
		kind   profile.Kind
		stacks map[string]int64
		want   string // a step, "" for nothing
	}{
		"Java":                       {profile.KindJava, map[string]int64{java + "int java.util.HashMap.hash(java.lang.Object); int app.Key.hashCode(); int java.util.Objects.hash(java.lang.Object[])": 400, "void app.Main.main()": 600}, "final field"},
		"Python":                     {profile.KindPython, map[string]int64{"main; _Py_dict_lookup; Point.__hash__": 400, "main": 600}, "__init__"},
		"little of the program":      {profile.KindJava, map[string]int64{java + "int app.Key.hashCode()": 90, "void app.Main.main()": 910}, ""},
		"a text as the key":          {profile.KindJava, map[string]int64{java + "int java.lang.String.hashCode()": 400, "void app.Main.main()": 600}, ""},
		"hashed, but for no look-up": {profile.KindJava, map[string]int64{"void app.Main.main(); int app.Key.hashCode()": 400, java + "int app.Other.size()": 100, "void app.Main.main()": 600}, ""},
		"a value that is computed":   {profile.KindJava, map[string]int64{"java.lang.Object java.util.HashMap.computeIfAbsent(java.lang.Object); app.Row app.Main.load(app.Key); int app.Key.hashCode()": 400, "void app.Main.main()": 600}, ""},
	} {
		a, err := Judge(t.Context(), judge.Subject{Profile: profileOf(t, x.kind, x.stacks)})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range a.Found {
			got += f.Rule + ": " + f.Fix.Steps[0]
			if len(f.Title) > 60 || f.Place.Line != 7 {
				t.Errorf("%s: %q at %+v", name, f.Title, f.Place)
			}
		}
		if x.want == "" && got != "" || x.want != "" && (!strings.HasPrefix(got, RuleHash) || !strings.Contains(got, x.want)) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The share is of all that the look-ups do, and the program's function that hashes is named.
func TestWhatCollidingLookupsTake(t *testing.T) {
	p := profileOf(t, profile.KindPython, map[string]int64{
		"main; _Py_dict_lookup; Point.__eq__": 300, "main; _Py_dict_lookup": 300, "main; Point.__hash__": 10, "work": 390,
	})
	a, err := Judge(t.Context(), judge.Subject{Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Found) != 1 || len(a.Found[0].Samples) != 2 || !strings.HasPrefix(a.Found[0].Fix.Steps[0], "Mend Point.__hash__") {
		t.Errorf("%+v", a.Found)
	}
}
