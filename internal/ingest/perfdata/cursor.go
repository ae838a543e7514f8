package perfdata

import (
	"bytes"
	"encoding/binary"
)

// cursor reads little-endian fields off the front of a byte slice. After a
// read past the end every read gives zero and short is true, so that a parser
// checks once, at its end.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) bytes(n uint64) []byte {
	if c.short || n > uint64(len(c.b)) {
		c.short = true
		return nil
	}
	out := c.b[:n:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) u64() uint64 {
	if len(c.b) < 8 || c.short {
		c.short = true
		return 0
	}
	v := binary.LittleEndian.Uint64(c.b)
	c.b = c.b[8:]
	return v
}

func (c *cursor) u32() uint32 {
	if len(c.b) < 4 || c.short {
		c.short = true
		return 0
	}
	v := binary.LittleEndian.Uint32(c.b)
	c.b = c.b[4:]
	return v
}

// array skips n elements of size bytes and returns them.
func (c *cursor) array(n, size uint64) []byte {
	if n > uint64(len(c.b))/size {
		c.short = true
		return nil
	}
	return c.bytes(n * size)
}

// text reads the string of a feature section: a length and that many bytes,
// padded with zeros.
func (c *cursor) text() string { return cString(c.bytes(uint64(c.u32()))) }

// cString is b up to its first zero byte.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
