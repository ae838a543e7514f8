package fix

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Root is the directory for a Diff to be relative to: cwd where it has all changed files,
// else the Git work tree that has them, else the nearest directory that has them and the
// build. `git apply` and `patch -p1` take no path that leads out of where they run.
func Root(changes []Change, cwd, build string) string {
	all := func(dir string) bool {
		return !slices.ContainsFunc(changes, func(c Change) bool { return !within(c.Path, dir) })
	}
	if len(changes) == 0 || all(cwd) {
		return cwd
	}
	above := filepath.Dir(changes[0].Path)
	for dir := above; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && all(dir) {
			return dir
		}
	}
	dir := above
	for !all(dir) || build != "" && !within(build, dir) {
		dir = filepath.Dir(dir)
	}
	if dir == "/" && all(above) { // the build is somewhere else altogether
		return above
	}
	return dir
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Diff is the unified diff of all changes, with a/ and b/ before paths that are
// relative to root. A file outside root keeps its whole path.
func Diff(changes []Change, root string) string {
	var b strings.Builder
	for _, c := range changes {
		name := c.Path
		if rel, err := filepath.Rel(root, c.Path); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
		text := diff.Diff("a/"+name, c.Before, "b/"+name, c.After)
		// Its first line is a command line, which patch takes for garbage.
		if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
			b.Write(rest)
		}
	}
	return b.String()
}
