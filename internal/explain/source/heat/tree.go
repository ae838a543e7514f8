package heat

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/compdb"
)

// Tree is the source of a build: its units and the headers of the project that
// they include.
type Tree struct {
	units  []compdb.Unit
	main   map[string][]int    // file to the units that it is the main file of
	byBase map[string][]string // file name to the files of the tree that have it
	users  map[string][]int    // header to the units that include it, however deep
	cache  map[string]matched  // by recorded path
}

// matched is what a recorded path means. It is weak where nothing but the file
// name speaks for it.
type matched struct {
	file string // "" for none
	weak bool
}

// NewTree reads the #include lines of the units' files, and of what they
// include, as far as the headers are found beside the file or in the unit's own
// include directories. Conditions are not evaluated, so a header may have more
// users than really compile it.
func NewTree(units []compdb.Unit) *Tree {
	t := &Tree{
		units: units, main: map[string][]int{}, byBase: map[string][]string{},
		users: map[string][]int{}, cache: map[string]matched{},
	}
	r := includeReader{lines: map[string][]string{}, isFile: map[string]bool{}}
	for i, u := range units {
		file := filepath.Clean(u.File)
		if _, known := t.main[file]; !known {
			t.add(file)
		}
		t.main[file] = append(t.main[file], i)
		for _, h := range r.closure(u) {
			if _, known := t.users[h]; !known && len(t.main[h]) == 0 {
				t.add(h)
			}
			t.users[h] = append(t.users[h], i)
		}
	}
	return t
}

func (t *Tree) add(file string) {
	base := filepath.Base(file)
	if !slices.Contains(t.byBase[base], file) {
		t.byBase[base] = append(t.byBase[base], file)
	}
}

// Files says how many files the tree has.
func (t *Tree) Files() int {
	n := 0
	for _, files := range t.byBase {
		n += len(files)
	}
	return n
}

// resolve finds the file of the tree that debug information calls path. The path
// itself wins; else it is the file of the same name with the longest common tail
// of directories, so that a tree that was moved, -ffile-prefix-map and the
// /usr/src of distributions need no option. Where two have the same tail, either
// may be meant and none is given.
//
// Example, of a tree with /home/me/p/one/str.cpp and /home/me/p/two/str.cpp:
// /build/p-1.0/two/str.cpp is the second; /build/str.cpp is neither.
func (t *Tree) resolve(path string) matched {
	if path == "" || strings.HasPrefix(path, "<") {
		return matched{}
	}
	m, known := t.cache[path]
	if !known {
		m = t.match(filepath.Clean(path))
		t.cache[path] = m
	}
	return m
}

func (t *Tree) match(path string) matched {
	if isSystem(path) {
		return matched{} // a library's header may have the name of one of ours
	}
	best, most, tie := "", 0, false
	for _, f := range t.byBase[filepath.Base(path)] {
		if f == path {
			return matched{file: f}
		}
		switch n := commonTail(f, path); {
		case n > most:
			best, most, tie = f, n, false
		case n == most:
			tie = true
		}
	}
	if tie {
		return matched{}
	}
	return matched{file: best, weak: most == 1 && len(components(path)) > 1}
}

// commonTail counts the path components that two paths have in common at their
// ends.
func commonTail(a, b string) int {
	x, y := components(a), components(b)
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

func components(path string) []string {
	return slices.DeleteFunc(strings.Split(filepath.ToSlash(path), "/"), func(s string) bool { return s == "" || s == "." || s == ".." })
}

// isSystem says whether a recorded path is one of an installed header. Debian's
// debug information has the sources of packages under /usr/src, which is not.
func isSystem(path string) bool {
	for _, p := range []string{"/usr/include/", "/usr/lib/", "/usr/local/include/"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// includeReader follows #include lines. Every file is read once.
type includeReader struct {
	lines  map[string][]string
	isFile map[string]bool
}

func (r *includeReader) closure(u compdb.Unit) []string {
	dirs := includeDirs(u)
	seen := map[string]bool{}
	work := []string{filepath.Clean(u.File)}
	var out []string
	for len(work) > 0 {
		file := work[0]
		work = work[1:]
		for _, name := range r.includes(file) {
			h, ok := r.find(name, filepath.Dir(file), dirs)
			if ok && !seen[h] && !isSystem(h) {
				seen[h] = true
				out = append(out, h)
				work = append(work, h)
			}
		}
	}
	return out
}

func (r *includeReader) find(name, beside string, dirs []string) (string, bool) {
	if filepath.IsAbs(name) {
		return filepath.Clean(name), r.exists(name)
	}
	for _, d := range append([]string{beside}, dirs...) {
		if p := filepath.Join(d, name); r.exists(p) {
			return p, true
		}
	}
	return "", false
}

func (r *includeReader) exists(path string) bool {
	is, known := r.isFile[path]
	if !known {
		info, err := os.Stat(path)
		is = err == nil && info.Mode().IsRegular()
		r.isFile[path] = is
	}
	return is
}

func (r *includeReader) includes(file string) []string {
	names, known := r.lines[file]
	if known {
		return names
	}
	if data, err := os.ReadFile(file); err == nil { // one that is gone has no includes; the analyser tells of it
		names = includeNames(data)
	}
	r.lines[file] = names
	return names
}

// includeNames lists what the #include lines of a text name. A name made by a
// macro is not seen.
func includeNames(text []byte) []string {
	var names []string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(lines.Bytes(), " \t"), []byte("#"))
		if !ok {
			continue
		}
		rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte("include"))
		rest = bytes.TrimLeft(rest, " \t")
		if !ok || len(rest) == 0 {
			continue
		}
		end := map[byte]byte{'"': '"', '<': '>'}[rest[0]]
		if n := bytes.IndexByte(rest[1:], end); end != 0 && n > 0 {
			names = append(names, string(rest[1:1+n]))
		}
	}
	return names
}

// includeDirs are the directories that the unit's command line names.
func includeDirs(u compdb.Unit) []string {
	var dirs []string
	add := func(dir string) {
		if dir != "" && !filepath.IsAbs(dir) {
			dir = filepath.Join(u.Directory, dir)
		}
		if dir != "" {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	for i, a := range u.Arguments {
		for _, flag := range []string{"-isystem", "-iquote", "-I"} {
			rest, ok := strings.CutPrefix(a, flag)
			if !ok {
				continue
			}
			if rest == "" && i+1 < len(u.Arguments) {
				rest = u.Arguments[i+1]
			}
			add(rest)
			break
		}
	}
	return dirs
}

// Using are the numbers of the units that files are part of, in rising order: as their
// source or as a header that they include.
func (t *Tree) Using(files ...string) []int {
	var out []int
	for _, f := range files {
		f = filepath.Clean(f)
		out = append(append(out, t.main[f]...), t.users[f]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
