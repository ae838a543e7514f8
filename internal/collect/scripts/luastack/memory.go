package luastack

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// Memory is the memory of a process, by address.
type Memory interface {
	io.ReaderAt
	io.Closer
}

// Open gives the memory of a process. It needs the right to trace the process.
func Open(pid uint32) (Memory, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, fmt.Errorf("opening the memory of process %d: %w", pid, err)
	}
	return f, nil
}

// lowest is below every address that can be mapped.
const lowest = 4096

// bytes reads; false where there is nothing to be read.
func (r *Reader) bytes(at uint64, into []byte) bool {
	if at < lowest || at > 1<<56 {
		return false
	}
	n, err := r.memory.ReadAt(into, int64(at))
	return err == nil && n == len(into)
}

func word(b []byte, at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }

func number(b []byte, at int) int { return int(int32(binary.NativeEndian.Uint32(b[at:]))) }
