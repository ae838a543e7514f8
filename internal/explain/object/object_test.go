package object_test

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/object"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A copy that no build knows is compiled like the file that it is compared with.
func TestCopyIsCompiledLikeItsModel(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir, "a.c", "int f(int x) { return x + N; }\n")
	b := write(t, dir, "b.c", "int g(int x) { return x - N; }\n")
	write(t, dir, "compile_commands.json", `[{"directory": "`+dir+`", "file": "a.c", "command": "gcc -DN=3 -O2 -flto -MD -MF a.d -c a.c -o a.o"}]`)
	units, err := compdb.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for file, name := range map[string]string{a: "f", b: "g"} {
		u, err := object.UnitOf(units, file, a)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, name+".o")
		if err := object.Compile(t.Context(), u, file, out); err != nil {
			t.Fatal(err)
		}
		f, err := elf.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		symbols, err := f.Symbols()
		if err != nil || !hasFunction(symbols, name) {
			t.Errorf("%s: no %s with code in %v (%v)", file, name, symbols, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, f := range []string{"a.o", "a.d", "f.d"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err == nil {
			t.Errorf("%s was written", f)
		}
	}
}

func hasFunction(symbols []elf.Symbol, name string) bool {
	for _, s := range symbols {
		if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			return true
		}
	}
	return false
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	dir := t.TempDir()
	bad := write(t, dir, "a.c", "int f(int x) { return y; }\n")
	write(t, dir, "compile_commands.json", `[{"directory": "`+dir+`", "file": "a.c", "command": "gcc -c a.c"}]`)
	units, err := compdb.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := object.UnitOf(units, filepath.Join(dir, "b.cpp"), bad); err == nil || !strings.Contains(err.Error(), "not a unit") {
		t.Errorf("a C++ file like a C file: %v", err)
	}
	u, err := object.UnitOf(units, bad, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := object.Compile(t.Context(), u, bad, filepath.Join(dir, "o.o")); err == nil || !strings.Contains(err.Error(), "undeclared") {
		t.Errorf("%v", err)
	}
}
