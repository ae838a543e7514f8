package allocator

import (
	"regexp"
	"slices"
)

// Allocator is one replacement of malloc: all that this program knows of it. The
// catalogue's entries speak of the same ones; a test of internal/explain/catalog
// holds their names and packages against this table.
type Allocator struct {
	Name string // that people use

	// The library to preload, where there is one.
	Package string   // of Debian, "" where it has none
	install string   // how to get it
	globs   []string // file names, the preferred one first
	dirs    []string // globs of directories that the loader does not search

	// Linking it into a program: -lLink, from the Debian package DevPackage; ""
	// where that is not known.
	Link, DevPackage string

	// How it is told in a binary. Mallocs are what its malloc is called where it
	// is not called malloc; Symbols and Prefixes are other functions that only it
	// has, and Text is what only it prints, for binaries without symbols. Version
	// finds its version in the constants.
	Mallocs, Symbols, Prefixes []string

	Text    string
	Version *regexp.Regexp
}

// table holds the allocators in the order in which a binary is asked for them.
// Among the globs, development links (libx.so) come last, since they may point
// anywhere.
var table = []Allocator{
	{
		Name:    "jemalloc",
		Package: "libjemalloc2",
		install: "apt-get install libjemalloc2 (Debian, Ubuntu); Fedora, Arch: jemalloc",
		globs:   []string{"libjemalloc.so.[0-9]*", "libjemalloc.so"},
		Link:    "jemalloc", DevPackage: "libjemalloc-dev",
		Mallocs:  []string{"je_malloc", "rje_malloc", "_rjem_malloc"},
		Symbols:  []string{"mallctl", "mallctlnametomib", "je_mallctl", "_rjem_mallctl", "_rjem_je_mallctl", "jemalloc_mallctl"},
		Prefixes: []string{"je_arena_", "_rjem_je_arena_"},
		Text:     "<jemalloc>: ",
		Version:  regexp.MustCompile(`\b(\d+\.\d+\.\d+)-\d+-g[0-9a-f]{40}\b`),
	},
	{
		Name:    "mimalloc",
		Package: "libmimalloc2.0",
		install: "apt-get install libmimalloc2.0 (Debian 12, Ubuntu); Fedora, Arch: mimalloc",
		globs:   []string{"libmimalloc.so.[0-9]*", "libmimalloc.so"},
		dirs:    []string{"/usr/lib/*/mimalloc-*", "/usr/local/lib/mimalloc-*"},
		Link:    "mimalloc", DevPackage: "libmimalloc-dev",
		Mallocs: []string{"mi_malloc"},
		Symbols: []string{"_mi_malloc_generic", "mi_heap_malloc", "mi_process_init"},
		Text:    "mimalloc: warning: ",
	},
	{
		Name:    "tcmalloc",
		Package: "libtcmalloc-minimal4",
		install: "apt-get install libtcmalloc-minimal4 (Debian 12, Ubuntu); Fedora: gperftools-libs; Arch: gperftools",
		globs:   []string{"libtcmalloc_minimal.so.[0-9]*", "libtcmalloc_minimal.so", "libtcmalloc.so.[0-9]*", "libtcmalloc.so"},
		Link:    "tcmalloc_minimal", DevPackage: "libgoogle-perftools-dev",
		Mallocs:  []string{"tc_malloc"},
		Symbols:  []string{"tc_new", "TCMallocInternalMalloc"},
		Prefixes: []string{"_ZN8tcmalloc"},
		Text:     "TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES",
		Version:  regexp.MustCompile(`gperftools (\d+\.\d+(?:\.\d+)?)`),
	},
	{
		Name:     "snmalloc",
		install:  "build it from https://github.com/microsoft/snmalloc and give the path of libsnmallocshim.so",
		globs:    []string{"libsnmallocshim.so*", "libsnmallocshim-*.so"},
		Mallocs:  []string{"sn_malloc"},
		Symbols:  []string{"sn_rust_alloc"},
		Prefixes: []string{"_ZN8snmalloc"},
	},
	{
		Name:    "rpmalloc",
		Mallocs: []string{"rpmalloc"},
		Symbols: []string{"rpmalloc_initialize"},
	},
	{
		Name:     "scudo",
		install:  "apt-get install libclang-rt-19-dev (Debian, Ubuntu: the number of your LLVM); Fedora, Arch: compiler-rt",
		globs:    []string{"libscudo.so*", "libclang_rt.scudo_standalone*.so"},
		dirs:     []string{"/usr/lib/llvm-*/lib/clang/*/lib/linux", "/usr/lib/clang/*/lib/linux", "/usr/lib/clang/*/lib/*"},
		Prefixes: []string{"__scudo_", "_ZN5scudo"},
		Text:     "Scudo ERROR: ",
	},
	{
		Name:     "hoard",
		install:  "build it from https://github.com/emeryberger/Hoard and give the path of libhoard.so",
		globs:    []string{"libhoard.so*"},
		Prefixes: []string{"_ZN5Hoard"},
	},
}

// Known are the allocators that this program knows, in the order in which a
// binary is asked for them.
func Known() []Allocator { return slices.Clone(table) }

// ByName is the allocator of a name.
func ByName(name string) (Allocator, bool) {
	i := slices.IndexFunc(table, func(a Allocator) bool { return a.Name == name })
	if i < 0 {
		return Allocator{}, false
	}
	return table[i], true
}

// Preloadable says whether there is a library to preload.
func (a *Allocator) Preloadable() bool { return len(a.globs) > 0 }

// Libraries are the patterns of its library's file name, as filepath.Match takes
// them.
func (a *Allocator) Libraries() []string { return slices.Clone(a.globs) }
