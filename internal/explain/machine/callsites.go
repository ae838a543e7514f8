package machine

import (
	coding "encoding/binary" // this package has a type binary

	"whyhot/internal/elfinfo/elffile"
)

// Direct calls and jumps have an opcode and the distance from their end.
const (
	callOpcode, jumpOpcode = 0xe8, 0xe9
	relative               = 5
)

// target is where the direct call or jump at an address goes.
func target(file *elffile.File, at uint64, opcode byte) (to uint64, ok bool) {
	code := file.At(at, relative)
	if len(code) != relative || code[0] != opcode {
		return 0, false
	}
	return follow(code, at), true
}

// follow is where a call or jump at an address goes.
func follow(code []byte, at uint64) uint64 {
	return at + relative + uint64(int64(int32(coding.LittleEndian.Uint32(code[1:])))) //nolint:gosec // a distance is signed
}

// callSites counts, by binary and entry, the direct calls and jumps of a function.
type callSites map[*elffile.File]map[uint64]int

func (c callSites) of(file *elffile.File, entry uint64) int {
	counts, known := c[file]
	if !known {
		counts = map[uint64]int{}
		for _, r := range file.CodeRanges() {
			code := file.At(r.Low, r.High-r.Low)
			for n := 0; n+relative <= len(code); n++ {
				if code[n] == callOpcode || code[n] == jumpOpcode {
					counts[follow(code[n:], r.Low+uint64(n))]++ //nolint:gosec // n is not negative
				}
			}
		}
		c[file] = counts
	}
	return counts[entry]
}

// endsIn says whether the code at an address jumps to a function: the last call of what
// that one does, which leaves no frame of its own.
func endsIn(file *elffile.File, code, entry uint64) bool {
	const far = 256 // bytes in which the jump is looked for
	for at := code; at < code+far; at++ {
		if to, ok := target(file, at, jumpOpcode); ok && to == entry {
			return true
		}
	}
	return false
}
