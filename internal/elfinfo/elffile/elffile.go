package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrNotELF is returned by Open and New for anything that is not an ELF file.
var ErrNotELF = errors.New("not an ELF file")

// Range is a half-open range of virtual addresses.
type Range struct{ Low, High uint64 }

// File is one open ELF file. Its methods may be called from many goroutines.
type File struct {
	// Header gives class, byte order, machine and type.
	Header elf.FileHeader
	// Sections and Progs are the header tables, in file order.
	Sections []*elf.Section
	Progs    []*elf.Prog

	path   string
	data   []byte
	mapped bool
	mu     sync.Mutex
	cache  map[*elf.Section]contents
}

type contents struct {
	data []byte
	err  error
}

// Open maps the regular file at path.
func Open(path string) (*File, error) {
	// O_NONBLOCK: a mapping in a profile may name a FIFO or a device.
	fd, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = fd.Close() }()
	st, err := fd.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: not a regular file", path, ErrNotELF)
	}
	if st.Size() < elfHeaderMin {
		return nil, fmt.Errorf("%s: %w: %d bytes is too short", path, ErrNotELF, st.Size())
	}
	data, err := unix.Mmap(int(fd.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	f, err := New(path, data)
	if err != nil {
		_ = unix.Munmap(data)
		return nil, err
	}
	f.mapped = true
	return f, nil
}

// elfHeaderMin is the size of the smallest ELF header, that of 32-bit files.
const elfHeaderMin = 52

// New reads an ELF file that is already in memory; path is for messages only.
func New(path string, data []byte) (*File, error) {
	if len(data) < elfHeaderMin || string(data[:4]) != elf.ELFMAG {
		return nil, fmt.Errorf("%s: %w", path, ErrNotELF)
	}
	var ef *elf.File
	err := guardAll(path, func() (err error) {
		ef, err = elf.NewFile(bytes.NewReader(data))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: damaged ELF file: %w", path, err)
	}
	return &File{
		Header: ef.FileHeader, Sections: ef.Sections, Progs: ef.Progs,
		path: path, data: data, cache: map[*elf.Section]contents{},
	}, nil
}

// Close unmaps the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, mapped := f.data, f.mapped
	f.data, f.mapped, f.cache = nil, false, nil
	if mapped {
		return unix.Munmap(data)
	}
	return nil
}

// Path is the name the file was opened by.
func (f *File) Path() string { return f.path }

// Size is the length of the file in bytes.
func (f *File) Size() int { return len(f.data) }

// ByteOrder is the file's byte order.
func (f *File) ByteOrder() binary.ByteOrder { return f.Header.ByteOrder }

// Is64 reports whether addresses have eight bytes.
func (f *File) Is64() bool { return f.Header.Class == elf.ELFCLASS64 }

// Section returns the first section of that name, or nil.
func (f *File) Section(name string) *elf.Section {
	for _, s := range f.Sections {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// HasData reports whether a section of that name is present with contents; in
// a separate debug file the code sections have a header only.
func (f *File) HasData(name string) bool {
	s := f.Section(name)
	return s != nil && s.Type != elf.SHT_NOBITS && s.FileSize > 0
}

// Data returns the decompressed contents of the first section of that name. A
// section that is absent or without bytes gives nil and no error.
func (f *File) Data(name string) ([]byte, error) {
	if s := f.Section(name); s != nil {
		return f.SectionData(s)
	}
	if rest, ok := strings.CutPrefix(name, ".debug_"); ok {
		if s := f.Section(".zdebug_" + rest); s != nil {
			return f.SectionData(s)
		}
	}
	return nil, nil
}

// SectionData returns the decompressed contents of one section of this file.
func (f *File) SectionData(s *elf.Section) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS || s.FileSize == 0 {
		return nil, nil
	}
	f.mu.Lock()
	c, ok := f.cache[s]
	f.mu.Unlock()
	if ok {
		return c.data, c.err
	}
	c.data, c.err = f.load(s)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cache != nil {
		f.cache[s] = c
	}
	return c.data, c.err
}

func (f *File) load(s *elf.Section) ([]byte, error) {
	end := s.Offset + s.FileSize
	if end < s.Offset || end > uint64(len(f.data)) {
		return nil, fmt.Errorf("%s: section %s: bytes %#x to %#x are past the end of the file (%#x): truncated?",
			f.path, s.Name, s.Offset, end, len(f.data))
	}
	raw := f.data[s.Offset:end]
	var err error
	switch {
	case s.Flags&elf.SHF_COMPRESSED != 0:
		raw, err = decompress(raw, f.Is64(), f.ByteOrder())
	case strings.HasPrefix(s.Name, ".zdebug_"):
		raw, err = decompressOld(raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: section %s: %w", f.path, s.Name, err)
	}
	return raw, nil
}

// At returns the n bytes at a virtual address, or nil where the file does not
// hold them.
func (f *File) At(vaddr, n uint64) []byte {
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || vaddr < p.Vaddr || vaddr-p.Vaddr >= p.Filesz {
			continue
		}
		off := vaddr - p.Vaddr
		if n > p.Filesz-off || p.Off+off+n > uint64(len(f.data)) || p.Off+off+n < p.Off {
			return nil
		}
		return f.data[p.Off+off : p.Off+off+n]
	}
	return nil
}

// VaddrToOffset translates a virtual address to the offset in the file that has its byte.
func (f *File) VaddrToOffset(vaddr uint64) (uint64, bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && vaddr >= p.Vaddr && vaddr-p.Vaddr < p.Filesz {
			return p.Off + vaddr - p.Vaddr, true
		}
	}
	return 0, false
}

// OffsetToVaddr translates an offset in the file to the virtual address that
// the loadable segments give it.
func (f *File) OffsetToVaddr(off uint64) (uint64, bool) {
	best, found := uint64(0), false
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || off < p.Off || off-p.Off >= p.Filesz {
			continue
		}
		v := off - p.Off + p.Vaddr
		// The page in which a data segment begins may lie in two segments of
		// the file; code is what was sampled.
		if p.Flags&elf.PF_X != 0 {
			return v, true
		}
		if !found {
			best, found = v, true
		}
	}
	return best, found
}

// CodeRanges returns the address ranges of the sections that hold code or,
// where the section headers are stripped, of the executable segments.
func (f *File) CodeRanges() []Range {
	var out []Range
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Flags&elf.SHF_ALLOC != 0 && s.Size > 0 && s.Addr+s.Size > s.Addr {
			out = append(out, Range{s.Addr, s.Addr + s.Size})
		}
	}
	if out != nil {
		return out
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && p.Vaddr+p.Memsz > p.Vaddr {
			out = append(out, Range{p.Vaddr, p.Vaddr + p.Memsz})
		}
	}
	return out
}

// BuildID returns the GNU build ID in lower-case hex, "" when there is none.
func (f *File) BuildID() string {
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOTE {
			continue
		}
		if data, err := f.SectionData(s); err == nil {
			if id := BuildIDFromNotes(data, f.ByteOrder()); id != "" {
				return id
			}
		}
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Off+p.Filesz > uint64(len(f.data)) || p.Off+p.Filesz < p.Off {
			continue
		}
		if id := BuildIDFromNotes(f.data[p.Off:p.Off+p.Filesz], f.ByteOrder()); id != "" {
			return id
		}
	}
	return ""
}

// BuildIDOf is the build ID of the file at path, "" where that is no ELF file or
// has none.
func BuildIDOf(path string) (id string) {
	f, err := Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing can be lost
	_ = Guard(path, func() error {
		id = f.BuildID()
		return nil
	})
	return id
}

// ntGNUBuildID is the type of the note, in the name space "GNU".
const ntGNUBuildID = 3

// BuildIDFromNotes finds the GNU build ID in the contents of a note section or
// of a file such as the kernel's /sys/kernel/notes. It returns lower-case hex.
func BuildIDFromNotes(notes []byte, order binary.ByteOrder) string {
	for len(notes) >= 12 {
		nameSize, descSize, typ := order.Uint32(notes), order.Uint32(notes[4:]), order.Uint32(notes[8:])
		notes = notes[12:]
		nameEnd := (uint64(nameSize) + 3) &^ 3
		descEnd := nameEnd + uint64(descSize)
		if descEnd > uint64(len(notes)) {
			return ""
		}
		if typ == ntGNUBuildID && nameSize == 4 && string(notes[:4]) == "GNU\x00" {
			return hex.EncodeToString(notes[nameEnd:descEnd])
		}
		notes = notes[min((descEnd+3)&^3, uint64(len(notes))):]
	}
	return ""
}

// DebugLink returns what .gnu_debuglink says: the base name of the separate
// debug file and the CRC-32 of its contents.
func (f *File) DebugLink() (name string, crc uint32, ok bool) {
	data, err := f.Data(".gnu_debuglink")
	if err != nil {
		return "", 0, false
	}
	return DebugLinkFrom(data, f.ByteOrder())
}

// DebugLinkFrom reads the contents of .gnu_debuglink.
func DebugLinkFrom(data []byte, order binary.ByteOrder) (name string, crc uint32, ok bool) {
	n := bytes.IndexByte(data, 0)
	at := (n + 4) &^ 3
	if n <= 0 || at+4 > len(data) {
		return "", 0, false
	}
	return string(data[:n]), order.Uint32(data[at:]), true
}

// AltLink returns what .gnu_debugaltlink says: the path of the file that dwz
// moved shared debug information to, and its build ID.
func (f *File) AltLink() (name, buildID string, ok bool) {
	data, err := f.Data(".gnu_debugaltlink")
	if err != nil {
		return "", "", false
	}
	return AltLinkFrom(data)
}

// AltLinkFrom reads the contents of .gnu_debugaltlink.
func AltLinkFrom(data []byte) (name, buildID string, ok bool) {
	n := bytes.IndexByte(data, 0)
	if n <= 0 || n+1 >= len(data) {
		return "", "", false
	}
	return string(data[:n]), hex.EncodeToString(data[n+1:]), true
}

// Interpreter returns the path of the program interpreter, "" for a static
// program or a library.
func (f *File) Interpreter() string {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Off+p.Filesz <= uint64(len(f.data)) && p.Off+p.Filesz >= p.Off {
			return string(bytes.TrimRight(f.data[p.Off:p.Off+p.Filesz], "\x00"))
		}
	}
	return ""
}
