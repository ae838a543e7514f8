package abi

// Where the kernel keeps the registers of a program (struct pt_regs of x86-64).
const (
	r15 = 0
	r14 = 8
	r13 = 16
	r12 = 24
	rbp = 32
	rbx = 40
	r11 = 48
	r10 = 56
	r9  = 64
	r8  = 72
	rax = 80
	rcx = 88
	rdx = 96
	rsi = 104
	rdi = 112
	rsp = 152
)

const wordSize = 8

// all are the bits of a number of a size.
func all(size int64) uint64 {
	if size <= 0 || size >= wordSize {
		return ^uint64(0)
	}
	return 1<<(8*size) - 1 //nolint:mnd // bits of a byte
}

// registers are those of a convention that are still free.
type registers struct {
	free  []int16
	stack int32 // the offset of the next word on the stack, 0 where there are none
}

// ofSystemV are the registers and the stack of the arguments of C, C++ and Rust; the return address is
// below those on the stack.
func ofSystemV() *registers {
	return &registers{free: []int16{rdi, rsi, rdx, rcx, r8, r9}, stack: wordSize}
}

// take gives the places of n words that follow each other: all in registers, or all on the stack.
func (r *registers) take(n int) ([]Place, error) {
	out := make([]Place, 0, n)
	if n <= len(r.free) {
		for _, register := range r.free[:n] {
			out = append(out, Place{Register: register})
		}
		r.free = r.free[n:]
		return out, nil
	}
	if r.stack == 0 {
		return nil, errMany
	}
	for range n {
		out = append(out, Place{rsp, []int32{r.stack}})
		r.stack += wordSize
	}
	return out, nil
}

// one takes one word.
func (r *registers) one() (Place, error) {
	places, err := r.take(1)
	if err != nil {
		return Place{}, err
	}
	return places[0], nil
}

func number(at Place, size int64) Value { return Value{Kind: Number, At: at, Mask: all(size)} }

// address is an object that is known by where it is.
func address(at Place) Value { return Value{Kind: Number, At: at, Mask: all(wordSize), Address: true} }

// content is what is behind an address, where all of it can be read: nothing but numbers, a
// text or numbers with their length. ok is false for other types.
func (t *typ) content(at Place) (v Value, ok bool) {
	if text, length, is := t.text(); is {
		return Value{Kind: Block, At: at.behind(text), Len: at.behind(length), Size: 1}, true
	}
	if begin, end, size, is := t.vector(); is {
		return Value{Kind: Block, At: at.behind(begin), Len: at.behind(end), Size: size, Ends: true}, true
	}
	if t.isNumbers() {
		return Value{Kind: Memory, At: at, Size: int32(t.size)}, true //nolint:gosec // MostMemory at most
	}
	return Value{}, false
}
