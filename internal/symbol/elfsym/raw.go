package elfsym

import (
	"debug/elf"
	"encoding/binary"
	"slices"
)

// Sizes of an entry.
const (
	symSize64 = 24
	symSize32 = 16
)

// raw is one entry of a symbol table.
type raw struct {
	name        uint32
	info        byte
	shndx       uint16
	value, size uint64
}

func rawLittle(b []byte) raw {
	o := binary.LittleEndian
	return raw{o.Uint32(b), b[4], o.Uint16(b[6:]), o.Uint64(b[8:]), o.Uint64(b[16:])}
}

func rawOther(b []byte, order binary.ByteOrder, size int) raw {
	if size == symSize64 {
		return raw{order.Uint32(b), b[4], order.Uint16(b[6:]), order.Uint64(b[8:]), order.Uint64(b[16:])}
	}
	return raw{order.Uint32(b), b[12], order.Uint16(b[14:]), uint64(order.Uint32(b[4:])), uint64(order.Uint32(b[8:]))}
}

func (e *raw) typ() elf.SymType { return elf.SymType(e.info & 0xf) }

func (e *raw) isCode() bool {
	switch e.typ() { //nolint:exhaustive // the others are no code
	case elf.STT_FUNC, elf.STT_GNU_IFUNC, elf.STT_NOTYPE:
		return elf.SectionIndex(e.shndx) != elf.SHN_UNDEF && elf.SectionIndex(e.shndx) != elf.SHN_ABS
	}
	return false
}

// wanted are the addresses that somebody asks about, nil for all.
type wanted struct {
	addrs []uint64 // sorted
	// blocks has a bit for each block of addresses with one that is wanted, modulo
	// its size: most symbols are passed over with one look.
	blocks [blockBits / 64]uint64
}

const (
	blockShift = 8 // 256 bytes
	blockBits  = 1 << 16
)

func newWanted(addrs []uint64) *wanted {
	sorted := slices.Clone(addrs)
	slices.Sort(sorted)
	w := &wanted{addrs: slices.Compact(sorted)}
	for _, a := range w.addrs {
		b := a >> blockShift % blockBits
		w.blocks[b/64] |= 1 << (b % 64)
	}
	return w
}

// maybe is false when no address in [low, high) is wanted.
func (w *wanted) maybe(low, high uint64) bool {
	first, last := low>>blockShift, (high-1)>>blockShift
	const few = 16
	if high <= low || last-first > few {
		return true
	}
	for b := first; b <= last; b++ {
		if w.blocks[b%blockBits/64]>>(b%64)&1 == 1 {
			return true
		}
	}
	return false
}

// between reports whether an address in [low, high) is wanted.
func (w *wanted) between(low, high uint64) bool {
	if w == nil {
		return true
	}
	if !w.maybe(low, high) {
		return false
	}
	i, _ := slices.BinarySearch(w.addrs, low)
	return i < len(w.addrs) && w.addrs[i] < high
}
