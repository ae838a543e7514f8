package wrapper

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Log is what the scripts saw in one build.
type Log struct {
	Compiles int            // sources compiled with the flags; trials of configure and CMake are not counted
	Outside  int            // sources compiled without them, outside of the chosen directory
	Probes   int            // small programs by which a configuration finds out about the compiler
	Links    int            // calls that only link
	ByTool   map[string]int // compiles by the name that was called
	// Levels are how many sources of C and C++ the build's own flags optimise how
	// much: "-O2", and "-O0" where they say nothing.
	Levels map[string]int
	// Native and LTO are how many of them the build's own flags compile for this
	// processor, and for link-time optimisation.
	Native, LTO int
	// Includes and Libraries are the directories that calls named by a path that is
	// absolute or leads upwards.
	Includes, Libraries []string
}

// ReadLog reads the log. A build that called no script has none: that is an
// empty Log.
func ReadLog(path string) (Log, error) {
	l := Log{ByTool: map[string]int{}, Levels: map[string]int{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("log of the compiler calls: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		const fields = 4
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", fields)
		if len(f) != fields {
			continue // a line break in a file's name
		}
		l.count(f[0], f[1], f[2], f[3])
	}
	return l, nil
}

func (l *Log) count(tag, tool, dir, source string) {
	tag, flags, _ := strings.Cut(tag, ":")
	level, native, lto := "", 0, 0
	for flag := range strings.SplitSeq(flags, ":") {
		switch flag {
		case "native":
			native = 1
		case "lto":
			lto = 1
		default:
			level = flag
		}
	}
	switch {
	case tag == "include", tag == "library":
		if !filepath.IsAbs(source) {
			source = filepath.Join(dir, source)
		}
		to := &l.Includes
		if tag == "library" {
			to = &l.Libraries
		}
		if source = filepath.Clean(source); !slices.Contains(*to, source) {
			*to = append(*to, source)
		}
	case tag == "host":
	case isProbe(dir, source):
		l.Probes++
	case tag == "link":
		l.Links++
	case tag == "outside":
		l.Outside++
	default:
		l.Compiles++
		l.ByTool[tool]++
		if tool != rustName && tool != goName {
			l.Levels[levelOf(level)]++
			l.Native += native
			l.LTO += lto
		}
	}
}

// levelOf is the name of a level of optimisation by which all are compared.
func levelOf(flag string) string {
	switch flag {
	case "":
		return "-O0"
	case "-O":
		return "-O1"
	}
	return flag
}

// Level is how most sources are optimised, "" where nothing of C or C++ was compiled.
func (l *Log) Level() string {
	best := ""
	for name, n := range l.Levels {
		if best == "" || n > l.Levels[best] || n == l.Levels[best] && name < best {
			best = name
		}
	}
	return best
}

// Has are the ways to build that most sources of C and C++ are built with already,
// as variants name them.
func (l *Log) Has() []string {
	all := 0
	for _, n := range l.Levels {
		all += n
	}
	var out []string
	if 2*l.Native > all {
		out = append(out, "cflags=-march=native")
	}
	if 2*l.LTO > all {
		out = append(out, "lto")
	}
	return out
}

// isProbe recognises the programs that autoconf, CMake and Meson compile to look
// at a compiler.
func isProbe(dir, source string) bool {
	if source == "-" {
		return true
	}
	for _, mark := range []string{"CMakeFiles/CMakeScratch", "CMakeFiles/CMakeTmp", "/CompilerIdC", "CMakeFiles/3.", "CMakeFiles/4.", "meson-private", "/.conf", "CheckSymbolExists"} {
		if strings.Contains(dir+"/"+source, mark) {
			return true
		}
	}
	base := source[strings.LastIndexByte(source, '/')+1:]
	return strings.HasPrefix(base, "conftest") || strings.HasPrefix(base, "conf-test") || base == "sanitycheckc.c"
}

// Main is the name of the compiler that compiled most, "" when none did.
func (l *Log) Main() string {
	best := ""
	for name, n := range l.ByTool {
		if best == "" || n > l.ByTool[best] || n == l.ByTool[best] && strings.Compare(name, best) < 0 {
			best = name
		}
	}
	return best
}

// Families are those whose compilers were used, sorted.
func (b *Toolbox) Families(l Log) []Family {
	var out []Family
	for name := range l.ByTool {
		if c := b.ByName(name); c != nil && !slices.Contains(out, c.Family) {
			out = append(out, c.Family)
		}
	}
	slices.Sort(out)
	return out
}
