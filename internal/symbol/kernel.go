package symbol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
	"whyhot/internal/symbol/kallsyms"
)

// kernelNames holds the symbols of the kernel that runs, read on first use.
type kernelNames struct {
	root    string
	cache   kernelCache
	once    sync.Once
	again   sync.Once
	cached  bool // the table may lack what the kernel made at run time
	table   *kallsyms.Table
	full    *kallsyms.Table // after again: the kernel's own list
	buildID string
	text    []uint64 // where the kernel begins: _text and _stext
	err     error
}

func (k *kernelNames) load() error {
	k.once.Do(func() {
		if k.table = k.cache.load(); k.table != nil {
			k.cached = true
		} else if k.table, k.err = k.list(); k.err != nil {
			return
		}
		if notes, err := os.ReadFile(inRoot(k.root, "/sys/kernel/notes")); err == nil {
			k.buildID = elffile.BuildIDFromNotes(notes, binary.NativeEndian)
		}
		for _, name := range [...]string{"_text", "_stext"} {
			if a, ok := k.table.Address(name); ok {
				k.text = append(k.text, a)
			}
		}
	})
	return k.err
}

// list reads the list of the kernel itself, and keeps it for the next time.
func (k *kernelNames) list() (*kallsyms.Table, error) {
	f, err := os.Open(inRoot(k.root, "/proc/kallsyms"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	table, err := kallsyms.Parse(f)
	if err != nil {
		return nil, err
	}
	k.cache.store(table)
	return table, nil
}

// find is Find of the table. What a kept list does not have is looked for in the
// kernel's own, where it may be.
func (k *kernelNames) find(addr uint64) (kallsyms.Symbol, bool) {
	sym, ok := k.table.Find(addr)
	if ok || !k.cached || !k.madeLater(addr) {
		return sym, ok
	}
	k.again.Do(func() {
		if table, err := k.list(); err == nil {
			k.full = table
		}
	})
	if k.full == nil {
		return sym, ok
	}
	return k.full.Find(addr)
}

// madeLater tells whether an address that the kept list does not have may be of code that
// the kernel made at run time. Call chains that a frame pointer led astray hold numbers,
// and addresses of programs and of data; and it takes the kernel 0.1 s to make its list.
func (k *kernelNames) madeLater(addr uint64) bool {
	if addr < madeCode.low || addr >= madeCode.high {
		return false
	}
	end, _ := k.table.Address("_end")
	return len(k.text) == 0 || addr < k.text[0] || addr >= end
}

// madeCode is where Linux has modules, BPF programs and trampolines. On x86-64 that is
// between the kernel itself and the end of its modules, in the last 2 GiB
// (Documentation/arch/x86/x86_64/mm.rst); elsewhere in the upper half.
var madeCode = map[bool]struct{ low, high uint64 }{
	true:  {0xffffffff80000000, 0xffffffffff000000},
	false: {1 << 63, math.MaxUint64},
}[runtime.GOARCH == "amd64"]

// kaslrStep is the granularity at which the kernel's base address is randomised
// (CONFIG_PHYSICAL_ALIGN on x86, the block size on arm64).
const kaslrStep = 2 << 20

var errForeignKernel = errors.New("the profile is of another kernel")

// shift tells by how much the kernel of a mapping was loaded above where it is
// now. A kernel is taken for the one that runs when its build ID is the same or,
// without one, when it begins at the same address.
func (k *kernelNames) shift(m *profile.Mapping) (uint64, error) {
	same := false
	for _, t := range k.text {
		same = same || m.Start == t
	}
	switch {
	case m.BuildID != "" && k.buildID != "" && !sameBuildID(m.BuildID, k.buildID):
		return 0, fmt.Errorf("%w (build ID %s, running is %s)", errForeignKernel, m.BuildID, k.buildID)
	case same:
		return 0, nil
	case m.BuildID == "" || k.buildID == "":
		return 0, fmt.Errorf("%w, or of this one before a restart: the profile has no build ID to tell", errForeignKernel)
	case len(k.text) > 0 && m.Start%kaslrStep == 0:
		if d := m.Start - k.text[0]; d%kaslrStep == 0 {
			return d, nil // the same kernel, loaded elsewhere
		}
	}
	return 0, nil
}

func (s *Symbolizer) fromKernel(r *request) answer {
	k := &s.kernel
	if err := k.load(); err != nil {
		if errors.Is(err, kallsyms.ErrHidden) || errors.Is(err, os.ErrPermission) {
			return r.nothing(ReasonHidden, "the kernel hides the addresses of its functions from this user",
				"run as root, or: sysctl kernel.kptr_restrict=0")
		}
		return r.nothing(ReasonMissing, err.Error(), "")
	}
	module := moduleName(r.m.Path)
	base := r.m
	if module != "" {
		base = kernelProper(r.p)
	}
	var shift uint64
	if base != nil {
		var err error
		if shift, err = k.shift(base); err != nil {
			return r.nothing(ReasonForeign, err.Error(), "symbolise on the machine that was recorded, before it restarts")
		}
		if module != "" && shift != 0 {
			return r.nothing(ReasonForeign, "modules are at other addresses since the restart of the kernel",
				"symbolise on the machine that was recorded, before it restarts")
		}
	}
	a := r.nothing(ReasonNoLines, "kernel functions are named without lines", "")
	a.sum.Sources = []string{"/proc/kallsyms"}
	shared := map[uint64][]profile.Frame{} // by the address of the symbol
	for i, id := range r.locs {
		sym, ok := k.find(r.p.Location(id).Address - shift)
		if !ok || module != "" && sym.Module != module {
			a.sum.Reason, a.sum.Problem = ReasonOutside, "some addresses are in no function of the kernel that runs (code made at run time?)"
			continue
		}
		if shared[sym.Low] == nil {
			shared[sym.Low] = []profile.Frame{{Function: profile.Function{Name: sym.Name, Kind: profile.KindKernel}}}
		}
		a.frames[i] = shared[sym.Low]
	}
	return a
}

// kernelProper finds the mapping of the kernel without its modules.
func kernelProper(p *profile.Profile) *profile.Mapping {
	for i := range p.NumMappings() {
		m := p.Mapping(profile.MappingID(i))
		if m.Path != "" && classify(m.Path, profile.KindUnknown) == classKernel && moduleName(m.Path) == "" {
			return m
		}
	}
	return nil
}
