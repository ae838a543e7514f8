package ebpf

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect/framepointer"
)

// mapProgram maps the code of a program and of the libraries that it will load
// into this process, so that the profiler, which looks at processes, can read
// their unwind tables before the program runs. Nothing of it is executed. What
// cannot be mapped is left out: it is then learned when it runs.
func mapProgram(name string) (unmap func(), mapped bool) {
	files, _ := framepointer.Loaded(name) // with an error, what was found is still of use
	var areas [][]byte
	for _, path := range files {
		more, err := mapCode(path)
		areas = append(areas, more...)
		if err != nil {
			break
		}
	}
	for _, path := range loadedLater(files) {
		more, _ := mapCode(path) // this version of the runtime has it elsewhere
		areas = append(areas, more...)
	}
	return func() {
		for _, a := range areas {
			_ = unix.Munmap(a) // what stays mapped is address space
		}
	}, len(areas) > 0
}

// loadedLater lists what a runtime loads by itself, and no table of its program names: the
// virtual machine of Java, whose unwind tables are the largest of what a command of it runs,
// and its libraries. Until they are made, nothing that the process has loaded is known.
func loadedLater(files []string) (more []string) {
	if len(files) == 0 {
		return nil
	}
	program, err := filepath.EvalSymlinks(files[0])
	if err != nil || filepath.Base(program) != "java" {
		return nil
	}
	lib := filepath.Join(filepath.Dir(filepath.Dir(program)), "lib")
	for _, name := range []string{"server/libjvm.so", "libjava.so", "libjimage.so", "libzip.so", "libnio.so", "libnet.so"} {
		more = append(more, filepath.Join(lib, name))
	}
	return more
}

// mapCode maps the executable segments of an ELF file.
func mapCode(path string) (areas [][]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a library: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	bin, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	page := uint64(os.Getpagesize())
	for _, segment := range bin.Progs {
		if segment.Type != elf.PT_LOAD || segment.Flags&elf.PF_X == 0 || segment.Filesz == 0 {
			continue
		}
		start := segment.Off &^ (page - 1)
		area, err := unix.Mmap(int(f.Fd()), int64(start), int(segment.Off+segment.Filesz-start), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
		if err != nil {
			return areas, fmt.Errorf("mapping %s: %w", path, err)
		}
		areas = append(areas, area)
	}
	return areas, nil
}
