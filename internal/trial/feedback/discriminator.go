package feedback

// LLVM packs up to three numbers into a discriminator, each in a prefix code: the base,
// which tells basic blocks on one line apart, the duplication factor of unrolled and
// vectorised code, and an identifier of copies (llvm/IR/DebugInfoMetadata.h).
const (
	noComponent = 1    // the component is 0
	longer      = 0x20 // the component has twelve bits, not five
)

// component decodes the first number.
func component(d uint32) uint32 {
	if d&noComponent != 0 {
		return 0
	}
	d >>= 1
	if d&longer != 0 {
		return d>>1&0xfe0 | d&0x1f
	}
	return d & 0x1f
}

// rest is what follows the first number.
func rest(d uint32) uint32 {
	switch {
	case d&noComponent != 0:
		return d >> 1
	case d&(longer<<1) != 0:
		return d >> 14
	}
	return d >> 7
}

// duplication is how many copies of the code there are for each that was written.
func duplication(d uint32) int64 {
	if n := component(rest(d)); n > 0 {
		return int64(n)
	}
	return 1
}
