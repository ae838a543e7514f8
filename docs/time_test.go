package docs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// clocks are the functions by which a test can come to rest on the time that something
// takes. Asking for a moment, as in a profile's start, is none of them.
var clocks = map[string]bool{
	"time.Sleep": true, "time.Since": true, "time.Until": true, "time.After": true, "time.AfterFunc": true,
	"time.NewTimer": true, "time.NewTicker": true, "time.Tick": true, "context.WithTimeout": true, "context.WithDeadline": true,
}

// simulated is what runs a test on a clock that advances by itself.
const simulated = "synctest.Test"

// clocksIn are the functions of a file that call one of the clocks, outside of a
// simulated one.
func clocksIn(name string, source any) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		found := false
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, _ := s.X.(*ast.Ident)
			if pkg == nil {
				return true
			}
			called := pkg.Name + "." + s.Sel.Name
			found = found || clocks[called]
			return called != simulated
		})
		if found {
			out = append(out, f.Name.Name)
		}
	}
	return out, nil
}

// listed are the rows of the table in tests-and-time.md: `FILE` FUNCTION.
var listed = regexp.MustCompile("(?m)^\\| `([^`]+_test\\.go)` ((?:`\\w+`(?:, )?)+) \\|")

// Tests do not rest on what a processor, the load or a clock does: a test that asks a
// clock stands in a list, with the reason why it may.
func TestClocksInTestsAreListed(t *testing.T) {
	page, err := os.ReadFile("tests-and-time.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, row := range listed.FindAllSubmatch(page, -1) {
		for name := range strings.SplitSeq(string(bytes.ReplaceAll(row[2], []byte("`"), nil)), ", ") {
			known[string(row[1])+" "+name] = true
		}
	}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (slices.Contains([]string{"node_modules", "build", "testdata", ".git"}, d.Name())) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		found, err := clocksIn(path, nil)
		for _, f := range found {
			at := strings.TrimPrefix(filepath.ToSlash(path), "../") + " " + f
			if !known[at] {
				t.Errorf("%s asks a clock: let it run on a simulated one (testing/synctest), count something else, or add it to docs/tests-and-time.md with the reason why no processor, load or clock can fail it", at)
			}
			delete(known, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range slices.Sorted(maps.Keys(known)) {
		t.Errorf("tests-and-time.md lists %s, which asks no clock", at)
	}
}

func TestClocksAreSeen(t *testing.T) {
	found, err := clocksIn("x_test.go", `package x
func TestA(t *testing.T) { time.Sleep(1) }
func TestB(t *testing.T) { synctest.Test(t, func(t *testing.T) { time.Sleep(1) }) }
func TestC(t *testing.T) { p.Start = time.Now() }
func wait() { for begin := time.Now(); time.Since(begin) < 5; { go f() } }
func (x *T) late() { ctx, _ := context.WithTimeout(x.ctx, 5) }
`)
	if want := []string{"TestA", "wait", "late"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("%q, %v; want %q", found, err, want)
	}
}
