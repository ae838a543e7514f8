// Package origin says which file of a source tree a function of a profile comes from.
//
// It owns how compilers and runtimes write down the names of source files. It takes the
// files of a tree and what a profile says of a function, and gives a path from the tree's
// root. It must never import profiles, nor read what is in source files.
package origin

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Tree are the files of a source tree.
type Tree struct {
	place   string
	files   map[string]bool
	named   map[string][]string // files by their last element
	modules map[string]string   // directories of Go modules by their names
}

// New is a tree at a place, without files.
func New(place string) *Tree {
	return &Tree{place: place, files: map[string]bool{}, named: map[string][]string{}, modules: map[string]string{}}
}

// Add says that a file is in the tree, by its path from the root.
func (t *Tree) Add(file string) {
	if t.files[file] {
		return
	}
	t.files[file] = true
	t.named[path.Base(file)] = append(t.named[path.Base(file)], file)
}

// AddModule says in which directory of the tree a Go module is.
func (t *Tree) AddModule(name, dir string) { t.modules[name] = dir }

// Read adds the files of a directory that is, or has been, at the tree's place. What it
// cannot read below it is left out.
func (t *Tree) Read(dir string) error {
	return filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && at == dir:
			return err
		case err != nil && e.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		switch rel = filepath.ToSlash(rel); {
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		case e.Name() == "go.mod":
			if name := moduleOf(at); name != "" {
				t.AddModule(name, path.Dir(rel))
			}
		}
		t.Add(rel)
		return nil
	})
}

// moduleOf is the name in a go.mod, "" where it has none.
func moduleOf(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == "module" {
			return strings.Trim(words[1], "\"`")
		}
	}
	return ""
}

// Has says whether an absolute path is below the tree's place.
func (t *Tree) Has(file string) bool { return strings.HasPrefix(file, t.place+"/") }

// File is the path from the root of the tree of a function's source file, and whether it is
// of the tree at all. A profile has the function's name, its file and its binary.
//
// An absolute path says it. A relative one does not: Go's -trimpath gives the packages of
// its library such paths as well as those of the tree, Java has the last element only, and
// a library that was built elsewhere and is linked into the program has paths from there.
// So the tree has to have such a file.
func (t *Tree) File(function, file, binary string) (string, bool) {
	if t.Has(file) {
		return file[len(t.place)+1:], true
	}
	if file == "" || path.IsAbs(file) {
		return "", false
	}
	file = path.Clean(file)
	for strings.HasPrefix(file, "../") {
		file = file[len("../"):]
	}
	switch path.Ext(file) {
	case ".go", ".s":
		if rel, ok := t.goFile(file); ok || path.Ext(file) == ".go" {
			return rel, ok
		}
	case ".java", ".kt", ".scala", ".groovy":
		if !strings.Contains(file, "/") {
			return t.classFile(function, file)
		}
	}
	if t.files[file] {
		return file, true
	}
	// The compiler ran in another directory of the tree than its root.
	if !t.Has(binary) {
		return "", false
	}
	return t.ending(file)
}

// goFile is a file whose path has its package's import path before its name, or that was
// named to the compiler.
func (t *Tree) goFile(file string) (string, bool) {
	if rest, ok := strings.CutPrefix(file, "command-line-arguments/"); ok {
		return t.ending(rest)
	}
	for name := path.Dir(file); name != "."; name = path.Dir(name) {
		if dir, ok := t.modules[name]; ok {
			rel := path.Join(dir, strings.TrimPrefix(file, name+"/"))
			return rel, t.files[rel]
		}
	}
	for _, dir := range t.modules {
		if rel := path.Join(dir, "vendor", file); t.files[rel] {
			return rel, true
		}
	}
	return file, !strings.Contains(file, "/") && t.files[file]
}

// classFile is the file of a method "char org.json.JSONTokener.next()" by its package.
func (t *Tree) classFile(method, file string) (string, bool) {
	method, _, _ = strings.Cut(method, "(")
	method = method[strings.LastIndexByte(method, ' ')+1:]
	method, _, _ = strings.Cut(method, "$")
	parts := strings.Split(method, ".")
	// From the longest: of an inner class, the text before "$" ends in a class already.
	for n := len(parts); n >= 0; n-- {
		if n == 0 && !strings.HasPrefix(parts[0], strings.TrimSuffix(file, path.Ext(file))) {
			break // a class of a package that the tree does not have
		}
		if rel, ok := t.ending(path.Join(path.Join(parts[:n]...), file)); ok {
			return rel, true
		}
	}
	return "", false
}

// ending is the one file of the tree whose path ends so.
func (t *Tree) ending(file string) (string, bool) {
	if t.files[file] {
		return file, true
	}
	found := ""
	for _, f := range t.named[path.Base(file)] {
		if strings.HasSuffix(f, "/"+file) {
			if found != "" {
				return "", false
			}
			found = f
		}
	}
	return found, found != ""
}
