package framepointer

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/collect/codemap"
	"whyhot/internal/elfinfo/cfi"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tool"
	"whyhot/internal/host/tooltest"
)

const source = `
#include <stdio.h>
#define F(n) __attribute__((noinline)) int f##n(int a, const char *s) { char b[64]; snprintf(b, sizeof b, "%d %s", a, s); return b[a & 7] * n; }
F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8)
int main(int c, char **v) { return f1(c, v[0]) + f2(c, v[0]) + f3(c, v[0]) + f4(c, v[0]) + f5(c, v[0]) + f6(c, v[0]) + f7(c, v[0]) + f8(c, v[0]); }
`

func compile(t *testing.T, flags ...string) string {
	t.Helper()
	return tooltest.Compile(t, "gcc", "p.c", source, append([]string{"-O2"}, flags...)...)
}

func TestFile(t *testing.T) {
	for _, c := range []struct {
		flag string
		want bool
	}{
		{"-fno-omit-frame-pointer", true},
		{"-fomit-frame-pointer", false},
	} {
		share, known, err := File(compile(t, c.flag))
		if err != nil || !known || (share >= enough) != c.want {
			t.Errorf("%s: share %.2f, known %v, error %v", c.flag, share, known, err)
		}
	}
}

func TestProgramIsAsGoodAsItsWorstLibrary(t *testing.T) {
	libc, known, err := File(cLibrary(t))
	if err != nil || !known {
		t.Skipf("the C library does not tell: %v", err)
	}
	v := Program(compile(t, "-fno-omit-frame-pointer"))
	if v.Walkable != (libc >= enough) {
		t.Errorf("verdict %+v with a C library of share %.2f", v, libc)
	}
	if !v.Walkable && !strings.Contains(v.Because, "libc") {
		t.Errorf("%q does not name the library", v.Because)
	}
}

func cLibrary(t *testing.T) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	for _, path := range codemap.Files(codemap.Parse(string(maps))) {
		if strings.HasPrefix(filepath.Base(path), "libc.so") {
			return path
		}
	}
	sh, err := Executable("sh")
	if err != nil {
		t.Fatal(err)
	}
	libs, err := neededBy(sh)
	if err != nil || len(libs) == 0 {
		t.Skipf("no C library found: %v", err)
	}
	return libs[len(libs)-1]
}

func TestGoProgramsKeepThem(t *testing.T) {
	goTool, err := tool.Find("go")
	if err != nil {
		t.Skip("go is not in PATH")
	}
	if v := Program(goTool); !v.Walkable {
		t.Errorf("go: %+v", v)
	}
}

func TestScriptsAreJudgedByTheirInterpreter(t *testing.T) {
	dir := t.TempDir()
	sh, err := Executable("sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"direct": "#!" + sh + " -e\n", "env": "#!/usr/bin/env -S sh -e\n"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if got, err := Executable(path); err != nil || got != sh {
			t.Errorf("%s: %q, %v; want %q", name, got, err, sh)
		}
	}
	loop := filepath.Join(dir, "loop")
	if err := os.WriteFile(loop, []byte("#!"+loop+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if v := Program(loop); v.Walkable || !strings.Contains(v.Because, "#!") {
		t.Errorf("a script that names itself: %+v", v)
	}
}

func TestProcess(t *testing.T) {
	if v := Process(os.Getpid()); v.Because == "" {
		t.Errorf("no reason: %+v", v)
	}
	if v := Process(1 << 30); v.Walkable {
		t.Errorf("a process that does not exist: %+v", v)
	}
}

func TestExecutableFiles(t *testing.T) {
	maps := "55-56 r-xp 00 fe:00 1 /usr/bin/a b\n57-58 r--p 00 fe:00 2 /usr/lib/data\n59-5a r-xp 00 00:00 0 [vdso]\n5b-5c rwxp 00 00:00 0\n5d-5e r-xp 10 fe:00 1 /usr/bin/a b\n"
	if got := codemap.Files(codemap.Parse(maps)); len(got) != 1 || got[0] != "/usr/bin/a b" {
		t.Errorf("%q", got)
	}
}

// FuzzScan judges tables that may be anything.
func FuzzScan(f *testing.F) {
	f.Add([]byte{12, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b}, uint8(8))
	if file, err := elffile.Open("/bin/sh"); err == nil {
		if data, err := file.Data(".eh_frame"); err == nil {
			f.Add(bytes.Clone(data[:min(len(data), 4096)]), uint8(8))
		}
		_ = file.Close() // only read from
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		with, all := scan(cfi.EHFrame(data, 0x1000, nil, 0, cfi.Format{AddressSize: size}), 6)
		if with > all {
			t.Errorf("%d of %d bytes", with, all)
		}
	})
}
