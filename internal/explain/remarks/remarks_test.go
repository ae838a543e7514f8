package remarks

import (
	"math"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// frame is "NAME FILE LINE [START]"; several in one location are inlined.
type frame struct {
	name, file  string
	line, start int32
}

type stack struct {
	count int64
	locs  [][]frame // innermost first
}

func build(stacks ...stack) *profile.Profile {
	b := profile.NewBuilder()
	for _, s := range stacks {
		var locs []profile.LocationID
		for i, lines := range s.locs {
			var ls []profile.Line
			for _, f := range lines {
				id := b.Function(profile.Function{Name: f.name, File: f.file, StartLine: f.start, Kind: profile.KindGo})
				ls = append(ls, profile.Line{Function: id, Line: f.line})
			}
			locs = append(locs, b.Location(0, uint64(0), profile.KindGo, ls...))
			_ = i
		}
		b.Sample(profile.Sample{Stack: b.Stack(locs), Count: s.count, Value: s.count})
	}
	return b.Build(profile.Meta{})
}

func one(name, file string, line int32) []frame { return []frame{{name, file, line, 0}} }

var (
	alloc = [][]frame{one("runtime.nextFreeFast", "/go/src/runtime/malloc.go", 9), one("runtime.mallocgc", "/go/src/runtime/malloc.go", 99), one("runtime.newobject", "/go/src/runtime/malloc.go", 199)}
	user  = one("p.parse", "/src/p/a.go", 20)
	main  = one("main.main", "/src/main.go", 5)
)

func said1(kind remark.Kind, file string, line int, message string) remark.Remark {
	return remark.Remark{Compiler: remark.Go, Kind: kind, Message: message, Where: []remark.Position{{File: file, Line: line, Column: 3}}}
}

func find(t *testing.T, p *profile.Profile, source string, all ...remark.Remark) Answer {
	t.Helper()
	a, err := Find(t.Context(), Request{Profile: p, Remarks: all, Source: func(string) ([]string, bool) {
		return strings.Split(source, "\n"), source != ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func rulesOf(a Answer) []string {
	var out []string
	for _, f := range a.Found {
		out = append(out, f.Rule)
	}
	return out
}

func TestEscapeNeedsAllocationFromItsLine(t *testing.T) {
	escape := said1(remark.Escape, "/src/p/a.go", 20, "&node{...} escapes to heap")
	direct := build(stack{40, slices.Concat(alloc, [][]frame{user, main})}, stack{50, [][]frame{user, main}}, stack{10, [][]frame{one("runtime.scanobject", "/go/src/runtime/mgc.go", 1), one("runtime.gcBgMarkWorker", "/go/src/runtime/mgc.go", 2)}})
	a := find(t, direct, "", escape)
	if len(a.Found) != 1 || a.Found[0].Rule != "go-escape" || a.Found[0].Share.Main() != 0.4 || a.Found[0].Place.Line != 20 || !strings.Contains(a.Found[0].Title, "&node{...}") {
		t.Fatalf("%+v", a.Found)
	}
	if high := a.Found[0].Gain.High; high < 0.49 || high > 0.51 {
		t.Errorf("all of allocation is the line's, so the collector's tenth is too: %v", high)
	}
	if len(a.Found[0].Samples) != 1 {
		t.Errorf("rows %v", a.Found[0].Samples)
	}
	for name, c := range map[string]struct {
		p *profile.Profile
		m remark.Remark
	}{
		"another line":        {direct, said1(remark.Escape, "/src/p/a.go", 21, "&node{...} escapes to heap")},
		"another file":        {direct, said1(remark.Escape, "/src/q/a.go", 20, "&node{...} escapes to heap")},
		"another allocation":  {direct, said1(remark.Escape, "/src/p/a.go", 20, "string(b) escapes to heap")},
		"what the line calls": {build(stack{40, slices.Concat(alloc, [][]frame{one("q.new", "/src/q/q.go", 3), user, main})}), escape},
		"no allocation":       {build(stack{40, [][]frame{one("runtime.memmove", "/go/src/runtime/m.s", 3), user, main}}), escape},
		"too few":             {build(stack{4, slices.Concat(alloc, [][]frame{user, main})}), escape},
		"too little":          {build(stack{20, slices.Concat(alloc, [][]frame{user, main})}, stack{9980, [][]frame{main}}), escape},
	} {
		if a := find(t, c.p, "", c.m); len(a.Found) != 0 {
			t.Errorf("%s: %v", name, rulesOf(a))
		}
	}
}

// The line is that of the inlined code, not of the call that it was inlined into.
func TestEscapeInInlinedCode(t *testing.T) {
	p := build(stack{40, slices.Concat(alloc, [][]frame{{{"q.New", "/src/q/q.go", 3, 0}, {"p.parse", "/src/p/a.go", 20, 0}}, main})})
	a := find(t, p, "", said1(remark.Escape, "/src/q/q.go", 3, "&T{...} escapes to heap"), said1(remark.Escape, "/src/p/a.go", 20, "&T{...} escapes to heap"))
	if len(a.Found) != 1 || a.Found[0].Place.File != "/src/q/q.go" {
		t.Errorf("%+v", a.Found)
	}
}

func TestNotInlinedNeedsItsEntry(t *testing.T) {
	entry, body := one("p.get", "/src/p/a.go", 10), one("p.get", "/src/p/a.go", 12)
	m := said1(remark.CannotInline, "./a.go", 10, "function too complex: cost 90 exceeds budget 80")
	m.Where[0].File = "p/a.go"
	if a := find(t, build(stack{30, [][]frame{entry, main}}, stack{70, [][]frame{body, main}}), "", m); len(a.Found) != 1 || a.Found[0].Rule != "go-not-inlined" || a.Found[0].Share.Main() != 0.3 {
		t.Errorf("%+v", a.Found)
	}
	if a := find(t, build(stack{12, [][]frame{entry, main}}, stack{880, [][]frame{body, main}}), "", m); len(a.Found) != 0 {
		t.Errorf("its own work is what it costs: %v", rulesOf(a))
	}
}

// Nobody can edit a wrapper that the compiler makes.
func TestNotInlinedWrapper(t *testing.T) {
	m := said1(remark.CannotInline, "<autogenerated>", 1, "function too complex: cost 90 exceeds budget 80")
	if a := find(t, build(stack{60, [][]frame{one("p.(*T).get", "<autogenerated>", 1), main}}), "", m); len(a.Found) != 0 {
		t.Errorf("%+v", a.Found)
	}
}

func TestBoundsNeedAHotLoop(t *testing.T) {
	const source = "package p\nfunc f(a []int) (s int) {\n\tfor i := range 9 {\n\t\ts += a[i]\n\t}\n\ts += a[1]\n\treturn\n}\n"
	in, out := said1(remark.Bounds, "/src/p/a.go", 4, ""), said1(remark.Bounds, "/src/p/a.go", 6, "")
	in.Where[0].Column = 9
	inside, outside := stack{50, [][]frame{one("p.f", "/src/p/a.go", 4)}}, stack{50, [][]frame{one("p.f", "/src/p/a.go", 6)}}
	a := find(t, build(inside, outside), source, in, out)
	if len(a.Found) != 1 || a.Found[0].Place.Line != 3 || a.Found[0].Place.EndLine != 5 || !strings.Contains(a.Found[0].Title, "a[i]") || a.Found[0].Share.Main() != 0.5 {
		t.Errorf("%+v", a.Found)
	}
	if a := find(t, build(inside), "", in); len(a.Found) != 0 {
		t.Errorf("nobody knows whether it is in a loop: %v", rulesOf(a))
	}
}

func TestPassesNeedAHotLoop(t *testing.T) {
	const source = "void f(double *a, int n) {\n  double s = 0;\n  for (int i = 0; i < n; i++)\n    s += a[i];\n  g(s);\n}\n"
	m := remark.Remark{Compiler: remark.Clang, Kind: remark.Analysis, Pass: "loop-vectorize", Name: "CantReorderFPOps", Message: "loop not vectorized", Where: []remark.Position{{File: "f.c", Line: 4}}}
	hot := build(stack{60, [][]frame{one("f", "/src/f.c", 4)}}, stack{40, [][]frame{one("g", "/src/g.c", 4)}})
	a := find(t, hot, source, m)
	if len(a.Found) != 1 || a.Found[0].Rule != "missed-vectorize" || a.Found[0].Share.Main() != 0.6 || a.Found[0].Place.Line != 3 {
		t.Errorf("%+v", a.Found)
	}
	if a := find(t, build(stack{60, [][]frame{one("f", "/src/f.c", 5)}}), source, m); len(a.Found) != 0 {
		t.Errorf("hot behind the loop: %v", rulesOf(a))
	}
	gcc := remark.Remark{Compiler: remark.GCC, Kind: remark.Missed, Message: "not vectorized: number of iterations cannot be computed.", Where: m.Where}
	if a := find(t, hot, source, gcc); len(a.Found) != 1 || !strings.Contains(a.Found[0].Title, "number of iterations") {
		t.Errorf("%+v", a.Found)
	}
}

func TestCallsNeedTheEntryOfTheCallee(t *testing.T) {
	m := remark.Remark{Compiler: remark.Clang, Kind: remark.Missed, Pass: "inline", Name: "TooCostly", Callee: "get", Function: "f", Message: "get not inlined into f because too costly"}
	p := build(stack{30, [][]frame{{{"get", "/src/g.c", 7, 7}}}}, stack{70, [][]frame{{{"get", "/src/g.c", 9, 7}}}})
	if a := find(t, p, "", m); len(a.Found) != 1 || a.Found[0].Rule != "missed-inline" {
		t.Errorf("%+v", a.Found)
	}
}

func TestJIT(t *testing.T) {
	p := build(stack{60, [][]frame{{{"get", "/a.js", 4, 3}}}}, stack{40, [][]frame{{{"other", "/a.js", 14, 13}}}})
	often := remark.Remark{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "get", Message: "wrong map", Count: 5}
	once := often
	once.Count = 1
	if a := find(t, p, "", often); len(a.Found) != 1 || a.Found[0].Rule != "jit-deoptimised" || a.Found[0].Share.Main() != 0.6 {
		t.Errorf("%+v", a.Found)
	}
	if a := find(t, p, "", once); len(a.Found) != 0 {
		t.Errorf("once is warming up: %v", rulesOf(a))
	}
	big := remark.Remark{Compiler: remark.HotSpot, Kind: remark.CannotInline, Function: "T.run", Callee: "T.big", Message: "hot method too big (535 bytes of bytecode)"}
	small := big
	small.Message = "no static binding (5 bytes of bytecode)"
	java := build(stack{60, [][]frame{one("long T.big(long, int)", "", 0)}})
	if a := find(t, java, "", big); len(a.Found) != 1 || a.Found[0].Rule != "jit-not-inlined" {
		t.Errorf("%+v", a.Found)
	}
	if a := find(t, java, "", small); len(a.Found) != 0 {
		t.Errorf("nobody can change that: %v", rulesOf(a))
	}
}

// What V8 does itself on a line that it never left compiled code at is in no estimate.
func TestLineWithoutDeoptimisations(t *testing.T) {
	p := build(stack{60, [][]frame{{{"get", "/d/a.js", 4, 3}}}}, stack{20, [][]frame{{{"get", "/d/a.js", 5, 3}}}}, stack{20, [][]frame{{{"other", "/d/a.js", 14, 13}}}})
	for _, c := range []struct {
		message string
		high    float64
	}{
		{"wrong map at a.js:5:33", 0.1},
		{"wrong map at a.js:4:33", 0.4},
		{"wrong map at b.js:5:33", 0.4}, // inlined: of this function nothing is known
		{"wrong map", 0.4},
	} {
		a := find(t, p, "", remark.Remark{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "get", Message: c.message, Count: 5})
		if len(a.Found) != 1 {
			t.Errorf("%s: %v", c.message, rulesOf(a))
			continue
		}
		f := a.Found[0]
		said := slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool { return strings.HasPrefix(e.Text, "line 4,") })
		if math.Abs(f.Gain.High-c.high) > 1e-9 || said != (c.high < 0.4) || said != (len(f.Fix.Caveats) > 0) || len(f.Fix.Steps) == 0 {
			t.Errorf("%s: %+v", c.message, f)
		}
	}
	// Spread over lines, it is interpreted.
	p = build(stack{30, [][]frame{{{"get", "/d/a.js", 4, 3}}}}, stack{29, [][]frame{{{"get", "/d/a.js", 5, 3}}}}, stack{29, [][]frame{{{"get", "/d/a.js", 6, 3}}}})
	a := find(t, p, "", remark.Remark{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "get", Message: "wrong map at a.js:5:33", Count: 5})
	if len(a.Found) != 1 || a.Found[0].Gain.High != 0.5 {
		t.Errorf("%+v", a.Found)
	}
}

func TestInterpretedMethod(t *testing.T) {
	huge := remark.Remark{Compiler: remark.HotSpot, Kind: remark.Interpreted, Function: "T.huge", Message: "14310 bytes of bytecode"}
	long := remark.Remark{Compiler: remark.HotSpot, Kind: remark.CannotInline, Function: "T.run", Callee: "T.long", Message: "hot method too big (7969 bytes of bytecode)"}
	p := build(stack{60, [][]frame{one("int T.huge(char[])", "T.java", 31)}}, stack{40, [][]frame{one("int T.long(char[])", "T.java", 99)}})
	a := find(t, p, "", huge, long)
	if len(a.Found) != 1 || a.Found[0].Rule != "jit-not-compiled" || a.Found[0].Title != "T.huge is only interpreted" || a.Found[0].Place.Line != 31 {
		t.Errorf("%+v", a.Found)
	}
}

func TestDeoptimisationsThatAreNone(t *testing.T) {
	closure := remark.Remark{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "(anonymous)", Message: "wrong map", Count: 50, Where: []remark.Position{{File: "/a.js", Line: 3}}}
	first := closure
	// Another closure of the file, with samples of its own.
	first.Message, first.Where = "Insufficient type feedback for call at a.js:9:3", []remark.Position{{File: "/a.js", Line: 8}}
	warming := remark.Remark{Compiler: remark.HotSpot, Kind: remark.Deoptimized, Function: "T.run", Message: "class_check", Count: 8}
	p := build(stack{30, [][]frame{{{"(garbage collector)", "", 0, 0}}}}, stack{30, [][]frame{{{"(anonymous)", "", 9, 0}}}}, stack{30, [][]frame{{{"(anonymous)", "/a.js", 4, 3}}}}, stack{30, [][]frame{{{"(anonymous)", "/a.js", 9, 8}}}}, stack{40, [][]frame{one("int T.run()", "T.java", 9)}})
	a := find(t, p, "", closure, first, warming)
	if len(a.Found) != 1 || a.Found[0].Place.Line != 3 || a.Found[0].Share.Main() > 0.2 {
		t.Errorf("%+v", a.Found)
	}
}

func TestClosuresOfOneFileAreApart(t *testing.T) {
	of := func(line int) remark.Remark {
		return remark.Remark{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "(anonymous)", Message: "wrong map", Count: 5, Where: []remark.Position{{File: "/a.js", Line: line}}}
	}
	p := build(stack{30, [][]frame{{{"(anonymous)", "/a.js", 4, 3}}}}, stack{70, [][]frame{{{"(anonymous)", "/a.js", 9, 8}}}})
	a := find(t, p, "", of(3), of(8))
	if len(a.Found) != 2 || a.Found[0].Share.Main() != 0.7 || a.Found[0].ID == a.Found[1].ID {
		t.Errorf("%+v", a.Found)
	}
}

func TestAnotherProgramsReport(t *testing.T) {
	a := find(t, build(stack{60, [][]frame{user}}), "", said1(remark.Escape, "/else/x.go", 3, "x escapes to heap"))
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "/else/x.go") {
		t.Errorf("%v", a.Notes)
	}
	if a := find(t, build(stack{60, [][]frame{user}}), "", said1(remark.Escape, "/src/p/a.go", 3, "x escapes to heap")); len(a.Notes) != 0 {
		t.Errorf("%v", a.Notes)
	}
}

func TestGoPackages(t *testing.T) {
	std := one("strings.Index", "/go/src/strings/strings.go", 3)
	p := build(stack{50, [][]frame{std, one("gopkg.in/yaml%2ev3.(*parser).next", "/mod/yaml/parse.go", 3), one("main.main", "/src/main.go", 3), one("runtime.main", "/go/src/runtime/proc.go", 3)}},
		stack{50, [][]frame{one("example.com/q.Map[go.shape.string,example.com/z.T]", "/src/q/q.go", 3)}})
	if got := GoPackages(p); !slices.Equal(got, []string{"example.com/q", "gopkg.in/yaml.v3"}) {
		t.Errorf("%q", got)
	}
}

func TestLoopsOf(t *testing.T) {
	for text, want := range map[string][]span{
		"for (;;)\n  if (x) {\n }\nx;":                           {{1, 3}},
		"while (a) {\n  for (;;) {\n } /* } */\n}\n":             {{1, 4}, {2, 3}},
		"do {\n x;\n} while (c);\ny;":                            {{1, 3}},
		"for x in v {\n let c = '}'; let l: &'a str = \"{\";\n}": {{1, 3}},
		"for (;;)\n for (;;)\n  x;\n":                            {{1, 3}, {2, 3}},
		"for (;;) x; // for\nwhile (1":                           {{1, 1}},
		"if (x) { loop\n{ break; }\n}":                           {{1, 2}},
	} {
		if got := loopsOf(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func FuzzLoopsOf(f *testing.F) {
	f.Add("for (;;)\n  if (x) {\n }\ndo { while (1) { '\\'' } } while (\"\")")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, l := range loopsOf(text) {
			if l.line < 1 || l.end < l.line || l.end > lines {
				t.Errorf("%q: %+v of %d lines", text, l, lines)
			}
		}
	})
}

func TestMegamorphicAccessesArePaidFor(t *testing.T) {
	at := func(file string, line int32, start int32) [][]frame { return [][]frame{{{"Base", file, line, start}}} }
	p := build(stack{30, at("/n.js", 4, 3)}, stack{20, at("/n.js", 5, 3)}, stack{50, at("/n.js", 9, 3)})
	site := func(line int, count int64) remark.Remark {
		return remark.Remark{Compiler: remark.V8, Kind: remark.Megamorphic, Function: "Base", Message: "writes property p of 9 shapes or more: not in the cache", Count: count, Where: []remark.Position{{File: "/n.js", Line: line, Column: 3}}}
	}
	a := find(t, p, "", site(4, 600), site(5, 700), site(7, 9000))
	if len(a.Found) != 1 || a.Found[0].Rule != "jit-megamorphic" || a.Found[0].Share.Main() != 0.5 || a.Found[0].Gain.High != 0.25 ||
		!strings.HasSuffix(a.Found[0].Evidence[0].Text, "not in the cache (n.js:5), 700 times") {
		t.Errorf("%+v", a.Found)
	}
	if a := find(t, p, "", site(4, 300), site(5, 600)); len(a.Found) != 0 {
		t.Errorf("of a program that warms up: %+v", a.Found)
	}
	minified := build(stack{30, at("/n.js", 1, 1)}, stack{9, [][]frame{{{"b", "/n.js", 1, 1}}}}, stack{9, [][]frame{{{"c", "/n.js", 1, 1}}}})
	if a := find(t, minified, "", site(1, 9000)); len(a.Found) != 0 {
		t.Errorf("in a line with three functions: %+v", a.Found)
	}
}
