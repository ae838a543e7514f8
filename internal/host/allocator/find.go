package allocator

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/host/ldso"
)

// Library is a shared object that can be preloaded.
type Library struct {
	Name string // as the user named it: "mimalloc" or the base name of a path
	Path string // absolute
}

// MissingError says that a library is not on this machine and how to get it.
type MissingError struct {
	Name    string
	Install string // "" for a name that is not in the table
}

func (e *MissingError) Error() string {
	if e.Install == "" {
		return fmt.Sprintf("no library %q on this machine: known names are %s; anything else needs a path to its .so",
			e.Name, strings.Join(Names(), ", "))
	}
	return fmt.Sprintf("%s is not installed: %s; `whyhot doctor` lists the allocators that are", e.Name, e.Install)
}

// Names are the allocators that Find knows by name, sorted.
func Names() []string {
	var names []string
	for i := range table {
		if table[i].Preloadable() {
			names = append(names, table[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

// Finder looks libraries up under a root directory, "/" on a real machine.
type Finder struct {
	root string
	dirs []string
}

// NewFinder reads the loader's configuration once.
func NewFinder() *Finder { return newFinder("/") }

func newFinder(root string) *Finder {
	return &Finder{root: root, dirs: ldso.Dirs(root)}
}

// Find returns the library of that name or path for programs of this machine's
// type. A name is one of Names, or the soname of any library in the loader's
// directories ("libfoo.so.1"). A path must be a shared object.
func (f *Finder) Find(name string) (Library, error) {
	switch {
	case name == "":
		return Library{}, errors.New("empty name of a library to preload")
	case strings.ContainsRune(name, '/'):
		return fromPath(name)
	case strings.ContainsAny(name, " :"):
		return Library{}, fmt.Errorf("%q: the loader takes spaces and colons in LD_PRELOAD for separators", name)
	}
	entry, known := ByName(strings.ToLower(name))
	dirs := f.dirs
	if known && entry.Preloadable() {
		name = strings.ToLower(name)
		for _, d := range entry.dirs {
			more, _ := filepath.Glob(filepath.Join(f.root, d))
			dirs = append(slices.Clone(dirs), more...)
		}
	} else {
		if !strings.Contains(name, ".so") {
			return Library{}, &MissingError{Name: name}
		}
		entry.globs = []string{globEscape(name)}
	}
	for _, g := range entry.globs {
		for _, d := range dirs {
			if path := newest(filepath.Join(d, g)); path != "" {
				return Library{Name: name, Path: path}, nil
			}
		}
	}
	return Library{}, &MissingError{Name: name, Install: entry.install}
}

// newest is the usable match of a glob with the highest version.
func newest(glob string) string {
	matches, _ := filepath.Glob(glob)
	slices.SortFunc(matches, func(a, b string) int { return compareVersions(b, a) })
	// A short soname link (libx.so.2) is steadier than the file it points to
	// (libx.so.2.0); both are the same library.
	slices.SortStableFunc(matches, func(a, b string) int {
		if sameFile(a, b) {
			return cmp.Compare(len(a), len(b))
		}
		return 0
	})
	for _, m := range matches {
		if checkShared(m) == nil {
			return m
		}
	}
	return ""
}

func sameFile(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}

// compareVersions orders names by their numbers: libx.so.10 after libx.so.9.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		c := cmp.Compare(as[i], bs[i])
		if errX == nil && errY == nil {
			c = cmp.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

func fromPath(path string) (Library, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Library{}, fmt.Errorf("library %s: %w", path, err)
	}
	if strings.ContainsAny(abs, " :") {
		return Library{}, fmt.Errorf("library %q: the loader takes spaces and colons in LD_PRELOAD for separators; use a path without them", abs)
	}
	if err := checkShared(abs); err != nil {
		return Library{}, fmt.Errorf("library %s: %w", path, err)
	}
	return Library{Name: filepath.Base(abs), Path: abs}, nil
}

// checkShared says why a file is no shared object of this machine's type.
func checkShared(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return err
		}
		return fmt.Errorf("not a shared library: %w", err)
	}
	defer func() { _ = f.Close() }()
	if f.Type != elf.ET_DYN {
		return fmt.Errorf("not a shared library (ELF type %s)", f.Type)
	}
	if want, ok := hostMachine(); ok && (f.Machine != want.machine || f.Class != want.class) {
		return fmt.Errorf("built for %s %s, this machine runs %s", f.Machine, f.Class, want.machine)
	}
	return nil
}

type machine struct {
	machine elf.Machine
	class   elf.Class
}

func hostMachine() (machine, bool) {
	m, ok := map[string]machine{
		"amd64":   {elf.EM_X86_64, elf.ELFCLASS64},
		"arm64":   {elf.EM_AARCH64, elf.ELFCLASS64},
		"386":     {elf.EM_386, elf.ELFCLASS32},
		"arm":     {elf.EM_ARM, elf.ELFCLASS32},
		"riscv64": {elf.EM_RISCV, elf.ELFCLASS64},
		"ppc64le": {elf.EM_PPC64, elf.ELFCLASS64},
		"s390x":   {elf.EM_S390, elf.ELFCLASS64},
		"loong64": {elf.EM_LOONGARCH, elf.ELFCLASS64},
	}[runtime.GOARCH]
	return m, ok
}

func globEscape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}
