package unwind

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
)

// cie is a common information entry: what many functions share.
type cie struct {
	codeAlign uint64
	dataAlign int64
	raColumn  uint64
	fdeEnc    uint8
	hasAug    bool
	signal    bool // the frame was made by a signal, not by a call
	program   []byte
}

// fde describes the frames of one function.
type fde struct {
	cie     *cie
	lo, hi  uint64
	program []byte
}

// fdeRef is one function in the index.
type fdeRef struct {
	lo  uint64
	pos uint32 // in the section
}

// cfiSection is one .eh_frame or .debug_frame.
type cfiSection struct {
	data []byte
	addr uint64 // of data
	eh   bool
	// hdr is the linker's table of functions, nil when index is used instead.
	hdr     []byte
	hdrAddr uint64
	index   []fdeRef
}

// newEHFrame takes .eh_frame and, when there is one, .eh_frame_hdr.
func newEHFrame(data []byte, addr uint64, hdr []byte, hdrAddr uint64) *cfiSection {
	s := &cfiSection{data: data, addr: addr, eh: true}
	if table := hdrTable(hdr, hdrAddr); table != nil {
		s.hdr, s.hdrAddr = table, hdrAddr
		return s
	}
	s.makeIndex()
	return s
}

func newDebugFrame(data []byte) *cfiSection {
	s := &cfiSection{data: data}
	s.makeIndex()
	return s
}

const hdrEntrySize = 8

// hdrTable is the sorted table in .eh_frame_hdr, nil when it is not in the one
// form that linkers write.
func hdrTable(hdr []byte, addr uint64) []byte {
	r := reader{b: hdr}
	version, ptrEnc, countEnc, tableEnc := r.u8(), r.u8(), r.u8(), r.u8()
	if version != 1 || tableEnc != encDataRel|encS32 || countEnc == encOmit {
		return nil
	}
	r.pointer(ptrEnc, addr, addr)
	n := r.pointer(countEnc, addr, addr)
	if r.bad || n == 0 || n > uint64(len(hdr)-r.pos)/hdrEntrySize {
		return nil
	}
	return r.take(int(n) * hdrEntrySize)
}

// find returns the frame description of the function that pc is in.
func (s *cfiSection) find(pc uint64) (fde, bool) {
	pos, ok := s.locate(pc)
	if !ok {
		return fde{}, false
	}
	f, _, ok := s.parse(pos)
	if !ok || pc < f.lo || pc >= f.hi {
		return fde{}, false
	}
	return f, true
}

// locate finds the last function that starts at or before pc.
func (s *cfiSection) locate(pc uint64) (pos int, ok bool) {
	if s.hdr == nil {
		i := sort.Search(len(s.index), func(i int) bool { return s.index[i].lo > pc })
		if i == 0 {
			return 0, false
		}
		return int(s.index[i-1].pos), true
	}
	start := func(i int) uint64 {
		return s.hdrAddr + uint64(int64(int32(binary.LittleEndian.Uint32(s.hdr[i*hdrEntrySize:]))))
	}
	i := sort.Search(len(s.hdr)/hdrEntrySize, func(i int) bool { return start(i) > pc })
	if i == 0 {
		return 0, false
	}
	at := s.hdrAddr + uint64(int64(int32(binary.LittleEndian.Uint32(s.hdr[(i-1)*hdrEntrySize+4:]))))
	if at < s.addr || at-s.addr >= uint64(len(s.data)) {
		return 0, false
	}
	return int(at - s.addr), true
}

// makeIndex walks the section.
func (s *cfiSection) makeIndex() {
	for pos := 0; pos >= 0 && pos < len(s.data); {
		f, next, ok := s.parse(pos)
		if ok && f.hi > f.lo {
			s.index = append(s.index, fdeRef{f.lo, uint32(pos)})
		}
		pos = next
	}
	slices.SortFunc(s.index, func(a, b fdeRef) int { return cmp.Compare(a.lo, b.lo) })
}

// entry reads the head of a CIE or FDE: its body, where the next one starts
// (-1 at the end), and the position of its CIE, -1 when it is one itself.
func (s *cfiSection) entry(pos int) (body reader, next, ciePos int) {
	r := reader{b: s.data, pos: pos}
	size := uint64(r.u32())
	wide := size == 0xffffffff
	if wide {
		size = r.u64()
	}
	if r.bad || size == 0 || size > uint64(len(s.data)-r.pos) {
		return r, -1, -1
	}
	next = r.pos + int(size)
	r.b = s.data[:next]
	idPos := r.pos
	// .eh_frame keeps the pointer at 4 bytes whatever the size of the length.
	var id, none uint64
	switch {
	case s.eh:
		id = uint64(r.u32())
	case wide:
		id, none = r.u64(), 1<<64-1
	default:
		id, none = uint64(r.u32()), 0xffffffff
	}
	switch {
	case r.bad || id == none:
		return r, next, -1
	case s.eh && id <= uint64(idPos):
		return r, next, idPos - int(id)
	case !s.eh && id < uint64(len(s.data)):
		return r, next, int(id)
	}
	return r, -1, -1
}

// parse reads the entry at pos; ok is false when it is not a whole FDE.
func (s *cfiSection) parse(pos int) (f fde, next int, ok bool) {
	r, next, ciePos := s.entry(pos)
	if next < 0 || ciePos < 0 {
		return fde{}, next, false
	}
	if f.cie = s.cie(ciePos); f.cie == nil {
		return fde{}, next, false
	}
	f.lo = r.pointer(f.cie.fdeEnc, s.addr, s.hdrAddr)
	f.hi = f.lo + r.value(f.cie.fdeEnc)
	if f.cie.hasAug {
		r.block()
	}
	if r.bad {
		return fde{}, next, false
	}
	f.program = r.b[r.pos:]
	return f, next, true
}

// cie parses the CIE at pos, nil when it is not one that can be used.
func (s *cfiSection) cie(pos int) *cie {
	r, next, other := s.entry(pos)
	if next < 0 || other >= 0 {
		return nil
	}
	c := &cie{}
	version := r.u8()
	aug := r.cstring()
	if version == 4 {
		if addrSize, segSize := r.u8(), r.u8(); addrSize != 8 || segSize != 0 {
			return nil
		}
	}
	c.codeAlign = r.uleb()
	c.dataAlign = r.sleb()
	if version == 1 {
		c.raColumn = uint64(r.u8())
	} else {
		c.raColumn = r.uleb()
	}
	if aug != "" && !s.augmentation(&r, aug, c) {
		return nil
	}
	if r.bad {
		return nil
	}
	c.program = r.b[r.pos:]
	return c
}

// augmentation reads what the augmentation string announces.
func (s *cfiSection) augmentation(r *reader, aug string, c *cie) bool {
	if aug[0] != 'z' {
		return false
	}
	c.hasAug = true
	a := reader{b: r.block()}
	for _, ch := range aug[1:] {
		switch ch {
		case 'R':
			c.fdeEnc = a.u8()
		case 'P':
			enc := a.u8()
			a.pointer(enc, 0, 0)
		case 'L':
			a.u8()
		case 'S':
			c.signal = true
		default:
			return !a.bad // what it announces stands last
		}
	}
	return !a.bad
}
