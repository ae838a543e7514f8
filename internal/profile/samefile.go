package profile

import (
	"path"
	"strings"
)

// SameFile says whether two names can be of one source file. Profiles, debug information,
// compile commands and compilers' reports each name files from where they were made.
//
//   - Names that are equal are of one file.
//   - A name that does not begin at the root is of one file with whatever ends in it:
//     "src/util.c" and "/build/app/src/util.c".
//   - Names of trees that have nothing in common are of one file where the file and its
//     directory agree: the tree was copied or built elsewhere ("/build/app/src/util.c" and
//     "/home/me/app/src/util.c"), or its root was replaced (Go's -trimpath:
//     "example.com/app/src/util.go"). In one tree they are two files:
//     "/home/me/a/src/util.c" and "/home/me/b/src/util.c".
func SameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	a, b = plain(a), plain(b)
	if a == b {
		return true
	}
	if path.Base(a) != path.Base(b) {
		return false
	}
	fromA, fromB := path.IsAbs(a), path.IsAbs(b)
	switch {
	case !fromA && endsIn(b, a), !fromB && endsIn(a, b):
		return true
	case !fromA && !fromB, fromA && fromB && root(a) == root(b):
		return false
	}
	dir := path.Base(path.Dir(a))
	return dir != "." && dir == path.Base(path.Dir(b))
}

// plain is a name without the steps that lead nowhere, or above where it begins.
func plain(name string) string {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	return name
}

// endsIn says whether a name ends in one that does not begin at the root.
func endsIn(long, short string) bool { return strings.HasSuffix(long, "/"+short) }

// root is the first directory of a path from the root on.
func root(name string) string {
	first, _, _ := strings.Cut(name[1:], "/")
	return first
}
