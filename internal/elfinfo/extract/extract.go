package extract

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Kind is how much is taken.
type Kind string

// The kinds. Full includes what Symbols has.
const (
	// Symbols are the tables that name functions: those of the linker, Go's own
	// (which has lines), the compressed one of .gnu_debugdata, and what names the
	// stubs of the procedure linkage table.
	Symbols Kind = "symbols"
	// Full is everything that is not part of the program's memory.
	Full Kind = "full"
)

// Extract is a file that was laid out and can be read.
type Extract struct {
	kind    Kind
	grade   Grade
	buildID string
	parts   []part
	size    int64
	digest  [sha256.Size]byte
}

// part is a run of the output: bytes that were made, or a range of a file.
type part struct {
	made []byte
	from *File
	off  int64
	size int64
}

// New lays out what is taken of the binary and of its separate debug file. Either may
// be nil. The caller has seen that their build IDs are the same.
func New(kind Kind, binary, debug *File) (*Extract, error) {
	base := debug
	if base == nil {
		base, binary = binary, nil
	}
	if base == nil {
		return nil, fmt.Errorf("%w: no file", ErrNotELF)
	}
	l := &layout{kind: kind, base: base, binary: binary, at: headerSize}
	return l.lay()
}

// Kind is Full where the file has what describes sources, else Symbols, whatever was
// asked for.
func (e *Extract) Kind() Kind { return e.kind }

// Size is the length of the file in bytes.
func (e *Extract) Size() int64 { return e.size }

// BuildID is that of the binary.
func (e *Extract) BuildID() string { return e.buildID }

// Hash identifies the file without reading its contents: its grade, and a digest of the
// build ID and all headers.
func (e *Extract) Hash() string { return e.grade.String() + "-" + hex.EncodeToString(e.digest[:]) }

// Grade is how much the file names.
func (e *Extract) Grade() Grade { return e.grade }

// Reader reads the file from its beginning. A source that has become shorter gives
// io.ErrUnexpectedEOF.
func (e *Extract) Reader() io.Reader {
	readers := make([]io.Reader, 0, len(e.parts)+1)
	for _, p := range e.parts {
		if p.from == nil {
			readers = append(readers, bytes.NewReader(p.made))
		} else {
			readers = append(readers, &exactReader{r: io.NewSectionReader(p.from.r, p.off, p.size), left: p.size})
		}
	}
	return io.MultiReader(readers...)
}

// exactReader reads all of what it should.
type exactReader struct {
	r    io.Reader
	left int64
}

func (r *exactReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.left -= int64(n)
	if err == io.EOF && r.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// layout decides what goes where.
type layout struct {
	kind   Kind
	base   *File // whose sections the output has
	binary *File // what base lacks of the program's memory; nil where base is the binary, or alone
	progs  []elf.Prog64
	out    []elf.Section64
	more   []elf.Section64 // behind those that base has
	parts  []part
	at     uint64
	dwarf  bool
}

func (l *layout) lay() (*Extract, error) {
	l.progs = l.base.progs
	if l.binary != nil {
		l.progs = l.binary.progs // those of debug files have often lost their sizes
	}
	l.at += uint64(len(l.progs)) * progSize
	l.out = make([]elf.Section64, len(l.base.sections))
	for i := range l.base.sections {
		if err := l.section(i); err != nil {
			return nil, err
		}
	}
	// Sections that share their bytes could make a file without bounds of a small one.
	limit := uint64(l.base.size) + maxAlign*uint64(len(l.out)) + uint64(len(l.progs))*progSize + headerSize
	if l.binary != nil {
		limit += uint64(l.binary.size)
	}
	if l.at > limit {
		return nil, fmt.Errorf("%w: its sections overlap: %d bytes in a file of %d", ErrDamaged, l.at, l.base.size)
	}
	l.out = append(l.out, l.more...)
	l.pad(8)
	header := l.base.header
	header.Shnum = uint16(len(l.out))
	header.Phoff, header.Phnum, header.Phentsize = headerSize, uint16(len(l.progs)), progSize
	if len(l.progs) == 0 {
		header.Phoff = 0
	}
	header.Shoff, header.Ehsize = l.at, headerSize
	head, err := encode(header, l.segments())
	if err != nil {
		return nil, err
	}
	table, err := encode(l.out)
	if err != nil {
		return nil, err
	}
	e := &Extract{
		kind: Symbols, grade: Exported, buildID: l.base.buildID, size: int64(l.at) + int64(len(table)),
		parts: append(append([]part{{made: head}}, l.parts...), part{made: table}),
	}
	switch {
	case l.dwarf:
		e.kind, e.grade = Full, Lined
	case l.base.HasSymbols() || l.binary != nil && l.binary.HasSymbols():
		e.grade = Named
	}
	e.digest = sha256.Sum256([]byte(e.buildID + "\x00" + string(head) + string(table)))
	return e, nil
}

func encode(values ...any) ([]byte, error) {
	var out []byte
	for _, v := range values {
		var err error
		if out, err = binary.Append(out, binary.LittleEndian, v); err != nil {
			return nil, fmt.Errorf("writing ELF headers: %w", err)
		}
	}
	return out, nil
}

// section decides on the i-th section of base.
func (l *layout) section(i int) error {
	from, s := l.base, &l.base.sections[i]
	o := s.Section64
	if s.is(elf.SHT_NOBITS) && s.has(elf.SHF_ALLOC) {
		if twin := l.twin(s); twin != nil {
			from, s = l.binary, twin
			o.Type, o.Entsize, o.Info, o.Link = s.Type, s.Entsize, s.Info, l.indexOf(s.Link)
		}
	}
	switch {
	case s.hasBytes() && s.name == ".rela.dyn" && s.is(elf.SHT_RELA) && from.find(".plt.got") != nil: //nolint:misspell // the name in the ELF specification
		slots, err := pltSlots(from, s)
		if err != nil {
			return err
		}
		o.Size = uint64(len(slots))
		l.put(&o, s, part{made: slots, size: int64(len(slots))})
	case s.hasBytes() && (l.wanted(s) || from == l.base && i == int(from.header.Shstrndx)):
		l.put(&o, s, part{from: from, off: int64(s.Off), size: int64(s.Size)})
		l.dwarf = l.dwarf || s.name == ".debug_info" || s.name == ".zdebug_info"
	case s.has(elf.SHF_ALLOC) && !s.is(elf.SHT_NULL):
		o.Type, o.Off = uint32(elf.SHT_NOBITS), l.at
	default:
		o = elf.Section64{}
	}
	l.out[i] = o
	return nil
}

// put places a section's bytes.
func (l *layout) put(o *elf.Section64, s *section, p part) {
	l.pad(s.Addralign)
	o.Off = l.at
	l.parts = append(l.parts, p)
	l.at += uint64(p.size)
	if s.has(elf.SHF_ALLOC) && !l.loaded(o) {
		*o = l.moved(*o, s)
	}
}

// moved is the header of a section of the program's memory that is no longer where its
// segment has it. It must not say that it is loaded. The linkage table's code has two
// headers: GDB looks for one that is loaded, whoever reads the code for its bytes.
func (l *layout) moved(o elf.Section64, s *section) elf.Section64 {
	if s.is(elf.SHT_RELA) { //nolint:misspell // the name in the ELF specification
		return o // which relocations are those of the stubs is told by this; only Go's linker puts them behind the code
	}
	copied := o
	copied.Flags &^= uint64(elf.SHF_ALLOC)
	if !s.has(elf.SHF_EXECINSTR) {
		return copied
	}
	l.more = append(l.more, copied)
	o.Type = uint32(elf.SHT_NOBITS)
	return o
}

// loaded tells whether a section of the program's memory is still where its segment
// has it in the binary. GDB complains of sections that say so and are not; those in
// front of the code have only moved within their segment.
func (l *layout) loaded(s *elf.Section64) bool {
	for _, p := range l.progs {
		if elf.ProgType(p.Type) == elf.PT_LOAD && s.Addr >= p.Vaddr && s.Addr-p.Vaddr < p.Memsz {
			return s.Off >= p.Off && s.Off-p.Off < p.Filesz && s.Size <= p.Filesz-(s.Off-p.Off)
		}
	}
	return false
}

// twin is the section of the binary that the debug file has only the header of.
func (l *layout) twin(s *section) *section {
	if l.binary == nil {
		return nil
	}
	for i := range l.binary.sections {
		if b := &l.binary.sections[i]; b.hasBytes() && b.has(elf.SHF_ALLOC) && b.Addr == s.Addr && b.Size == s.Size && b.name == s.name {
			return b
		}
	}
	return nil
}

// indexOf is the index in base of a section of the binary, 0 for none.
func (l *layout) indexOf(i uint32) uint32 {
	if int(i) >= len(l.binary.sections) {
		return 0
	}
	b := &l.binary.sections[i]
	for k := range l.base.sections {
		if s := &l.base.sections[k]; s.name == b.name && s.Addr == b.Addr && k > 0 {
			return uint32(k)
		}
	}
	return 0
}

// wanted tells whether a section's bytes are taken.
func (l *layout) wanted(s *section) bool {
	if s.is(elf.SHT_NOTE) {
		return true // the build ID is one
	}
	if s.has(elf.SHF_ALLOC) {
		// Where exported names are all there is, some of them have no size: the next
		// function's begin ends them.
		bounds := s.name == ".eh_frame_hdr" && !l.base.hasSymtab()
		return s.is(elf.SHT_DYNSYM) || s.strings || isGoTable(s.name) || isStubs(s) || bounds
	}
	if l.kind == Full {
		return !l.relocatesMemory(s)
	}
	return s.is(elf.SHT_SYMTAB) || s.is(elf.SHT_SYMTAB_SHNDX) || s.strings || s.name == ".gnu_debugdata" || s.name == ".gnu_debuglink"
}

// relocatesMemory tells of the relocations that linkers leave for those who change a
// program afterwards (--emit-relocs): nobody names addresses by them.
func (l *layout) relocatesMemory(s *section) bool {
	if !s.is(elf.SHT_RELA) && !s.is(elf.SHT_REL) { //nolint:misspell // the name in the ELF specification
		return false
	}
	return int(s.Info) < len(l.base.sections) && l.base.sections[s.Info].has(elf.SHF_ALLOC)
}

// isGoTable tells Go's table of functions and lines, by its names in programs and in
// position-independent ones, and the few bytes that say where the code begins that it is
// about (since Go 1.26; before, they are among a program's data).
func isGoTable(name string) bool {
	return name == ".gopclntab" || name == ".data.rel.ro.gopclntab" || name == ".go.module"
}

// isStubs tells the code of the procedure linkage table, and the relocations that name
// where it leads.
func isStubs(s *section) bool {
	return s.name == ".plt" || strings.HasPrefix(s.name, ".plt.") || s.name == ".rela.plt"
}

// maxAlign bounds alignment: sections that ask for more do so for where they are loaded.
const maxAlign = 64

// pad aligns the next part.
func (l *layout) pad(align uint64) {
	if align < 2 || align > maxAlign || align&(align-1) != 0 {
		return
	}
	if n := -l.at & (align - 1); n > 0 {
		l.parts = append(l.parts, part{made: make([]byte, n)})
		l.at += n
	}
}

// segments are the program headers of the output. Those that are loaded keep their
// place in the binary; others are where their bytes are now, or have none.
func (l *layout) segments() []elf.Prog64 {
	out := make([]elf.Prog64, len(l.progs))
	size := uint64(len(l.progs)) * progSize
	for i, p := range l.progs {
		switch elf.ProgType(p.Type) { //nolint:exhaustive // all others are alike
		case elf.PT_LOAD:
		case elf.PT_PHDR:
			p.Off, p.Filesz, p.Memsz = headerSize, size, size
		default:
			p.Off, p.Filesz = l.place(p)
		}
		out[i] = p
	}
	return out
}

// place is where a segment's bytes are in the output, when all are there and in one
// piece.
func (l *layout) place(p elf.Prog64) (off, size uint64) {
	started := false
	for i := range l.out {
		s := &l.out[i]
		if elf.SectionFlag(s.Flags)&elf.SHF_ALLOC == 0 || s.Size == 0 || s.Addr < p.Vaddr || s.Addr-p.Vaddr >= p.Filesz {
			continue
		}
		if elf.SectionType(s.Type) == elf.SHT_NOBITS {
			return 0, 0
		}
		if !started {
			if s.Addr != p.Vaddr {
				return 0, 0
			}
			off, started = s.Off, true
		}
		if s.Off-off != s.Addr-p.Vaddr {
			return 0, 0
		}
		size = s.Off - off + s.Size
	}
	return off, size
}
