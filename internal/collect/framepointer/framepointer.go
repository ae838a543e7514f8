// Package framepointer tells whether a stack can be walked by frame pointers in
// the code of a program and of the libraries that it loads.
//
// It owns the judgement, taken from the call frame information: a function
// keeps a frame pointer when its canonical frame address is at some point
// computed from that register. It takes paths of ELF files or a process ID and
// gives a Verdict. It must never import a sampler.
package framepointer

import (
	"debug/elf"
	"fmt"
	"path/filepath"

	"whyhot/internal/collect/codemap"
	"whyhot/internal/elfinfo/cfi"
	"whyhot/internal/elfinfo/elffile"
)

// enough is the share of a file's code, by bytes, that must keep frame
// pointers. Distributions that build with them still have hand-written assembly
// (string functions, ciphers); those that do not have a few per cent at most.
const enough = 0.75

// smallestFunction is the size below which a function says nothing: compilers
// leave the frame pointer out of trivial leaves whatever the flags.
const smallestFunction = 32

// largestFunction is more than any: a longer one is a damaged table.
const largestFunction = 1 << 32

// Verdict is the answer for a program with its libraries.
type Verdict struct {
	Walkable bool
	Because  string // one line for the user
}

// File says what share of an ELF file's code keeps frame pointers. Known is
// false when the file has no table to judge by.
func File(path string) (share float64, known bool, err error) {
	f, err := elffile.Open(path)
	if err != nil {
		return 0, false, fmt.Errorf("reading %s: %w", path, err)
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing can be lost
	err = elffile.Guard(path, func() error {
		share, known = fileShare(f)
		return nil
	})
	return share, known, err
}

func fileShare(f *elffile.File) (share float64, known bool) {
	if IsGo(f) && f.Interpreter() == "" {
		return 1, true // statically linked; the Go compiler has kept frame pointers since 1.7 on amd64, 1.12 on arm64
	}
	register, ok := framePointerRegister(f.Header.Machine)
	section := cfi.Exception(f)
	if section == nil || !ok {
		return 0, false
	}
	with, all := scan(section, register)
	if all == 0 {
		return 1, true // a stub without code of its own cannot break a stack
	}
	return float64(with) / float64(all), true
}

// framePointerRegister gives the DWARF number of the register that holds the
// frame pointer by the platform's calling convention.
func framePointerRegister(m elf.Machine) (uint64, bool) {
	switch m { //nolint:exhaustive // the machines that samples can be unwound on
	case elf.EM_X86_64:
		return 6, true // rbp
	case elf.EM_AARCH64:
		return 29, true
	}
	return 0, false
}

// IsGo tells whether the Go toolchain linked the file.
func IsGo(f *elffile.File) bool {
	return f.Section(".gopclntab") != nil || f.Section(".note.go.buildid") != nil
}

// Program judges a program that is about to be started.
func Program(path string) Verdict {
	files, err := Loaded(path)
	if err != nil {
		return Verdict{Because: err.Error()}
	}
	return verdict(files)
}

// Process judges what a running process has mapped.
func Process(pid int) Verdict {
	regions, err := codemap.Of(pid)
	if err != nil {
		return Verdict{Because: "its memory map cannot be read"}
	}
	root := fmt.Sprintf("/proc/%d/root", pid)
	var files []string
	for _, path := range codemap.Files(regions) {
		files = append(files, filepath.Join(root, path))
	}
	return verdict(files)
}

func verdict(files []string) Verdict {
	if len(files) == 0 {
		return Verdict{Because: "it runs no ELF file"}
	}
	for _, path := range files {
		share, known, err := File(path)
		switch {
		case err != nil || !known:
			return Verdict{Because: filepath.Base(path) + " does not tell whether it keeps frame pointers"}
		case share < enough:
			return Verdict{Because: filepath.Base(path) + " was built without frame pointers"}
		}
	}
	return Verdict{Walkable: true, Because: filepath.Base(files[0]) + " and its libraries keep frame pointers"}
}
