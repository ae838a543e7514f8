package compdb

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/host/shellwords"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCommandsWrittenForGCC(t *testing.T) {
	for _, c := range []struct{ name, in, want, note string }{
		{"output and dependency files", "/usr/bin/c++ -O2 -MD -MT x.o -MF x.d -o x.o -c x.cpp", "clang --driver-mode=g++ -O2 -c x.cpp", ""},
		{"launcher", "ccache gcc-12 -c x.c", "clang -c x.c", ""},
		{"env launcher", "env A=b gcc -c x.c", "clang -c x.c", ""},
		{"target prefix is kept", "/opt/bin/aarch64-linux-gnu-g++-12 -c x.cc", "aarch64-linux-gnu-clang --driver-mode=g++ -c x.cc", ""},
		{"gcc's own flags", "gcc -O3 -fipa-pta -fno-tree-pre -fvect-cost-model=dynamic -c x.c", "clang -O3 -c x.c", "-fipa-pta"},
		{"mapped flags", "gcc -mabm -mpreferred-stack-boundary=4 -c x.c", "clang -mlzcnt -mpopcnt -mstack-alignment=16 -c x.c", "-mabm"},
		{"a change of meaning is told", "g++ -fno-lifetime-dse -c x.cc", "clang --driver-mode=g++ -c x.cc", "-fno-lifetime-dse"},
		{"a Debian package's flags",
			"gcc -g -O2 -ffile-prefix-map=/build/x-1=. -fdebug-prefix-map=/build/x-1=/usr/src/x -fstack-protector-strong -fstack-clash-protection " +
				"-Wformat -Werror=format-security -fcf-protection -Wdate-time -D_FORTIFY_SOURCE=2 -fno-fat-lto-objects -c x.c",
			"clang -g -O2 -fstack-protector-strong -fstack-clash-protection -Wformat -fcf-protection -Wdate-time -D_FORTIFY_SOURCE=2 -fno-fat-lto-objects -c x.c", ""},
		{"several sources", "gcc -O2 -include b.c x.c b.c -o prog", "clang -O2 -include b.c x.c", ""},
		{"preprocessing only", "gcc -O2 -E x.c", "clang -O2 -c x.c", ""},
		{"CMake's precompiled header", "clang++ -Xclang -include-pch -Xclang /b/cmake_pch.hxx.pch -Xclang -include -Xclang /b/cmake_pch.hxx -c x.cc",
			"clang --driver-mode=g++ -include /b/cmake_pch.hxx -Xclang -include -Xclang /b/cmake_pch.hxx -c x.cc", ""},
		{"a precompiled header by hand", "clang++ -include-pch all.h.pch -c x.cc", "clang --driver-mode=g++ -include all.h -c x.cc", ""},
		{"libtool", "libtool --tag=CC --mode=compile gcc -c x.c", "clang -c x.c", ""},
		{"--param with its value", "gcc --param max-inline-insns-single=100 -O2 -c x.c", "clang -O2 -c x.c", ""},
	} {
		args, _ := shellwords.Split(c.in)
		u, err := FromCommand("/src", "", args)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := strings.TrimSuffix(strings.Join(u.Arguments, " "), " -w -Wno-error -Wno-unknown-warning-option")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if c.note != "" && !strings.Contains(strings.Join(u.Notes, "\n"), c.note) {
			t.Errorf("%s: no note names %s: %q", c.name, c.note, u.Notes)
		}
		if c.note == "" && len(u.Notes) > 0 {
			t.Errorf("%s: a note without need: %q", c.name, u.Notes)
		}
	}
}

func TestResponseFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "inner.rsp", "-DIN=1")
	write(t, dir, "flags.rsp", `-O3 "-DX=a b" @inner.rsp`)
	u, err := FromCommand(dir, "x.c", []string{"gcc", "@flags.rsp", "-c", "x.c"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-O3", "-DX=a b", "-DIN=1"} {
		if !slices.Contains(u.Arguments, want) {
			t.Errorf("%q is missing in %q", want, u.Arguments)
		}
	}
	if _, err := FromCommand(dir, "x.c", []string{"gcc", "@gone.rsp"}); err == nil || !strings.Contains(err.Error(), "gone.rsp") {
		t.Errorf("a missing response file: %v", err)
	}
	write(t, dir, "loop.rsp", "@loop.rsp")
	if _, err := FromCommand(dir, "x.c", []string{"gcc", "@loop.rsp"}); err == nil {
		t.Error("response files without end were accepted")
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "compile_commands.json", `[
		{"directory": "sub", "file": "../a.cpp", "command": "g++ -O2 -c ../a.cpp"},
		{"directory": "sub", "file": "../a.cpp", "command": "g++ -O2 -c ../a.cpp"},
		{"directory": "/abs", "file": "b.c", "arguments": ["cc", "-c", "b.c"]}]`)
	units, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(units) != 2 {
		t.Fatalf("got %d units, want 2: the twin counts once", len(units))
	}
	if units[0].Directory != filepath.Join(dir, "sub") || units[0].File != filepath.Join(dir, "a.cpp") {
		t.Errorf("relative paths came out as %s and %s", units[0].Directory, units[0].File)
	}
	if units[1].File != "/abs/b.c" {
		t.Errorf("got %s", units[1].File)
	}
}

func TestLoadOneBadEntryCostsItself(t *testing.T) {
	units, err := Load(write(t, t.TempDir(), "compile_commands.json", `[
		{"directory": "/", "file": "a.c", "command": "gcc -c a.c"},
		{"directory": "/", "command": "gcc -c b.c"},
		{"directory": "/", "file": "start.S", "command": "gcc -c start.S"},
		{"directory": "/nonexistent", "file": "c.c", "command": "gcc @gone.rsp -c c.c"}]`))
	if err != nil || len(units) != 3 {
		t.Fatalf("got %d units, %v", len(units), err)
	}
	if units[0].Problem != "" || len(units[0].Arguments) == 0 {
		t.Errorf("the good entry: %+v", units[0])
	}
	for i, want := range []string{"entry 1: \"file\" is missing", "gone.rsp"} {
		if u := units[i+1]; !strings.Contains(u.Problem, want) || len(u.Arguments) > 0 {
			t.Errorf("got %+v, want a problem with %q", u, want)
		}
	}
}

func TestLongCommandLine(t *testing.T) {
	args := []string{"g++"}
	for i := range 5000 {
		args = append(args, "-I", "dir"+strconv.Itoa(i))
	}
	u, err := FromCommand("/src", "", append(args, "-c", "x.cc"))
	if err != nil || len(u.Arguments) < 10000 {
		t.Errorf("%d arguments are left, %v", len(u.Arguments), err)
	}
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		`[]`, `[{"directory":"/","file":"x.c","command":"gcc -c x.c"}]`, `[{"file":"x.c","arguments":["cc","-I","@x","x.c"]}]`,
		`[{"file":"x.c","command":"env A=1 ccache g++ -Xclang -include-pch -Xclang"}]`, `[{"file":"x.c","command":"\"\\ '"}]`, `{`, `[[]]`, "[{\"file\":\"\xff\"}]",
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "compile_commands.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		units, err := Load(path)
		if err == nil && len(units) == 0 {
			t.Error("neither units nor an error")
		}
		for _, u := range units {
			if (u.Problem == "") != (len(u.Arguments) > 0) {
				t.Errorf("a unit has either arguments or a problem: %+v", u)
			}
		}
	})
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"broken.json": {`[{"directory":`, "not JSON"},
		"object.json": {`{"a": 1}`, "not a compilation database"},
		"nofile.json": {`[{"directory": "/", "command": "gcc -c x.c"}]`, `entry 0`},
		"nocmd.json":  {`[{"directory": "/", "file": "x.c"}]`, "neither"},
		"empty.json":  {`[]`, "no C or C++ unit (0 entries)"},
		"other.json":  {`[{"directory": "/", "file": "boot.S", "command": "gcc -c boot.S"}]`, "no C or C++ unit (1 entries)"},
		"latin1.json": {"[{\"directory\": \"/\", \"file\": \"caf\xe9.c\", \"command\": \"gcc -c caf\xe9.c\"}]", "not UTF-8"},
		"rsp.json":    {`[{"directory": "/nonexistent", "file": "x.c", "command": "gcc @x.rsp -c x.c"}]`, "build once"},
		"quote.json":  {`[{"directory": "/", "file": "x.c", "command": "gcc \"x"}]`, "not closed"},
	} {
		if _, err := Load(write(t, dir, name, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want a message with %q", name, err, c.want)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "CMAKE_EXPORT_COMPILE_COMMANDS") {
		t.Errorf("a missing database: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "-p takes the build directory") {
		t.Errorf("a missing directory: %v", err)
	}
}

func TestForeignFlagsAreNamedAsWritten(t *testing.T) {
	u, err := FromCommand(t.TempDir(), "x.c", []string{"gcc", "-O2", "-fipa-pta", "-Wall", "-fno-lifetime-dse", "-c", "x.c"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"-fipa-pta", "-fno-lifetime-dse"}; !slices.Equal(u.Foreign, want) {
		t.Errorf("got %q, want %q", u.Foreign, want)
	}
}

func TestIsC(t *testing.T) {
	for command, want := range map[string]bool{
		"cc -c a.c": true, "clang -c a.cpp": false, "g++ -c a.c": false, "cc -xc++ -c a.c": false, "cc -x c -c a.h": true, "aarch64-linux-gnu-gcc-12 -c a.c": true,
	} {
		args := strings.Fields(command)
		if u := (Unit{File: "/x/" + args[len(args)-1], Arguments: args}); u.IsC() != want {
			t.Errorf("%s: %t", command, u.IsC())
		}
	}
}
