package gopcln

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"whyhot/internal/elfinfo/elffile"
)

var errNone = errors.New("a Go program without .gopclntab: its functions cannot be named")

// Frame is a function, and the line of it that an address is of, or of its call of the frame before.
type Frame struct {
	Name, File string
	Line       int // 0 where the table has none
	Start      int // the line on which the function begins, 0 where that is not known
}

// Table names addresses of a program.
type Table struct {
	old    *gosym.Table // of a form before Go 1.20; then nothing below is set
	order  binary.ByteOrder
	step   uint64 // bytes of the shortest instruction
	text   uint64 // what addresses are relative to
	number int    // of functions
	// Parts of the table: names, files of units, names of files, lists of values, descriptions.
	names, units, files, values, functions []byte
	trees                                  []byte // of inlined calls; nil where they were not found
}

// sections are those of a program's code and of its table.
func sections(bin *elffile.File) (text, pcln *elf.Section) {
	if pcln = bin.Section(".gopclntab"); pcln == nil { // where the program is position-independent
		pcln = bin.Section(".data.rel.ro.gopclntab")
	}
	return bin.Section(".text"), pcln
}

// Is says whether a file is a program of Go with its table.
func Is(bin *elffile.File) bool {
	text, pcln := sections(bin)
	return text != nil && pcln != nil
}

// Open reads the table of a program.
func Open(bin *elffile.File) (*Table, error) { return open(bin, true) }

// open reads it, with what names inlined calls or without.
func open(bin *elffile.File, inlined bool) (t *Table, err error) {
	text, pcln := sections(bin)
	if text == nil || pcln == nil {
		return nil, fmt.Errorf("%s: %w", bin.Path(), errNone)
	}
	data, err := bin.SectionData(pcln)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	m, _ := moduleOf(bin, text, pcln)
	start := textOf(bin, text, m)
	if t = parse(data, bin.ByteOrder(), start); t != nil {
		if inlined {
			t.trees = t.findTrees(bin, m)
		}
		return t, nil
	}
	defer func() {
		// debug/gosym does not check every offset that it follows.
		if r := recover(); r != nil {
			t, err = nil, fmt.Errorf("%s: damaged .gopclntab: %v", bin.Path(), r)
		}
	}()
	old, err := gosym.NewTable(nil, gosym.NewLineTable(data, start))
	if err != nil {
		return nil, fmt.Errorf("%s: .gopclntab: %w", bin.Path(), err)
	}
	return &Table{old: old}, nil
}

// The form of the table since Go 1.20.
const (
	magic       = 0xfffffff1
	headerSize  = 8 + 8*8
	mostNumber  = 1 << 24 // more functions than any program has; a larger number is damage
	entrySize   = 8       // of the list of functions: address, place of the description
	fixedSize   = 44      // of a description, before its lists
	noFuncData  = 0xffffffff
	inlineIndex = 2 // of the lists of values: the index of an inlined call
	inlineTree  = 3 // of the further data: the tree
)

// Offsets in a description.
const (
	fieldName  = 4
	fieldFile  = 20
	fieldLine  = 24
	fieldLists = 28
	fieldUnit  = 32
	fieldStart = 36
	fieldData  = 43
)

// parse reads the header; nil for another form, or damage.
func parse(data []byte, order binary.ByteOrder, text uint64) *Table {
	if len(data) < headerSize || order.Uint32(data) != magic || data[7] != 8 || data[6] == 0 { //nolint:mnd // bytes of a pointer
		return nil
	}
	word := func(i int) uint64 { return order.Uint64(data[8+8*i:]) }
	from := func(i int) []byte {
		if at := word(i); at < uint64(len(data)) {
			return data[at:]
		}
		return nil
	}
	t := &Table{
		order: order, step: uint64(data[6]), text: text,
		names: from(3), units: from(4), files: from(5), values: from(6), functions: from(7), //nolint:mnd // words of the header
	}
	if n := word(0); n < mostNumber && uint64(len(t.functions)) > n*entrySize+4 {
		t.number = int(n) //nolint:gosec // bounded
	}
	if t.number == 0 || t.names == nil || t.units == nil || t.files == nil || t.values == nil {
		return nil
	}
	return t
}

// function is one that is open.
type function struct {
	entry, size uint64 // from the start of the code
	description []byte
}

// at is the i-th function; ok is false for damage.
func (t *Table) at(i int) (f function, ok bool) {
	row := t.functions[i*entrySize:] // one more than there are functions: where the last one ends
	f.entry, f.size = uint64(t.order.Uint32(row)), uint64(t.order.Uint32(row[entrySize:]))
	place := uint64(t.order.Uint32(row[4:]))
	if f.size <= f.entry || place+fixedSize > uint64(len(t.functions)) {
		return f, false
	}
	f.size -= f.entry
	f.description = t.functions[place:]
	return f, true
}

// find is the function that an address is in.
func (t *Table) find(address uint64) (f function, ok bool) {
	if address < t.text {
		return f, false
	}
	offset := address - t.text
	i := sort.Search(t.number, func(i int) bool { return uint64(t.order.Uint32(t.functions[i*entrySize:])) > offset }) - 1
	if i < 0 {
		return f, false
	}
	f, ok = t.at(i)
	return f, ok && offset-f.entry < f.size
}

// Find gives the frames at an address, innermost inlined call first; none where the address is in no
// function.
func (t *Table) Find(address uint64) []Frame {
	if t.old != nil {
		file, line, fn := t.old.PCToLine(address)
		if fn == nil {
			return nil
		}
		return []Frame{{Name: fn.Name, File: file, Line: max(line, 0)}} // -1 where the table has none
	}
	f, ok := t.find(address)
	if !ok {
		return nil
	}
	offset := address - t.text - f.entry
	var out []Frame
	for range mostInlined {
		frame := Frame{Name: t.name(t.field(f, fieldName)), File: t.file(f, offset), Line: max(0, int(t.value(t.field(f, fieldLine), offset, f.size))), Start: int(t.field(f, fieldStart))}
		call, is := t.inlinedAt(f, offset)
		if is {
			frame.Name, frame.Start = t.name(call.name), int(call.start)
		}
		if frame.File == generated {
			frame.File, frame.Line, frame.Start = "", 0, 0
		}
		out = append(out, frame)
		if !is {
			return out
		}
		offset = uint64(call.parent)
	}
	return out
}

// generated is the file of what the compiler has made itself.
const generated = "<autogenerated>"

// mostInlined bounds how deep inlined calls are; more is damage.
const mostInlined = 256

// Functions are the addresses at which functions of a Go program begin, in the order of their
// names. A program without a symbol table has them in the table that its runtime needs.
func Functions(bin *elffile.File, names ...string) ([]uint64, error) {
	out := make([]uint64, len(names))
	var t *Table
	for i, name := range names {
		var ok bool
		if out[i], ok = symbolNamed(bin, name); ok {
			continue
		}
		if t == nil {
			var err error
			if t, err = open(bin, false); err != nil {
				return nil, err
			}
		}
		if out[i], ok = t.function(name); !ok {
			return nil, fmt.Errorf("%s has no %s", bin.Path(), name)
		}
	}
	return out, nil
}

// function is the address at which a function begins; ok is false where there is none of that name.
func (t *Table) function(name string) (address uint64, ok bool) {
	if t.old != nil {
		if fn := t.old.LookupFunc(name); fn != nil {
			return fn.Entry, true
		}
		return 0, false
	}
	for i := range t.number {
		if f, ok := t.at(i); ok && t.name(t.field(f, fieldName)) == name {
			return t.text + f.entry, true
		}
	}
	return 0, false
}

func (t *Table) field(f function, at int) uint32 { return t.order.Uint32(f.description[at:]) }

// name is a text of the table of names.
func (t *Table) name(at uint32) string { return text(t.names, uint64(at)) }

func text(table []byte, at uint64) string {
	if at >= uint64(len(table)) {
		return ""
	}
	end := bytes.IndexByte(table[at:], 0)
	if end < 0 {
		return ""
	}
	return string(table[at : at+uint64(end)]) //nolint:gosec // not below 0
}

// file is the file that an instruction is of.
func (t *Table) file(f function, offset uint64) string {
	n := t.value(t.field(f, fieldFile), offset, f.size)
	at := 4 * (uint64(t.field(f, fieldUnit)) + uint64(max(0, n))) //nolint:gosec // not below 0
	if n < 0 || at+4 > uint64(len(t.units)) {
		return ""
	}
	name := t.order.Uint32(t.units[at:])
	if name == noFuncData { // the linker has left the file out
		return ""
	}
	return text(t.files, uint64(name))
}

// value is that of a list at an instruction, -1 where it has none. Values begin at -1 and are written
// as differences, zigzag, each with the length of the code that it is true for.
func (t *Table) value(list uint32, offset, size uint64) int32 {
	if list == 0 || uint64(list) >= uint64(len(t.values)) {
		return -1
	}
	b := t.values[list:]
	value, at := int32(-1), uint64(0)
	for at < size {
		difference, n := binary.Uvarint(b)
		if n <= 0 || difference == 0 && at > 0 {
			return -1
		}
		length, m := binary.Uvarint(b[n:])
		if m <= 0 || length == 0 {
			return -1
		}
		b = b[n+m:]
		value += int32(difference>>1) ^ -int32(difference&1) //nolint:gosec // zigzag of 32 bits
		if at += length * t.step; offset < at {
			return value
		}
	}
	return -1
}
