// Package scan takes numbers and strings off ELF and DWARF sections, front to
// back.
//
// It owns the encodings that DWARF, call frame information and notes share:
// numbers of fixed size in either byte order, LEB128, strings that end with a
// NUL, and the lengths of units. It takes bytes that may be anything and never
// reads past them. It must never import another package of this module.
package scan

import (
	"bytes"
	"encoding/binary"
)

// Cursor is a place in a section. Reading past the end sets Bad and gives zeros,
// so that callers check once per record.
type Cursor struct {
	Data []byte
	Pos  int
	Bad  bool
	Big  bool // big-endian
}

// At returns a cursor over data from off.
func At(data []byte, off uint64, big bool) Cursor {
	if off > uint64(len(data)) {
		return Cursor{Data: data, Pos: len(data), Bad: true, Big: big}
	}
	return Cursor{Data: data, Pos: int(off), Big: big}
}

// Left says whether there is more to read.
func (c *Cursor) Left() bool { return c.Pos < len(c.Data) }

// Fail says that what was read makes no sense: nothing is left.
func (c *Cursor) Fail() {
	c.Bad = true
	c.Pos = len(c.Data)
}

// Skip passes over n bytes.
func (c *Cursor) Skip(n uint64) {
	if n > uint64(len(c.Data)-c.Pos) {
		c.Fail()
		return
	}
	c.Pos += int(n)
}

// Take reads n bytes, which stay those of the section.
func (c *Cursor) Take(n int) []byte {
	if n < 0 || n > len(c.Data)-c.Pos {
		c.Fail()
		return nil
	}
	b := c.Data[c.Pos : c.Pos+n]
	c.Pos += n
	return b
}

// U8 reads a number of one byte.
func (c *Cursor) U8() uint8 {
	if c.Pos >= len(c.Data) {
		c.Fail()
		return 0
	}
	b := c.Data[c.Pos]
	c.Pos++
	return b
}

// U16 reads a number of two bytes.
func (c *Cursor) U16() uint16 {
	b := c.Take(2)
	if b == nil {
		return 0
	}
	if c.Big {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

// U24 reads a number of three bytes.
func (c *Cursor) U24() uint32 {
	b := c.Take(3)
	if b == nil {
		return 0
	}
	if c.Big {
		return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
	}
	return uint32(b[2])<<16 | uint32(b[1])<<8 | uint32(b[0])
}

// U32 reads a number of four bytes.
func (c *Cursor) U32() uint32 {
	b := c.Take(4)
	if b == nil {
		return 0
	}
	if c.Big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

// U64 reads a number of eight bytes.
func (c *Cursor) U64() uint64 {
	b := c.Take(8)
	if b == nil {
		return 0
	}
	if c.Big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// Uint reads an unsigned number of 1, 2, 4 or 8 bytes.
func (c *Cursor) Uint(size uint8) uint64 {
	switch size {
	case 1:
		return uint64(c.U8())
	case 2:
		return uint64(c.U16())
	case 4:
		return uint64(c.U32())
	case 8:
		return c.U64()
	default:
		c.Fail()
		return 0
	}
}

// LEB128 numbers have seven bits in each byte, the lowest first; the last byte is
// the one without the top bit. Writers may pad them, so that they are longer than
// their value needs. What does not fit into 64 bits is a failure.

// ULEB reads an unsigned LEB128 number: 0xe5 0x8e 0x26 is 624485.
func (c *Cursor) ULEB() uint64 {
	if c.Pos < len(c.Data) && c.Data[c.Pos] < 0x80 {
		c.Pos++
		return uint64(c.Data[c.Pos-1])
	}
	var v uint64
	for shift := uint(0); c.Pos < len(c.Data); shift += 7 {
		b := c.Data[c.Pos]
		c.Pos++
		bits := uint64(b & 0x7f)
		if shift >= 63 && bits<<shift>>shift != bits {
			break
		}
		v |= bits << shift
		if b < 0x80 {
			return v
		}
	}
	c.Fail()
	return 0
}

// SkipLEB passes over a LEB128 number of any size, signed or not.
func (c *Cursor) SkipLEB() {
	for c.Pos < len(c.Data) {
		c.Pos++
		if c.Data[c.Pos-1] < 0x80 {
			return
		}
	}
	c.Fail()
}

// SLEB reads a signed LEB128 number: 0xc0 0xbb 0x78 is -123456.
func (c *Cursor) SLEB() int64 {
	var v int64
	for shift := uint(0); c.Pos < len(c.Data); {
		b := c.Data[c.Pos]
		c.Pos++
		if shift >= 63 && !signOnly(b, shift, v) {
			break
		}
		v |= int64(b&0x7f) << shift
		shift += 7
		if b < 0x80 {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
	c.Fail()
	return 0
}

// signOnly says whether a byte from bit 63 on holds nothing but copies of the
// sign.
func signOnly(b byte, shift uint, v int64) bool {
	bits := b & 0x7f
	if shift == 63 {
		return bits == 0 || bits == 0x7f
	}
	return bits == byte(v>>63)&0x7f
}

// Str reads the bytes of a NUL-terminated string.
func (c *Cursor) Str() []byte {
	i := bytes.IndexByte(c.Data[c.Pos:], 0)
	if i < 0 {
		c.Fail()
		return nil
	}
	b := c.Data[c.Pos : c.Pos+i]
	c.Pos += i + 1
	return b
}

// UnitLength reads the length at the head of a unit, a line program or a list
// table, and gives its end and the size of offsets in it (§7.4).
func (c *Cursor) UnitLength() (end int, offSize uint8) {
	const (
		escape64 = 0xffffffff
		reserved = 0xfffffff0
	)
	n, offSize := uint64(c.U32()), uint8(4)
	switch {
	case n == escape64:
		n, offSize = c.U64(), 8
	case n >= reserved:
		c.Fail()
	}
	if c.Bad || n > uint64(len(c.Data)-c.Pos) {
		c.Fail()
		return len(c.Data), offSize
	}
	return c.Pos + int(n), offSize
}
