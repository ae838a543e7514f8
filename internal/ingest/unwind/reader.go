package unwind

import "encoding/binary"

// reader takes DWARF's encodings off a section. After a read past the end all
// reads give zero and bad is true.
type reader struct {
	b   []byte
	pos int
	bad bool
}

func (r *reader) left() bool { return !r.bad && r.pos < len(r.b) }

func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b)-r.pos {
		r.bad = true
		return nil
	}
	out := r.b[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return out
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := r.u8()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 || r.bad {
			return v
		}
	}
}

func (r *reader) sleb() int64 {
	var v int64
	for shift := uint(0); ; {
		b := r.u8()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b&0x80 == 0 || r.bad {
			if shift < 64 && b&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
}

func (r *reader) cstring() string {
	for i := r.pos; i < len(r.b) && !r.bad; i++ {
		if r.b[i] == 0 {
			s := string(r.b[r.pos:i])
			r.pos = i + 1
			return s
		}
	}
	r.bad = true
	return ""
}

// block is a length and that many bytes, as expressions are stored.
func (r *reader) block() []byte {
	n := r.uleb()
	if n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	return r.take(int(n))
}

// Pointer encodings (DW_EH_PE_…): how a value is stored, and what it is
// relative to.
const (
	encAbs     = 0x00
	encULEB    = 0x01
	encU16     = 0x02
	encU32     = 0x03
	encU64     = 0x04
	encSLEB    = 0x09
	encS16     = 0x0a
	encS32     = 0x0b
	encS64     = 0x0c
	encPCRel   = 0x10
	encDataRel = 0x30
	encOmit    = 0xff

	encFormat = 0x0f
	encBase   = 0x70
)

// pointer reads an encoded pointer. base is the address of the section's first
// byte, data that of .eh_frame_hdr.
func (r *reader) pointer(enc uint8, base, data uint64) uint64 {
	here := base + uint64(r.pos)
	v := r.value(enc)
	switch enc & encBase {
	case encPCRel:
		v += here
	case encDataRel:
		v += data
	}
	return v
}

// value reads a number in a pointer encoding's format.
func (r *reader) value(enc uint8) uint64 {
	switch enc & encFormat {
	case encAbs, encU64, encS64:
		return r.u64()
	case encULEB:
		return r.uleb()
	case encU16:
		return uint64(r.u16())
	case encU32:
		return uint64(r.u32())
	case encSLEB:
		return uint64(r.sleb())
	case encS16:
		return uint64(int64(int16(r.u16())))
	case encS32:
		return uint64(int64(int32(r.u32())))
	}
	r.bad = true
	return 0
}
