package known

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"whyhot/internal/collect/bpf"
)

// Space is how many bytes at the beginning of its stack a program leaves to Only.
const Space = -key

// Only goes on for processes that the profiler knows, and else to a symbol: for a recording of
// some processes these are the ones that are recorded, in m, its map of them. The register has
// process << 32 | thread, and is none of 0 to 5, which Only uses.
func Only(m int, task asm.Register, otherwise string) asm.Instructions {
	const half = 32
	code := bpf.Code(wholeProcess())
	code.Do(asm.Mov.Reg(asm.R2, task), asm.RSh.Imm(asm.R2, half))
	code.Do(keyOf(asm.R2)...)
	code.Lookup(m, key, otherwise)
	return asm.Instructions(code)
}

// Form is the error that the profiler's map of processes has another form than Only takes, nil
// where it has not.
func Form(m *ebpf.Map) error {
	if !hasForm(m) {
		return errForm
	}
	return nil
}
