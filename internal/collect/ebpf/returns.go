package ebpf

import (
	"fmt"
	"os"

	"go.opentelemetry.io/ebpf-profiler/libpf"

	"whyhot/internal/collect/ebpf/generated"
)

// Generated code that keeps no frame pointers leaves some other number where they would be.
// The kernel part follows it where it leads into memory, and may find an address of code
// there: of a function in a table, say, that has called nothing. It is no return address
// unless a call is before it.

// returns knows which addresses follow a call.
type returns struct {
	known map[returnKey]bool
	files *files
}

type returnKey struct {
	pid     uint32 // of generated code
	file    libpf.FileID
	address uint64
}

func newReturns(f *files) *returns { return &returns{known: map[returnKey]bool{}, files: f} }

// maxReturns bounds what is remembered, for recordings without end.
const maxReturns = 1 << 16

// refutes tells whether what should be a return address, less one, certainly is none.
// Memory that cannot be read refutes nothing.
func (r *returns) refutes(pid uint32, f *libpf.Frame) bool {
	if f.Type.Interpreter() != libpf.Native {
		return false
	}
	key := returnKey{pid: pid, address: uint64(f.AddressOrLineno)}
	read := r.fromProcess
	if f.Mapping.Valid() {
		key = returnKey{file: f.Mapping.Value().File.Value().FileID, address: key.address}
		read = r.fromFile
	}
	refuted, known := r.known[key]
	if known {
		return refuted
	}
	var code [generated.CallBytes]byte
	refuted = read(pid, f, code[:]) && !generated.AfterCall(code[:])
	if len(r.known) >= maxReturns {
		clear(r.known)
	}
	r.known[key] = refuted
	return refuted
}

// fromProcess reads the bytes before a return address in generated code.
func (r *returns) fromProcess(pid uint32, f *libpf.Frame, code []byte) bool {
	address, ok := generatedAt(f)
	if !ok {
		return false
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return false
	}
	defer memory.Close() //nolint:errcheck // only read
	_, err = memory.ReadAt(code, int64(address)+1-int64(len(code)))
	return err == nil
}

// fromFile reads those before one in a binary.
func (r *returns) fromFile(_ uint32, f *libpf.Frame, code []byte) bool {
	m := f.Mapping.Value()
	at := int64(f.AddressOrLineno) - int64(m.Start) + int64(m.FileOffset) + 1 - int64(len(code))
	return at >= 0 && r.files.readAt(m.File.Value().FileID, code, at)
}
