package dwarf

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/interval"
)

// sections are the parts of one file.
type sections struct {
	info, abbrev, line, lineStr, str, strOffsets, addr, ranges, rnglists, aranges []byte

	big bool
}

// Info is the debug information of one binary. Its methods may be called from
// many goroutines.
type Info struct {
	sec    sections
	alt    *Info
	code   []elffile.Range // sorted; nil: every address is code
	units  []*unit
	byAddr interval.Map // index in units

	mu      sync.Mutex
	abbrevs map[abbrevKey]*abbrevs
	lines   map[lineKey]*lineTable
	budget  budget
	noteMu  sync.Mutex
	notes   []string
}

type abbrevKey struct {
	off uint64
	sizes
}

// Open reads the index of a file's debug information. alt is the shared file that
// dwz made, or nil; code is where the binary has code, ranges elsewhere belong to
// code that the linker dropped. A file without debug information gives nil and no
// error. With an error the result may still be usable, for the units before the
// damage.
func Open(f, alt *elffile.File, code []elffile.Range) (*Info, error) {
	d, err := load(f)
	if d == nil {
		return nil, err
	}
	errs := []error{err}
	d.code = slices.Clone(code)
	slices.SortFunc(d.code, func(a, b elffile.Range) int {
		if a.Low < b.Low {
			return -1
		}
		return 1
	})
	if alt != nil {
		if d.alt, err = load(alt); err != nil {
			errs = append(errs, err)
		}
		if d.alt != nil {
			errs = append(errs, d.alt.readRoots())
		}
	}
	errs = append(errs, d.readRoots())
	d.indexUnits()
	return d, errors.Join(errs...)
}

// load reads the sections and the unit headers.
func load(f *elffile.File) (*Info, error) {
	d := &Info{abbrevs: map[abbrevKey]*abbrevs{}, lines: map[lineKey]*lineTable{}}
	var errs []error
	for _, s := range []struct {
		name string
		to   *[]byte
	}{
		{".debug_info", &d.sec.info},
		{".debug_abbrev", &d.sec.abbrev},
		{".debug_line", &d.sec.line},
		{".debug_line_str", &d.sec.lineStr},
		{".debug_str", &d.sec.str},
		{".debug_str_offsets", &d.sec.strOffsets},
		{".debug_addr", &d.sec.addr},
		{".debug_ranges", &d.sec.ranges},
		{".debug_rnglists", &d.sec.rnglists},
		{".debug_aranges", &d.sec.aranges},
	} {
		data, err := f.Data(s.name)
		errs = append(errs, err)
		*s.to = data
	}
	if len(d.sec.info) == 0 || len(d.sec.abbrev) == 0 {
		return nil, errors.Join(errs...)
	}
	d.sec.big = f.ByteOrder().String() == "BigEndian"
	d.budget.set(&d.sec)
	if err := d.readUnits(); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", f.Path(), err))
	}
	return d, errors.Join(errs...)
}

func (d *Info) readRoots() error {
	var first error
	for _, u := range d.units {
		if !u.hasCode() && u.kind != utPartial {
			continue
		}
		if err := u.readRoot(); err != nil && first == nil {
			first = err // one damaged table tends to spoil many units
		}
	}
	return first
}

// isCode reports whether addr is in code that is part of the binary.
func (d *Info) isCode(addr uint64) bool {
	if d.code == nil {
		return true
	}
	i := sort.Search(len(d.code), func(i int) bool { return d.code[i].High > addr })
	return i < len(d.code) && d.code[i].Low <= addr
}

// indexUnits finds the address ranges of all units: from the units themselves
// and from .debug_aranges, because either may be incomplete (DWARF 2 has no way to
// say that a unit is in several places; clang writes no .debug_aranges). Where
// neither says anything, the functions are read to find out.
func (d *Info) indexUnits() {
	byOffset := make(map[uint64]int32, len(d.units))
	var spans []interval.Span
	for i, u := range d.units {
		if !u.hasCode() {
			continue
		}
		byOffset[u.off] = int32(i)
		u.eachRange(u.root.low, u.root.high, u.root.ranges, func(lo, hi uint64) {
			spans = append(spans, interval.Span{Low: lo, High: hi, ID: int32(i)})
		})
		if u.root.dwoName.class != classNone {
			d.noteSplit()
		}
	}
	spans = append(spans, d.aranges(byOffset)...)
	if len(spans) == 0 {
		for i, u := range d.units {
			if u.hasCode() {
				for _, s := range u.allSpans() {
					spans = append(spans, interval.Span{Low: s.Low, High: s.High, ID: int32(i)})
				}
			}
		}
	}
	// Where units overlap the first one in the file is taken, as LLVM does; the
	// index prefers the last of equal spans.
	slices.Reverse(spans)
	d.byAddr = interval.Build(spans)
}

// allSpans are the ranges of all functions of a unit.
func (u *unit) allSpans() []interval.Span {
	b := treeBuilder{u: u}
	if err := b.build(); err != nil {
		u.info.note(err.Error())
	}
	return b.spans
}

// aranges reads .debug_aranges (§6.1.2).
func (d *Info) aranges(byOffset map[uint64]int32) []interval.Span {
	var spans []interval.Span
	c := at(d.sec.aranges, 0, d.sec.big)
	for c.Pos < len(c.Data) {
		set := c.Pos
		end, offSize := c.UnitLength()
		version := c.U16()
		unitOff := c.Uint(offSize)
		addrSize := c.U8()
		segSize := c.U8()
		if c.Bad || version != 2 || segSize != 0 || addrSize != 4 && addrSize != 8 {
			return spans
		}
		tuple := 2 * int(addrSize)
		if over := (c.Pos - set) % tuple; over != 0 {
			c.Skip(uint64(tuple - over))
		}
		id, want := byOffset[unitOff]
		for want && c.Pos+tuple <= end {
			lo := c.Uint(addrSize)
			n := c.Uint(addrSize)
			if n > 0 && d.isCode(lo) {
				spans = append(spans, interval.Span{Low: lo, High: lo + n, ID: id})
			}
		}
		c.Pos = end
	}
	return spans
}

func (d *Info) note(text string) {
	d.noteMu.Lock()
	defer d.noteMu.Unlock()
	if len(d.notes) < maxNotes && !slices.Contains(d.notes, text) {
		d.notes = append(d.notes, text)
	}
}

// maxNotes bounds what a damaged file can have to say.
const maxNotes = 20

// noteSplit tells once that details are in files of their own.
func (d *Info) noteSplit() {
	d.note("built with -gsplit-dwarf: functions come from the symbol table and lines without inlined calls, " +
		"because the details are in .dwo files; link with -gno-split-dwarf for inlined frames")
}

// Notes are what the user should know: damage that cost answers.
func (d *Info) Notes() []string {
	d.noteMu.Lock()
	defer d.noteMu.Unlock()
	return slices.Clone(d.notes)
}
