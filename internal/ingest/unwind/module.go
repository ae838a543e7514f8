package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Module is the unwind information of one binary. It does not change and may be
// used by several walkers.
type Module struct {
	loads []load
	plt   []span
	cfi   []*cfiSection
}

// load is one executable segment.
type load struct{ off, size, vaddr uint64 }

type span struct{ lo, hi uint64 }

const (
	maxSection  = 1 << 30
	dwarfX86_64 = elf.EM_X86_64
)

// errNoFrames says that a binary has no frame descriptions that can be used.
var errNoFrames = errors.New("no call frame information")

// openFile reads the module at path. want is the build ID that it must have, ""
// for any.
func openFile(path, want string) (*Module, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read from
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	m, err := newModule(f, want)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func newModule(r io.ReaderAt, want string) (*Module, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	if f.Machine != dwarfX86_64 || f.Class != elf.ELFCLASS64 {
		return nil, fmt.Errorf("machine %v is not supported", f.Machine)
	}
	if want != "" {
		if id := buildID(f); id != want {
			return nil, fmt.Errorf("its build ID is %q, not %q", id, want)
		}
	}
	m := &Module{}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			m.loads = append(m.loads, load{p.Off, p.Filesz, p.Vaddr})
		}
	}
	m.addEHFrame(f)
	m.addDebugFrame(f)
	if len(m.cfi) == 0 {
		return nil, errNoFrames
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_PROGBITS && strings.HasPrefix(s.Name, ".plt") {
			m.plt = append(m.plt, span{s.Addr, s.Addr + s.Size})
		}
	}
	return m, nil
}

func (m *Module) addEHFrame(f *elf.File) {
	data, addr := section(f, ".eh_frame")
	hdr, hdrAddr := section(f, ".eh_frame_hdr")
	if data == nil {
		// Without section headers (stripped with sstrip, the vDSO on some
		// kernels) the program headers still name the table.
		data, addr, hdr, hdrAddr = ehFromSegments(f)
	}
	if data != nil {
		m.cfi = append(m.cfi, newEHFrame(data, addr, hdr, hdrAddr))
	}
}

func (m *Module) addDebugFrame(f *elf.File) {
	if data, _ := section(f, ".debug_frame"); data != nil {
		m.cfi = append(m.cfi, newDebugFrame(data))
	}
}

func section(f *elf.File, name string) ([]byte, uint64) {
	s := f.Section(name)
	if s == nil || s.Type == elf.SHT_NOBITS || s.Size == 0 || s.Size > maxSection {
		return nil, 0
	}
	data, err := s.Data()
	if err != nil {
		return nil, 0
	}
	return data, s.Addr
}

// ehFromSegments finds .eh_frame through PT_GNU_EH_FRAME. Its end is not
// recorded, so it goes to the end of its segment.
func ehFromSegments(f *elf.File) (data []byte, addr uint64, hdr []byte, hdrAddr uint64) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_GNU_EH_FRAME || p.Filesz > maxSection {
			continue
		}
		hdr = make([]byte, p.Filesz)
		if _, err := p.ReadAt(hdr, 0); err != nil {
			return nil, 0, nil, 0
		}
		hdrAddr = p.Vaddr
	}
	r := reader{b: hdr}
	r.u8()
	ptrEnc := r.u8()
	r.u16()
	addr = r.pointer(ptrEnc, hdrAddr, hdrAddr)
	if r.bad {
		return nil, 0, nil, 0
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || addr < p.Vaddr || addr-p.Vaddr >= p.Filesz || p.Filesz > maxSection {
			continue
		}
		data = make([]byte, p.Filesz-(addr-p.Vaddr))
		if _, err := p.ReadAt(data, int64(addr-p.Vaddr)); err != nil {
			return nil, 0, nil, 0
		}
	}
	return data, addr, hdr, hdrAddr
}

// buildID is the GNU build ID in lower-case hex, "" when there is none.
func buildID(f *elf.File) string {
	const noteGNUBuildID = 3
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 1<<20 {
			continue
		}
		b := make([]byte, p.Filesz)
		if _, err := p.ReadAt(b, 0); err != nil {
			continue
		}
		for r := (reader{b: b}); r.left(); {
			nameSize, descSize, typ := r.u32(), r.u32(), r.u32()
			name := r.take(int(nameSize+3) &^ 3)
			desc := r.take(int(descSize+3) &^ 3)
			if r.bad {
				break
			}
			if typ == noteGNUBuildID && bytes.Equal(name, []byte("GNU\x00")) {
				return hex.EncodeToString(desc[:descSize])
			}
		}
	}
	return ""
}

// address turns a file offset into an address of the binary's own.
func (m *Module) address(off uint64) (uint64, bool) {
	for _, l := range m.loads {
		if off >= l.off && off-l.off < l.size {
			return off - l.off + l.vaddr, true
		}
	}
	return 0, false
}

// pltRow is the frame layout of a PLT stub that nothing describes: the return
// address is on top of the stack.
var pltRow = &row{cfaReg: regRSP, cfaOff: 8, rules: []rule{{kind: ruleOffset, reg: regRA, off: -8}}}

// row is the frame layout at a file offset, nil when it is not known.
func (m *Module) row(off uint64) *row {
	pc, ok := m.address(off)
	if !ok {
		return nil
	}
	return m.rowAtAddress(pc)
}

func (m *Module) rowAtAddress(pc uint64) *row {
	for _, s := range m.cfi {
		f, ok := s.find(pc)
		if !ok {
			continue
		}
		if r, ok := s.rowAt(&f, pc); ok {
			return r
		}
	}
	for _, p := range m.plt {
		if pc >= p.lo && pc < p.hi {
			return pltRow
		}
	}
	return nil
}
