package framepointer

import "whyhot/internal/elfinfo/cfi"

// scan adds up the code bytes of all functions and of those whose canonical
// frame address is ever computed from the given register. What cannot be read is
// in neither sum.
func scan(s *cfi.Section, register uint64) (with, all uint64) {
	for f := range s.All() {
		size := f.High - f.Low
		if size < smallestFunction || size > largestFunction {
			continue
		}
		switch judge(&f, register) {
		case keeps:
			with += size
			all += size
		case omits:
			all += size
		case saysNothing:
		}
	}
	return with, all
}

type judgement int

const (
	omits judgement = iota
	keeps
	// saysNothing is for linker-made stubs (their frame address is an
	// expression) and for outermost frames (their return address is undefined).
	saysNothing
)

// judge tells whether the call frame instructions of a function ever compute the
// canonical frame address from the register.
func judge(f *cfi.FDE, register uint64) judgement {
	program := f.Instructions()
	for in := (cfi.Instruction{}); program.Next(&in); {
		switch in.Op { //nolint:exhaustive // the others say nothing of the frame address
		case cfi.DefCFA, cfi.DefCFASF, cfi.DefCFARegister:
			if in.Register == register {
				return keeps
			}
		case cfi.Undefined, cfi.DefCFAExpression:
			return saysNothing
		}
	}
	return omits
}
