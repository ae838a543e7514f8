package generated

import (
	"errors"
	"fmt"
	"math/bits"

	"go.opentelemetry.io/ebpf-profiler/host"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/lpm"
	"go.opentelemetry.io/ebpf-profiler/processmanager/ebpfapi"
	"go.opentelemetry.io/ebpf-profiler/support"
)

const (
	// FileID is that of the file that does not exist.
	FileID host.FileID = 0x6a69746564636f64
	// mark is in the offsets of its code, and in no address of a process nor offset in a
	// file: the profiler keeps 52 bits of an offset, and programs have 47 bits of addresses,
	// or 48 on arm64.
	mark = 1 << 51
	// bias makes an address such an offset; the profiler has 56 bits for it.
	bias = 1<<56 - mark
	// pageBits are of an offset in a page of the table, and mostPages how many pages there
	// may be, of the 40,000 that the kernel part has for all tables: 512 MiB of code.
	pageBits  = support.StackDeltaPageBits
	mostPages = 8192
)

// Address is where code of no file was, for an offset that has the mark.
func Address(offset uint64) (address uint64, generated bool) {
	return offset &^ mark, offset&mark != 0
}

// Maps are the profiler's handlers of its kernel maps.
type Maps struct {
	ebpfapi.EbpfHandler

	Pages interface { // pid_page_to_mapping_info
		Lookup(key, valueOut any) error
	}
}

// span is a mapping: its first address, and the first behind it.
type span struct{ start, end uint64 }

// prefix is a part of a mapping, as the kernel part looks it up.
type prefix = lpm.Prefix

// tables is what the kernel part knows of the file that does not exist.
type tables struct {
	maps  Maps
	id    uint16 // of the map with its only row
	made  bool
	pages map[uint64]int // how many mappings have one
}

func newTables(maps Maps) *tables { return &tables{maps: maps, pages: map[uint64]int{}} }

// make makes the row.
func (t *tables) make() error {
	if t.made {
		return nil
	}
	var command uint16 = support.DeltaCommandFlag | uint16(support.UnwindCommandFramePointer)
	row := ebpfapi.StackDeltaEBPF{UnwindInfo: command}
	id, err := t.maps.UpdateExeIDToStackDeltas(FileID, []ebpfapi.StackDeltaEBPF{row})
	if err != nil {
		return fmt.Errorf("an unwind table for generated code: %w", err)
	}
	t.id, t.made = id, true
	return nil
}

var errPages = errors.New("more generated code than there is room for")

// hold has the table cover a mapping.
func (t *tables) hold(s span) error {
	if err := t.make(); err != nil {
		return err
	}
	first, last := s.start>>pageBits, (s.end-1)>>pageBits
	if last-first >= mostPages || len(t.pages)+int(last-first) >= mostPages {
		return errPages
	}
	for page := first; page <= last; page++ {
		if t.pages[page] == 0 {
			if err := t.maps.UpdateStackDeltaPages(FileID, []uint16{1}, t.id, offset(page<<pageBits)); err != nil {
				t.release(span{s.start, page << pageBits})
				return fmt.Errorf("an unwind table for generated code: %w", err)
			}
		}
		t.pages[page]++
	}
	return nil
}

// release undoes hold.
func (t *tables) release(s span) {
	if s.end <= s.start {
		return
	}
	for page := s.start >> pageBits; page <= (s.end-1)>>pageBits; page++ {
		if t.pages[page]--; t.pages[page] <= 0 {
			delete(t.pages, page)
			_ = t.maps.DeleteStackDeltaPage(FileID, offset(page<<pageBits)) // nothing leads there any more
		}
	}
}

// offset is what the kernel part makes of an address.
func offset(address uint64) uint64 {
	var b uint64 = bias
	return address - b
}

// set has the process's generated code be in these mappings.
func (c *Code) set(pid libpf.PID, wanted []span) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	had := c.entered[pid]
	if len(had) == 0 && len(wanted) == 0 {
		return nil
	}
	has := make(map[span][]prefix, len(wanted))
	for _, s := range wanted {
		if there, ok := had[s]; ok {
			has[s] = there
			delete(had, s)
		}
	}
	// What is gone goes first: another mapping may have its place.
	for s, prefixes := range had {
		c.leave(pid, prefixes)
		c.tables.release(s)
	}
	var errs []error
	for _, s := range wanted {
		if _, ok := has[s]; ok {
			continue
		}
		prefixes, err := c.enter(pid, s)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		has[s] = prefixes
	}
	if len(has) == 0 {
		delete(c.entered, pid)
	} else {
		c.entered[pid] = has
	}
	return errors.Join(errs...)
}

// enter makes one mapping known.
func (c *Code) enter(pid libpf.PID, s span) ([]prefix, error) {
	prefixes, err := lpm.CalculatePrefixList(s.start, s.end)
	if err != nil {
		return nil, fmt.Errorf("generated code at %#x: %w", s.start, err)
	}
	if err := c.tables.hold(s); err != nil {
		return nil, err
	}
	for i, p := range prefixes {
		if err := c.tables.maps.UpdatePidPageMappingInfo(pid, p, uint64(FileID), bias); err != nil {
			c.leave(pid, prefixes[:i])
			c.tables.release(s)
			return nil, fmt.Errorf("generated code at %#x: %w", s.start, err)
		}
	}
	return prefixes, nil
}

// leave makes a mapping unknown, unless something else has its place by now.
func (c *Code) leave(pid libpf.PID, prefixes []prefix) {
	for _, p := range prefixes {
		key := support.PIDPage{
			Pid: bits.ReverseBytes32(uint32(pid)), Page: bits.ReverseBytes64(p.Key), PrefixLen: support.BitWidthPID + p.Length,
		}
		var now support.PIDPageMappingInfo
		if c.tables.maps.Pages.Lookup(&key, &now) != nil || now.File_id != uint64(FileID) {
			continue
		}
		_, _ = c.tables.maps.DeletePidPageMappingInfo(pid, []lpm.Prefix{p}) // it is gone already
	}
}
