package dwarf

// Attribute forms (§7.5.6), and those of the GNU extensions.
const (
	formAddr         = 0x01
	formBlock2       = 0x03
	formBlock4       = 0x04
	formData2        = 0x05
	formData4        = 0x06
	formData8        = 0x07
	formString       = 0x08
	formBlock        = 0x09
	formBlock1       = 0x0a
	formData1        = 0x0b
	formFlag         = 0x0c
	formSdata        = 0x0d
	formStrp         = 0x0e
	formUdata        = 0x0f
	formRefAddr      = 0x10
	formRef1         = 0x11
	formRef2         = 0x12
	formRef4         = 0x13
	formRef8         = 0x14
	formRefUdata     = 0x15
	formIndirect     = 0x16
	formSecOffset    = 0x17
	formExprloc      = 0x18
	formFlagPresent  = 0x19
	formStrx         = 0x1a
	formAddrx        = 0x1b
	formRefSup4      = 0x1c
	formStrpSup      = 0x1d
	formData16       = 0x1e
	formLineStrp     = 0x1f
	formRefSig8      = 0x20
	formImplicit     = 0x21
	formLoclistx     = 0x22
	formRnglistx     = 0x23
	formRefSup8      = 0x24
	formStrx1        = 0x25
	formStrx2        = 0x26
	formStrx3        = 0x27
	formStrx4        = 0x28
	formAddrx1       = 0x29
	formAddrx2       = 0x2a
	formAddrx3       = 0x2b
	formAddrx4       = 0x2c
	formGNUAddrIndex = 0x1f01
	formGNUStrIndex  = 0x1f02
	formGNURefAlt    = 0x1f20
	formGNUStrpAlt   = 0x1f21
)

// class says what a value means.
type class uint8

const (
	classNone    class = iota // blocks, flags and what nobody here asks for
	classAddr                 // u is an address
	classAddrx                // u is an index into .debug_addr
	classConst                // u is a number
	classOffset               // u is an offset into another section
	classRef                  // u is an offset in .debug_info
	classRefAlt               // u is an offset in .debug_info of the shared file
	classText                 // b is the string
	classStr                  // u is an offset into .debug_str
	classLineStr              // u is an offset into .debug_line_str
	classStrx                 // u is an index into .debug_str_offsets
	classStrAlt               // u is an offset into .debug_str of the shared file
	classRangex               // u is an index into the unit's range lists
)

// value is one attribute's value, not yet followed.
type value struct {
	class class
	u     uint64
	b     []byte
}

// sizes are what the size of some forms depends on.
type sizes struct {
	version uint16
	addr    uint8
	offset  uint8
}

func (s sizes) refAddr() uint8 {
	if s.version <= 2 {
		return s.addr
	}
	return s.offset
}

// stepKind is one way to get past a value.
type stepKind uint8

const (
	stepFixed stepKind = iota // n bytes
	stepLEB
	stepString
	stepBlock1
	stepBlock2
	stepBlock4
	stepBlockLEB
	stepIndirect
	stepUnknown
)

// stepOf tells how to get past a value of a form.
func stepOf(form uint16, s sizes) (stepKind, uint32) {
	switch form {
	case formFlagPresent, formImplicit:
		return stepFixed, 0
	case formData1, formRef1, formFlag, formStrx1, formAddrx1:
		return stepFixed, 1
	case formData2, formRef2, formStrx2, formAddrx2:
		return stepFixed, 2
	case formStrx3, formAddrx3:
		return stepFixed, 3
	case formData4, formRef4, formStrx4, formAddrx4, formRefSup4:
		return stepFixed, 4
	case formData8, formRef8, formRefSig8, formRefSup8:
		return stepFixed, 8
	case formData16:
		return stepFixed, 16
	case formAddr:
		return stepFixed, uint32(s.addr)
	case formRefAddr:
		return stepFixed, uint32(s.refAddr())
	case formStrp, formSecOffset, formLineStrp, formStrpSup, formGNURefAlt, formGNUStrpAlt:
		return stepFixed, uint32(s.offset)
	case formSdata, formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx,
		formGNUAddrIndex, formGNUStrIndex:
		return stepLEB, 0
	case formString:
		return stepString, 0
	case formBlock1:
		return stepBlock1, 0
	case formBlock2:
		return stepBlock2, 0
	case formBlock4:
		return stepBlock4, 0
	case formBlock, formExprloc:
		return stepBlockLEB, 0
	case formIndirect:
		return stepIndirect, 0
	default:
		return stepUnknown, 0
	}
}

// step moves past one value.
func (c *cursor) step(kind stepKind, n uint32, s sizes) {
	switch kind { //nolint:exhaustive // what is left cannot be read past
	case stepFixed:
		c.Skip(uint64(n))
	case stepLEB:
		c.SkipLEB()
	case stepString:
		c.Str()
	case stepBlock1:
		c.Skip(uint64(c.U8()))
	case stepBlock2:
		c.Skip(uint64(c.U16()))
	case stepBlock4:
		c.Skip(uint64(c.U32()))
	case stepBlockLEB:
		c.Skip(c.ULEB())
	case stepIndirect:
		form := c.ULEB()
		if form == formIndirect || form == formImplicit || form > formGNUStrpAlt {
			c.Fail()
			return
		}
		kind, n = stepOf(uint16(form), s)
		c.step(kind, n, s)
	default:
		c.Fail()
	}
}

// read reads one value. base is the offset of the unit's header, which unit-local
// references count from.
func (c *cursor) read(form uint16, implicit int64, s sizes, base uint64) value {
	switch form {
	case formAddr:
		return value{class: classAddr, u: c.Uint(s.addr)}
	case formData1, formFlag:
		return value{class: classConst, u: uint64(c.U8())}
	case formData2:
		return value{class: classConst, u: uint64(c.U16())}
	case formData4:
		return value{class: classConst, u: uint64(c.U32())}
	case formData8:
		return value{class: classConst, u: c.U64()}
	case formUdata:
		return value{class: classConst, u: c.ULEB()}
	case formSdata:
		return value{class: classConst, u: uint64(c.SLEB())}
	case formImplicit:
		return value{class: classConst, u: uint64(implicit)}
	case formFlagPresent:
		return value{class: classConst, u: 1}
	case formSecOffset:
		return value{class: classOffset, u: c.Uint(s.offset)}
	case formRnglistx:
		return value{class: classRangex, u: c.ULEB()}
	case formIndirect:
		next := c.ULEB()
		if next == formIndirect || next == formImplicit || next > formGNUStrpAlt {
			c.Fail()
			return value{}
		}
		return c.read(uint16(next), 0, s, base)
	}
	if v, ok := c.readString(form, s); ok {
		return v
	}
	if v, ok := c.readAddrx(form); ok {
		return v
	}
	if v, ok := c.readRef(form, s, base); ok {
		return v
	}
	kind, n := stepOf(form, s)
	c.step(kind, n, s)
	return value{}
}

func (c *cursor) readString(form uint16, s sizes) (value, bool) {
	switch form {
	case formString:
		return value{class: classText, b: c.Str()}, true
	case formStrp:
		return value{class: classStr, u: c.Uint(s.offset)}, true
	case formLineStrp:
		return value{class: classLineStr, u: c.Uint(s.offset)}, true
	case formStrpSup, formGNUStrpAlt:
		return value{class: classStrAlt, u: c.Uint(s.offset)}, true
	case formStrx, formGNUStrIndex:
		return value{class: classStrx, u: c.ULEB()}, true
	case formStrx1:
		return value{class: classStrx, u: uint64(c.U8())}, true
	case formStrx2:
		return value{class: classStrx, u: uint64(c.U16())}, true
	case formStrx3:
		return value{class: classStrx, u: uint64(c.U24())}, true
	case formStrx4:
		return value{class: classStrx, u: uint64(c.U32())}, true
	default:
		return value{}, false
	}
}

func (c *cursor) readAddrx(form uint16) (value, bool) {
	switch form {
	case formAddrx, formGNUAddrIndex:
		return value{class: classAddrx, u: c.ULEB()}, true
	case formAddrx1:
		return value{class: classAddrx, u: uint64(c.U8())}, true
	case formAddrx2:
		return value{class: classAddrx, u: uint64(c.U16())}, true
	case formAddrx3:
		return value{class: classAddrx, u: uint64(c.U24())}, true
	case formAddrx4:
		return value{class: classAddrx, u: uint64(c.U32())}, true
	default:
		return value{}, false
	}
}

func (c *cursor) readRef(form uint16, s sizes, base uint64) (value, bool) {
	switch form {
	case formRef1:
		return value{class: classRef, u: base + uint64(c.U8())}, true
	case formRef2:
		return value{class: classRef, u: base + uint64(c.U16())}, true
	case formRef4:
		return value{class: classRef, u: base + uint64(c.U32())}, true
	case formRef8:
		return value{class: classRef, u: base + c.U64()}, true
	case formRefUdata:
		return value{class: classRef, u: base + c.ULEB()}, true
	case formRefAddr:
		return value{class: classRef, u: c.Uint(s.refAddr())}, true
	case formGNURefAlt:
		return value{class: classRefAlt, u: c.Uint(s.offset)}, true
	case formRefSup4:
		return value{class: classRefAlt, u: uint64(c.U32())}, true
	case formRefSup8:
		return value{class: classRefAlt, u: c.U64()}, true
	default:
		return value{}, false
	}
}
