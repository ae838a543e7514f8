package lookup

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

const long = "std::map<std::string, std::vector<acme::Order>, std::less<std::string>>::operator[](std::string const&)"

// orders has five functions, each 10 samples, two of them with one name.
func orders() *profile.Profile {
	b := profile.NewBuilder()
	add := func(lib, name string) {
		m := b.Mapping(profile.Mapping{Path: lib})
		fn := b.Function(profile.Function{Name: name, Mapping: m, Kind: profile.KindNative})
		loc := b.Location(m, 0, profile.KindNative, profile.Line{Function: fn})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 10, Value: 10})
	}
	add("app", "parse_order")
	add("app", "parse_date")
	add("app", long)
	add("a.so", "twin")
	add("b.so", "twin")
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "samples", Unit: "count"}})
}

func TestFunctions(t *testing.T) {
	p := orders()
	for _, c := range []struct {
		name  string
		all   bool
		found int
		wrong string
	}{
		{"parse_date", false, 1, ""},
		{"date$", false, 1, ""},
		{"twin", false, 2, ""}, // one name in two binaries
		{"parse_", true, 2, ""},
		{"parse_", false, 0, "matches 2 functions"},
		{"PARSE_DATE", false, 0, "with other capitals there is parse_date"},
		{"nothing", false, 0, "whyhot top FILE"},
		{"a(b", false, 0, "no regular expression either"},
		{long, false, 1, ""},
	} {
		got, err := Functions(p, c.name, c.all)
		if len(got) != c.found || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %d functions, %v", c.name, len(got), err)
		}
	}
	if _, err := Functions(p, "parse_", false); !strings.Contains(err.Error(), "20.0%  parse_date") {
		t.Errorf("the choice has no shares: %v", err)
	}
}

func TestNamelessProfilesSaySo(t *testing.T) {
	b := profile.NewBuilder()
	loc := b.Location(b.Mapping(profile.Mapping{Path: "app"}), 1, profile.KindNative, profile.Line{})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 1, Value: 1})
	if _, err := Functions(b.Build(profile.Meta{}), "f", false); err == nil || !strings.Contains(err.Error(), "names no function at all") {
		t.Error(err)
	}
}

// What Handle gives means the function again.
func TestHandleIsTakenBack(t *testing.T) {
	p := orders()
	for _, row := range view.Top(p, view.TopOptions{}).Rows {
		text := Handle(p, row.Function)
		found, err := Functions(p, text, false)
		if err != nil || view.Name(p, found[0]) != view.Name(p, row.Function) {
			t.Errorf("%q for %q: %v", text, view.Name(p, row.Function), err)
		}
		if row.Label == long && len(text) >= len(long) {
			t.Errorf("%q is not shortened", text)
		}
	}
}

// Names hold what regular expressions and shells give a meaning to.
var hard = []string{
	"main.firstClass[go.shape.string]", "main.firstClass[go.shape.string].func1", "main.firstClass[go.shape.int]", "main.firstClasso",
	"acme.(*Heap[...]).Push", "std::vector<int, std::allocator<int>>::operator[](unsigned long)", "acme::Sum::operator+(acme::Sum const&)",
	"std::function<void (int)>::operator()(int) const", "app::run::{{closure}}", "app::run::{{closure}}::{{closure}}",
	"com.acme.Order.<init>(int)", "com.acme.Order.<clinit>()", "(anonymous)", "<anonymous>", "Object.<anonymous>", "$_0", "a|b", "x\\y", "what?",
	"-[NSObject init]", "日本語::関数<漢字>", "(anonymous namespace)::f(int)", "block in Foo#each", "lambda (?)",
}

func hardNames() *profile.Profile {
	b := profile.NewBuilder()
	for _, name := range hard {
		loc := b.Location(0, 0, profile.KindUnknown, profile.Line{Function: b.Function(profile.Function{Name: name})})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 1, Value: 1})
	}
	return b.Build(profile.Meta{})
}

func TestNamesAreTakenAsTheyArePrinted(t *testing.T) {
	p := hardNames()
	for _, name := range hard {
		found, err := Functions(p, name, false)
		if err != nil || view.Name(p, found[0]) != name {
			t.Errorf("%q: %v, %v", name, found, err)
		}
	}
}

func TestNamesAreTakenWithoutTheirPackage(t *testing.T) {
	p := hardNames()
	for text, want := range map[string]string{
		"firstClass[go.shape.string]":                  "main.firstClass[go.shape.string]",
		"firstClass[go.shape.string].func1":            "main.firstClass[go.shape.string].func1",
		"(*Heap[...]).Push":                            "acme.(*Heap[...]).Push",
		"Order.<init>":                                 "com.acme.Order.<init>(int)",
		"Sum::operator+":                               "acme::Sum::operator+(acme::Sum const&)",
		"vector<int, std::allocator<int>>::operator[]": "std::vector<int, std::allocator<int>>::operator[](unsigned long)",
		"run::{{closure}}":                             "app::run::{{closure}}",
		"operator()(int":                               "std::function<void (int)>::operator()(int) const", // a part, and no regular expression
	} {
		found, err := Functions(p, text, false)
		if err != nil || view.Name(p, found[0]) != want {
			t.Errorf("%q: %v, %v", text, found, err)
		}
	}
}
