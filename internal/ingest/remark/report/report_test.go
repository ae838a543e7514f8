package report

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"whyhot/internal/ingest/remark"
)

func read(t *testing.T, text string) ([]remark.Remark, error) {
	t.Helper()
	var out []remark.Remark
	err := From(strings.NewReader(text), func(m remark.Remark) { out = append(out, m) })
	return out, err
}

const (
	goJSON = `{"version":0,"package":"example.com/p","goos":"linux","goarch":"amd64","gc_version":"go1.26.8","file":"/src/p/a%20b.go"}
{"range":{"start":{"line":7,"character":28},"end":{"line":7,"character":28}},"severity":3,"code":"escape","source":"go compiler","message":"\u0026P{...} escapes to heap","relatedInformation":[{"location":{"uri":"file:///src/q/q.go","range":{"start":{"line":3,"character":9},"end":{"line":3,"character":9}}},"message":"inlineLoc"},{"location":{"uri":"file:///src/p/a.go","range":{"start":{"line":7,"character":21},"end":{"line":7,"character":21}}},"message":"escflow:      from return \u0026P{...} (return)"},{"location":{"uri":"file:///x.go","range":{"start":{"line":1,"character":1},"end":{"line":1,"character":1}}},"message":"inlineLoc"}]}
{"range":{"start":{"line":7,"character":28},"end":{"line":7,"character":28}},"severity":3,"code":"escape","source":"go compiler","message":""}
{"range":{"start":{"line":9,"character":6},"end":{"line":9,"character":6}},"severity":3,"code":"canInlineFunction","source":"go compiler","message":"cost: 18"}
{"range":{"start":{"line":12,"character":10},"end":{"line":12,"character":10}},"severity":3,"code":"isInBounds","source":"go compiler","message":""}
`
	goText = `go: downloading example.com/q v1.0.0
# example.com/p
./a.go:17:6: cannot inline big: unhandled op DEFER
./a.go:18:2: can inline small with cost 7 as: func() {}
./a.go:7:28: &P{...} escapes to heap in mk:
./a.go:7:28:   flow: ~r0 ← &{storage for &P{...}}:
./a.go:7:28:     from return &P{...} (return) at ./a.go:7:21
./a.go:7:28: &P{...} escapes to heap
./a.go:9:2: moved to heap: x
./a.go:12:10: Found IsInBounds
`
	llvm = `--- !Passed
Pass:            inline
Name:            Inlined
Function:        call
...
--- !Missed
Pass:            inline
Name:            NoDefinition
DebugLoc:        { File: a.c, Line: 3, Column: 30 }
Function:        sq
Args:
  - Callee:          g
    DebugLoc:        { File: a.c, Line: 0, Column: 0 }
  - String:          ' will not be inlined into '
  - Caller:          sq
  - String:          ' because its definition is unavailable'
...
--- !Analysis
Pass:            loop-vectorize
Name:            CantReorderFPOps
DebugLoc:        { File: 'a b.c', Line: 4, Column: 66 }
Function:        sum
Args:
  - String:          'loop not vectorized: '
  - String:          'it''s a sum'
...
`
	gcc = `[{"format": "1", "generator": {"version": "12.2.0"}}, [{"id": "0x1", "name": "*x", "children": [{"id": "0x2", "name": "vect"}]}],
 [{"kind": "scope", "children": [{"kind": "failure", "pass": "0x2", "location": {"file": "a.c", "line": 5, "column": 50}, "function": "cp", "message": ["not vectorized: ", {"expr": "n"}, " unknown\nmore"], "inlining_chain": [{"fndecl": "cp"}, {"site": {"file": "b.c", "line": 9, "column": 1}, "fndecl": "main"}]}]},
  {"kind": "failure", "pass": "0x1", "location": {"file": "a.c", "line": 3, "column": 30}, "message": ["  not inlinable: ", {"symtab_node": "call/3"}, " -> ", {"symtab_node": "g/4"}, ", function body not available\n"]},
  {"kind": "failure", "pass": "0x2", "location": {"file": "a.c", "line": 7, "column": 5}, "message": ["not vectorized: no vectype for stmt"]},
  {"kind": "success", "pass": "0x2", "location": {"file": "a.c", "line": 7, "column": 5}, "message": ["loop vectorized using 16 byte vectors\n"]}]]`
	rust = `   Compiling x v0.1.0
note: /src/main.rs:10:5 loop-vectorize (missed): loop not vectorized
note: /src/main.rs:11:9 inline (missed): 'f' will not be inlined into 'main' because its definition is unavailable
note: /src/main.rs:12:9 inline (success): 'h' inlined into 'main'
`
	deopts = `output of the program
[bailout (kind: deopt-eager, reason: wrong map): begin. deoptimizing 0x0560dae3fe31 <JSFunction get (sfi = 0x802833e2f31)>, 0x0802833e4951 <Code TURBOFAN>, opt id 1, bytecode offset 0, deopt exit 1]
[bailout (kind: deopt-lazy, reason: (unknown)): begin. deoptimizing 0x0560dae3fe31 <JSFunction (sfi = 0x802833e2f31)>, 0x0802833e4951 <Code TURBOFAN>]
[bailout (kind: deopt-eager, reason: wrong map): begin. deoptimizing 0x0560dae3fe31 <JSFunction get (sfi = 0x802833e2f31)>, 0x0802833e5ca1 <Code TURBOFAN>, opt id 4]
`
	v8 = `{"nodes":[{"id":1,"callFrame":{"functionName":"f","url":"file:///a%20b.js","lineNumber":3},"deoptReason":"Optimization is always disabled"},
 {"id":2,"callFrame":{"functionName":"g","url":"","lineNumber":-1}}]}`
	v8log = `v8-version,11,3,244,8,-node.38,0
code-creation,JS,10,10,0x10,8, file:///a%20b.js:4:9,0x99,~
code-creation,JS,13,20,0x20,8, file:///a%20b.js:4:9,0x99,*
code-creation,JS,13,21,0x30,8,get x file:///a%20b.js:7:2,0x98,*
code-deopt,30,256,0x20,-1,32,deopt-eager,</b.js:9:33> inlined at </a b.js:5:1>,overflow\x2C or not
code-deopt,31,256,0x20,-1,32,deopt-lazy,</b.js:9:33> inlined at </a b.js:5:1>,overflow\x2C or not
code-move,0x30,0x40
code-deopt,32,256,0x40,-1,32,deopt-lazy,<unknown>,(unknown)
code-creation,JS,13,40,0x20,8, file:///a%20b.js:4:9,0x99,*
code-deopt,41,256,0x20,-1,32,deopt-eager,</b.js:9:33> inlined at </a b.js:5:1>,overflow\x2C or not
code-creation,JS,13,50,0x50,8,t /min.js:1:20,0x97,*
code-creation,JS,13,51,0x60,8,t /min.js:1:60,0x96,*
code-deopt,52,256,0x60,-1,32,deopt-eager,</min.js:1:77>,wrong map
code-deopt,53,256,0x70,-1,32,deopt-eager,</other.js:1:77>,wrong map
`
	hotspot = `<?xml version='1.0' encoding='UTF-8'?>
<hotspot_log version='160 1' process='1' time_ms='1'>
<tty>
<uncommon_trap thread='9' reason='unstable_if' action='reinterpret' compile_id='16' stamp='0.649'>
<jvms bci='63' method='T main ([Ljava/lang/String;)V' bytes='128' count='1' backedge_count='2'/>
</uncommon_trap>
</tty>
<compilation_log thread='5'>
<task compile_id='9' method='T run (I)V' bytes='35' count='8726' stamp='0.129'>
<klass id='1' name='T'/>
<method id='2' holder='1' name='run' bytes='35'/>
<method id='3' holder='1' name='big' bytes='535'/>
<parse method='2'>
<call method='3' count='7000' prof_factor='1' inline='1'/>
<inline_fail reason='hot method too big'/>
<method id='4' holder='1' name='huge' bytes='14310'/>
<call method='4' count='7000' prof_factor='1' inline='1'/>
<inline_fail reason='hot method too big'/>
<method id='5' holder='1' name='lifted' bytes='9000'/>
<call method='5' count='20' prof_factor='1' inline='1'/>
</parse>
<uncommon_trap bci='14' reason='predicate' action='maybe_recompile'/>
<failure reason='out of nodes' phase='x'/>
<task_done success='0'/>
</task>
<task compile_id='10' method='T lifted (I)V' bytes='9000' count='8726' stamp='0.2'>
<failure reason='out of nodes' phase='x'/>
<task_done success='0'/>
</task>
<task compile_id='11' method='T lifted (I)V' bytes='9000' count='8726' stamp='0.3'>
<klass id='1' name='T'/>
<method id='3' holder='1' name='big' bytes='535'/>
<method id='2' holder='1' name='run' bytes='35'/>
<parse method='2'>
<call method='3' count='11' prof_factor='1' inline='1'/>
<inline_fail reason='hot method too big'/>
</parse>
<task_done success='1'/>
</task>
<task compile_id='12' method='T late (I)V' bytes='90' count='8726' stamp='0.4'>
<failure reason='stale task'/>
<task_done success='0'/>
</task>
</compilation_log>
</hotspot_log>
`
)

func TestFormats(t *testing.T) {
	at := func(file string, line, column int) []remark.Position {
		return []remark.Position{{File: file, Line: line, Column: column}}
	}
	for name, c := range map[string]struct {
		text string
		want []remark.Remark
	}{
		"Go's JSON": {goJSON, []remark.Remark{
			{Compiler: remark.Go, Kind: remark.Escape, Name: "escape", Package: "example.com/p", Message: "&P{...} escapes to heap",
				Where: []remark.Position{{File: "/src/q/q.go", Line: 3, Column: 9}, {File: "/src/p/a%20b.go", Line: 7, Column: 28}},
				Why:   []string{"from return &P{...} (return) at a.go:7"}},
			{Compiler: remark.Go, Kind: remark.Bounds, Name: "isInBounds", Package: "example.com/p", Where: at("/src/p/a%20b.go", 12, 10)},
		}},
		"Go's text": {goText, []remark.Remark{
			{Compiler: remark.Go, Kind: remark.CannotInline, Package: "example.com/p", Function: "big", Message: "unhandled op DEFER", Where: at("./a.go", 17, 6)},
			{Compiler: remark.Go, Kind: remark.Escape, Package: "example.com/p", Function: "mk", Message: "&P{...} escapes to heap", Where: at("./a.go", 7, 28),
				Why: []string{"flow: ~r0 ← &{storage for &P{...}}:", "from return &P{...} (return) at ./a.go:7:21"}},
			{Compiler: remark.Go, Kind: remark.Escape, Package: "example.com/p", Message: "x escapes to heap", Where: at("./a.go", 9, 2)},
			{Compiler: remark.Go, Kind: remark.Bounds, Name: "isInBounds", Package: "example.com/p", Where: at("./a.go", 12, 10)},
		}},
		"LLVM's YAML": {llvm, []remark.Remark{
			{Compiler: remark.Clang, Kind: remark.Missed, Pass: "inline", Name: "NoDefinition", Function: "sq", Callee: "g", Message: "g will not be inlined into sq because its definition is unavailable", Where: at("a.c", 3, 30)},
			{Compiler: remark.Clang, Kind: remark.Analysis, Pass: "loop-vectorize", Name: "CantReorderFPOps", Function: "sum", Message: "loop not vectorized: it's a sum", Where: at("a b.c", 4, 66)},
		}},
		"gcc's JSON": {gcc, []remark.Remark{
			{Compiler: remark.GCC, Kind: remark.Missed, Pass: "vect", Function: "cp", Message: "not vectorized: n unknown", Where: []remark.Position{{File: "a.c", Line: 5, Column: 50}, {File: "b.c", Line: 9, Column: 1}}},
			{Compiler: remark.GCC, Kind: remark.Missed, Pass: "*x", Function: "call", Callee: "g", Message: "not inlinable: function body not available", Where: at("a.c", 3, 30)},
		}},
		"rustc's text": {rust, []remark.Remark{
			{Compiler: remark.Rust, Kind: remark.Missed, Pass: "loop-vectorize", Message: "loop not vectorized", Where: at("/src/main.rs", 10, 5)},
			{Compiler: remark.Rust, Kind: remark.Missed, Pass: "inline", Name: "NoDefinition", Function: "main", Callee: "f", Message: "'f' will not be inlined into 'main' because its definition is unavailable", Where: at("/src/main.rs", 11, 9)},
		}},
		"--trace-deopt": {deopts, []remark.Remark{
			{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "(anonymous)", Message: "(unknown)", Count: 1},
			{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "get", Message: "wrong map", Count: 2},
		}},
		"V8's log": {v8log, []remark.Remark{
			{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "(anonymous)", Message: "overflow, or not at b.js:9:33", Count: 2, Where: []remark.Position{{File: "/a b.js", Line: 4, Column: 9}}},
			{Compiler: remark.V8, Kind: remark.Deoptimized, Function: "get x", Message: "(unknown)", Count: 1, Where: []remark.Position{{File: "/a b.js", Line: 7, Column: 2}}},
			{Compiler: remark.V8, Kind: remark.Deoptimized, Message: "wrong map at min.js:1:77", Count: 1},
		}},
		"CPU profile": {v8, []remark.Remark{
			{Compiler: remark.V8, Kind: remark.NotCompiled, Function: "f", Message: "Optimization is always disabled", Where: at("/a b.js", 4, 0)},
		}},
		"HotSpot": {hotspot, []remark.Remark{
			{Compiler: remark.HotSpot, Kind: remark.Interpreted, Function: "T.huge", Message: "14310 bytes of bytecode: a method of more than 8000 is never compiled"},
			{Compiler: remark.HotSpot, Kind: remark.NotCompiled, Function: "T.run", Message: "out of nodes"},
			{Compiler: remark.HotSpot, Kind: remark.CannotInline, Function: "T.run", Callee: "T.big", Message: "hot method too big (535 bytes of bytecode)", Count: 7011},
			{Compiler: remark.HotSpot, Kind: remark.Deoptimized, Function: "T.main", Message: "unstable_if, reinterpret", Count: 1},
		}},
	} {
		got, err := read(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %d remarks, want %d: %+v", name, len(got), len(c.want), got)
			continue
		}
		for i := range got {
			if !equal(got[i], c.want[i]) {
				t.Errorf("%s, remark %d:\n%+v, want\n%+v", name, i, got[i], c.want[i])
			}
		}
	}
}

// Without --log-code nobody knows whose code it was.
// TestV8LogOfInlineCaches has an access to one name of many shapes that misses again and
// again, one by computed names, one of two shapes, and accesses in code that was moved,
// whose place another one took, and that is unknown or optimised.
func TestV8LogOfInlineCaches(t *testing.T) {
	got, err := read(t, `v8-version,11,3,244,8,-node.38,0
code-creation,JS,10,1,0x1000,64,Base file:///a%20b.js:3:7,0x9,~
code-creation,JS,10,2,0x2000,64,get /c.js:5:1,0x9,~
code-creation,JS,13,2,0x5000,640,hot /c.js:50:1,0x9,*
StoreIC,0x1010,3,4,12,0,1,0xa1,parent,,
StoreIC,0x1010,3,4,12,1,P,0xa2,parent,,
StoreIC,0x1010,3,4,12,P,N,0xa3,parent,,
StoreIC,0x1010,3,4,12,N,N,0xa3,parent,,
LoadIC,0x1018,3,6,1,1,P,0xa2,two,,
KeyedLoadIC,0x203f,3,7,2,1,N,0xa1,x\x2Cy,,
LoadIC,0x2040,3,7,9,P,N,0xa1,behind,,
code-move,0x2000,0x8fff0
KeyedLoadIC,0x90000,3,7,2,N,N,0xa1,z,,
LoadIC,0x2000,3,7,2,P,N,0xa1,gone,,
LoadIC,0x5001,3,51,2,P,N,0xa1,optimised,,
StoreIC,0x5002,3,4,12,N,N,0xa4,parent,,
StoreIC,0x5002,3,4,12,N,N,0xa5,not this,,
code-creation,JS,10,2,0x1020,8,other /d.js:1:1,0x9,~
LoadIC,0x1021,3,2,3,P,N,0xa1,q,,
LoadIC,nonsense,3,2,3,P,N,0xa1,q,,
`)
	want := []remark.Remark{
		{Compiler: remark.V8, Kind: remark.Megamorphic, Function: "Base", Callee: "parent", Where: []remark.Position{{File: "/a b.js", Line: 4, Column: 12}}, Message: "writes property parent of 4 shapes or more: not in the cache", Count: 5},
		{Compiler: remark.V8, Kind: remark.Megamorphic, Function: "get", Where: []remark.Position{{File: "/c.js", Line: 7, Column: 2}}, Message: "reads properties by computed names, 2 or more, of 1 shapes or more: not in the cache", Count: 2},
		{Compiler: remark.V8, Kind: remark.Megamorphic, Function: "other", Callee: "q", Where: []remark.Position{{File: "/d.js", Line: 2, Column: 3}}, Message: "reads property q of 1 shapes or more: not in the cache", Count: 1},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
}

func TestV8LogWithoutCode(t *testing.T) {
	if _, err := read(t, "v8-version,11,3\ncode-deopt,32,256,0x40,-1,32,deopt-lazy,</a.js:1:2>,wrong map\n"); err == nil || !strings.Contains(err.Error(), "--log-code") {
		t.Errorf("%v", err)
	}
}

func equal(a, b remark.Remark) bool {
	same := a.Compiler == b.Compiler && a.Kind == b.Kind && a.Pass == b.Pass && a.Name == b.Name && a.Package == b.Package &&
		a.Function == b.Function && a.Callee == b.Callee && a.Message == b.Message && a.Count == b.Count &&
		len(a.Where) == len(b.Where) && strings.Join(a.Why, "\n") == strings.Join(b.Why, "\n")
	for i := range min(len(a.Where), len(b.Where)) {
		same = same && a.Where[i] == b.Where[i]
	}
	return same
}

func TestWhatIsNoReport(t *testing.T) {
	for text, want := range map[string]string{
		"":               "empty",
		"hello\nworld\n": "reports that are read",
		strings.Replace(goJSON, `"version":0`, `"version":1`, 1):  "version 1",
		goJSON + "{\"range\":\n":                                  "line 6",
		gcc[:len(gcc)-40]:                                         "record 4",
		strings.Replace(gcc, `"format": "1"`, `"format": "2"`, 1): `format "2"`,
		"--- !Missed\nPass: [\n...\n":                             "the record at line 1",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// A log of a process that was killed is read as far as it goes.
func TestCutLog(t *testing.T) {
	cut, _, _ := strings.Cut(hotspot, "<failure")
	got, err := read(t, cut)
	if err != nil || len(got) != 4 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("p/a.json", goJSON)
	write("p/README", "no report")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(gcc)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write("a.c.opt-record.json.gz", packed.String())
	got, err := Read(t.Context(), nil, dir)
	if err != nil || len(got) != 4 {
		t.Errorf("%d remarks, %v", len(got), err)
	}
	if _, err := Read(t.Context(), nil, filepath.Join(dir, "p/README")); !errors.Is(err, errUnknown) || !strings.Contains(err.Error(), "README") {
		t.Errorf("a file that is no report: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), nil, filepath.Join(dir, "empty")); err == nil || !strings.Contains(err.Error(), "no compiler's report") {
		t.Errorf("an empty directory: %v", err)
	}
	write("p/bad.json", goJSON+"x\n")
	if _, err := Read(t.Context(), nil, dir); err == nil || !strings.Contains(err.Error(), "bad.json") {
		t.Errorf("a damaged file: %v", err)
	}
}

func FuzzFrom(f *testing.F) {
	for _, text := range []string{goJSON, goText, llvm, gcc, rust, deopts, v8, hotspot} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := From(bytes.NewReader(text), func(m remark.Remark) {
			if m.Compiler == "" || m.Kind == "" {
				t.Errorf("a remark of nobody: %+v", m)
			}
		})
		if err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
