package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/explain/compdb"
)

// mostFiles bounds the tree that is copied, as links.
const mostFiles = 30_000

// withFiles gives the unit with changed files, and the file to compile. Where the unit's
// own file is the only one, it lies elsewhere and is told where it comes from. Else the
// tree that has all of them is copied, its files as links: a compiler goes by paths, and
// knows no other way to have a header changed.
func withFiles(u compdb.Unit, files map[string][]byte, dir string) (compdb.Unit, string, error) {
	if text, own := files[u.File]; own && len(files) == 1 {
		u.Written = append([]string{u.Written[0], "-iquote", filepath.Dir(u.File)}, u.Written[1:]...)
		// The name shows in __FILE__ and in debug information.
		file := filepath.Join(dir, filepath.Base(u.File))
		return u, file, os.WriteFile(file, text, 0o600)
	}
	root := filepath.Dir(u.File)
	paths := []string{u.Directory}
	for f := range files {
		paths = append(paths, f)
	}
	for _, a := range u.Written {
		if p := strings.TrimPrefix(a, "-I"); filepath.IsAbs(p) && !strings.HasPrefix(p, "/usr/") {
			paths = append(paths, p)
		}
	}
	for _, p := range paths {
		for !within(p, root) {
			root = filepath.Dir(root)
		}
	}
	if strings.Count(root, "/") < 2 {
		return u, "", fmt.Errorf("the changed files have no tree in common with %s", u.File)
	}
	shadow := filepath.Join(dir, "tree")
	if err := link(root, shadow); err != nil {
		return u, "", err
	}
	for path, text := range files {
		to := shadow + strings.TrimPrefix(path, root)
		if err := errors.Join(os.Remove(to), os.WriteFile(to, text, 0o600)); err != nil {
			return u, "", err
		}
	}
	moved := func(s string) string { return strings.ReplaceAll(s, root, shadow) }
	written := []string{u.Written[0]}
	for _, a := range u.Written[1:] {
		written = append(written, moved(a))
	}
	u.Written, u.Directory, u.File = written, moved(u.Directory), moved(u.File)
	return u, u.File, nil
}

func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}

// link copies a tree, its files as symbolic links.
func link(from, to string) error {
	n := 0
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if n++; n > mostFiles {
			return fmt.Errorf("%s has more than %d files", from, mostFiles)
		}
		target := to + strings.TrimPrefix(path, from)
		switch {
		case e.IsDir() && (e.Name() == ".git" || e.Name() == ".pc"):
			return fs.SkipDir
		case e.IsDir():
			return os.Mkdir(target, 0o700)
		}
		return os.Symlink(path, target)
	})
}
