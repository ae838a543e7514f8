package unexplained

import (
	"math"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

type inlined struct {
	function, file string
	line           int32
}

// builder makes a profile of one binary, sample by sample.
type builder struct {
	*profile.Builder

	mapping profile.MappingID
	address uint64
}

func newBuilder() *builder {
	b := &builder{Builder: profile.NewBuilder(), address: 0x1000}
	b.mapping = b.Mapping(profile.Mapping{Path: "/p/app", Start: 0x1000, Limit: 0x9000})
	return b
}

// add is one address with its inline stack, innermost first.
func (b *builder) add(count int64, kind profile.Kind, frames ...inlined) {
	var lines []profile.Line
	for _, f := range frames {
		id := b.Function(profile.Function{Name: f.function, File: f.file, Mapping: b.mapping, Kind: kind})
		lines = append(lines, profile.Line{Function: id, Line: f.line})
	}
	b.address += 16
	loc := b.Location(b.mapping, b.address, kind, lines...)
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: count, Value: 10 * count})
}

func hotInput() Input {
	b := newBuilder()
	b.add(300, profile.KindNative, inlined{"score", "/p/src/a.cpp", 8})
	b.add(200, profile.KindNative, inlined{"std::vector::operator[]", "/usr/include/c++/12/bits/stl_vector.h", 1124}, inlined{"at", "/p/src/a.h", 3}, inlined{"score", "/p/src/a.cpp", 9})
	b.add(170, profile.KindNative, inlined{"score", "/p/src/a.cpp", 8})
	b.add(130, profile.KindNative, inlined{"parse", "/p/src/b.cpp", 40})
	b.add(120, profile.KindKernel, inlined{"clear_page", "", 0})
	b.add(80, profile.KindNative, inlined{"small", "/p/src/c.cpp", 1})
	return Input{
		Profile: b.Build(profile.Meta{}),
		Text:    func(string) ([]string, bool) { return []string{"", "", "three", "", "", "", "", "eight"}, true },
		Machine: func(_ *profile.Mapping, address uint64) (text, kind string, ok bool) {
			if address == 0x1010 {
				return "divsd %xmm1,%xmm0", "divisions", true
			}
			return "mov (%rax),%rdx", "loads", true
		},
		Looked: "all of it",
	}
}

func names(us []finding.Unexplained) []string {
	var out []string
	for _, u := range us {
		out = append(out, u.Place.Function)
	}
	return out
}

func TestHotLinesWithoutAFinding(t *testing.T) {
	us := New(hotInput()).Functions()
	if got := names(us); !slices.Equal(got, []string{"score", "parse"}) {
		t.Fatalf("functions %v: the kernel's cannot be edited, small is small", got)
	}
	u := us[0]
	if math.Abs(*u.Share.Exclusive-0.67) > 1e-9 || u.Looked != "all of it" {
		t.Errorf("%+v", u)
	}
	if len(u.Lines) != 2 || u.Lines[0].Line != 8 || u.Lines[0].Text != "eight" || math.Abs(u.Lines[0].Share-0.47) > 1e-9 || u.Lines[0].Function != "" {
		t.Errorf("lines %+v", u.Lines)
	}
	if in := u.Lines[0].Instructions; len(in) != 2 || in[0].Text != "divsd %xmm1,%xmm0" || math.Abs(in[0].Share-0.3) > 1e-9 {
		t.Errorf("instructions %+v", in)
	}
	// Not the library's line, but the innermost that somebody wrote here.
	if l := u.Lines[1]; l.File != "/p/src/a.h" || l.Function != "at" || l.Text != "three" {
		t.Errorf("inlined: %+v", l)
	}
	if len(u.Machine) != 2 || u.Machine[0].What != "loads" || math.Abs(u.Machine[0].Share-0.37) > 1e-9 {
		t.Errorf("machine %+v", u.Machine)
	}
}

func TestFindingsExplain(t *testing.T) {
	for name, test := range map[string]struct {
		findings []finding.Finding
		samples  map[string][]int32
		want     []string
	}{
		"lines of the source":   {[]finding.Finding{{ID: "x", Place: finding.Place{File: "/elsewhere/src/a.cpp", Line: 7, EndLine: 9}}}, nil, []string{"parse"}},
		"other lines":           {[]finding.Finding{{ID: "x", Place: finding.Place{File: "/p/src/a.cpp", Line: 70, EndLine: 90}}}, nil, []string{"score", "parse"}},
		"another directory":     {[]finding.Finding{{ID: "x", Place: finding.Place{File: "/p/test/a.cpp", Line: 7, EndLine: 9}}}, nil, []string{"score", "parse"}},
		"frames":                {[]finding.Finding{{ID: "x"}}, map[string][]int32{"x": {0, 1, 3}}, nil},
		"less than half":        {[]finding.Finding{{ID: "x"}}, map[string][]int32{"x": {1}}, []string{"score", "parse"}},
		"refuted":               {[]finding.Finding{{ID: "x", Certainty: finding.Refuted}}, map[string][]int32{"x": {0, 1, 3}}, []string{"score", "parse"}},
		"general":               {[]finding.Finding{{ID: "x", General: true}}, map[string][]int32{"x": {0, 1, 3}}, []string{"score", "parse"}},
		"little to gain":        {[]finding.Finding{{ID: "x", Minor: "it has less than 3% of the CPU"}}, map[string][]int32{"x": {0, 1, 3}}, []string{"score", "parse"}},
		"little to gain, there": {[]finding.Finding{{ID: "x", Minor: "it may save less than 3% of the CPU", Place: finding.Place{Function: "score"}, Share: finding.Share{Exclusive: new(1.0)}}}, map[string][]int32{"x": {0, 1, 3}}, []string{"score", "parse"}},
		"goes with another":     {[]finding.Finding{{ID: "x", Minor: "its work goes with y", After: "y"}}, map[string][]int32{"x": {0, 1, 3}}, nil},
		// A finding of the catalogue points at a caller: only its samples are meant.
		"a caller": {[]finding.Finding{{ID: "x", Place: finding.Place{File: "/p/src/a.cpp", Line: 8}}}, map[string][]int32{"x": {5}}, []string{"score", "parse"}},
	} {
		in := hotInput()
		in.Findings, in.Samples = test.findings, test.samples
		if got := names(New(in).Functions()); !slices.Equal(got, test.want) {
			t.Errorf("%s: unexplained %v, want %v", name, got, test.want)
		}
	}
}

func TestFewSamplesAreNoHotLines(t *testing.T) {
	b := newBuilder()
	b.add(9, profile.KindNative, inlined{"f", "/p/a.c", 1})
	if us := New(Input{Profile: b.Build(profile.Meta{})}).Functions(); len(us) > 0 {
		t.Errorf("nine samples: %+v", us)
	}
	if us := New(Input{Profile: profile.NewBuilder().Build(profile.Meta{})}).Functions(); len(us) > 0 {
		t.Errorf("no samples: %+v", us)
	}
}

// Only of machine code do compilers keep the lines to themselves.
func TestDebugInformationIsAdvisedForMachineCodeAlone(t *testing.T) {
	for kind, advised := range map[profile.Kind]bool{profile.KindNative: true, profile.KindPython: false, profile.KindUnknown: false} {
		b := newBuilder()
		b.add(300, kind, inlined{"work", "", 0})
		in := Input{
			Profile: b.Build(profile.Meta{}), Looked: "all of it.",
			Text:    func(string) ([]string, bool) { return nil, false },
			Machine: func(*profile.Mapping, uint64) (text, kind string, ok bool) { return "", "", false },
		}
		u := in.describe(&function{id: namedFunction(in.Profile), own: true, open: 3000, at: map[profile.LocationID]int64{0: 3000}})
		if strings.Contains(u.Looked, "-g") != advised {
			t.Errorf("%s: %q", kind, u.Looked)
		}
	}
}

// namedFunction is the function with a name.
func namedFunction(p *profile.Profile) profile.FunctionID {
	for i := range p.NumFunctions() {
		if p.Function(profile.FunctionID(i)).Name != "" {
			return profile.FunctionID(i)
		}
	}
	return 0
}

// What a compiler's library has in the program itself is nobody's to change: the line of the
// program that calls it is named.
func TestALibraryThatIsCompiledIn(t *testing.T) {
	b := newBuilder()
	at := func(name, file string, line int32) profile.LocationID {
		id := b.Function(profile.Function{Name: name, File: file, Mapping: b.mapping, Kind: profile.KindNative})
		b.address += 16
		return b.Location(b.mapping, b.address, profile.KindNative, profile.Line{Function: id, Line: line})
	}
	sort := at("core::slice::sort::unstable::quicksort::quicksort", "/rustc/59807616e1/library/core/src/slice/sort/unstable/quicksort.rs", 21)
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{sort, at("app::rank", "/srv/app/src/main.rs", 12)}), Count: 900, Value: 900})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{at("app::main", "/srv/app/src/main.rs", 40)}), Count: 100, Value: 100})
	got := New(Input{Profile: b.Build(profile.Meta{})}).Functions()
	if len(got) == 0 || got[0].Place.Function != "app::rank" || got[0].Place.Line != 12 || got[0].Into == nil || !strings.HasPrefix(got[0].Into.Function, "core::slice::sort") {
		t.Errorf("%+v", got)
	}
}

func TestLinesOfJavaScriptAreSaidToBeRough(t *testing.T) {
	for kind, want := range map[profile.Kind]bool{profile.KindJS: true, profile.KindPython: false} {
		b := newBuilder()
		b.add(1000, kind, inlined{"dedup", "/p/a", 14})
		us := New(Input{Profile: b.Build(profile.Meta{})}).Functions()
		if len(us) != 1 || strings.Contains(us[0].Looked, "V8") != want {
			t.Errorf("%v: %+v", kind, us)
		}
	}
}
