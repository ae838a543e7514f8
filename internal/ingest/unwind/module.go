package unwind

import (
	"debug/elf"
	"errors"
	"fmt"
	"strings"

	"whyhot/internal/elfinfo/cfi"
	"whyhot/internal/elfinfo/elffile"
)

// Module is the unwind information of one binary. It does not change and may be
// used by several walkers.
type Module struct {
	loads  []load
	plt    []span
	frames []*cfi.Section
}

// load is one executable segment.
type load struct{ off, size, vaddr uint64 }

type span struct{ lo, hi uint64 }

// errNoFrames says that a binary has no frame descriptions that can be used.
var errNoFrames = errors.New("no call frame information")

// openFile reads the module at path. want is the build ID that it must have, ""
// for any.
func openFile(path, want string) (m *Module, err error) {
	f, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	err = elffile.Guard(path, func() (err error) {
		m, err = newModule(f, want)
		return err
	})
	return m, err
}

func newModule(f *elffile.File, want string) (*Module, error) {
	if f.Header.Machine != elf.EM_X86_64 || !f.Is64() {
		return nil, fmt.Errorf("%s: machine %v is not supported", f.Path(), f.Header.Machine)
	}
	if want != "" {
		if id := f.BuildID(); id != want {
			return nil, fmt.Errorf("%s: its build ID is %q, not %q", f.Path(), id, want)
		}
	}
	m := &Module{}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			m.loads = append(m.loads, load{p.Off, p.Filesz, p.Vaddr})
		}
	}
	for _, s := range []*cfi.Section{cfi.Exception(f), cfi.Debug(f)} {
		if s != nil {
			m.frames = append(m.frames, s)
		}
	}
	if len(m.frames) == 0 {
		return nil, fmt.Errorf("%s: %w", f.Path(), errNoFrames)
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_PROGBITS && strings.HasPrefix(s.Name, ".plt") {
			m.plt = append(m.plt, span{s.Addr, s.Addr + s.Size})
		}
	}
	return m, nil
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
var pltRow = &cfi.Row{CFARegister: regRSP, CFAOffset: 8, Rules: []cfi.Rule{{Kind: cfi.AtOffset, Register: regRA, Offset: -8}}}

// row is the frame layout at a file offset, nil when it is not known.
func (m *Module) row(off uint64) *cfi.Row {
	pc, ok := m.address(off)
	if !ok {
		return nil
	}
	return m.rowAtAddress(pc)
}

func (m *Module) rowAtAddress(pc uint64) *cfi.Row {
	for _, s := range m.frames {
		f, ok := s.Find(pc)
		if !ok || f.ReturnColumn != regRA {
			continue
		}
		if r, ok := f.Row(pc); ok {
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
