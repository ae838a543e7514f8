package cpuprofile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

const small = `{"nodes":[
 {"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,3,4]},
 {"id":2,"callFrame":{"functionName":"main","url":"file:///srv/a%20b.js","lineNumber":9},"hitCount":5,"children":[5],"positionTicks":[{"line":11,"ticks":2},{"line":12,"ticks":1}]},
 {"id":3,"callFrame":{"functionName":"(garbage collector)","url":"","lineNumber":-1},"hitCount":1},
 {"id":4,"callFrame":{"functionName":"(idle)","url":"","lineNumber":-1},"hitCount":7},
 {"id":5,"callFrame":{"functionName":"","url":"node:internal/fs","lineNumber":0},"hitCount":2}],
 "startTime":1000,"endTime":3000,"samples":[2,2,2,2,3,4,4,5,5,5],"timeDeltas":[0,1,1,1,1,1,1,1,1,1]}`

func TestRead(t *testing.T) {
	p, err := Read(t.Context(), strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	if p.Total() != 8 || p.Meta.Duration.Microseconds() != 2000 || len(p.Meta.Warnings) != 1 || !strings.Contains(p.Meta.Warnings[0], "2 of 10") {
		t.Errorf("total %d, meta %+v", p.Total(), p.Meta)
	}
	type key struct {
		name, file string
		start, at  int32
		depth      int
	}
	got := map[key]int64{}
	for _, s := range p.Samples() {
		st := p.Stack(s.Stack)
		l := p.Lines(st[0])[0]
		f := p.Function(l.Function)
		if f.Kind != profile.KindJS {
			t.Errorf("%s is of kind %v", f.Name, f.Kind)
		}
		got[key{f.Name, f.File, f.StartLine, l.Line, len(st)}] += s.Count
	}
	for k, n := range map[key]int64{
		{"main", "/srv/a b.js", 10, 11, 1}:           2,
		{"main", "/srv/a b.js", 10, 12, 1}:           1,
		{"main", "/srv/a b.js", 10, 0, 1}:            1,
		{"(garbage collector)", "", 0, 0, 1}:         1,
		{"(anonymous)", "node:internal/fs", 1, 0, 2}: 3,
	} {
		if got[k] != n {
			t.Errorf("%+v: %d, want %d", k, got[k], n)
		}
	}
}

func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		`{"nodes":[]`:                         "unexpected EOF",
		`{"nodes":[{"id":1,"children":[9]}]}`: "its child 9 does not exist",
		`{"nodes":[{"id":1},{"id":1}]}`:       "used twice",
		`{"nodes":[{"id":1}],"samples":[3]}`:  "sample 0: node 3 does not exist",
		`{"nodes":[{"id":1,"children":[2],"hitCount":1},{"id":2,"children":[1]}]}`:         "among its own callers",
		`{"nodes":[{"id":1,"children":[3]},{"id":2,"children":[3]},{"id":3}]}`:             "child of two nodes",
		`{"nodes":[{"id":1,"callFrame":{"functionName":"(idle)","url":""},"hitCount":3}]}`: "3 samples are idle",
	} {
		if _, err := Read(context.Background(), strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v, want %q", in, err, want)
		}
	}
	if _, err := Read(context.Background(), strings.NewReader(`{"nodes":[]}`)); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v", err)
	}
}

func TestRealNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := t.TempDir()
	script := `function hot(n) { let s = ""; for (let i = 0; i < n; i++) s += JSON.stringify({ i }); return s.length }
for (let k = 0; k < 40; k++) hot(20000)`
	path := filepath.Join(dir, "hot.js")
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
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := Read(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	var hot int64
	for _, s := range p.Samples() {
		for _, l := range p.Stack(s.Stack) {
			if fn := p.Function(p.Lines(l)[0].Function); fn.Name == "hot" && fn.File == path && fn.StartLine == 1 {
				hot += s.Value
				break
			}
		}
	}
	if hot*2 < p.Total() {
		t.Errorf("hot has %d of %d samples", hot, p.Total())
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add(`{"nodes":[{"id":1,"children":[2]},{"id":2,"hitCount":1,"positionTicks":[{"line":3,"ticks":9}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read(context.Background(), strings.NewReader(text))
		if err == nil && p.Total() <= 0 {
			t.Fatalf("total %d", p.Total())
		}
	})
}
