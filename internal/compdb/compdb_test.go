package compdb

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/shellwords"
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

func TestLoadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"broken.json": {`[{"directory":`, "not JSON"},
		"object.json": {`{"a": 1}`, "not a compilation database"},
		"nofile.json": {`[{"directory": "/", "command": "gcc -c x.c"}]`, `entry 0`},
		"nocmd.json":  {`[{"directory": "/", "file": "x.c"}]`, "neither"},
		"quote.json":  {`[{"directory": "/", "file": "x.c", "command": "gcc \"x"}]`, "not closed"},
	} {
		if _, err := Load(write(t, dir, name, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want a message with %q", name, err, c.want)
		}
	}
	if _, err := Load(filepath.Join(dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "CMAKE_EXPORT_COMPILE_COMMANDS") {
		t.Errorf("a missing database: %v", err)
	}
}
