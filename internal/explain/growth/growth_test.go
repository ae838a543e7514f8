package growth

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// frame is a function of a stack, with the line that runs.
type frame struct {
	name, file, binary string
	kind               profile.Kind
	line               int32
}

func py(name string, line int32) frame {
	return frame{name: name, file: "report.py", kind: profile.KindPython, line: line}
}

func native(name string) frame {
	return frame{name: name, binary: "/usr/lib/libpython3.11.so.1.0", kind: profile.KindNative}
}

func own(name string, line int32) frame {
	return frame{name: name, file: "/src/app.c", binary: "/home/u/app", kind: profile.KindNative, line: line}
}

// cost is a stack, from the outermost frame on, and how it grows.
type cost struct {
	start, grown, power float64 // samples of a run: the start-up, and what grows at the largest size
	frames              []frame
}

var sizes = []int64{1000, 2000, 4000, 8000}

const rounds = 5

// experimentOf makes the profile of an experiment without noise.
func experimentOf(costs ...cost) *profile.Profile {
	b := profile.NewBuilder()
	for _, c := range costs {
		stack := b.Stack(locations(b, c.frames))
		for _, n := range sizes {
			mean := c.start + c.grown*math.Pow(float64(n)/float64(sizes[len(sizes)-1]), c.power)
			for round := range int64(rounds) {
				labels := b.Labels([]profile.Label{{Key: LabelSize, Num: n, Unit: "n"}, {Key: LabelRound, Num: round}})
				count := int64(mean + 0.5)
				b.Sample(profile.Sample{Stack: stack, Labels: labels, Count: count, Value: count * 1e6})
			}
		}
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Command: []string{"./app", "{n}"}})
}

func locations(b *profile.Builder, frames []frame) []profile.LocationID {
	var stack []profile.LocationID
	for _, f := range frames {
		m := profile.MappingID(0)
		if f.binary != "" {
			m = b.Mapping(profile.Mapping{Path: f.binary, Start: 0x1000, Limit: 0x9000})
		}
		fn := b.Function(profile.Function{Name: f.name, File: f.file, Kind: f.kind, Mapping: m})
		stack = append(stack, b.Location(m, 0, f.kind, profile.Line{Function: fn, Line: f.line}))
	}
	slices.Reverse(stack)
	return stack
}

func fitted(t *testing.T, costs ...cost) *Result {
	t.Helper()
	r, err := Fit(experimentOf(costs...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheLineThatPaysIsTheProgramsOwn(t *testing.T) {
	r := fitted(t,
		cost{0, 900, 2, []frame{native("Py_BytesMain"), py("<module>", 60), py("render", 41), native("bytes_concat"), native("memcpy")}},
		cost{0, 600, 1, []frame{native("Py_BytesMain"), py("<module>", 61), py("count", 50)}},
		cost{100, 0, 0, []frame{native("Py_BytesMain"), native("pymain_init")}},
	)
	if len(r.Functions) != 1 {
		t.Fatalf("%+v", r.Functions)
	}
	f := r.Functions[0]
	if f.Place != (Place{"render", "report.py", 41}) || math.Abs(f.Exponent-2) > 0.05 || f.Low > 2 || f.High < 2 || !f.Own {
		t.Errorf("%+v", f)
	}
	if math.Abs(f.Share-900.0/1600) > 0.01 || f.At10x < 0.9 || f.At10x > 0.95 {
		t.Errorf("share %g, at 10× %g", f.Share, f.At10x)
	}
	if f.Operation == nil || f.Operation.Kind != Copy || f.Operation.Name != "bytes_concat" || !strings.Contains(f.Cure, "join") {
		t.Errorf("%+v, %q", f.Operation, f.Cure)
	}
	if len(f.Callers) != 1 || f.Callers[0] != (Place{"<module>", "report.py", 60}) {
		t.Errorf("%+v", f.Callers)
	}
	// 10× the input: 100 times 900, 10 times 600 and the start-up.
	if r.Times10x < 59 || r.Times10x > 63 {
		t.Errorf("10× costs %g×", r.Times10x)
	}
}

// A helper that all of it goes through is named; where two helpers share it, the line that
// calls them is.
func TestTheDeepestLineThatAllOfItGoesThrough(t *testing.T) {
	chain := fitted(t, cost{0, 900, 2, []frame{own("main", 9), own("unique", 20), own("contains", 31)}})
	if len(chain.Functions) != 1 || chain.Functions[0].Function != "contains" || chain.Functions[0].Line != 31 {
		t.Errorf("%+v", chain.Functions)
	}
	shared := fitted(t,
		cost{0, 900, 2, []frame{own("main", 9), own("unique", 20), own("equal_keys", 31)}},
		cost{0, 800, 2, []frame{own("main", 9), own("unique", 20), own("normal_form", 45)}},
	)
	if len(shared.Functions) != 1 || shared.Functions[0].Function != "unique" || shared.Functions[0].Line != 20 {
		t.Errorf("%+v", shared.Functions)
	}
	apart := fitted(t,
		cost{0, 900, 2, []frame{own("main", 9), own("unique", 20)}},
		cost{0, 800, 2, []frame{own("main", 10), own("render", 45)}},
	)
	if len(apart.Functions) != 2 {
		t.Errorf("%+v", apart.Functions)
	}
	loop := fitted(t,
		cost{0, 500, 2, []frame{own("main", 9), own("nearest", 30)}},
		cost{0, 900, 2, []frame{own("main", 9), own("nearest", 31)}},
	)
	if len(loop.Functions) != 1 || loop.Functions[0].Line != 31 || len(loop.Functions[0].Lines) != 1 || loop.Functions[0].Share != 1 {
		t.Errorf("%+v", loop.Functions)
	}
}

// One caller of a helper makes it grow, the other does not.
func TestTheWayToAHelperCounts(t *testing.T) {
	r := fitted(t,
		cost{0, 600, 2, []frame{own("main", 9), own("collect", 20), own("append", 31)}},
		cost{0, 900, 1, []frame{own("main", 10), own("read", 25), own("append", 31)}},
	)
	if len(r.Functions) != 1 || r.Functions[0].Function != "append" || r.Functions[0].Callers[0].Function != "collect" {
		t.Errorf("%+v", r.Functions)
	}
	if share := r.Functions[0].Share; math.Abs(share-0.4) > 0.01 {
		t.Errorf("share %g", share)
	}
}

func TestRecursionIsOneLine(t *testing.T) {
	r := fitted(t, cost{0, 900, 2, []frame{own("main", 9), own("visit", 20), own("visit", 20), own("visit", 22)}})
	if len(r.Functions) != 1 || r.Functions[0].Line != 22 || len(r.Functions[0].Callers) != 1 {
		t.Errorf("%+v", r.Functions)
	}
}

func TestWhatIsNotSuperlinear(t *testing.T) {
	for name, c := range map[string]cost{
		"linear":             {0, 2000, 1, []frame{own("main", 9)}},
		"n log n":            {0, 2000, 1.12, []frame{own("main", 9), {name: "msort_with_tmp", binary: "/usr/lib/libc.so.6", kind: profile.KindNative}}},
		"start-up":           {2000, 500, 1, []frame{own("main", 9)}},
		"a cache too small":  {0, 2000, 1.6, []frame{own("main", 9), own("insert", 20)}},
		"a collector's":      {0, 2000, 2, []frame{native("start_thread"), {name: "gcDrain", binary: "/x/libjvm.so", kind: profile.KindNative}}},
		"too little to tell": {0, 15, 2, []frame{own("main", 9)}},
	} {
		costs := []cost{c, {0, 3000, 1, []frame{own("main", 30)}}}
		if r := fitted(t, costs...); len(r.Functions) != 0 {
			t.Errorf("%s: %+v", name, r.Functions[0])
		}
	}
	// Memory explains n^1.5 of code that follows pointers, and not of a copy; what is left
	// out for that reason is said.
	r := fitted(t, cost{0, 2000, 1.5, []frame{own("main", 9), own("insert", 20)}})
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "insert at app.c:20 is n^1.50") {
		t.Errorf("%q", r.Notes)
	}
	r = fitted(t, cost{0, 2000, 1.5, []frame{own("main", 9), own("insert", 20), {name: "__memmove_avx_unaligned_erms", binary: "/usr/lib/libc.so.6", kind: profile.KindNative}}})
	if len(r.Functions) != 1 || r.Functions[0].Operation.Kind != Copy {
		t.Errorf("%+v", r.Functions)
	}
}

func TestProgramsWithoutLinesOfTheirOwn(t *testing.T) {
	tcl := func(name string) frame {
		return frame{name: name, binary: "/usr/lib/libtcl8.6.so", kind: profile.KindNative}
	}
	r := fitted(t, cost{0, 900, 2, []frame{tcl("Tcl_Main"), tcl("TclNRRunCallbacks"), tcl("Tcl_LsearchObjCmd"), tcl("memcmp")}})
	if len(r.Functions) != 1 || r.Functions[0].Own || r.Functions[0].Function != "TclNRRunCallbacks" || r.Functions[0].Operation.Kind != Search {
		t.Errorf("%+v", r.Functions)
	}
}

func TestTooFewSamplesAskForLargerSizes(t *testing.T) {
	_, err := Fit(experimentOf(cost{0, 12, 1, []frame{own("main", 9)}}))
	few, ok := errors.AsType[*TooFewError](err)
	if !ok || few.Samples != 60 || few.Size != 8000 || few.Factor != 15 {
		t.Errorf("%v", err)
	}
	b := profile.NewBuilder()
	b.Sample(profile.Sample{Stack: b.Stack(locations(b, []frame{own("main", 1)})), Count: 1, Value: 1})
	plain := b.Build(profile.Meta{})
	if _, err := Fit(plain); err == nil || Measured(plain) {
		t.Errorf("a recording without sizes is fitted: %v", err)
	}
}

func TestOthersHaveWhatTheyCallAndThemselves(t *testing.T) {
	r := fitted(t, cost{0, 900, 2, []frame{own("main", 9), own("render", 41), {name: "memcpy", binary: "/usr/lib/libc.so.6", kind: profile.KindNative}}})
	var self, total []string
	for _, o := range r.Others {
		if o.Self {
			self = append(self, o.Function)
		} else {
			total = append(total, o.Function)
		}
	}
	if !slices.Equal(self, []string{"memcpy"}) || len(total) != 3 {
		t.Errorf("%v, %v", self, total)
	}
}

func TestKindsOfWork(t *testing.T) {
	libc := func(name string) *profile.Function { return &profile.Function{Name: name, Kind: profile.KindNative} }
	for name, want := range map[string]Kind{
		"__memmove_avx512_unaligned_erms": Copy, "__strcat_evex": Copy, "realloc": Copy, "memchr": Search, "__strlen_avx2": Search,
		"__memcmp_evex_movbe": Compare, "free": Free, "malloc": Alloc, "asm_exc_page_fault": Fault, "gc_collect_main": Collect, "main": "", "qsort_r": Sort,
		"list_contains": Search, "rb_hash_dup": Copy, "Perl_pp_grepwhile": Search, "runtime.memmove": Copy, "runtime.memequal": Compare,
	} {
		if got := kindOf(libc(name), 0); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, f := range []frame{
		{name: "(marking)", file: "<gc>", kind: profile.KindRuby},
		{name: "array_merge", kind: profile.KindPHP},
		{name: "replace", file: "<unknown>", kind: profile.KindJS},
	} {
		p := one(cost{0, 1, 0, []frame{f}})
		if newFrames(p).isOwn(1) {
			t.Errorf("%s is called the program's own", f.name)
		}
	}
}
