package wrapper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/host/environ"
)

// Family is whose flags a compiler takes.
type Family string

// The families.
const (
	GCC   Family = "gcc"
	Clang Family = "clang"
	Rust  Family = "rustc"
	Go    Family = "go"
	Other Family = "" // something that is called cc and is none of these
)

// Compiler is a real compiler.
type Compiler struct {
	Path    string // as found, links not followed: a driver looks at its own name
	Family  Family
	Major   int
	Version string // as it writes it
}

type kind int

const (
	compiles kind = iota
	archives
	launches
)

// tool is a name that builds call.
type tool struct {
	name     string
	path     string
	kind     kind
	compiler *Compiler
}

// Toolbox are the tools of a machine.
type Toolbox struct {
	tools []tool
	rustc *Compiler
	goCmd *Compiler
	env   []string // of the build
	dir   string   // in which it is started
	known map[string]*Compiler
}

var (
	compilerName = regexp.MustCompile(`^([\w.]+-)*(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|c89|c99)(-[0-9.]+)?$`)
	archiverName = regexp.MustCompile(`^([\w.]+-)*(ar|ranlib|nm)(-[0-9.]+)?$`)
	// Wrappers of other tools, and languages that no flag here is for.
	notOurs = regexp.MustCompile(`^(afl|mpi|musl|diet|klcc|winegcc|wine|bpf|avr|dh|h2x|colorgcc)`)
)

var launchers = []string{"ccache", "sccache", "distcc", "icecc", "buildcache"}

// Find looks at the programs on the PATH of a build that is started in dir with
// an environment, and at those that CC and CXX name.
func Find(ctx context.Context, env []string, dir string) (*Toolbox, error) {
	b := &Toolbox{env: env, dir: dir, known: map[string]*Compiler{}}
	seen := map[string]bool{}
	for _, entry := range environ.Path(env) {
		dir := environ.From(dir, entry)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // a PATH may name what is not there
		}
		for _, e := range entries {
			if k, ok := kindOf(e.Name()); ok && !seen[e.Name()] {
				seen[e.Name()] = b.offer(ctx, e.Name(), filepath.Join(dir, e.Name()), k)
			}
		}
	}
	if path := b.lookPath("rustc"); path != "" {
		b.rustc = b.askRust(ctx, path)
	}
	if path := b.lookPath(goName); path != "" {
		b.goCmd = &Compiler{Path: path, Family: Go}
	}
	for _, variable := range []string{"CC", "CXX"} {
		b.addNamed(ctx, environ.Get(env, variable))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.rustc == nil && b.goCmd == nil && !slices.ContainsFunc(b.tools, func(t tool) bool { return t.kind == compiles }) {
		return nil, errors.New("no C, C++, Rust or Go compiler on PATH (looked for gcc, g++, cc, c++, clang, clang++, rustc and go)")
	}
	return b, nil
}

func kindOf(name string) (kind, bool) {
	switch {
	case notOurs.MatchString(name):
		return 0, false
	case compilerName.MatchString(name):
		return compiles, true
	case archiverName.MatchString(name):
		return archives, true
	case slices.Contains(launchers, name):
		return launches, true
	}
	return 0, false
}

// offer takes a program into the box unless it is a cache in disguise, in which
// case the real compiler further down the PATH counts.
func (b *Toolbox) offer(ctx context.Context, name, path string, k kind) bool {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	if _, err := environ.LookPath(nil, "", target); err != nil {
		return false
	}
	t := tool{name: name, path: path, kind: k}
	if k == compiles {
		if slices.Contains(launchers, filepath.Base(target)) {
			return false
		}
		t.compiler = b.ask(ctx, path, target)
	}
	b.tools = append(b.tools, t)
	return true
}

// addNamed takes in a compiler that a variable names with a path, or by a name
// that is not on the list.
func (b *Toolbox) addNamed(ctx context.Context, value string) {
	word, _ := splitCompiler(value)
	if word == "" || slices.ContainsFunc(b.tools, func(t tool) bool { return t.name == word }) {
		return
	}
	path := b.lookPath(word)
	if path == "" {
		return // the build will say so
	}
	name := filepath.Base(word)
	b.tools = slices.DeleteFunc(b.tools, func(t tool) bool { return t.name == name })
	b.offer(ctx, name, path, compiles)
}

// ask finds out whose compiler it is, once for each file.
func (b *Toolbox) ask(ctx context.Context, path, target string) *Compiler {
	if c, ok := b.known[target]; ok {
		return &Compiler{Path: path, Family: c.Family, Major: c.Major, Version: c.Version}
	}
	c := &Compiler{Path: path}
	b.known[target] = c
	macros := b.output(ctx, path, "-dM", "-E", "-x", "c", "/dev/null")
	major := ""
	for line := range strings.Lines(macros) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		switch f[1] {
		case "__clang__":
			c.Family = Clang
		case "__GNUC__":
			if c.Family == Other {
				c.Family, major = GCC, f[2]
			}
		case "__VERSION__":
			c.Version = strings.Trim(strings.Join(f[2:], " "), `"`)
		}
	}
	if c.Family == Clang {
		major = macro(macros, "__clang_major__")
	}
	c.Major, _ = strconv.Atoi(major)
	return c
}

func macro(text, name string) string {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, "#define "+name+" "); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// askRust gives the version of the LLVM inside as Major: profiles are read by
// tools of that version.
func (b *Toolbox) askRust(ctx context.Context, path string) *Compiler {
	text := b.output(ctx, path, "-vV")
	if text == "" {
		return nil
	}
	c := &Compiler{Path: path, Family: Rust}
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, "LLVM version: "); ok {
			head, _, _ := strings.Cut(v, ".")
			c.Major, _ = strconv.Atoi(strings.TrimSpace(head))
		}
		if v, ok := strings.CutPrefix(line, "release: "); ok {
			c.Version = strings.TrimSpace(v)
		}
	}
	return c
}

func (b *Toolbox) output(ctx context.Context, args ...string) string {
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = environ.Set(b.env, "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// Use makes every C and C++ compiler's name stand for one compiler: the one that
// is named, and its C++ side.
func (b *Toolbox) Use(ctx context.Context, compiler string) error {
	plain := toC(compiler)
	c, cxx := b.lookPath(plain), b.lookPath(toCXX(plain))
	if c == "" {
		return fmt.Errorf("--compiler %s: not found on PATH", compiler)
	}
	var side [2]*Compiler
	for i, path := range []string{c, cxx} {
		if path == "" {
			continue
		}
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return fmt.Errorf("--compiler %s: %w", compiler, err)
		}
		if side[i] = b.ask(ctx, path, target); side[i].Family == Other {
			return fmt.Errorf("--compiler %s: %s is neither gcc nor clang", compiler, path)
		}
	}
	for i := range b.tools {
		t := &b.tools[i]
		if t.kind != compiles {
			continue
		}
		t.compiler = side[0]
		if isCXX(t.name) {
			t.compiler = side[1]
		}
		if t.compiler != nil {
			t.path = t.compiler.Path
		}
	}
	if side[1] == nil {
		b.tools = slices.DeleteFunc(b.tools, func(t tool) bool { return t.kind == compiles && isCXX(t.name) })
	}
	return nil
}

func isCXX(name string) bool { return strings.Contains(name, "++") }

var lastName = regexp.MustCompile(`(gcc|g\+\+|clang\+\+|clang|c\+\+|cc)(-[0-9.]+)?$`)

func toCXX(name string) string {
	return lastName.ReplaceAllStringFunc(name, func(s string) string {
		for _, p := range [][2]string{{"gcc", "g++"}, {"clang", "clang++"}, {"cc", "c++"}} {
			if rest, ok := strings.CutPrefix(s, p[0]); ok && !strings.HasPrefix(rest, "++") {
				return p[1] + rest
			}
		}
		return s
	})
}

func toC(name string) string {
	return lastName.ReplaceAllStringFunc(name, func(s string) string {
		for _, p := range [][2]string{{"g++", "gcc"}, {"clang++", "clang"}, {"c++", "cc"}} {
			if rest, ok := strings.CutPrefix(s, p[0]); ok {
				return p[1] + rest
			}
		}
		return s
	})
}

// Rustc is the Rust compiler, nil when there is none.
func (b *Toolbox) Rustc() *Compiler { return b.rustc }

// ByName is the compiler behind a name that the log has, nil when the box does
// not know it.
func (b *Toolbox) ByName(name string) *Compiler {
	switch name {
	case rustName:
		return b.rustc
	case goName:
		return b.goCmd
	}
	for _, t := range b.tools {
		if t.name == name {
			return t.compiler
		}
	}
	return nil
}

// Compilers are those of a family, each once.
func (b *Toolbox) Compilers(f Family) []*Compiler {
	var out []*Compiler
	for _, t := range b.tools {
		if t.compiler != nil && t.compiler.Family == f &&
			!slices.ContainsFunc(out, func(c *Compiler) bool { return c.Path == t.compiler.Path }) {
			out = append(out, t.compiler)
		}
	}
	return out
}

// lookPath finds a program as the build would; "" when it is not there.
func (b *Toolbox) lookPath(name string) string {
	path, err := environ.LookPath(b.env, b.dir, name)
	if err != nil {
		return ""
	}
	return environ.From(b.dir, path)
}
