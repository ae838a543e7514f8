package abi

import (
	"errors"
	"slices"
)

// Signature is what a probe reads of a call.
type Signature struct {
	// Arguments are without the object that a constructor makes; Results are none for a function that
	// gives nothing.
	Arguments, Results []Value
	// Unknown says why nothing can be read of the result, nil where it can or there is none.
	Unknown error
	// Partial: of a function whose arguments the compiler changed, something is nowhere. It may be
	// what nobody reads, or what it passes in another way.
	Partial bool
}

// ByContent says whether all arguments are known, by what is in them, none by where it is.
func (s *Signature) ByContent() bool {
	return len(s.Arguments) > 0 && !s.Partial && !slices.ContainsFunc(s.Arguments, func(v Value) bool { return v.Address })
}

// Kind is how a value is read.
type Kind int

// A value is the word at its place, the text that begins there and ends with a zero byte, as many
// elements as another place says, or as many bytes as its size.
const (
	Number Kind = iota
	Text
	Block
	Memory
)

// MostMemory bounds the size of what is read as Memory.
const MostMemory = 64

// Value is one thing to read.
type Value struct {
	Kind Kind
	At   Place
	Mask uint64 // of a number: the bits that count
	// Address: the number is that of an object.
	Address bool
	Size    int32 // of memory: bytes; of a block: bytes of an element
	Len     Place // of a block: how many elements, or where it ends
	Ends    bool  // Len is where the block ends
}

// Hidden is a register of results: what First is when the function begins, the address at which the
// caller wants what is too large for registers.
const Hidden int16 = -1

// First is the register of that address.
const First int16 = rdi

// Place is where a word is.
type Place struct {
	Register int16 // as an offset in the registers that the kernel keeps, or Hidden
	// Behind are the offsets of words in memory, each from what the word before points to.
	Behind []int32
}

func (p Place) behind(offset int32) Place {
	return Place{p.Register, append(append([]int32{}, p.Behind...), offset)}
}

// Why a function has no signature.
var (
	ErrNoTypes  = errors.New("the binary has no debug information about them: build with -g")
	errFloat    = errors.New("floating point, which a probe cannot read")
	errLayout   = errors.New("an argument or a result whose layout is not known")
	errMany     = errors.New("more arguments than there are registers")
	errOutput   = errors.New("written through a pointer to a number")
	errChanged  = errors.New("the compiler changed its arguments")
	errClosure  = errors.New("it is a closure, which has more than its arguments")
	errLanguage = errors.New("its language has another calling convention")
	errCopy     = errors.New("it copies an object")
	errVariadic = errors.New("its number of arguments differs")
)
