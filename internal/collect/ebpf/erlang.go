package ebpf

import (
	"debug/elf"
	numbers "encoding/binary"
	"fmt"
	"os"
	"path"
	"strings"
	"syscall"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/process"
)

// A stack of an Erlang process has its own memory, and at its root the address of code that
// ends the process: no call has put it there, and no frame is beyond it. The emulator makes
// that code when it starts, and has the address in a variable that it exports.
const (
	erlangPrefix = "beam"
	erlangRoot   = "beam_normal_exit"
)

// erlangs are the roots of stacks by process; 0 where there is none.
type erlangs map[uint32]uint64

// isRoot tells whether a frame of generated code is the root of a stack.
func (e erlangs) isRoot(pid uint32, program string, address uint64) bool {
	if !strings.HasPrefix(path.Base(program), erlangPrefix) {
		return false
	}
	root, known := e[pid]
	if !known {
		root, _ = erlangRootOf(pid) // it has ended, or is another program of that name
		e[pid] = root
	}
	return root != 0 && address == root-1 // return addresses come less one
}

// erlangRootOf reads the variable of a running emulator.
func erlangRootOf(pid uint32) (uint64, error) {
	exe := fmt.Sprintf("/proc/%d/exe", pid)
	file, err := elf.Open(exe)
	if err != nil {
		return 0, fmt.Errorf("reading the emulator: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	address, err := addressOf(file, erlangRoot)
	if err != nil {
		return 0, err
	}
	bias, err := biasOf(pid, file)
	if err != nil {
		return 0, err
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return 0, fmt.Errorf("reading the emulator's memory: %w", err)
	}
	defer memory.Close() //nolint:errcheck // likewise
	var b [8]byte
	if _, err := memory.ReadAt(b[:], int64(address+bias)); err != nil {
		return 0, fmt.Errorf("reading the emulator's memory: %w", err)
	}
	return numbers.LittleEndian.Uint64(b[:]), nil
}

// addressOf is that of an exported variable.
func addressOf(file *elf.File, name string) (uint64, error) {
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return 0, fmt.Errorf("reading the emulator: %w", err)
	}
	for i := range symbols {
		if symbols[i].Name == name && symbols[i].Section != elf.SHN_UNDEF {
			return symbols[i].Value, nil
		}
	}
	return 0, fmt.Errorf("it has no %s", name)
}

// biasOf is how far from its own addresses a process has its program.
func biasOf(pid uint32, file *elf.File) (uint64, error) {
	if file.Type != elf.ET_DYN {
		return 0, nil
	}
	own, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return 0, fmt.Errorf("reading the emulator: %w", err)
	}
	id, ok := own.Sys().(*syscall.Stat_t)
	var start, offset uint64
	found := false
	p := process.New(libpf.PID(pid), libpf.PID(pid))
	_, err = p.IterateMappings(func(m process.RawMapping) bool {
		if ok && m.Inode == id.Ino && !found {
			start, offset, found = m.Vaddr, m.FileOffset, true
		}
		return true
	})
	if !found {
		return 0, fmt.Errorf("finding the emulator in its process: %w", err)
	}
	for _, s := range file.Progs {
		if s.Type == elf.PT_LOAD && s.Off <= offset && offset < s.Off+s.Filesz {
			return start - (s.Vaddr + offset - s.Off), nil
		}
	}
	return 0, fmt.Errorf("the emulator has no segment at %#x", offset)
}
