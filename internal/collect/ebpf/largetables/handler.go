package largetables

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/cilium/ebpf"
	"go.opentelemetry.io/ebpf-profiler/host"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/processmanager/ebpfapi"
	"go.opentelemetry.io/ebpf-profiler/support"
)

// Handler stands before the profiler's handler of BPF maps, and puts the tables that were
// made in parts into the kernel. The profiler calls it with a lock.
type Handler struct {
	ebpfapi.EbpfHandler

	tables *Tables
	open   func(file uint64, rows int) (Map, uint16, error)
	pages  map[host.FileID][]uint16 // of the table whose pages come next
}

// Map takes the rows of one table.
type Map interface {
	// Put writes rows from that one on.
	Put(first int, rows []support.StackDelta) error
	// Done makes the map the file's, or throws it away.
	Done(keep bool) error
}

// NewHandler is for tables. open makes a map for the rows of a file, and gives the number
// by which the profiler knows maps of that size.
func NewHandler(h ebpfapi.EbpfHandler, tables *Tables, open func(file uint64, rows int) (Map, uint16, error)) *Handler {
	return &Handler{EbpfHandler: h, tables: tables, open: open, pages: map[host.FileID][]uint16{}}
}

var errNumbers = errors.New("the profiler numbers rows in another way")

// UpdateExeIDToStackDeltas implements ebpfapi.EbpfHandler.
func (h *Handler) UpdateExeIDToStackDeltas(file host.FileID, given []ebpfapi.StackDeltaEBPF) (uint16, error) {
	var of *table
	if len(given) > 0 {
		of = h.tables.take(given[0].UnwindInfo)
	}
	if of == nil {
		return h.EbpfHandler.UpdateExeIDToStackDeltas(file, given) //nolint:wrapcheck // it stands before the profiler's own, and is not seen
	}
	// Behind the first row are those of infos, and then the end of the code.
	if len(given) != 1+len(of.infos)+1 {
		return 0, errNumbers
	}
	numbers := make(map[sdtypes.UnwindInfo]uint16, len(of.infos))
	for i, info := range of.infos {
		numbers[info] = given[1+i].UnwindInfo
	}
	to, id, err := h.open(uint64(file), of.rows)
	if err != nil {
		return 0, err
	}
	err = of.write(to, numbers)
	if err := errors.Join(err, to.Done(err == nil)); err != nil {
		return 0, err
	}
	h.pages[file] = of.pages
	return id, nil
}

// write puts a table into a map, in pieces.
func (of *table) write(to Map, numbers map[sdtypes.UnwindInfo]uint16) error {
	const piece = 32 << 10 // rows
	rows, written := make([]support.StackDelta, 0, piece), 0
	var err error
	put := func() {
		if err == nil && len(rows) > 0 {
			err = to.Put(written, rows)
		}
		written += len(rows)
		rows = rows[:0]
	}
	of.packed.rows(func(address uint64, info sdtypes.UnwindInfo) {
		number := uint16(info.Param) | support.DeltaCommandFlag
		if !isCommand(info) {
			number = numbers[info]
		}
		rows = append(rows, support.StackDelta{AddrLow: uint16(address), UnwindInfo: number})
		if len(rows) == piece {
			put()
		}
	})
	put()
	return err
}

// UpdateStackDeltaPages implements ebpfapi.EbpfHandler.
func (h *Handler) UpdateStackDeltaPages(file host.FileID, rows []uint16, id uint16, first uint64) error {
	if pages, large := h.pages[file]; large {
		delete(h.pages, file)
		if len(pages) != len(rows) {
			return errNumbers
		}
		rows = pages
	}
	return h.EbpfHandler.UpdateStackDeltaPages(file, rows, id, first) //nolint:wrapcheck // likewise
}

// Kernel makes the maps. outer are the profiler's, by name, and inner is like those in them.
func Kernel(outer map[string]*ebpf.Map, inner *ebpf.MapSpec) func(file uint64, rows int) (Map, uint16, error) {
	return func(file uint64, rows int) (Map, uint16, error) {
		size := max(support.StackDeltaBucketSmallest, bits.Len(uint(rows)))
		to := outer[fmt.Sprintf("exe_id_to_%d_stack_deltas", size)]
		if to == nil {
			return nil, 0, fmt.Errorf("%d rows of unwind tables are more than the profiler has maps for", rows)
		}
		spec := inner.Copy()
		spec.MaxEntries = 1 << size
		m, err := ebpf.NewMap(spec)
		if err != nil {
			return nil, 0, fmt.Errorf("a map for %d rows of unwind tables: %w", rows, err)
		}
		return &kernelMap{m, to, file}, uint16(size), nil
	}
}

type kernelMap struct {
	rows  *ebpf.Map
	outer *ebpf.Map
	file  uint64
}

// Put implements Map.
func (m *kernelMap) Put(first int, rows []support.StackDelta) error {
	keys := make([]uint32, len(rows))
	for i := range keys {
		keys[i] = uint32(first + i)
	}
	if _, err := m.rows.BatchUpdate(keys, rows, nil); err != nil {
		return fmt.Errorf("writing %d rows of unwind tables: %w", len(rows), err)
	}
	return nil
}

// Done implements Map.
func (m *kernelMap) Done(keep bool) error {
	var err error
	if keep {
		err = m.outer.Update(m.file, m.rows, ebpf.UpdateNoExist)
	}
	return errors.Join(err, m.rows.Close())
}
