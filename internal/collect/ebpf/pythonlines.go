package ebpf

import (
	little "encoding/binary"
	"fmt"
	"os"
	"unique"

	"go.opentelemetry.io/ebpf-profiler/libpf"
)

// The profiler reads the line of a Python frame from the table of its code object
// (co_linetable, CPython 3.11 and later). An entry without a line, such as that of the
// instruction which makes a cell for a variable of a closure, sets its count to -1 there, so
// that all lines behind it are wrong: by one where it comes first, which it does in each
// function with a lambda, a comprehension or a nested function that uses its variables. So
// the table is read once more here. It counts only where the profiler's way of reading it
// gives what the profiler said: then it is the table of that code object.
//
// The format: https://github.com/python/cpython/blob/3.11/Objects/locations.md

// Places in objects of CPython 3.11 to 3.14 on 64-bit machines.
const (
	lineTableOfCode = 136 // co_linetable in PyCodeObject
	sizeOfBytes     = 16  // ob_size in PyBytesObject
	dataOfBytes     = 32  // ob_sval

	mostLineTable = 1 << 20
	mostTables    = 1 << 14
)

// pythonPlace is where a frame of Python runs.
type pythonPlace struct {
	code uint64 // the address of the code object
	at   uint32 // the instruction, in units of two bytes
	id   uint32 // a checksum of the code object
}

// pythonsOf appends the places of the Python frames of a trace, in their order.
func pythonsOf(out []pythonPlace, t *libpf.EbpfTrace) []pythonPlace {
	for f := range rawFrames(t, libpf.Python) {
		out = append(out, pythonPlace{code: f.Variable(0), at: uint32(f.Variable(1)>>32) & 0x0fffffff, id: uint32(f.Variable(1))}) //nolint:gosec // as the profiler packs them
	}
	return out
}

// codeKey is a code object of a process.
type codeKey struct {
	pid  uint32
	code uint64
	id   uint32
}

// pythonLines are the line tables that were read, nil for one that could not be.
type pythonLines map[codeKey][]byte

// offset is the line of a place, counted from the first of its function; ok is false where the
// table cannot be read, or is not that from which the profiler has said.
func (l pythonLines) offset(pid uint32, p pythonPlace, said uint32) (offset uint32, ok bool) {
	k := codeKey{pid, p.code, p.id}
	table, known := l[k]
	if !known {
		if len(l) >= mostTables {
			clear(l)
		}
		table = lineTable(pid, p.code)
		l[k] = table
	}
	right, wrong, ok := lineAt(table, p.at)
	return right, ok && wrong == said
}

// lineTable reads the table of a code object.
func lineTable(pid uint32, code uint64) []byte {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // only read
	word := func(at uint64) uint64 {
		var b [8]byte
		if _, err := f.ReadAt(b[:], int64(at)); err != nil { //nolint:gosec // an address of a process
			return 0
		}
		return little.LittleEndian.Uint64(b[:])
	}
	object := word(code + lineTableOfCode)
	if object == 0 {
		return nil
	}
	size := word(object + sizeOfBytes)
	if size == 0 || size > mostLineTable {
		return nil
	}
	out := make([]byte, size)
	if _, err := f.ReadAt(out, int64(object+dataOfBytes)); err != nil { //nolint:gosec // the same
		return nil
	}
	return out
}

// Kinds of entries of a line table.
const (
	oneLine   = 10 // to 12: the line and two columns
	noColumns = 13
	long      = 14
	noLine    = 15
)

// lineAt reads a table up to the entry of an instruction: right is its line, counted from the
// first of the function, and wrong is what comes out where an entry without a line sets the
// count to -1.
func lineAt(table []byte, at uint32) (right, wrong uint32, ok bool) {
	const first, more, sign = 0x80, 0x40, 1 // bits of bytes
	pos := 0
	next := func() (b byte, ok bool) {
		if pos >= len(table) {
			return 0, false
		}
		pos++
		return table[pos-1], true
	}
	number := func() (n uint32) {
		for shift := 0; ; shift += 6 {
			b, ok := next()
			if !ok || b&first != 0 {
				return n
			}
			n |= uint32(b&0x3f) << shift
			if b&more == 0 {
				return n
			}
		}
	}
	var line, said int32
	for end := uint32(0); end <= at; {
		b, ok := next()
		if !ok || b&first == 0 {
			return 0, 0, false
		}
		end += uint32(b&7) + 1 //nolint:mnd // the length of an entry
		delta := int32(0)
		switch kind := b >> 3 & 0xf; {
		case kind < oneLine:
			pos++
		case kind < noColumns:
			delta = int32(kind - oneLine)
			pos += 2
		case kind == noColumns, kind == long:
			n := number()
			if delta = int32(n >> 1); n&sign != 0 { //nolint:gosec // small numbers
				delta = -delta
			}
			if kind == long {
				number()
				number()
				number()
			}
		case kind == noLine:
			said = -1
		}
		line += delta
		said += delta
	}
	return uint32(max(line, 0)), uint32(max(said, 0)), true //nolint:gosec // not negative
}

// isPython tells whether a frame is one of those that pythonsOf has found.
func isPython(f *libpf.Frame) bool { return f.Type.IsInterpType(libpf.Python) && !f.Type.IsError() }

// countOf is how many of some frames are of a kind.
func countOf(frames libpf.Frames, is func(*libpf.Frame) bool) (n int) {
	for _, h := range frames {
		if f := h.Value(); is(&f) {
			n++
		}
	}
	return n
}

// pythonFrame gives a frame of Python its right line.
func (c *converter) pythonFrame(h unique.Handle[libpf.Frame], p pythonPlace) unique.Handle[libpf.Frame] {
	f := h.Value()
	offset, ok := c.lines.offset(c.pid, p, f.FunctionOffset)
	if !ok || offset == f.FunctionOffset {
		return h
	}
	f.SourceLine += libpf.SourceLineno(offset) - libpf.SourceLineno(f.FunctionOffset)
	f.FunctionOffset = offset
	return unique.Make(f)
}
