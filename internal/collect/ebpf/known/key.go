package known

import (
	"errors"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"go.opentelemetry.io/ebpf-profiler/support"
)

// The profiler's key and value of a process as a whole: the page is 0 in it, and as many
// bits of it count as it has.
const (
	keySize   = uint32(unsafe.Sizeof(support.PIDPage{}))
	valueSize = uint32(unsafe.Sizeof(support.PIDPageMappingInfo{}))
	keyBits   = 8 * int64(unsafe.Sizeof(support.PIDPage{}.Pid)+unsafe.Sizeof(support.PIDPage{}.Page))
)

// Places of a key and a value in a program's stack, from its end.
const (
	key     = -int16(unsafe.Sizeof(support.PIDPage{}))
	keyPID  = key + int16(unsafe.Offsetof(support.PIDPage{}.Pid))
	keyPage = key + int16(unsafe.Offsetof(support.PIDPage{}.Page))
	value   = key - int16(unsafe.Sizeof(support.PIDPageMappingInfo{}))
)

// wholeProcess fills all of a key but the process. It uses register 1.
func wholeProcess() asm.Instructions {
	return asm.Instructions{
		asm.StoreImm(asm.RFP, key, keyBits, asm.Word),
		asm.Mov.Imm(asm.R1, 0),
		asm.StoreMem(asm.RFP, keyPage, asm.R1, asm.DWord),
	}
}

// keyOf puts a process into the key. It uses register 1.
func keyOf(pid asm.Register) asm.Instructions {
	return asm.Instructions{
		asm.Mov.Reg(asm.R1, pid),
		asm.HostTo(asm.BE, asm.R1, asm.Word),
		asm.StoreMem(asm.RFP, keyPID, asm.R1, asm.Word),
	}
}

// hasForm tells whether a map is the profiler's map of known processes as it is meant here.
func hasForm(known *ebpf.Map) bool {
	return known != nil && known.KeySize() == keySize && known.ValueSize() == valueSize
}

var errForm = errors.New("this version of the profiler keeps processes in another form")
