package preload

import (
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/collect"
	"whyhot/internal/collect/framepointer"
	"whyhot/internal/collect/remedy"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/ldso"
)

var libraryPackage = remedy.Package{
	"debian": "libgoogle-perftools4", "ubuntu": "libgoogle-perftools4", "fedora": "gperftools-libs",
	"rhel": "gperftools-libs", "suse": "libprofiler0", "arch": "gperftools",
	"": "install gperftools (its libprofiler.so.0)",
}

// findLibrary looks for a libprofiler for the given machine, in LD_LIBRARY_PATH
// first.
func findLibrary(machine elf.Machine) (string, error) {
	dirs := append(ldso.Environment(), ldso.Dirs("/")...)
	for _, name := range []string{"libprofiler.so.0", "libtcmalloc_and_profiler.so.4"} {
		if path, ok := ldso.Find(name, dirs, machine); ok {
			return path, nil
		}
	}
	return "", &collect.UnavailableError{
		Sampler: Name, Missing: "gperftools' libprofiler.so.0 is not installed", Remedy: remedy.Install(libraryPackage),
	}
}

// checkProgram says why a library cannot be loaded into the program, or gives
// the machine that it is built for.
func checkProgram(name string) (elf.Machine, error) {
	path, err := framepointer.Executable(name)
	if err != nil {
		return 0, err
	}
	refuse := func(why string) error {
		return &collect.UnavailableError{
			Sampler: Name, Missing: filepath.Base(path) + " " + why,
			Remedy: "record it with --sampler perf",
		}
	}
	f, err := elffile.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return 0, refuse("cannot be read, so it is not known whether a library can be loaded into it")
	}
	if err != nil {
		return 0, refuse("is not an ELF program")
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing can be lost
	interpreter := f.Interpreter()
	switch {
	case framepointer.IsGo(f):
		return 0, refuse("is a Go program, which handles the profiling signal itself")
	case interpreter == "":
		return 0, refuse("is statically linked, so nothing can be loaded into it")
	case f.Header.Class != elf.ELFCLASS64:
		return 0, refuse("is a 32-bit program and the profiler library a 64-bit one")
	case gainsPrivileges(path):
		return 0, refuse("is set-user-ID, for which the dynamic linker ignores preloaded libraries")
	}
	if strings.Contains(interpreter, "ld-musl") {
		return 0, refuse("is linked against musl, gperftools against glibc")
	}
	return f.Header.Machine, nil
}

func gainsPrivileges(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 && os.Geteuid() != 0
}
