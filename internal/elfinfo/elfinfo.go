package elfinfo

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"whyhot/internal/elfinfo/debugfile"
	"whyhot/internal/elfinfo/dpkg"
	"whyhot/internal/elfinfo/dwarf"
	"whyhot/internal/elfinfo/elffile"
)

// Info is what one binary says about itself. Fields that the binary is silent
// about are zero.
type Info struct {
	Path        string
	BuildID     string // lower-case hex
	SoName      string
	Needed      []string // sonames, in the order of the file
	RunPath     []string // where the loader looks for them first
	Interpreter string   // the loader, "" for libraries and static programs
	Machine     string   // "x86-64", "aarch64", …
	// Static: a program into which all libraries are linked.
	Static bool
	// Library: meant to be loaded by others. A position-independent executable is
	// none, though its ELF type is the same.
	Library bool
	// Stripped: without the table of all functions (.symtab).
	Stripped bool
	// DebugInfo: DWARF is there, in the file or in a separate one.
	DebugInfo bool
	// Producers are the compilers of the units with debug information, the one of
	// most units first.
	Producers []Producer
	// Compilers are the contents of .comment: the compilers and linkers that took
	// part, also without debug information.
	Compilers []string
	// CommandLines are the switches that -frecord-gcc-switches leaves.
	CommandLines []string
	// Go is what a Go program knows of its build, nil for others.
	Go *buildinfo.BuildInfo
	// Package is the Debian package that installed the file.
	Package dpkg.Package

	defined  []string // sorted
	imported []string // sorted
}

// Reader reads binaries of one system and remembers them. Its methods may be
// called from many goroutines.
type Reader struct {
	find     debugfile.Finder
	packages *dpkg.DB
	mu       sync.Mutex
	known    map[string]*entry
}

type entry struct {
	once sync.Once
	size int64
	time time.Time
	info *Info
	err  error
}

// NewReader returns a reader for the system whose root directory is root, "" for
// this one, that also looks for debug files in debugDirs.
func NewReader(root string, debugDirs ...string) *Reader {
	return &Reader{
		find:     debugfile.Finder{Root: root, Dirs: debugDirs},
		packages: dpkg.Open(root),
		known:    map[string]*entry{},
	}
}

// Read reads the binary at path of this system, without remembering it.
func Read(path string) (*Info, error) { return NewReader("").Read(path) }

// Read returns what the binary at path says, from memory if the file is as it was
// at the last call. The error wraps elffile.ErrNotELF for other kinds of files.
func (r *Reader) Read(path string) (*Info, error) {
	file := path
	if r.find.Root != "" {
		file = r.find.Root + "/" + strings.TrimPrefix(path, "/")
	}
	st, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	e := r.known[path]
	if e == nil || e.size != st.Size() || !e.time.Equal(st.ModTime()) {
		e = &entry{size: st.Size(), time: st.ModTime()}
		r.known[path] = e
	}
	r.mu.Unlock()
	e.once.Do(func() {
		e.info, e.err = r.read(file)
		if e.info != nil {
			e.info.Package, _ = r.packages.Owner(path)
		}
	})
	return e.info, e.err
}

func (r *Reader) read(path string) (*Info, error) {
	f, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info := &Info{Path: path}
	err = elffile.Guard(path, func() error { return errors.Join(info.fill(f), info.fillDebug(f, r.find)) })
	if err != nil {
		return nil, err
	}
	if info.isGo(f) {
		// An unreadable note only means that the field stays empty.
		info.Go, _ = buildinfo.ReadFile(path)
	}
	return info, nil
}

func (i *Info) isGo(f *elffile.File) bool { return f.Section(".go.buildinfo") != nil }

func (i *Info) fill(f *elffile.File) error {
	i.BuildID = f.BuildID()
	i.Interpreter = f.Interpreter()
	i.Machine = machineName(f.Header.Machine)
	i.Stripped = !f.HasData(".symtab")
	dynamic, err := readDynamic(f)
	if err != nil {
		return err
	}
	i.SoName, i.Needed, i.RunPath = dynamic.soname, dynamic.needed, dynamic.runPath
	// A C library can be run, for its version, so it names a loader too.
	i.Library = f.Header.Type == elf.ET_DYN && !dynamic.pie && (i.Interpreter == "" || i.SoName != "")
	i.Static = i.Interpreter == "" && !i.Library && len(i.Needed) == 0 &&
		(f.Header.Type == elf.ET_EXEC || f.Header.Type == elf.ET_DYN)
	if err := i.readSymbols(f); err != nil {
		return err
	}
	if i.Compilers, err = stringsOf(f, ".comment"); err != nil {
		return err
	}
	i.CommandLines, err = stringsOf(f, ".GCC.command.line")
	return err
}

// fillDebug reads the compilers from DWARF, in the file or in its debug file.
func (i *Info) fillDebug(f *elffile.File, find debugfile.Finder) error {
	src := f
	if !f.HasData(".debug_info") && !f.HasData(".zdebug_info") {
		// A refused debug file is as good as none here.
		if src, _ = find.Debug(f); src == nil {
			return nil
		}
		defer func() { _ = src.Close() }()
		if i.Stripped && src.HasData(".symtab") {
			if err := i.readSymbols(src); err != nil {
				return err
			}
		}
	}
	alt, _ := find.Alt(src)
	if alt != nil {
		defer func() { _ = alt.Close() }()
	}
	// Damage costs producers, and the file may be good for everything else.
	d, _ := dwarf.Open(src, alt, f.CodeRanges())
	if d == nil {
		return nil
	}
	i.DebugInfo = true
	i.Producers = producers(d.Producers())
	return nil
}

// readSymbols adds the names that a file defines and imports.
func (i *Info) readSymbols(f *elffile.File) error {
	for _, s := range f.Sections {
		if s.Type != elf.SHT_SYMTAB && s.Type != elf.SHT_DYNSYM || int(s.Link) >= len(f.Sections) {
			continue
		}
		table, err := f.SectionData(s)
		if err != nil {
			return err
		}
		names, err := f.SectionData(f.Sections[s.Link])
		if err != nil {
			return err
		}
		i.addSymbols(f, table, names)
	}
	for _, set := range []*[]string{&i.defined, &i.imported} {
		slices.Sort(*set)
		*set = slices.Compact(*set)
	}
	return nil
}

func (i *Info) addSymbols(f *elffile.File, table, names []byte) {
	order, size := f.ByteOrder(), 16
	if f.Is64() {
		size = 24
	}
	for ; len(table) >= size; table = table[size:] {
		nameAt, infoAt, shndxAt := order.Uint32(table), 12, 14
		if f.Is64() {
			infoAt, shndxAt = 4, 6
		}
		typ, shndx := elf.SymType(table[infoAt]&0xf), elf.SectionIndex(order.Uint16(table[shndxAt:]))
		if typ == elf.STT_SECTION || typ == elf.STT_FILE || nameAt == 0 || uint64(nameAt) >= uint64(len(names)) {
			continue
		}
		raw, _, _ := bytes.Cut(names[nameAt:], []byte{0})
		raw, _, _ = bytes.Cut(raw, []byte{'@'})
		if len(raw) == 0 {
			continue
		}
		if shndx == elf.SHN_UNDEF {
			i.imported = append(i.imported, string(raw))
		} else {
			i.defined = append(i.defined, string(raw))
		}
	}
}

// stringsOf splits a section of NUL-terminated strings.
func stringsOf(f *elffile.File, section string) ([]string, error) {
	data, err := f.Data(section)
	if err != nil {
		return nil, err
	}
	var out []string
	for s := range strings.SplitSeq(string(data), "\x00") {
		if s != "" && !slices.Contains(out, s) && len(out) < maxStrings {
			out = append(out, s)
		}
	}
	return out, nil
}

const maxStrings = 1000

func machineName(m elf.Machine) string {
	switch m { //nolint:exhaustive // the machines with a name of their own
	case elf.EM_X86_64:
		return "x86-64"
	case elf.EM_AARCH64:
		return "aarch64"
	case elf.EM_386:
		return "x86"
	default:
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(m), "EM_"))
	}
}
