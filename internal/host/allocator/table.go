package allocator

// allocator is one drop-in malloc by the name that people use for it. Globs are
// file names, the preferred one first; development links (libx.so) come last,
// since they may point anywhere.
type allocator struct {
	globs   []string
	dirs    []string // globs of directories that the loader does not search
	install string   // how to get it
}

// allocators holds the names that --preload knows beside paths. Package names
// are those of the distributions' own archives.
var allocators = map[string]allocator{
	"mimalloc": {
		globs:   []string{"libmimalloc.so.[0-9]*", "libmimalloc.so"},
		dirs:    []string{"/usr/lib/*/mimalloc-*", "/usr/local/lib/mimalloc-*"},
		install: "apt-get install libmimalloc2.0 (Debian 12, Ubuntu); Fedora, Arch: mimalloc",
	},
	"jemalloc": {
		globs:   []string{"libjemalloc.so.[0-9]*", "libjemalloc.so"},
		install: "apt-get install libjemalloc2 (Debian, Ubuntu); Fedora, Arch: jemalloc",
	},
	"tcmalloc": {
		globs:   []string{"libtcmalloc_minimal.so.[0-9]*", "libtcmalloc_minimal.so", "libtcmalloc.so.[0-9]*", "libtcmalloc.so"},
		install: "apt-get install libtcmalloc-minimal4 (Debian 12, Ubuntu); Fedora: gperftools-libs; Arch: gperftools",
	},
	"snmalloc": {
		globs:   []string{"libsnmallocshim.so*", "libsnmallocshim-*.so"},
		install: "build it from https://github.com/microsoft/snmalloc and give the path of libsnmallocshim.so",
	},
	"hoard": {
		globs:   []string{"libhoard.so*"},
		install: "build it from https://github.com/emeryberger/Hoard and give the path of libhoard.so",
	},
	"scudo": {
		globs:   []string{"libscudo.so*", "libclang_rt.scudo_standalone*.so"},
		dirs:    []string{"/usr/lib/llvm-*/lib/clang/*/lib/linux", "/usr/lib/clang/*/lib/linux", "/usr/lib/clang/*/lib/*"},
		install: "apt-get install libclang-rt-19-dev (Debian, Ubuntu: the number of your LLVM); Fedora, Arch: compiler-rt",
	},
}
