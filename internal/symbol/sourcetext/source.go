// Package sourcetext finds the source files that a profile names.
//
// It owns where to look: the recorded path itself, then the path's tail below
// given directories and the working directory, a path of a Go module below its go.mod, and a
// name without a directory,
// as Java and C# record it, anywhere below the directory of what the command runs, below that
// in which it was recorded, or the working directory. It takes
// recorded paths and gives lines of text. It imports nothing of this module.
package sourcetext

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Finder reads source files. The zero value looks at recorded paths and in the
// working directory.
type Finder struct {
	// Dirs are searched for the tail of a recorded path, longest tail first.
	Dirs []string
	// RecordedIn is the directory in which the profiled command ran, "" where it is not known.
	// Relative paths are of it, where it is here, and names are looked for below it.
	RecordedIn string
	// Beside are directories of what the command runs: see Beside. Names are looked for below them
	// first.
	Beside []string
	// RecordedAt is when the profile was made; a file changed since is noted.
	RecordedAt time.Time

	notes []string
	trees map[string]map[string]string // by directory and name; "" where several files have it
}

// maxSize is far above any source file that people read.
const maxSize = 64 << 20

// Lines returns the lines of the file that was recorded as path.
func (f *Finder) Lines(path string) (lines []string, ok bool) {
	for _, candidate := range f.candidates(path) {
		text, changed, err := read(candidate)
		if err != nil {
			continue
		}
		if !f.RecordedAt.IsZero() && changed.After(f.RecordedAt) {
			f.notes = append(f.notes, candidate+" was changed after the profile was recorded; its lines may have moved")
		}
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n"), true
	}
	return nil, false
}

// Notes are what to know about the files that were read.
func (f *Finder) Notes() []string { return f.notes }

func (f *Finder) candidates(path string) []string {
	if path == "" || strings.HasPrefix(path, "<") {
		return nil // "<frozen importlib._bootstrap>", "<string>"
	}
	var list []string
	for _, dir := range f.Dirs {
		list = append(list, below(dir, path)...)
	}
	if f.RecordedIn != "" && !filepath.IsAbs(path) {
		list = append(list, filepath.Join(f.RecordedIn, path))
	}
	list = append(list, path) // also when relative: to the working directory
	if filepath.Ext(path) == ".go" && !filepath.IsAbs(path) {
		for _, dir := range append(slices.Clip(f.Dirs), f.RecordedIn, ".") {
			list = append(list, inModule(dir, path)...)
		}
	}
	if filepath.Base(path) == path && filepath.Ext(path) != "" {
		at := ""
		for _, dir := range append(slices.Clip(f.Beside), f.RecordedIn) {
			if at == "" {
				at = f.named(dir, path)
			}
		}
		if at == "" && !isHere(f.RecordedIn) {
			at = f.named(".", path)
		}
		if at != "" {
			list = append(list, at)
		}
	}
	if filepath.IsAbs(path) {
		tails := below(".", path)
		list = append(list, tails[:max(0, len(tails)-1)]...) // a bare file name is too weak a match
	}
	return slices.Compact(list)
}

// Beside are the directories in which a command's program and its classes lie, of a command that ran in
// a directory: where people keep the source. What is installed has none there.
//
// Example. Of /home/me/shop/run.sh it is /home/me/shop, also where that was started elsewhere; of
// java -cp /home/me/shop/classes Main too.
func Beside(command []string, directory string) (dirs []string) {
	for i, word := range command {
		if i > 0 && strings.HasPrefix(word, "-") {
			continue
		}
		for _, path := range filepath.SplitList(word) {
			if !strings.Contains(path, "/") {
				continue
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(directory, path)
			}
			dir := filepath.Dir(filepath.Clean(path))
			if _, err := os.Stat(path); err == nil && !installed(dir) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// installed says whether a directory is one in which programs of the system lie, or has everything.
func installed(dir string) bool {
	home, _ := os.UserHomeDir()
	for _, of := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/proc", "/sys", "/dev", "/etc", "/nix", "/snap"} {
		if dir == of || strings.HasPrefix(dir, of+"/") {
			return true
		}
	}
	return dir == "/" || dir == home || dir == filepath.Clean(os.TempDir())
}

// inModule is a file that is named by the path of its module, as Go does with -trimpath: below
// the go.mod of that module, if that is in a directory or one around it.
//
// Example. In /home/me/shop/cmd, example.com/shop/cart/cart.go is /home/me/shop/cart/cart.go
// where /home/me/shop/go.mod says "module example.com/shop".
func inModule(dir, path string) []string {
	if dir == "" {
		return nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	for {
		if text, _, err := read(filepath.Join(dir, "go.mod")); err == nil {
			for line := range strings.Lines(text) {
				if words := strings.Fields(line); len(words) > 1 && words[0] == "module" {
					if rest, ok := strings.CutPrefix(path, strings.Trim(words[1], `"`)+"/"); ok {
						return []string{filepath.Join(dir, filepath.FromSlash(rest))}
					}
				}
			}
			return nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

// isHere says whether a directory is the working directory.
func isHere(dir string) bool {
	here, err := os.Getwd()
	return err == nil && here == filepath.Clean(dir)
}

// mostEntries bounds the search below a directory: a home or a file system is not one
// program's source.
const mostEntries = 20_000

// named is the one file of a name below a directory, "" where there is none or there are
// several. What tools make and fetch is no source of the program.
func (f *Finder) named(dir, name string) string {
	if dir == "" {
		return ""
	}
	tree, known := f.trees[dir]
	if !known {
		tree = namesBelow(dir)
		if f.trees == nil {
			f.trees = map[string]map[string]string{}
		}
		f.trees[dir] = tree
	}
	return tree[name]
}

func namesBelow(dir string) map[string]string {
	tree := map[string]string{}
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if seen++; seen > mostEntries {
			clear(tree) // some names may have been seen once of several times
			return filepath.SkipAll
		}
		switch {
		case err != nil:
			return filepath.SkipDir
		case d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "vendor", "target", "build", "dist", "__pycache__"}, d.Name())):
			return filepath.SkipDir
		case d.Type().IsRegular():
			if _, twice := tree[d.Name()]; twice {
				path = ""
			}
			tree[d.Name()] = path
		}
		return nil
	})
	return tree
}

// below lists dir joined with ever shorter tails of path.
func below(dir, path string) []string {
	parts := strings.Split(strings.Trim(filepath.ToSlash(filepath.Clean(path)), "/"), "/")
	list := make([]string, 0, len(parts))
	for i := range parts {
		if parts[i] == ".." {
			continue
		}
		list = append(list, filepath.Join(append([]string{dir}, parts[i:]...)...))
	}
	return list
}

func read(path string) (text string, changed time.Time, err error) {
	info, err := os.Stat(path) // before opening: a named pipe would block
	if err != nil {
		return "", changed, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return "", changed, fmt.Errorf("%s: not a source file", path)
	}
	data, err := os.ReadFile(path)
	return string(data), info.ModTime(), err
}
