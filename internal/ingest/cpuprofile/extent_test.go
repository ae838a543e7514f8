package cpuprofile

import (
	"strings"
	"testing"
)

// inlined has ticks of digest with lines of what V8 inlined there: those of another file, and
// in build that of a constructor before it.
const inlined = `{"nodes":[
 {"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"children":[2]},
 {"id":2,"callFrame":{"functionName":"","url":"file:///srv/a.js","lineNumber":0,"columnNumber":0},"hitCount":3,"positionTicks":[{"line":9,"ticks":2},{"line":91,"ticks":1}],"children":[3,4]},
 {"id":3,"callFrame":{"functionName":"digest","url":"file:///srv/a.js","lineNumber":1,"columnNumber":15},"hitCount":10,"positionTicks":[{"line":3,"ticks":4},{"line":9,"ticks":3},{"line":91,"ticks":2}]},
 {"id":4,"callFrame":{"functionName":"build","url":"file:///srv/a.js","lineNumber":5,"columnNumber":14},"hitCount":2,"positionTicks":[{"line":2,"ticks":1},{"line":7,"ticks":1}]}],
 "startTime":0,"endTime":16000}`

var source = strings.Split(`const crypto = require('crypto');
function digest(s) {
  return crypto.createHash('md5').update(s);
}

function build(n) {
  return new Shape(n);
}
console.log(digest('a'), build(1));`, "\n")

// A line that is not the function's own is not known.
func TestLinesOfInlinedFunctions(t *testing.T) {
	read := func(source Source) map[key]weight {
		p, err := Read(t.Context(), strings.NewReader(inlined), source)
		if err != nil {
			t.Fatal(err)
		}
		return rows(t, p)
	}
	script := func(line int32) key { return key{"(anonymous)", "/srv/a.js", 1, line, 1} }
	digest := func(line int32) key { return key{"digest", "/srv/a.js", 2, line, 2} }
	build := func(line int32) key { return key{"build", "/srv/a.js", 6, line, 2} }
	want := map[key]int64{
		script(9): 2, script(0): 1, digest(3): 4, digest(0): 6, build(7): 1, build(0): 1,
	}
	got := read(func(path string) ([]string, bool) { return source, path == "/srv/a.js" })
	for k, n := range want {
		if got[k].ticks != n {
			t.Errorf("%+v: %d ticks, want %d", k, got[k].ticks, n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	// Without the text, or with one in which the function is elsewhere, less is known.
	got = read(nil)
	for k, n := range map[key]int64{script(91): 1, digest(9): 3, digest(91): 2, build(0): 1} {
		if got[k].ticks != n {
			t.Errorf("without the source, %+v: %d ticks, want %d", k, got[k].ticks, n)
		}
	}
	moved := append([]string{"// a new line"}, source...)
	got = read(func(string) ([]string, bool) { return moved, true })
	if got[digest(9)].ticks != 3 || got[digest(91)].ticks != 0 {
		t.Errorf("in a changed file: %v", got)
	}
}

func TestFunctionEnd(t *testing.T) {
	for _, c := range []struct{ begin, function, rest string }{
		{"function f", "(a, b = {x: 1}) { if (a) { return '}' } /* } */ }", "\ng()"},
		{"const f = ", "(a) => { return `}${ {a}.a + `}` }` }", "; g()"},
		{"const f = ", "x => x.map(y => ({y}))", ";\ng()"},
		{"call(", "(x) =>\n  x + 1", ")"},
		{"class A extends B { m", "(s) { return s.replace(/[/}]}\\//g, '') / 2 // }\n }", "}"},
		{"", "class A extends B.C { constructor() {} }", "\ng()"},
		{"class A { async *m", "(a) { yield /}/; }", " }"},
		{"f = ", "(a) => a >= 2 ? [1, 2] : {}", ", 3"},
	} {
		at := len(c.begin)
		if end, ok := functionEnd(c.begin+c.function+c.rest, at); !ok || end != at+len(c.function) {
			t.Errorf("%s: %d %v, want %d", c.begin+c.function+c.rest, end, ok, at+len(c.function))
		}
	}
	for _, text := range []string{"", ";", "(a) {", "(a) ;", "x", "(a) => `${", "(\"\\"} {
		if end, ok := functionEnd(text, 0); ok {
			t.Errorf("%q: ends at %d", text, end)
		}
	}
	if n := bytesOf("/* é𝄞 */ f", 8); n != len("/* é𝄞 *") {
		t.Errorf("%d bytes", n)
	}
}

func FuzzFunctionEnd(f *testing.F) {
	f.Add("(a) { return `${/[/]/g}` }", 0)
	f.Add("x => '\\", 1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at < 0 {
			return
		}
		if end, ok := functionEnd(text, at); ok && (end < at || end > len(text)) {
			t.Errorf("ends at %d", end)
		}
	})
}
