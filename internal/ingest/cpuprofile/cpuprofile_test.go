package cpuprofile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/host/tool"
	"whyhot/internal/profile"
)

// small has two samples of node 5 that are no ticks, and one that is out of order.
const small = `{"nodes":[
 {"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,3,4]},
 {"id":2,"callFrame":{"functionName":"main","url":"file:///srv/a%20b.js","lineNumber":9},"hitCount":4,"children":[5],"positionTicks":[{"line":11,"ticks":2},{"line":12,"ticks":1}]},
 {"id":3,"callFrame":{"functionName":"(garbage collector)","url":"","lineNumber":-1},"hitCount":1},
 {"id":4,"callFrame":{"functionName":"(idle)","url":"","lineNumber":-1},"hitCount":2},
 {"id":5,"callFrame":{"functionName":"","url":"node:internal/fs","lineNumber":0},"hitCount":1}],
 "startTime":1000,"endTime":59000,"samples":[2,2,2,2,3,4,4,5,5,5],"timeDeltas":[0,1000,1000,1000,2000,-1000,50000,1000,10,10]}`

type key struct {
	name, file string
	start, at  int32
	depth      int
}

func rows(t *testing.T, p *profile.Profile) map[key]weight {
	t.Helper()
	got := map[key]weight{}
	for _, s := range p.Samples() {
		st := p.Stack(s.Stack)
		l := p.Lines(st[0])[0]
		f := p.Function(l.Function)
		if f.Kind != profile.KindJS {
			t.Errorf("%s is of kind %v", f.Name, f.Kind)
		}
		k := key{f.Name, f.File, f.StartLine, l.Line, len(st)}
		got[k] = weight{got[k].ticks + s.Count, got[k].value + s.Value}
	}
	return got
}

func TestRead(t *testing.T) {
	p, err := Read(t.Context(), strings.NewReader(small), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Meta; p.Count() != 6 || m.Duration.Microseconds() != 58000 || len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "2 of 8") ||
		m.ValueType != (profile.ValueType{Type: "time", Unit: "nanoseconds"}) || m.Period != 1e6 {
		t.Errorf("count %d, meta %+v", p.Count(), m)
	}
	want := map[key]weight{
		{"main", "/srv/a b.js", 10, 11, 1}:           {2, 2e6},
		{"main", "/srv/a b.js", 10, 12, 1}:           {1, 1e6},
		{"main", "/srv/a b.js", 10, 0, 1}:            {1, 1e6},
		{"(garbage collector)", "", 0, 0, 1}:         {1, 1e6},
		{"(anonymous)", "node:internal/fs", 1, 0, 2}: {1, 1e6},
	}
	if got := rows(t, p); !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestTimes reads profiles that have less to tell time by.
func TestTimes(t *testing.T) {
	const nodes = `{"nodes":[{"id":1,"callFrame":{"functionName":"a"}%s},{"id":2,"callFrame":{"functionName":"b"}%s}],"startTime":0,"endTime":6000`
	a, b := key{name: "a", depth: 1}, key{name: "b", depth: 1}
	for _, c := range []struct {
		what, text string
		want       map[key]weight
	}{
		{
			"no hitCount, thousands of samples of b in no time, a gap", fmt.Sprintf(nodes, "", "") +
				`,"samples":[1,1` + strings.Repeat(",2", 3000) + `,1,1,1` + strings.Repeat(",1", 9000) + `],"timeDeltas":[0,1000` + strings.Repeat(",0", 3000) + `,1000,70000,1000` + strings.Repeat(",1000", 9000) + `]}`,
			map[key]weight{a: {9005, 9004e6}, b: {3000, 1e6}},
		},
		{"no timeDeltas", fmt.Sprintf(nodes, `,"hitCount":2`, `,"hitCount":1`) + `,"samples":[1,1,2,2,2]}`, map[key]weight{a: {2, 4e6}, b: {1, 2e6}}},
		{"no samples", fmt.Sprintf(nodes, `,"hitCount":2`, `,"hitCount":1`) + `}`, map[key]weight{a: {2, 4e6}, b: {1, 2e6}}},
		{"no times", `{"nodes":[{"id":1,"callFrame":{"functionName":"a"},"hitCount":2}]}`, map[key]weight{a: {2, 2}}},
	} {
		p, err := Read(t.Context(), strings.NewReader(c.text), nil)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := rows(t, p); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		`{"nodes":[]`:                                                                      "unexpected EOF",
		`{"nodes":[{"id":1,"children":[9]}]}`:                                              "its child 9 does not exist",
		`{"nodes":[{"id":1},{"id":1}]}`:                                                    "used twice",
		`{"nodes":[{"id":1}],"samples":[3]}`:                                               "sample 0: node 3 does not exist",
		`{"nodes":[{"id":1}],"samples":[1,1],"timeDeltas":[1]}`:                            "2 samples and 1 timeDeltas",
		`{"nodes":[{"id":1}],"samples":[1,1],"timeDeltas":[1,-1e300]}`:                     "sample 1: its time delta",
		`{"nodes":[{"id":1,"hitCount":1073741824},{"id":2,"hitCount":1}]}`:                 "more than a profile can hold",
		`{"nodes":[{"id":1,"children":[2],"hitCount":1},{"id":2,"children":[1]}]}`:         "among its own callers",
		`{"nodes":[{"id":1,"children":[3]},{"id":2,"children":[3]},{"id":3}]}`:             "child of two nodes",
		`{"nodes":[{"id":1,"callFrame":{"functionName":"(idle)","url":""},"hitCount":3}]}`: "3 ticks are idle",
	} {
		if _, err := Read(context.Background(), strings.NewReader(in), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v, want %q", in, err, want)
		}
	}
	if _, err := Read(context.Background(), strings.NewReader(`{"nodes":[]}`), nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v", err)
	}
}

// recorded is what node writes of a script, and where the script is.
func recorded(t *testing.T, script string) (text []byte, path string) {
	t.Helper()
	node, err := tool.Find("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := t.TempDir()
	path = filepath.Join(dir, "hot.js")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "--cpu-prof", "--cpu-prof-dir="+dir, path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("this node cannot record: %v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.cpuprofile"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d profiles, %v", len(files), err)
	}
	text, err = os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return text, path
}

// share is that of the samples which have a function on their stack.
func share(t *testing.T, text []byte, name, path string) float64 {
	t.Helper()
	p, err := Read(t.Context(), bytes.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, s := range p.Samples() {
		for _, l := range p.Stack(s.Stack) {
			if fn := p.Function(p.Lines(l)[0].Function); fn.Name == name && fn.File == path && fn.StartLine == 1 {
				sum += s.Value
				break
			}
		}
	}
	return float64(sum) / float64(p.Total())
}

func TestRealNode(t *testing.T) {
	text, path := recorded(t, `function hot(n) { let s = ""; for (let i = 0; i < n; i++) s += JSON.stringify({ i }); return s.length }
for (let k = 0; k < 40; k++) hot(20000)`)
	if got := share(t, text, "hot", path); got < 0.5 {
		t.Errorf("hot has %.2f of the samples", got)
	}
}

// TestRealDeoptimisations records a recursion that is deoptimised in each of its frames,
// which V8 writes a sample for each time.
func TestRealDeoptimisations(t *testing.T) {
	text, path := recorded(t, `function walk(n) { if (n === null) return 0; const s = walk(n.next); return s + n.v }
function chain(depth, kind) { let n = null; for (let i = 0; i < depth; i++) { const o = { next: n, v: i }; if (i === 0) o["k" + kind] = 1; n = o } return n }
function spin(rounds) { let x = 1; for (let i = 0; i < rounds; i++) x = (x * 1103515245 + 12345) % 2147483648; return x }
let sum = 0
for (let k = 0; k < 4; k++) { const c = chain(4000, k); for (let i = 0; i < 1000; i++) sum += walk(c); sum += spin(1e7) }
console.log(sum)`)
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	walks := map[int64]bool{}
	for i := range f.Nodes {
		walks[f.Nodes[i].ID] = f.Nodes[i].CallFrame.FunctionName == "walk"
	}
	entries := 0.0
	for _, id := range f.Samples {
		if walks[id] {
			entries++
		}
	}
	entries /= float64(len(f.Samples))
	if entries < 0.6 {
		t.Skipf("this V8 writes no samples of deoptimisations: walk has %.2f of them", entries)
	}
	if got := share(t, text, "walk", path); got > entries/2 {
		t.Errorf("walk has %.2f of the time, and %.2f of the entries, most of which took no time", got, entries)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add(`{"nodes":[{"id":1},{"id":2}],"samples":[1,2,2],"timeDeltas":[1,-2,3e9]}`)
	f.Add(`{"nodes":[{"id":1,"children":[2]},{"id":2,"hitCount":1,"positionTicks":[{"line":3,"ticks":9}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read(context.Background(), strings.NewReader(text), nil)
		if err == nil && p.Total() <= 0 {
			t.Fatalf("total %d", p.Total())
		}
	})
}
