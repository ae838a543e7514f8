package dwarf

// Entry kinds of range lists (§7.25).
const (
	rleEnd          = 0x00
	rleBaseAddressx = 0x01
	rleStartxEndx   = 0x02
	rleStartxLength = 0x03
	rleOffsetPair   = 0x04
	rleBaseAddress  = 0x05
	rleStartEnd     = 0x06
	rleStartLength  = 0x07
)

// eachRange calls add for every address range of an entry with these attributes
// that lies in code of the file. Linkers leave the ranges of code that they threw
// away at address 0, 1 or near the top of the address space.
func (u *unit) eachRange(low, high, ranges value, add func(lo, hi uint64)) {
	live := func(lo, hi uint64) {
		if lo < hi && u.info.isCode(lo) {
			add(lo, hi)
		}
	}
	switch {
	case ranges.class != classNone:
		u.rangeList(ranges, live)
	case high.class != classNone:
		lo, ok := u.address(low)
		if !ok {
			return
		}
		if high.class == classConst {
			live(lo, lo+high.u)
		} else if hi, ok := u.address(high); ok {
			live(lo, hi)
		}
	}
}

func (u *unit) rangeList(v value, add func(lo, hi uint64)) {
	if u.info.budget.ranges.Load() <= 0 {
		u.info.note(errBudget.Error())
		return
	}
	base, _ := u.address(u.root.low)
	if u.version < 5 {
		u.rangesV4(v.u+u.root.gnuRangesBase, base, add)
		return
	}
	off := v.u
	if v.class == classRangex {
		s := &u.info.sec
		table := u.root.rngBase
		if table == 0 {
			table = listHeader(u.offset) + 4
		}
		if v.u > uint64(len(s.rnglists)) {
			return
		}
		c := at(s.rnglists, table+v.u*uint64(u.offset), s.big)
		off = table + c.Uint(u.offset)
		if c.Bad {
			return
		}
	}
	u.rangesV5(off, base, add)
}

// rangesV4 reads a list of .debug_ranges (DWARF 4, §2.17.3).
func (u *unit) rangesV4(off, base uint64, add func(lo, hi uint64)) {
	c := at(u.info.sec.ranges, off, u.info.sec.big)
	defer u.spendRanges(c.Pos, &c)
	top := ^uint64(0) >> (64 - 8*uint(u.addr))
	for {
		lo, hi := c.Uint(u.addr), c.Uint(u.addr)
		switch {
		case c.Bad || lo == 0 && hi == 0:
			return
		case lo == top:
			base = hi
		default:
			add(base+lo, base+hi)
		}
	}
}

// rangesV5 reads a list of .debug_rnglists.
func (u *unit) rangesV5(off, base uint64, add func(lo, hi uint64)) {
	c := at(u.info.sec.rnglists, off, u.info.sec.big)
	defer u.spendRanges(c.Pos, &c)
	for !c.Bad {
		var lo, hi uint64
		ok := true
		switch c.U8() {
		case rleBaseAddressx:
			base, _ = u.indexed(c.ULEB())
			continue
		case rleBaseAddress:
			base = c.Uint(u.addr)
			continue
		case rleStartxEndx:
			lo, ok = u.indexed(c.ULEB())
			hi, _ = u.indexed(c.ULEB())
		case rleStartxLength:
			lo, ok = u.indexed(c.ULEB())
			hi = lo + c.ULEB()
		case rleOffsetPair:
			lo, hi = base+c.ULEB(), base+c.ULEB()
		case rleStartEnd:
			lo, hi = c.Uint(u.addr), c.Uint(u.addr)
		case rleStartLength:
			lo = c.Uint(u.addr)
			hi = lo + c.ULEB()
		default: // rleEnd, or damage
			return
		}
		if ok && !c.Bad {
			add(lo, hi)
		}
	}
}

// spendRanges accounts for a list that was read from start to where c is.
func (u *unit) spendRanges(start int, c *cursor) { spend(&u.info.budget.ranges, c.Pos-start) }
