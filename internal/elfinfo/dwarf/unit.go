package dwarf

import (
	"errors"
	"fmt"
	"sync"
)

// Tags and attributes (§7.5.4) that matter here.
const (
	tagClass      = 0x02
	tagStructure  = 0x13
	tagUnion      = 0x17
	tagInlined    = 0x1d
	tagModule     = 0x1e
	tagSubprogram = 0x2e
	tagNamespace  = 0x39
	tagInterface  = 0x38

	atName           = 0x03
	atStmtList       = 0x10
	atLowPC          = 0x11
	atHighPC         = 0x12
	atLanguage       = 0x13
	atCompDir        = 0x1b
	atProducer       = 0x25
	atAbstractOrigin = 0x31
	atDeclFile       = 0x3a
	atDeclLine       = 0x3b
	atSpecification  = 0x47
	atRanges         = 0x55
	atCallFile       = 0x58
	atCallLine       = 0x59
	atLinkageName    = 0x6e
	atStrOffsets     = 0x72
	atAddrBase       = 0x73
	atRnglistsBase   = 0x74
	atDwoName        = 0x76
	atMIPSLinkage    = 0x2007
	atGNUDwoName     = 0x2130
	atGNURangesBase  = 0x2132
	atGNUAddrBase    = 0x2133
)

// Unit types of DWARF 5 (§7.5.1).
const (
	utCompile      = 0x01
	utType         = 0x02
	utPartial      = 0x03
	utSkeleton     = 0x04
	utSplitCompile = 0x05
	utSplitType    = 0x06
)

// unit is one compilation unit.
type unit struct {
	info *Info
	sizes
	off       uint64 // of the header in .debug_info
	first     uint64 // of the first entry
	end       uint64
	abbrevOff uint64
	kind      uint8

	root root

	treeOnce sync.Once
	tree     tree
	lineOnce sync.Once
	lines    *lineTable

	mu    sync.Mutex
	funcs map[uint64]*Function
}

// root is what the unit's first entry says.
type root struct {
	low                        value
	high                       value
	ranges                     value
	name, compDir, dwoName     value
	producer                   value
	stmtList                   uint64
	hasLines                   bool
	language                   uint64
	strBase, addrBase, rngBase uint64
	gnuRangesBase              uint64
}

var errUnit = errors.New("damaged unit header")

// readUnits reads the headers of all units of .debug_info.
func (d *Info) readUnits() error {
	c := at(d.sec.info, 0, d.sec.big)
	for c.Pos < len(c.Data) {
		u := &unit{info: d, off: uint64(c.Pos)}
		end, offSize := c.UnitLength()
		if c.Bad {
			return fmt.Errorf("%w at %#x of .debug_info", errUnit, u.off)
		}
		u.end, u.offset = uint64(end), offSize
		if err := u.header(&c); err != nil {
			return err
		}
		d.units = append(d.units, u)
		c.Pos = end
	}
	return nil
}

// header reads what follows the length (§7.5.1).
func (u *unit) header(c *cursor) error {
	u.version = c.U16()
	switch {
	case u.version >= 2 && u.version <= 4:
		u.kind = utCompile
		u.abbrevOff = c.Uint(u.offset)
		u.addr = c.U8()
	case u.version == 5:
		u.kind = c.U8()
		u.addr = c.U8()
		u.abbrevOff = c.Uint(u.offset)
		switch u.kind {
		case utSkeleton, utSplitCompile:
			c.Skip(8) // the ID of the split unit
		case utType, utSplitType:
			c.Skip(8 + uint64(u.offset)) // signature and offset of the type
		}
	default:
		return fmt.Errorf("%w at %#x of .debug_info: version %d is not 2 to 5", errUnit, u.off, u.version)
	}
	if c.Bad || uint64(c.Pos) > u.end || u.addr != 4 && u.addr != 8 {
		return fmt.Errorf("%w at %#x of .debug_info", errUnit, u.off)
	}
	u.first = uint64(c.Pos)
	return nil
}

// hasCode reports whether a unit of this kind can describe code.
func (u *unit) hasCode() bool {
	return u.kind == utCompile || u.kind == utSkeleton || u.kind == utSplitCompile
}

// cursor reads the unit's entries from off.
func (u *unit) cursor(off uint64) cursor {
	return at(u.info.sec.info[:u.end], off, u.info.sec.big)
}

// readRoot reads the unit's first entry.
func (u *unit) readRoot() error {
	c := u.cursor(u.first)
	code := c.ULEB()
	if code == 0 {
		return nil
	}
	table, err := u.info.parseAbbrevs(u.abbrevOff, u.sizes, code)
	if err != nil {
		return err
	}
	ab := table.get(code)
	if ab == nil {
		return fmt.Errorf("%w at %#x: no code %d", errAbbrev, u.abbrevOff, code)
	}
	r := &u.root
	for _, a := range ab.attrs {
		v := c.read(a.form, a.implicit, u.sizes, u.off)
		switch a.name {
		case atLowPC:
			r.low = v
		case atHighPC:
			r.high = v
		case atRanges:
			r.ranges = v
		case atName:
			r.name = v
		case atCompDir:
			r.compDir = v
		case atProducer:
			r.producer = v
		case atDwoName, atGNUDwoName:
			r.dwoName = v
		case atStmtList:
			r.stmtList, r.hasLines = v.u, true
		case atLanguage:
			r.language = v.u
		case atStrOffsets:
			r.strBase = v.u
		case atAddrBase, atGNUAddrBase:
			r.addrBase = v.u
		case atRnglistsBase:
			r.rngBase = v.u
		case atGNURangesBase:
			r.gnuRangesBase = v.u
		}
	}
	if c.Bad {
		return fmt.Errorf("%w: entry at %#x of .debug_info reaches past the unit", errUnit, u.first)
	}
	return nil
}

// abbrevs returns the unit's table of abbreviations; units often share one.
func (u *unit) abbrevs() (*abbrevs, error) {
	d := u.info
	key := abbrevKey{u.abbrevOff, u.sizes}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.abbrevs[key]; ok {
		return t, nil
	}
	t, err := d.parseAbbrevs(u.abbrevOff, u.sizes, 0)
	if err != nil {
		return nil, err
	}
	d.abbrevs[key] = t
	return t, nil
}

// text follows a string value.
func (u *unit) text(v value) string {
	s := &u.info.sec
	switch v.class { //nolint:exhaustive // the others are no strings
	case classText:
		return string(v.b)
	case classStr:
		return stringAt(s.str, v.u)
	case classLineStr:
		return stringAt(s.lineStr, v.u)
	case classStrAlt:
		if u.info.alt != nil {
			return stringAt(u.info.alt.sec.str, v.u)
		}
	case classStrx:
		base := u.root.strBase
		if base == 0 && u.version >= 5 {
			base = listHeader(u.offset) // split units leave the attribute out
		}
		c := at(s.strOffsets, base+v.u*uint64(u.offset), s.big)
		if off := c.Uint(u.offset); !c.Bad {
			return stringAt(s.str, off)
		}
	}
	return ""
}

// listHeader is the size of the header of a contribution to .debug_str_offsets.
func listHeader(offSize uint8) uint64 {
	if offSize == 8 {
		return 16
	}
	return 8
}

func stringAt(data []byte, off uint64) string {
	c := at(data, off, false)
	if c.Bad {
		return ""
	}
	text := c.Str()
	return string(text[:min(len(text), maxText)])
}

// maxText bounds a name. Those of deeply nested templates have been seen to reach
// some tens of thousands of characters.
const maxText = 64 << 10

// address follows an address value.
func (u *unit) address(v value) (uint64, bool) {
	switch v.class { //nolint:exhaustive // the others are no addresses
	case classAddr:
		return v.u, true
	case classAddrx:
		return u.indexed(v.u)
	default:
		return 0, false
	}
}

// indexed reads entry i of the unit's part of .debug_addr.
func (u *unit) indexed(i uint64) (uint64, bool) {
	s := &u.info.sec
	if i > uint64(len(s.addr)) {
		return 0, false
	}
	base := u.root.addrBase
	if base == 0 && u.version >= 5 {
		base = 8
	}
	c := at(s.addr, base+i*uint64(u.addr), s.big)
	a := c.Uint(u.addr)
	return a, !c.Bad
}
