package symbol

import (
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

const goProgram = `package main

import (
	"fmt"
	"os"
)

type cart struct{ items []int }

func (c *cart) add(x int) { c.items = append(c.items, twice(x)) }

func twice(x int) int { return x + x }

//go:noinline
func (c *cart) total() (sum int) {
	for _, x := range c.items {
		sum += twice(x)
	}
	return sum
}

func main() {
	var c cart
	for i := range os.Args {
		c.add(i)
	}
	fmt.Println(c.total())
}
`

// TestGo names a function of a Go program from DWARF and, when that is stripped,
// from the table that Go's runtime needs.
func TestGo(t *testing.T) {
	goTool := tooltest.Find(t, "go")
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": goProgram, "go.mod": "module shop\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole, stripped := filepath.Join(dir, "whole"), filepath.Join(dir, "stripped")
	command(t, dir, goTool, "build", "-o", whole, ".")
	command(t, dir, goTool, "build", "-ldflags=-s -w", "-o", stripped, ".")
	addr := addressOf(t, whole, "main.(*cart).total")
	for _, path := range []string{whole, stripped} {
		f, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		frames := f.Lookup(addr + 4)
		if len(frames) == 0 {
			t.Errorf("%s: nothing at %#x; %q", filepath.Base(path), addr, f.Notes())
			continue
		}
		last := frames[len(frames)-1]
		if last.Function.Name != "main.(*cart).total" || last.Function.Kind != profile.KindGo ||
			!strings.HasSuffix(last.Function.File, "main.go") || last.Line < 15 {
			t.Errorf("%s: %+v", filepath.Base(path), frames)
		}
	}
}

const goInlined = `package main

import "os"

func mixed(a, b int) int { return (a ^ b) * 0x9e3779b1 % 1021 }

//go:noinline
func fold(n int) (s int) {
	for i := 0; i < n; i++ {
		s = mixed(s, i)
	}
	return s
}

func main() { os.Exit(fold(len(os.Args))) }
`

// What is inlined has the line on which it begins, which Go's compiler wants of a profile.
func TestGoInlined(t *testing.T) {
	goTool := tooltest.Find(t, "go")
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": goInlined, "go.mod": "module shop\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "program")
	command(t, dir, goTool, "build", "-o", path, ".")
	first := addressOf(t, path, "main.fold")
	command(t, dir, goTool, "build", "-ldflags=-s -w", "-o", path+".stripped", ".")
	for _, path := range []string{path, path + ".stripped"} { // from DWARF, and from what the runtime needs
		f, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		inlined := 0
		for addr := first; ; addr++ {
			frames := f.Lookup(addr)
			if len(frames) == 0 || frames[len(frames)-1].Function.Name != "main.fold" {
				break
			}
			if frames[0].Function.Name != "main.mixed" {
				continue
			}
			inlined++
			if start, line, at := frames[0].Function.StartLine, frames[0].Line, frames[1].Line; start != 5 || line != 5 || at != 10 {
				t.Errorf("%s: main.mixed begins on line %d, not 5, has line %d, not 5, and is called on line %d, not 10", filepath.Base(path), start, line, at)
			}
		}
		if inlined == 0 {
			t.Errorf("%s: main.mixed is not inlined", filepath.Base(path))
		}
	}
}

// A program with C in it is linked by the system's linker, which puts C's code before
// Go's; and it may be position-independent.
func TestGoWithC(t *testing.T) {
	goTool := tooltest.Find(t, "go")
	tooltest.Find(t, "gcc")
	dir := t.TempDir()
	source := strings.Replace(goProgram, "import (", "/*\nint unused(int x) { return x * 17; }\n*/\nimport \"C\"\n\nimport (", 1)
	source = strings.Replace(source, "c.total())", "c.total(), C.unused(3))", 1)
	for name, text := range map[string]string{"main.go": source, "go.mod": "module shop\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CGO_ENABLED", "1")
	for _, mode := range []string{"exe", "pie"} {
		whole, stripped := filepath.Join(dir, mode), filepath.Join(dir, mode+".stripped")
		command(t, dir, goTool, "build", "-buildmode="+mode, "-o", whole, ".")
		command(t, dir, tooltest.Find(t, "strip"), "-o", stripped, whole)
		addr := addressOf(t, whole, "main.(*cart).total")
		// The same by what an agent uploads of them.
		for _, path := range []string{whole, stripped, symbolsOf(t, whole), symbolsOf(t, stripped)} {
			f, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			frames := f.Lookup(addr + 4)
			if len(frames) == 0 || frames[len(frames)-1].Function.Name != "main.(*cart).total" || frames[len(frames)-1].Line < 15 {
				t.Errorf("%s: %+v at %#x; %q", filepath.Base(path), frames, addr, f.Notes())
			}
			f.Close()
		}
	}
}

// symbolsOf is the file of symbols that is made of a binary.
func symbolsOf(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := extract.Open(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	e, err := extract.New(extract.Symbols, binary, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(e.Reader())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".symbols", data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path + ".symbols"
}

func addressOf(t *testing.T, path, name string) uint64 {
	t.Helper()
	e, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	syms, err := e.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syms {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return 0
}
