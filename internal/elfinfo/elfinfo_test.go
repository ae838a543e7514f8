package elfinfo

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tooltest"
)

func build(t *testing.T, compiler, source string, flags ...string) string {
	t.Helper()
	return tooltest.Compile(t, compiler, "in.c", source, flags...)
}

const program = `
#include <math.h>
#include <stdio.h>
static const char banner[] = "shoplib version 4.5.6 by nobody";
double exported(double x) { return sqrt(x) + banner[3]; }
int main(int argc, char **argv) { return printf("%f %s", exported(argc), banner) + sin(argc); }
`

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		flags           string
		static, library bool
		stripped, debug bool
		opt             string
	}{
		{"-g -O2 -lm", false, false, false, true, "2"},
		{"-g -lm", false, false, false, true, "0"},
		{"-Ofast -g -no-pie -lm", false, false, false, true, "fast"},
		{"-O3 -s -lm", false, false, true, false, ""},
		{"-O1 -static -lm", true, false, false, false, ""},
		{"-O1 -static-pie -lm", true, false, false, false, ""},
		{"-O1 -shared -fPIC -Wl,-soname,libshop.so.2 -lm", false, true, false, false, ""},
	} {
		t.Run(c.flags, func(t *testing.T) {
			path := build(t, "gcc", program, strings.Fields(c.flags)...)
			info, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Static != c.static || info.Library != c.library || info.Stripped != c.stripped || info.DebugInfo != c.debug {
				t.Errorf("static %v library %v stripped %v debug %v", info.Static, info.Library, info.Stripped, info.DebugInfo)
			}
			if !c.static && (!slices.Contains(info.Needed, "libc.so.6") || !info.Imports("printf")) {
				t.Errorf("needs %q", info.Needed)
			}
			if (info.SoName != "") != c.library {
				t.Errorf("soname %q", info.SoName)
			}
			if !c.stripped && !info.Defines("exported") {
				t.Error("does not define a function that is in it")
			}
			if info.Defines("no_such_function") || info.Imports("exported") {
				t.Error("defines or imports what it does not")
			}
			if got := info.VersionString(regexp.MustCompile(`shoplib version ([0-9.]+)`)); got != "4.5.6" {
				t.Errorf("version %q", got)
			}
			if got := info.VersionString(regexp.MustCompile(`otherlib version`)); got != "" {
				t.Errorf("version of something else: %q", got)
			}
			if c.debug {
				p := info.Producers[0]
				if got, ok := p.OptLevel(); !ok || got != c.opt || p.Compiler != "gcc" || p.Language != "C" || p.Version == "" {
					t.Errorf("%+v, level %q", p, got)
				}
			}
			if len(info.Compilers) == 0 {
				t.Error("no compiler in .comment")
			}
			if a, ok := info.Allocator(); ok {
				t.Errorf("an allocator, %+v, in a program without one", a)
			}
		})
	}
}

func TestClang(t *testing.T) {
	path := build(t, "clang-19", program, "-g", "-O2", "-grecord-command-line", "-lm")
	info, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	p := info.Producers[0]
	if got, ok := p.OptLevel(); !ok || got != "2" || p.Compiler != "clang" || !strings.HasPrefix(p.Version, "19.") || !p.Has("-grecord") {
		t.Errorf("%+v, level %q", p, got)
	}
	path = build(t, "clang-19", program, "-g", "-O2", "-lm")
	if info, err = Read(path); err != nil {
		t.Fatal(err)
	}
	if got, ok := info.Producers[0].OptLevel(); ok {
		t.Errorf("clang does not tell its level without -grecord-command-line, and we say %q", got)
	}
}

// TestAllocators looks for an allocator where it is and where it is only used.
func TestAllocators(t *testing.T) {
	with := build(t, "gcc", "int mallctl(void) { return 1; } int main(void) { return mallctl(); }", "-O0")
	if a, ok := must(t, with).Allocator(); !ok || a.Name != "jemalloc" {
		t.Errorf("%+v", a)
	}
	stripped := build(t, "gcc", `#include <stdio.h>
int main(void) { return puts("<jemalloc>: error"), puts("5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c"); }`, "-s")
	if a, ok := must(t, stripped).Allocator(); !ok || a.Name != "jemalloc" || a.Version != "5.3.0" {
		t.Errorf("%+v", a)
	}
	user := build(t, "gcc", "__attribute__((weak)) int mallctl(void); int main(void) { return mallctl ? mallctl() : 0; }", "-O0")
	if a, ok := must(t, user).Allocator(); ok {
		t.Errorf("a program that only asks for an allocator has one: %+v", a)
	}
}

func must(t *testing.T, path string) *Info {
	t.Helper()
	info, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestReaderRemembers(t *testing.T) {
	path := build(t, "gcc", program, "-lm")
	r := NewReader("")
	one, err := r.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	two, err := r.Read(path)
	if err != nil || one != two {
		t.Errorf("read twice: %v", err)
	}
	other := build(t, "gcc", program, "-lm", "-g")
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	three, err := r.Read(path)
	if err != nil || three == one || !three.DebugInfo {
		t.Errorf("the file changed and the answer did not: %v", err)
	}
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no ELF file ", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, dir, os.DevNull} {
		if _, err := Read(path); !errors.Is(err, elffile.ErrNotELF) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Read(filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// The runtime of GHC or OCaml is linked into what they compile, and has these texts.
func TestOtherCompiler(t *testing.T) {
	const reads = `
#include <stdio.h>
#include <stdlib.h>
int main(void) { const char *s = getenv("%s"); return s ? puts(s) : 0; }
`
	for variable, want := range map[string]string{"GHCRTS": "Haskell", "OCAMLRUNPARAM": "OCaml", "MALLOC_ARENA_MAX": ""} {
		info, err := Read(build(t, "gcc", strings.ReplaceAll(reads, "%s", variable), "-O2", "-s"))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.OtherCompiler(); got != want {
			t.Errorf("a program that reads %s: %q, want %q", variable, got, want)
		}
	}
}
