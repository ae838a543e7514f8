package dwarf

import (
	"crypto/md5" //nolint:gosec // DWARF has no other
	"errors"
	"fmt"
	"path"
)

// Content types of a version 5 file table (§6.2.4.1).
const (
	lnctPath  = 0x1
	lnctIndex = 0x2
	lnctMD5   = 0x5
)

// lineHeader is the head of a unit's line program (§6.2.4).
type lineHeader struct {
	sizes
	minInst, maxOps       uint8
	lineBase              int8
	lineRange, opcodeBase uint8
	stdLengths            []byte
	dirs                  []string
	files                 []lineFile
	program               int // offset of the first opcode
	end                   int
}

type lineFile struct {
	name string
	dir  uint64
	full string
	sum  []byte // MD5 of its text, nil when not known
}

var errLine = errors.New("damaged line table")

// path returns the file of that number, "" when there is none. Numbers begin at
// one before DWARF 5 and at zero since.
func (h *lineHeader) path(n uint64) string {
	if h.version < 5 {
		n--
	}
	if n >= uint64(len(h.files)) {
		return ""
	}
	return h.files[n].full
}

// readLineHeader reads the head of the program at off.
func (u *unit) readLineHeader(off uint64) (*lineHeader, error) {
	c := at(u.info.sec.line, off, u.info.sec.big)
	h := &lineHeader{}
	h.end, h.offset = c.UnitLength()
	h.version = c.U16()
	h.addr = u.addr
	if c.Bad || h.version < 2 || h.version > 5 {
		return h.broken(), fmt.Errorf("%w at %#x of .debug_line", errLine, off)
	}
	if h.version >= 5 {
		h.addr = c.U8()
		c.U8() // size of segment selectors
	}
	length := c.Uint(h.offset)
	start := uint64(c.Pos) + length
	h.minInst, h.maxOps = c.U8(), 1
	if h.version >= 4 {
		h.maxOps = c.U8()
	}
	c.U8() // default_is_stmt
	h.lineBase, h.lineRange = int8(c.U8()), c.U8()
	h.opcodeBase = c.U8()
	h.stdLengths = c.Take(max(int(h.opcodeBase), 1) - 1)
	if c.Bad || length > uint64(h.end) || start > uint64(h.end) || start < uint64(c.Pos) || h.lineRange == 0 {
		return h.broken(), fmt.Errorf("%w at %#x of .debug_line", errLine, off)
	}
	h.program = int(start)
	c.Data = c.Data[:start]
	if h.version >= 5 {
		h.tablesV5(u, &c)
	} else {
		h.tablesV4(&c)
	}
	h.resolve(u)
	if c.Bad {
		return h, fmt.Errorf("%w: file names at %#x of .debug_line", errLine, off)
	}
	return h, nil
}

// broken leaves a header from which no row comes.
func (h *lineHeader) broken() *lineHeader {
	h.program, h.end = 0, 0
	return h
}

func (h *lineHeader) tablesV4(c *cursor) {
	h.dirs = []string{""} // number 0 is the directory of compilation
	for !c.Bad {
		dir := c.Str()
		if len(dir) == 0 {
			break
		}
		h.dirs = append(h.dirs, pathText(string(dir)))
	}
	for !c.Bad {
		name := c.Str()
		if len(name) == 0 {
			break
		}
		h.files = append(h.files, h.fileV4(c, name))
	}
}

func (h *lineHeader) fileV4(c *cursor, name []byte) lineFile {
	f := lineFile{name: pathText(string(name)), dir: c.ULEB()}
	c.ULEB() // time of modification
	c.ULEB() // size
	return f
}

func (h *lineHeader) tablesV5(u *unit, c *cursor) {
	for _, f := range h.entriesV5(u, c) {
		h.dirs = append(h.dirs, f.name)
	}
	h.files = h.entriesV5(u, c)
}

// entriesV5 reads a directory or file table: the form of each entry, then all of
// them.
func (h *lineHeader) entriesV5(u *unit, c *cursor) []lineFile {
	type field struct {
		content uint64
		form    uint16
	}
	fields := make([]field, c.U8())
	for i := range fields {
		fields[i].content, fields[i].form = c.ULEB(), uint16(c.ULEB())
	}
	count := c.ULEB()
	if len(fields) == 0 {
		return nil
	}
	var out []lineFile
	for i := uint64(0); i < count && !c.Bad && c.Pos < len(c.Data); i++ {
		var f lineFile
		start := c.Pos
		for _, fd := range fields {
			if fd.content == lnctMD5 && fd.form == formData16 {
				f.sum = c.Take(md5.Size)
				continue
			}
			v := c.read(fd.form, 0, h.sizes, 0)
			switch fd.content {
			case lnctPath:
				f.name = pathText(u.text(v))
			case lnctIndex:
				f.dir = v.u
			}
		}
		if c.Pos == start {
			c.Fail() // entries without bytes could be any number
			break
		}
		out = append(out, f)
	}
	return out
}

// resolve makes the full path of every file.
func (h *lineHeader) resolve(u *unit) {
	comp := pathText(u.text(u.root.compDir))
	for i, dir := range h.dirs {
		// Since version 5 number 0 is the directory of compilation itself; it may
		// be relative where builds map their prefix away.
		if !path.IsAbs(dir) && (i > 0 || h.version < 5) {
			h.dirs[i] = path.Join(comp, dir)
		}
	}
	for i := range h.files {
		h.resolveFile(&h.files[i])
	}
}

func (h *lineHeader) resolveFile(f *lineFile) {
	switch {
	case f.name == "":
	case path.IsAbs(f.name):
		f.full = path.Clean(f.name)
	case f.dir < uint64(len(h.dirs)):
		f.full = path.Join(h.dirs[f.dir], f.name)
	default:
		f.full = path.Clean(f.name)
	}
}

// maxPath is Linux's limit of a path; what is longer is none.
const maxPath = 4096

func pathText(text string) string {
	if len(text) > maxPath {
		return ""
	}
	return text
}
