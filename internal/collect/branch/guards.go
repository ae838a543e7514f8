package branch

import "whyhot/internal/elfinfo/instruction"

// guards says whether a way behind a jump, which the other way does not lead to, accesses memory by
// an address made from what the jump asks: whether a pointer is null, or an index one that stands
// for none. That way cannot be gone always, and which memory is accessed is what the jump decides.
//
// Example. if (o.prev != NONE) pool[o.prev].next = o.next; else head = o.next;
// cmp $-1,%r9d; je; mov %r9d,%ebx; lea (%rbx,%rbx,4),%rbx; mov %esi,0xc(%r10,%rbx,4)
func (f *flow) guards(asked instruction.Registers, way int64, ofOther map[int64]int) bool {
	_, meet := ofOther[way]
	return asked != 0 && !meet && accesses(f.blocks[way], asked)
}

// How a jump asks whether something is equal to a constant, or below zero.
const (
	isEqual, isUnequal        = 4, 5
	isNegative, isNotNegative = 8, 9
)

// asksNone are the registers that a block's jump compares with a constant for being equal, or
// asks whether they are negative.
func asksNone(block []instruction.Step) instruction.Registers {
	last := len(block) - 1
	switch block[last].Condition {
	case isEqual, isUnequal, isNegative, isNotNegative:
	default:
		return 0
	}
	for i := last - 1; i >= 0; i-- {
		if u := block[i].Use; u.Tested != 0 {
			return u.Tested
		} else if u.To&^(u.From) == 0 || u.To == 0 { // it may set the flags: a comparison of another kind, arithmetic
			return 0
		}
	}
	return 0
}

// accesses says whether a block accesses memory by an address made from some registers.
func accesses(block []instruction.Step, from instruction.Registers) bool {
	for _, s := range block {
		if s.Use.Address&from != 0 {
			return true
		}
		if s.Use.From&from != 0 {
			from |= s.Use.To
		} else {
			from &^= s.Use.To
		}
	}
	return false
}
