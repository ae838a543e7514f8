package symbol

import (
	"path"
	"regexp"
	"strings"

	"whyhot/internal/profile"
)

// class is the kind of source that names the code of a mapping.
type class uint8

const (
	classUnknown class = iota
	classFile
	classKernel
	classVDSO
	classJIT
	classNowhere
)

// perfMapName is how perf and its relatives name the generated code of a process.
var perfMapName = regexp.MustCompile(`(?:^|/)perf-(\d+)\.map$`)

// anonymous are the names that the kernel gives to memory without a file.
var anonymous = []string{"//anon", "[anon", "[heap]", "[stack", "/dev/zero", "/anon_hugepage", "/SYSV", "/memfd:", "[JIT]", "anon_inode:"}

func classify(name string, kind profile.Kind) class {
	switch {
	case strings.HasPrefix(name, "[guest") || name == "[hypervisor]" || name == "[vsyscall]":
		return classNowhere
	case kind == profile.KindKernel || strings.HasPrefix(name, "[kernel") || moduleName(name) != "" && strings.HasPrefix(name, "/"):
		return classKernel
	case kind == profile.KindVDSO || strings.HasPrefix(name, "[vdso") || path.Base(name) == "linux-vdso.so.1":
		return classVDSO
	case perfMapName.MatchString(name) || kind == profile.KindJIT:
		return classJIT
	case name == "":
		return classUnknown
	}
	for _, prefix := range anonymous {
		if strings.HasPrefix(name, prefix) {
			return classJIT
		}
	}
	if strings.HasPrefix(name, "[") {
		return classNowhere
	}
	return classFile
}

var moduleFile = regexp.MustCompile(`\.ko(\.(gz|xz|zst))?$`)

// moduleName is the kernel module that a mapping is, "" for none: the kernel
// writes "[nf_tables]", perf the path of the file.
func moduleName(name string) string {
	if inner, ok := strings.CutPrefix(name, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if !ok || strings.HasPrefix(inner, "kernel.") || inner == "kernel" {
			return ""
		}
		return strings.ReplaceAll(inner, "-", "_")
	}
	base := path.Base(name)
	if loc := moduleFile.FindStringIndex(base); loc != nil {
		return strings.ReplaceAll(base[:loc[0]], "-", "_")
	}
	return ""
}
