package extract

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"whyhot/internal/elfinfo/elffile"
)

// Errors that Open wraps.
var (
	ErrNotELF      = errors.New("not an ELF file")
	ErrUnsupported = errors.New("only 64-bit little-endian ELF files are handled")
	ErrDamaged     = errors.New("damaged ELF file")
	ErrNoSections  = errors.New("no section headers")
)

const (
	headerSize  = 64
	progSize    = 56
	sectionSize = 64
	// maxNames bounds the table of the sections' names, maxNote a note that is read,
	// maxLink a link to another file.
	maxNames = 16 << 20
	maxNote  = 1 << 20
	maxLink  = 64 << 10
)

// File is one ELF file whose headers were read.
type File struct {
	r        io.ReaderAt
	size     int64
	header   elf.Header64
	progs    []elf.Prog64
	sections []section
	buildID  string
}

// section is a header with its name, and whether it holds the names of symbols.
type section struct {
	elf.Section64

	name    string
	strings bool
}

// Open reads the headers of the file of size bytes behind r, which must stay open as
// long as what is made of the file is read.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	var head [headerSize]byte
	if n, err := r.ReadAt(head[:], 0); n < headerSize {
		if err == nil || errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: %d bytes", ErrNotELF, n)
		}
		return nil, fmt.Errorf("reading the ELF header: %w", err)
	}
	if string(head[:4]) != elf.ELFMAG {
		return nil, ErrNotELF
	}
	if elf.Class(head[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(head[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil, ErrUnsupported
	}
	if _, err := binary.Decode(head[:], binary.LittleEndian, &f.header); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	if elf.Type(f.header.Type) == elf.ET_CORE {
		return nil, fmt.Errorf("%w, and no core dumps", ErrUnsupported)
	}
	for _, read := range []func() error{f.readProgs, f.readSections, f.readNames, f.readBuildID} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// table reads n entries of the given size at an offset.
func (f *File) table(what string, at uint64, n, size int) ([]byte, error) {
	length := uint64(n) * uint64(size)
	if at > uint64(f.size) || length > uint64(f.size)-at {
		return nil, fmt.Errorf("%w: %s: bytes %#x to %#x are past the end of the file (%#x)", ErrDamaged, what, at, at+length, f.size)
	}
	data := make([]byte, length)
	if _, err := f.r.ReadAt(data, int64(at)); err != nil {
		return nil, fmt.Errorf("%s: %w", what, noEOF(err))
	}
	return data, nil
}

// noEOF is the error of bytes that were there when the size was taken.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (f *File) readProgs() error {
	n := int(f.header.Phnum)
	if n == 0 {
		return nil
	}
	if f.header.Phentsize != progSize || n == 0xffff {
		return fmt.Errorf("%w: %d program headers of %d bytes", ErrDamaged, n, f.header.Phentsize)
	}
	data, err := f.table("program headers", f.header.Phoff, n, progSize)
	if err != nil {
		return err
	}
	f.progs = make([]elf.Prog64, n)
	if _, err := binary.Decode(data, binary.LittleEndian, f.progs); err != nil {
		return fmt.Errorf("%w: program headers: %w", ErrDamaged, err)
	}
	return nil
}

func (f *File) readSections() error {
	n := int(f.header.Shnum)
	switch {
	case f.header.Shoff == 0:
		return ErrNoSections
	case n == 0 || n >= int(elf.SHN_LORESERVE):
		return fmt.Errorf("%w, and less than %d sections", ErrUnsupported, int(elf.SHN_LORESERVE))
	case f.header.Shentsize != sectionSize:
		return fmt.Errorf("%w: section headers of %d bytes", ErrDamaged, f.header.Shentsize)
	case int(f.header.Shstrndx) >= n:
		return fmt.Errorf("%w: the names of %d sections are in section %d", ErrDamaged, n, f.header.Shstrndx)
	}
	data, err := f.table("section headers", f.header.Shoff, n, sectionSize)
	if err != nil {
		return err
	}
	raw := make([]elf.Section64, n)
	if _, err := binary.Decode(data, binary.LittleEndian, raw); err != nil {
		return fmt.Errorf("%w: section headers: %w", ErrDamaged, err)
	}
	f.sections = make([]section, n)
	for i := range raw {
		f.sections[i].Section64 = raw[i]
		s := &f.sections[i]
		if s.hasBytes() && (s.Off > uint64(f.size) || s.Size > uint64(f.size)-s.Off) {
			return fmt.Errorf("%w: section %d: bytes %#x to %#x are past the end of the file (%#x): truncated?", ErrDamaged, i, s.Off, s.Off+s.Size, f.size)
		}
	}
	for i := range f.sections {
		if s := &f.sections[i]; (s.is(elf.SHT_SYMTAB) || s.is(elf.SHT_DYNSYM)) && int(s.Link) < n {
			f.sections[s.Link].strings = true
		}
	}
	return nil
}

func (f *File) readNames() error {
	s := &f.sections[f.header.Shstrndx]
	if !s.hasBytes() {
		return nil
	}
	if s.Size > maxNames {
		return fmt.Errorf("%w: %d bytes of section names", ErrDamaged, s.Size)
	}
	names, err := f.table("section names", s.Off, int(s.Size), 1)
	if err != nil {
		return err
	}
	for i := range f.sections {
		if at := int64(f.sections[i].Name); at < int64(len(names)) {
			f.sections[i].name, _, _ = cutNUL(names[at:])
		}
	}
	return nil
}

// maxName bounds the name of a section.
const maxName = 256

func cutNUL(b []byte) (text string, rest []byte, found bool) {
	n := bytes.IndexByte(b[:min(len(b), maxName)], 0)
	if n < 0 {
		return "", nil, false
	}
	return string(b[:n]), b[n+1:], true
}

func (f *File) readBuildID() error {
	for i := range f.sections {
		s := &f.sections[i]
		if !s.is(elf.SHT_NOTE) || s.Size > maxNote {
			continue
		}
		data, err := f.contents(s)
		if err != nil {
			return err
		}
		if f.buildID = elffile.BuildIDFromNotes(data, binary.LittleEndian); f.buildID != "" {
			return nil
		}
	}
	return nil
}

func (f *File) contents(s *section) ([]byte, error) {
	return f.table("section "+s.name, s.Off, int(s.Size), 1)
}

func (s *section) is(t elf.SectionType) bool { return elf.SectionType(s.Type) == t }

func (s *section) has(flag elf.SectionFlag) bool { return elf.SectionFlag(s.Flags)&flag != 0 }

func (s *section) hasBytes() bool { return !s.is(elf.SHT_NULL) && !s.is(elf.SHT_NOBITS) && s.Size > 0 }

// BuildID is the GNU build ID in lower-case hex, "" when there is none.
func (f *File) BuildID() string { return f.buildID }

// find returns the first section of that name with bytes, or nil.
func (f *File) find(name string) *section {
	for i := range f.sections {
		if s := &f.sections[i]; s.name == name && s.hasBytes() {
			return s
		}
	}
	return nil
}

// HasSymbols tells whether the file names its local functions, too: by a symbol table
// or by Go's table of functions.
func (f *File) HasSymbols() bool {
	return f.hasSymtab() || f.find(".gopclntab") != nil || f.find(".data.rel.ro.gopclntab") != nil
}

func (f *File) hasSymtab() bool {
	for i := range f.sections {
		if s := &f.sections[i]; s.hasBytes() && s.is(elf.SHT_SYMTAB) {
			return true
		}
	}
	return false
}

// HasDWARF tells whether the file describes its sources.
func (f *File) HasDWARF() bool {
	return f.find(".debug_info") != nil || f.find(".zdebug_info") != nil
}

// DebugLink is the name of the separate debug file that .gnu_debuglink tells, "" for
// none.
func (f *File) DebugLink() string {
	name, _, _ := elffile.DebugLinkFrom(f.link(".gnu_debuglink"), binary.LittleEndian)
	if strings.Contains(name, "/") {
		return ""
	}
	return name
}

// AltLink is what .gnu_debugaltlink says: the path of the file that dwz moved shared
// debug information to, and its build ID; "" for none.
func (f *File) AltLink() (path, buildID string) {
	path, buildID, _ = elffile.AltLinkFrom(f.link(".gnu_debugaltlink"))
	return path, buildID
}

// link are the contents of a section that names another file.
func (f *File) link(name string) []byte {
	s := f.find(name)
	if s == nil || s.Size > maxLink {
		return nil
	}
	data, err := f.contents(s)
	if err != nil {
		return nil
	}
	return data
}
