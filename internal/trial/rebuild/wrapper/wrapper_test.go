package wrapper

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/host/environ"
)

// machine is a PATH of fake tools: compilers that print what they are called
// with, and answer what family they are of.
type machine struct {
	t    *testing.T
	path string
	env  []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, path: filepath.Join(t.TempDir(), "fake-bin")}
	if err := os.MkdirAll(m.path, 0o755); err != nil {
		t.Fatal(err)
	}
	m.env = []string{"PATH=" + m.path + ":/usr/bin:/bin"}
	return m
}

func (m *machine) tool(name, family string) {
	m.t.Helper()
	macros := map[string]string{
		"gcc":   "#define __GNUC__ 12\n#define __VERSION__ \"12.2.0\"\n",
		"clang": "#define __GNUC__ 4\n#define __clang__ 1\n#define __clang_major__ 19\n",
	}[family]
	script := "#!/bin/sh\nif [ \"$1\" = -dM ]; then printf '%s' '" + macros + "'; exit; fi\nprintf '" + name + "'; printf ' [%s]' \"$@\"; echo\n"
	if err := os.WriteFile(filepath.Join(m.path, name), []byte(script), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) find() *Toolbox {
	m.t.Helper()
	// Only the fake tools are looked at.
	b, err := Find(m.t.Context(), append(slices.Clone(m.env), "PATH="+m.path), "")
	if err != nil {
		m.t.Fatal(err)
	}
	b.env = m.env
	return b
}

// call runs a tool as a build in dir would.
func (m *machine) call(b *Toolbox, bin, dir string, args ...string) string {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), args[0], args[1:]...)
	if !strings.Contains(args[0], "/") {
		cmd = exec.CommandContext(m.t.Context(), filepath.Join(bin, args[0]), args[1:]...)
	}
	cmd.Dir, cmd.Env = dir, b.Environ(bin, m.env)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("%q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestFlagsReachCompilersAsTheyShould(t *testing.T) {
	m := newMachine(t)
	m.tool("gcc", "gcc")
	m.tool("x86_64-linux-gnu-g++-12", "gcc")
	m.tool("clang", "clang")
	m.tool("ccache", "")
	m.tool("ar", "")
	m.tool("mpicc", "gcc")
	b := m.find()
	bin, log := filepath.Join(t.TempDir(), "bin"), filepath.Join(t.TempDir(), "it's a log")
	err := b.Install(Setup{
		Dir: bin, Log: log, Every: map[Family][]string{GCC: {"-map"}},
		Flags: map[Family]Flags{
			GCC:   {Compile: []string{"-O3", "-DX='a b'"}, Link: []string{"-q"}, Archive: map[string]string{"ar": filepath.Join(m.path, "clang")}},
			Clang: {Compile: []string{"-Oc"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"gcc -O1 -O2 -c a.c -o a.o", "gcc [-O1] [-O2] [-c] [a.c] [-o] [a.o] [-map] [-O3] [-DX='a b']"},
		{"gcc a.o x.os -o p", "gcc [a.o] [x.os] [-o] [p] [-map] [-O3] [-DX='a b'] [-q]"},
		{"x86_64-linux-gnu-g++-12 a.cc", "x86_64-linux-gnu-g++-12 [a.cc] [-map] [-O3] [-DX='a b'] [-q]"},
		{"gcc -E -", "gcc [-E] [-] [-map] [-O3] [-DX='a b']"},
		{"gcc -r a.o -o b.o", "gcc [-r] [a.o] [-o] [b.o] [-map] [-O3] [-DX='a b']"},
		{"gcc --version", "gcc [--version]"},
		{"gcc -print-file-name=libgcc.a", "gcc [-print-file-name=libgcc.a]"},
		{"clang -c a.c", "clang [-c] [a.c] [-Oc]"},
		{"ccache gcc -c b.c", "gcc [-c] [b.c] [-map] [-O3] [-DX='a b']"},
		{"ccache -s", "ccache [-s]"},
		{"ar rcs x.a a.o", "clang [rcs] [x.a] [a.o]"},
	} {
		args := strings.Fields(c[0])
		if got := m.call(b, bin, t.TempDir(), args...); got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
	seen, err := ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	if seen.Compiles != 4 || seen.Probes != 1 || seen.Links != 2 || seen.Main() != "gcc" {
		t.Errorf("log: %+v", seen)
	}
	if !maps.Equal(seen.Levels, map[string]int{"-O2": 1, "-O0": 3}) || seen.Level() != "-O0" {
		t.Errorf("levels: %v", seen.Levels)
	}
	if f := b.Families(seen); !slices.Equal(f, []Family{Clang, GCC}) {
		t.Errorf("families %q", f)
	}
	if _, err := os.Stat(filepath.Join(bin, "mpicc")); err == nil {
		t.Error("a wrapper around a wrapper")
	}
}

func TestArchivers(t *testing.T) {
	lto := map[Family]Flags{
		Clang: {Archive: map[string]string{"ar": "/llvm/ar"}},
		GCC:   {Archive: map[string]string{"ar": "/gcc/ar", "nm": "/gcc/nm"}},
	}
	onlyGCC := map[Family]Flags{GCC: lto[GCC]}
	for _, c := range []struct {
		flags      map[Family]Flags
		name, want string
	}{
		{lto, "ar", "/llvm/ar"}, {lto, "llvm-ar", "/llvm/ar"}, {lto, "gcc-ar", "/gcc/ar"}, {lto, "nm", "/gcc/nm"},
		{lto, "llvm-ar-14", "own"}, {lto, "x86_64-linux-gnu-ar", "/llvm/ar"}, {lto, "ranlib", "own"},
		{onlyGCC, "ar", "/gcc/ar"}, {onlyGCC, "llvm-ar", "own"}, {nil, "ar", "own"},
	} {
		s := Setup{Flags: c.flags}
		if got := s.archiver(tool{name: c.name, path: "own", kind: archives}); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestFlagsForOneDirectory(t *testing.T) {
	m := newMachine(t)
	m.tool("gcc", "gcc")
	b := m.find()
	tree, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"third_party/x/sub", "third_party/xy", "build"} {
		if err := os.MkdirAll(filepath.Join(tree, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	bin, log := filepath.Join(t.TempDir(), "bin"), filepath.Join(t.TempDir(), "log")
	only := filepath.Join(tree, "third_party/x")
	if err := b.Install(Setup{Dir: bin, Log: log, Only: only, Flags: map[Family]Flags{GCC: {Compile: []string{"-O3"}, Link: []string{"-q"}}}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir, source string
		in          bool
	}{
		{"build", "../third_party/x/a.c", true},
		{"build", only + "/sub/a.c", true},
		{"third_party/x", "a.c", true},
		{"build", "../third_party/xy/a.c", false},
		{"build", "a.c", false},
		{"third_party/x", "../../a.c", false},
	} {
		got := m.call(b, bin, filepath.Join(tree, c.dir), "gcc", "-c", c.source)
		if strings.Contains(got, "[-O3]") != c.in {
			t.Errorf("%s in %s: %s", c.source, c.dir, got)
		}
	}
	if got := m.call(b, bin, tree, "gcc", "a.o"); !strings.Contains(got, "[-q]") {
		t.Errorf("linking: %s", got)
	}
	if seen, err := ReadLog(log); err != nil || seen.Compiles != 3 || seen.Outside != 3 {
		t.Errorf("%+v, %v", seen, err)
	}
}

func TestVariablesLeadToTheWrappers(t *testing.T) {
	m := newMachine(t)
	m.tool("gcc", "gcc")
	m.tool("clang", "clang")
	m.tool("ar", "")
	other := filepath.Join(t.TempDir(), "my-own-compiler")
	if err := os.Symlink(filepath.Join(m.path, "clang"), other); err != nil {
		t.Fatal(err)
	}
	m.env = append(m.env, "CC=ccache gcc -m32", "CXX="+other, "AR="+filepath.Join(m.path, "ar"), "RUSTC_WRAPPER=sccache")
	b, err := Find(t.Context(), append(slices.Clone(m.env), "PATH="+m.path), "")
	if err != nil {
		t.Fatal(err)
	}
	env := b.Environ("/w", m.env)
	for key, want := range map[string]string{"CC": "/w/gcc -m32", "CXX": "/w/my-own-compiler", "AR": "/w/ar", "CCACHE_DISABLE": "1"} {
		if got := environ.Get(env, key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	if p := environ.Get(env, "PATH"); !strings.HasPrefix(p, "/w:") {
		t.Errorf("PATH %q", p)
	}
	if to := b.Tools("/w")[filepath.Join(m.path, "gcc")]; to != "/w/gcc" {
		t.Errorf("tools: %q", to)
	}
}

func TestOneCompilerForAll(t *testing.T) {
	m := newMachine(t)
	m.tool("cc", "gcc")
	m.tool("g++", "gcc")
	m.tool("clang-19", "clang")
	m.tool("clang++-19", "clang")
	b := m.find()
	if err := b.Use(t.Context(), "clang-19"); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "bin")
	if err := b.Install(Setup{Dir: bin, Log: filepath.Join(t.TempDir(), "log")}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"cc": "clang-19", "g++": "clang++-19"} {
		if got := m.call(b, bin, t.TempDir(), name, "-c", "a.c"); !strings.HasPrefix(got, want+" ") {
			t.Errorf("%s is %s", name, got)
		}
	}
	if err := b.Use(t.Context(), "clang-99"); err == nil || !strings.Contains(err.Error(), "clang-99") {
		t.Errorf("got %v", err)
	}
}

func TestCacheInDisguise(t *testing.T) {
	m := newMachine(t)
	m.tool("ccache", "")
	m.tool("real-gcc", "gcc")
	disguise := t.TempDir()
	if err := os.Symlink(filepath.Join(m.path, "ccache"), filepath.Join(disguise, "gcc")); err != nil {
		t.Fatal(err)
	}
	m.tool("gcc", "gcc")
	b, err := Find(t.Context(), []string{"PATH=" + disguise + ":" + m.path}, "")
	if err != nil {
		t.Fatal(err)
	}
	if c := b.ByName("gcc"); c == nil || c.Path != filepath.Join(m.path, "gcc") || c.Major != 12 {
		t.Errorf("got %+v", c)
	}
}

func TestNames(t *testing.T) {
	for c, cxx := range map[string]string{
		"gcc": "g++", "gcc-12": "g++-12", "clang-19": "clang++-19", "cc": "c++",
		"/opt/x/aarch64-linux-gnu-gcc-13": "/opt/x/aarch64-linux-gnu-g++-13", "/usr/lib/gcc-snapshot/bin/gcc": "/usr/lib/gcc-snapshot/bin/g++",
	} {
		if got := toCXX(c); got != cxx {
			t.Errorf("C++ side of %s: %s", c, got)
		}
		if got := toC(cxx); got != c {
			t.Errorf("C side of %s: %s", cxx, got)
		}
	}
}

func TestProbes(t *testing.T) {
	for source, want := range map[string]bool{
		"conftest.c": true, "/b/CMakeFiles/CMakeScratch/TryCompile-x/a.c": true, "-": true, "CMakeFiles/3.25.1/CompilerIdC/CMakeCCompilerId.c": true,
		"src/a.c": false, "/b/CMakeFiles/x.dir/gen.c": false, "confetti.c": false,
	} {
		if isProbe("/b", source) != want {
			t.Errorf("%s: want %t", source, want)
		}
	}
}

func TestNoCompiler(t *testing.T) {
	if _, err := Find(t.Context(), []string{"PATH=" + t.TempDir()}, ""); err == nil || !strings.Contains(err.Error(), "gcc") {
		t.Errorf("got %v", err)
	}
	m := newMachine(t)
	m.tool("gcc", "gcc")
	if err := m.find().Install(Setup{Dir: "/a:b"}); err == nil {
		t.Error("a directory that no PATH can hold was taken")
	}
}

func TestRustWrapper(t *testing.T) {
	m := newMachine(t)
	m.tool("rustc", "")
	b := m.find()
	b.rustc = &Compiler{Path: filepath.Join(m.path, "rustc"), Family: Rust}
	bin, log := filepath.Join(t.TempDir(), "bin"), filepath.Join(t.TempDir(), "log")
	if err := b.Install(Setup{Dir: bin, Log: log, Flags: map[Family]Flags{Rust: {Compile: []string{"-Cx"}}}}); err != nil {
		t.Fatal(err)
	}
	wrapper := filepath.Join(bin, rustWrapper)
	for args, flagged := range map[string]bool{
		"--crate-name app src/main.rs --crate-type bin":     true,
		"--crate-name build_script_build build.rs":          false,
		"--crate-name m src/lib.rs --crate-type proc-macro": false,
		"-vV": false,
	} {
		got := m.call(b, bin, t.TempDir(), append([]string{wrapper, "rustc"}, strings.Fields(args)...)...)
		if strings.Contains(got, "[-Cx]") != flagged {
			t.Errorf("%s: %s", args, got)
		}
	}
	if seen, err := ReadLog(log); err != nil || seen.Compiles != 1 {
		t.Errorf("%+v, %v", seen, err)
	}
}

// A build may be started where relative entries of its PATH lead to its tools.
func TestRelativeEntriesStartWhereTheBuildDoes(t *testing.T) {
	m := newMachine(t)
	m.tool("gcc", "gcc")
	b, err := Find(t.Context(), []string{"PATH=" + filepath.Base(m.path) + ":/usr/bin"}, filepath.Dir(m.path))
	if err != nil {
		t.Fatal(err)
	}
	gcc := filepath.Join(m.path, "gcc")
	if c := b.ByName("gcc"); c == nil || c.Path != gcc || c.Major != 12 {
		t.Errorf("the compiler is %+v, want %s", c, gcc)
	}
	if to := b.Tools("/w")[gcc]; to != "/w/gcc" {
		t.Errorf("it leads to %q", to)
	}
}

func TestGoGetsFlagsBeforeItsOwn(t *testing.T) {
	m := newMachine(t)
	m.tool("go", "")
	b := m.find()
	bin, log := filepath.Join(t.TempDir(), "bin"), filepath.Join(t.TempDir(), "log")
	err := b.Install(Setup{
		Dir: bin, Log: log, Every: map[Family][]string{Go: {"-trimpath"}},
		Flags: map[Family]Flags{Go: {Compile: []string{"-pgo=/a b"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"go build -pgo=off -o app .", "go [build] [-trimpath] [-pgo=/a b] [-pgo=off] [-o] [app] [.]"},
		{"go build -C sub .", "go [build] [-C] [sub] [-trimpath] [-pgo=/a b] [.]"},
		{"go install -C=sub ./...", "go [install] [-C=sub] [-trimpath] [-pgo=/a b] [./...]"},
		{"go env GOROOT", "go [env] [GOROOT]"},
	} {
		if got := m.call(b, bin, t.TempDir(), strings.Fields(c[0])...); got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
	seen, err := ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	if seen.Compiles != 3 || seen.Level() != "" || !slices.Equal(b.Families(seen), []Family{Go}) {
		t.Errorf("%+v", seen)
	}
}
