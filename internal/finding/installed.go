package finding

import (
	"regexp"
	"strings"
)

// Where /lib is a link to /usr/lib, cleaning /lib/gcc/…/../../../../include gives
// /include.
var installPrefixes = []string{"/usr/include/", "/usr/lib/", "/usr/local/include/", "/opt/", "/lib/", "/include/"}

// fetched are where package managers keep sources, and what rustc calls those of its
// standard library and of what that is made of.
var fetched = regexp.MustCompile(`^/rustc/|^/rust/deps/|/\.cargo/registry/|/rustlib/src/|/go/pkg/mod/`)

// IsInstalled says whether a source file came with the system, with a compiler or with
// software that is installed or was fetched: nobody edits it. Both paths are clean. unit is the file
// that was compiled; projects too may stand in /opt, and what is in the same
// directory of it as the unit, at any depth, is the project's.
func IsInstalled(file, unit string) bool {
	if fetched.MatchString(file) && !fetched.MatchString(unit) {
		return true
	}
	for _, p := range installPrefixes {
		if below, ok := strings.CutPrefix(file, p); ok {
			unitBelow, beside := strings.CutPrefix(unit, p)
			return !beside || firstPart(below) != firstPart(unitBelow)
		}
	}
	return false
}

// firstPart is a path's first directory, "" where it has none.
func firstPart(path string) string {
	dir, _, ok := strings.Cut(path, "/")
	if !ok {
		return ""
	}
	return dir
}

var packagedBinary = regexp.MustCompile(`^(/usr)?/(s?bin|games|lib(exec|32|64|x32)?)/|/(site|dist)-packages/|/node_modules/|/gems/.*\.so$`)

// IsPackaged says whether a binary is a library or a program that comes with a system or
// in a package: whoever runs it did not build it.
func IsPackaged(binary string) bool { return packagedBinary.MatchString(binary) }
