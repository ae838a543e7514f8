package cfi

import "whyhot/internal/elfinfo/scan"

// cursor adds the encodings of exception frames.
type cursor struct {
	scan.Cursor

	address uint8 // size of an address
}

// block is a length and that many bytes, as expressions are stored.
func (c *cursor) block() []byte {
	n := c.ULEB()
	if n > uint64(len(c.Data)) {
		c.Fail()
		return nil
	}
	return c.Take(int(n))
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
func (c *cursor) pointer(enc uint8, base, data uint64) uint64 {
	here := base + uint64(c.Pos)
	v := c.value(enc)
	switch enc & encBase {
	case encPCRel:
		v += here
	case encDataRel:
		v += data
	}
	if c.address == 4 {
		v = uint64(uint32(v))
	}
	return v
}

// value reads a number in a pointer encoding's format.
func (c *cursor) value(enc uint8) uint64 {
	switch enc & encFormat {
	case encAbs:
		return c.Uint(c.address)
	case encU64, encS64:
		return c.U64()
	case encULEB:
		return c.ULEB()
	case encU16:
		return uint64(c.U16())
	case encU32:
		return uint64(c.U32())
	case encSLEB:
		return uint64(c.SLEB())
	case encS16:
		return uint64(int64(int16(c.U16())))
	case encS32:
		return uint64(int64(int32(c.U32())))
	}
	c.Fail()
	return 0
}
