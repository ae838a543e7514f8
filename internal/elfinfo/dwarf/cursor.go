package dwarf

import (
	"bytes"
	"encoding/binary"
)

// cursor reads a section front to back. Reading past the end sets bad and gives
// zeros, so that callers check once per record.
type cursor struct {
	data []byte
	pos  int
	bad  bool
	big  bool // big-endian
}

// at returns a cursor over data from off.
func at(data []byte, off uint64, big bool) cursor {
	if off > uint64(len(data)) {
		return cursor{data: data, pos: len(data), bad: true, big: big}
	}
	return cursor{data: data, pos: int(off), big: big}
}

func (c *cursor) fail() {
	c.bad = true
	c.pos = len(c.data)
}

func (c *cursor) skip(n uint64) {
	if n > uint64(len(c.data)-c.pos) {
		c.fail()
		return
	}
	c.pos += int(n)
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.data)-c.pos {
		c.fail()
		return nil
	}
	b := c.data[c.pos : c.pos+n]
	c.pos += n
	return b
}

func (c *cursor) u8() uint8 {
	if c.pos >= len(c.data) {
		c.fail()
		return 0
	}
	b := c.data[c.pos]
	c.pos++
	return b
}

func (c *cursor) u16() uint16 {
	b := c.take(2)
	if b == nil {
		return 0
	}
	if c.big {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func (c *cursor) u24() uint32 {
	b := c.take(3)
	if b == nil {
		return 0
	}
	if c.big {
		return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
	}
	return uint32(b[2])<<16 | uint32(b[1])<<8 | uint32(b[0])
}

func (c *cursor) u32() uint32 {
	b := c.take(4)
	if b == nil {
		return 0
	}
	if c.big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func (c *cursor) u64() uint64 {
	b := c.take(8)
	if b == nil {
		return 0
	}
	if c.big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// uint reads an unsigned number of 1, 2, 4 or 8 bytes.
func (c *cursor) uint(size uint8) uint64 {
	switch size {
	case 1:
		return uint64(c.u8())
	case 2:
		return uint64(c.u16())
	case 4:
		return uint64(c.u32())
	case 8:
		return c.u64()
	default:
		c.fail()
		return 0
	}
}

// uleb reads an unsigned LEB128 number; bits beyond 64 are dropped.
func (c *cursor) uleb() uint64 {
	if c.pos < len(c.data) && c.data[c.pos] < 0x80 {
		c.pos++
		return uint64(c.data[c.pos-1])
	}
	var v uint64
	for shift := uint(0); c.pos < len(c.data); shift += 7 {
		b := c.data[c.pos]
		c.pos++
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b < 0x80 {
			return v
		}
	}
	c.fail()
	return 0
}

// sleb reads a signed LEB128 number.
func (c *cursor) sleb() int64 {
	var v int64
	for shift := uint(0); c.pos < len(c.data); {
		b := c.data[c.pos]
		c.pos++
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b < 0x80 {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
	c.fail()
	return 0
}

// str reads the bytes of a NUL-terminated string.
func (c *cursor) str() []byte {
	i := bytes.IndexByte(c.data[c.pos:], 0)
	if i < 0 {
		c.fail()
		return nil
	}
	b := c.data[c.pos : c.pos+i]
	c.pos += i + 1
	return b
}

// unitLength reads the length at the head of a unit, a line program or a list
// table, and gives its end and the size of offsets in it (§7.4).
func (c *cursor) unitLength() (end int, offSize uint8) {
	const (
		escape64 = 0xffffffff
		reserved = 0xfffffff0
	)
	n, offSize := uint64(c.u32()), uint8(4)
	switch {
	case n == escape64:
		n, offSize = c.u64(), 8
	case n >= reserved:
		c.fail()
	}
	if c.bad || n > uint64(len(c.data)-c.pos) {
		c.fail()
		return len(c.data), offSize
	}
	return c.pos + int(n), offSize
}
