package framepointer

import (
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/host/environ"
	"whyhot/internal/host/ldso"
)

// Executable follows #! lines from a script to the ELF file that runs it.
func Executable(name string) (string, error) {
	chain, err := environ.Programs(nil, "", name)
	if err != nil {
		return "", err
	}
	return chain[len(chain)-1], nil
}

// Loaded lists a program and the libraries that the dynamic linker will load
// with it, as far as its own search rules are followed here: RUNPATH/RPATH with
// $ORIGIN, LD_LIBRARY_PATH, the standard directories. With an error it gives what
// was found until then.
func Loaded(name string) ([]string, error) {
	program, err := Executable(name)
	if err != nil {
		return nil, err
	}
	files := []string{program}
	for i := 0; i < len(files); i++ {
		needed, err := neededBy(files[i])
		if err != nil {
			return files, err
		}
		for _, lib := range needed {
			if !slices.Contains(files, lib) {
				files = append(files, lib)
			}
		}
	}
	return files, nil
}

func neededBy(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s is not an ELF file", filepath.Base(path))
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing can be lost
	names, err := f.ImportedLibraries()
	if err != nil {
		if errors.Is(err, elf.ErrNoSymbols) {
			return nil, nil
		}
		return nil, fmt.Errorf("%s: its needed libraries cannot be read: %w", filepath.Base(path), err)
	}
	dirs := searchDirs(f, filepath.Dir(path))
	var found []string
	for _, name := range names {
		lib, ok := ldso.Find(name, dirs, f.Machine)
		if !ok {
			return nil, fmt.Errorf("its library %s was not found", name)
		}
		if target, err := filepath.EvalSymlinks(lib); err == nil {
			lib = target
		}
		found = append(found, lib)
	}
	return found, nil
}

func searchDirs(f *elf.File, origin string) []string {
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		values, _ := f.DynString(tag) // an unreadable table shows up as a library that is not found
		for _, v := range values {
			v = strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(v)
			dirs = append(dirs, filepath.SplitList(v)...)
		}
	}
	return slices.Concat(dirs, ldso.Environment(), ldso.Dirs("/"))
}
