package cfi

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"sort"

	"whyhot/internal/elfinfo/scan"
)

// CIE is a common information entry: what many functions share.
type CIE struct {
	CodeAlign    uint64
	DataAlign    int64
	ReturnColumn uint64 // of the return address
	Signal       bool   // the frame was made by a signal, not by a call

	encoding  uint8 // of the addresses of its functions
	augmented bool  // its functions carry augmentation data
	program   []byte
}

// FDE is a frame description entry: it describes the frames of one function.
type FDE struct {
	*CIE

	Low, High uint64

	section *Section
	program []byte
}

// Format is how a binary writes numbers.
type Format struct {
	Big         bool
	AddressSize uint8 // 4 or 8
}

// Section is one .eh_frame or .debug_frame. It does not change and may be used by
// several goroutines.
type Section struct {
	data   []byte
	addr   uint64 // of data
	eh     bool
	format Format
	// hdr is the linker's table of functions, nil when index is used instead.
	hdr     []byte
	hdrAddr uint64
	index   []place
}

// place is one function in the index.
type place struct {
	low uint64
	pos uint32 // in the section
}

// EHFrame takes .eh_frame, which lies at an address, and .eh_frame_hdr, nil where
// there is none.
func EHFrame(data []byte, addr uint64, hdr []byte, hdrAddr uint64, format Format) *Section {
	s := &Section{data: data, addr: addr, eh: true, hdrAddr: hdrAddr, format: format}
	if s.hdr = s.table(hdr); s.hdr == nil {
		s.makeIndex()
	}
	return s
}

// DebugFrame takes .debug_frame.
func DebugFrame(data []byte, format Format) *Section {
	s := &Section{data: data, format: format}
	s.makeIndex()
	return s
}

const hdrEntrySize = 8

// table is the sorted table in .eh_frame_hdr, nil when it is not in the one form
// that linkers write.
func (s *Section) table(hdr []byte) []byte {
	c := s.cursor(hdr)
	version, ptrEnc, countEnc, tableEnc := c.U8(), c.U8(), c.U8(), c.U8()
	if version != 1 || tableEnc != encDataRel|encS32 || countEnc == encOmit {
		return nil
	}
	c.pointer(ptrEnc, s.hdrAddr, s.hdrAddr)
	n := c.pointer(countEnc, s.hdrAddr, s.hdrAddr)
	if c.Bad || n == 0 || n > uint64(len(hdr)-c.Pos)/hdrEntrySize {
		return nil
	}
	return c.Take(int(n) * hdrEntrySize)
}

// hdrField is one of the two addresses of an entry of the table.
func (s *Section) hdrField(entry, field int) uint64 {
	b := s.hdr[entry*hdrEntrySize+4*field:]
	v := binary.LittleEndian.Uint32(b)
	if s.format.Big {
		v = binary.BigEndian.Uint32(b)
	}
	return s.hdrAddr + uint64(int64(int32(v)))
}

// Find returns the description of the function that an address is in.
func (s *Section) Find(pc uint64) (FDE, bool) {
	pos, ok := s.locate(pc)
	if !ok {
		return FDE{}, false
	}
	f, _, ok := s.parse(pos, nil)
	if !ok || pc < f.Low || pc >= f.High {
		return FDE{}, false
	}
	return f, true
}

// locate finds the last function that starts at or before pc.
func (s *Section) locate(pc uint64) (pos int, ok bool) {
	if s.hdr == nil {
		i := sort.Search(len(s.index), func(i int) bool { return s.index[i].low > pc })
		if i == 0 {
			return 0, false
		}
		return int(s.index[i-1].pos), true
	}
	i := sort.Search(len(s.hdr)/hdrEntrySize, func(i int) bool { return s.hdrField(i, 0) > pc })
	if i == 0 {
		return 0, false
	}
	at := s.hdrField(i-1, 1)
	if at < s.addr || at-s.addr >= uint64(len(s.data)) {
		return 0, false
	}
	return int(at - s.addr), true
}

// All are the functions of the section, in its order. What cannot be read is left
// out.
func (s *Section) All() iter.Seq[FDE] {
	return func(yield func(FDE) bool) {
		for f := range s.places() {
			if !yield(f) {
				return
			}
		}
	}
}

// places walks the section: functions and where they stand.
func (s *Section) places() iter.Seq2[FDE, int] {
	return func(yield func(FDE, int) bool) {
		known := lastCIE{pos: -1}
		for pos := 0; pos >= 0 && pos < len(s.data); {
			f, next, ok := s.parse(pos, &known)
			if ok && f.High > f.Low && !yield(f, pos) {
				return
			}
			pos = next
		}
	}
}

func (s *Section) makeIndex() {
	for f, pos := range s.places() {
		s.index = append(s.index, place{f.Low, uint32(pos)})
	}
	slices.SortFunc(s.index, func(a, b place) int { return cmp.Compare(a.low, b.low) })
}

// Where entry finds no CIE that the entry belongs to.
const (
	isCIE  = -1
	broken = -2
)

// entry reads the head of a CIE or FDE: its body, where the next one starts
// (-1 at the end), and the position of its CIE, isCIE when it is one itself.
func (s *Section) entry(pos int) (body cursor, next, cie int) {
	c := s.cursor(s.data)
	c.Pos = pos
	size := uint64(c.U32())
	wide := size == 0xffffffff
	if wide {
		size = c.U64()
	}
	if c.Bad || size == 0 || size > uint64(len(s.data)-c.Pos) {
		return c, -1, broken
	}
	next = c.Pos + int(size)
	c.Data = s.data[:next]
	idPos := c.Pos
	// .eh_frame keeps the pointer at 4 bytes whatever the size of the length.
	var id, none uint64
	switch {
	case s.eh:
		id = uint64(c.U32())
	case wide:
		id, none = c.U64(), 1<<64-1
	default:
		id, none = uint64(c.U32()), 0xffffffff
	}
	switch {
	case c.Bad:
	case id == none:
		return c, next, isCIE
	case s.eh && id <= uint64(idPos):
		return c, next, idPos - int(id)
	case !s.eh && id < uint64(len(s.data)):
		return c, next, int(id)
	}
	return c, next, broken
}

// lastCIE remembers the common part that was read last: functions stand behind
// their own.
type lastCIE struct {
	pos int
	cie *CIE
}

// parse reads the entry at pos; ok is false when it is not a whole FDE. known may
// be nil.
func (s *Section) parse(pos int, known *lastCIE) (f FDE, next int, ok bool) {
	c, next, at := s.entry(pos)
	if next < 0 || at < 0 {
		return FDE{}, next, false
	}
	if known != nil && known.pos == at {
		f.CIE = known.cie
	} else {
		f.CIE = s.cie(at)
	}
	if known != nil {
		*known = lastCIE{at, f.CIE}
	}
	if f.CIE == nil {
		return FDE{}, next, false
	}
	f.section = s
	f.Low = c.pointer(f.encoding, s.addr, s.hdrAddr)
	f.High = f.Low + c.value(f.encoding)
	if f.augmented {
		c.block()
	}
	if c.Bad {
		return FDE{}, next, false
	}
	f.program = c.Data[c.Pos:]
	return f, next, true
}

// cie parses the CIE at pos, nil when it is not one that can be used.
func (s *Section) cie(pos int) *CIE {
	c, next, other := s.entry(pos)
	if next < 0 || other != isCIE {
		return nil
	}
	out := &CIE{}
	version := c.U8()
	augmentation := c.Str()
	if version == 4 {
		if addrSize, segSize := c.U8(), c.U8(); addrSize != s.format.AddressSize || segSize != 0 {
			return nil
		}
	}
	out.CodeAlign = c.ULEB()
	out.DataAlign = c.SLEB()
	if version == 1 {
		out.ReturnColumn = uint64(c.U8())
	} else {
		out.ReturnColumn = c.ULEB()
	}
	if len(augmentation) > 0 && !s.augmentation(&c, augmentation, out) {
		return nil
	}
	if c.Bad {
		return nil
	}
	out.program = c.Data[c.Pos:]
	return out
}

// augmentation reads what the augmentation string announces.
func (s *Section) augmentation(c *cursor, letters []byte, out *CIE) bool {
	if letters[0] != 'z' {
		return false
	}
	out.augmented = true
	a := s.cursor(c.block())
	for _, letter := range letters[1:] {
		switch letter {
		case 'R':
			out.encoding = a.U8()
		case 'P':
			a.pointer(a.U8(), 0, 0)
		case 'L':
			a.U8()
		case 'S':
			out.Signal = true
		case 'B', 'G': // of AArch64: signed return addresses, tagged stacks
		default:
			return !a.Bad // what it announces stands last
		}
	}
	return !a.Bad
}

// cursor reads in the format of the binary.
func (s *Section) cursor(data []byte) cursor {
	return cursor{Cursor: scan.Cursor{Data: data, Big: s.format.Big}, address: s.format.AddressSize}
}
