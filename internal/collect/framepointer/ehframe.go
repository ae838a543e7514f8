package framepointer

import (
	"encoding/binary"
)

// Offsets and opcodes of .eh_frame: "Linux Standard Base Core, Exception
// Frames", and DWARF 5 §6.4.2 and §7.24 for the call-frame instructions.
const (
	opAdvance1     = 0x02
	opAdvance2     = 0x03
	opAdvance4     = 0x04
	opOffsetExt    = 0x05
	opRestoreExt   = 0x06
	opUndefined    = 0x07
	opSameValue    = 0x08
	opRegister     = 0x09
	opDefCFA       = 0x0c
	opDefCFAReg    = 0x0d
	opDefCFAOffset = 0x0e
	opDefCFAExpr   = 0x0f
	opExpression   = 0x10
	opOffsetExtSF  = 0x11
	opDefCFASF     = 0x12
	opDefCFAOffSF  = 0x13
	opValOffset    = 0x14
	opValOffsetSF  = 0x15
	opValExpr      = 0x16
	opGNUArgsSize  = 0x2e
	opGNUNegOffset = 0x2f
)

// scan adds up the code bytes of all functions and of those whose canonical
// frame address is ever computed from the given register. What it cannot read
// it leaves out of both sums.
func scan(data []byte, order binary.ByteOrder, is64 bool, register uint64) (with, all uint64) {
	s := scanner{data: data, order: order, is64: is64, cies: map[int]cie{}}
	for pos := 0; pos+4 <= len(data); {
		start, next, ok := s.entry(pos)
		if !ok {
			break
		}
		if size, instructions, isFunction := s.function(start, next); isFunction && size >= smallestFunction {
			switch judge(instructions, order, register) {
			case keeps:
				with += size
				all += size
			case omits:
				all += size
			case saysNothing:
			}
		}
		pos = next
	}
	return with, all
}

type cie struct {
	encoding  byte // of the pointers of its functions
	augmented bool // its functions carry augmentation data
	ok        bool
}

type scanner struct {
	data  []byte
	order binary.ByteOrder
	is64  bool
	cies  map[int]cie
}

// entry gives where an entry's ID field starts and where the next entry is.
func (s *scanner) entry(pos int) (start, next int, ok bool) {
	length := uint64(s.order.Uint32(s.data[pos:]))
	start = pos + 4
	if length == 0xffffffff {
		if pos+12 > len(s.data) {
			return 0, 0, false
		}
		length = s.order.Uint64(s.data[pos+4:])
		start = pos + 12
	}
	if length == 0 || length > uint64(len(s.data)-start) {
		return 0, 0, false
	}
	return start, start + int(length), true
}

// function reads the size and the instructions of the entry if it is a function
// (FDE) and not a common part (CIE).
func (s *scanner) function(start, end int) (size uint64, instructions []byte, ok bool) {
	if start+4 > end {
		return 0, nil, false
	}
	id := int(s.order.Uint32(s.data[start:]))
	if id == 0 {
		return 0, nil, false
	}
	c := s.cie(start - id)
	if !c.ok {
		return 0, nil, false
	}
	width := s.pointerSize(c.encoding)
	r := &reader{data: s.data[start+4 : end], order: s.order}
	r.skip(uint64(width))
	size = r.fixed(width)
	if c.augmented {
		r.skip(r.uleb())
	}
	return size, r.data, !r.failed
}

// pointerSize follows the low four bits of a DW_EH_PE_ encoding.
func (s *scanner) pointerSize(encoding byte) int {
	switch encoding & 0x07 {
	case 0x02:
		return 2
	case 0x03:
		return 4
	case 0x04:
		return 8
	}
	if s.is64 {
		return 8
	}
	return 4
}

// cie reads the common part at the given place in the section (its length field).
func (s *scanner) cie(idField int) cie {
	// A function names its common part by distance from its own ID field to
	// the start of that part.
	if c, ok := s.cies[idField]; ok {
		return c
	}
	c := s.readCIE(idField)
	s.cies[idField] = c
	return c
}

func (s *scanner) readCIE(pos int) cie {
	if pos < 0 || pos+4 > len(s.data) {
		return cie{}
	}
	start, end, ok := s.entry(pos)
	if !ok || start+5 > end || s.order.Uint32(s.data[start:]) != 0 {
		return cie{}
	}
	r := &reader{data: s.data[start+5 : end], order: s.order} // past ID and version
	augmentation := r.text()
	r.uleb() // code alignment
	r.uleb() // data alignment: signed, but of the same length
	r.uleb() // return address register
	c := cie{ok: true}
	for i, letter := range []byte(augmentation) {
		switch {
		case i == 0 && letter == 'z':
			c.augmented = true
			r.uleb()
		case letter == 'R':
			c.encoding = byte(r.fixed(1))
		case letter == 'L':
			r.skip(1)
		case letter == 'P':
			r.skip(uint64(s.pointerSize(byte(r.fixed(1)))))
		}
	}
	c.ok = !r.failed
	return c
}

type judgement int

const (
	omits judgement = iota
	keeps
	// saysNothing is for linker-made stubs (their frame address is an
	// expression) and for outermost frames (their return address is undefined).
	saysNothing
)

// judge tells whether call-frame instructions ever compute the canonical frame
// address from the register.
func judge(instructions []byte, order binary.ByteOrder, register uint64) judgement {
	r := &reader{data: instructions, order: order}
	for len(r.data) > 0 && !r.failed {
		op := byte(r.fixed(1))
		switch {
		case op>>6 == 2: // DW_CFA_offset
			r.uleb()
			continue
		case op>>6 != 0: // DW_CFA_advance_loc, DW_CFA_restore
			continue
		}
		switch op {
		case opAdvance1:
			r.skip(1)
		case opAdvance2:
			r.skip(2)
		case opAdvance4:
			r.skip(4)
		case opDefCFA, opDefCFASF:
			if r.uleb() == register && !r.failed {
				return keeps
			}
			r.uleb()
		case opDefCFAReg:
			if r.uleb() == register && !r.failed {
				return keeps
			}
		case opUndefined, opDefCFAExpr:
			return saysNothing
		case opRestoreExt, opSameValue, opDefCFAOffset, opDefCFAOffSF, opGNUArgsSize:
			r.uleb()
		case opOffsetExt, opRegister, opOffsetExtSF, opValOffset, opValOffsetSF, opGNUNegOffset:
			r.uleb()
			r.uleb()
		case opExpression, opValExpr:
			r.uleb()
			r.skip(r.uleb())
		}
	}
	return omits
}

// reader takes values off the front of data. Past the end it gives zeros and
// remembers that it failed.
type reader struct {
	data   []byte
	order  binary.ByteOrder
	failed bool
}

func (r *reader) skip(n uint64) {
	if n > uint64(len(r.data)) {
		r.failed, r.data = true, nil
		return
	}
	r.data = r.data[n:]
}

func (r *reader) fixed(width int) uint64 {
	if width > len(r.data) {
		r.failed, r.data = true, nil
		return 0
	}
	var v uint64
	switch width {
	case 1:
		v = uint64(r.data[0])
	case 2:
		v = uint64(r.order.Uint16(r.data))
	case 4:
		v = uint64(r.order.Uint32(r.data))
	case 8:
		v = r.order.Uint64(r.data)
	}
	r.data = r.data[width:]
	return v
}

func (r *reader) uleb() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) text() string {
	for i, c := range r.data {
		if c == 0 {
			s := string(r.data[:i])
			r.data = r.data[i+1:]
			return s
		}
	}
	r.failed, r.data = true, nil
	return ""
}
