package ebpf

import (
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind/elfunwindinfo"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/processmanager/ebpfapi"
	"go.opentelemetry.io/ebpf-profiler/support"
	"go.opentelemetry.io/ebpf-profiler/tracer"

	"whyhot/internal/collect/ebpf/goleaf"
	"whyhot/internal/collect/ebpf/largetables"
	"whyhot/internal/collect/ebpf/unwindcache"
)

// tablesDir is the part of the cache directory that holds unwind tables.
const tablesDir = "unwind"

// newTables makes what makes unwind tables: the profiler's own way, and before it what is
// kept on disk, if anything is to be kept, and what whyhot knows beyond it.
func newTables(cacheDir string) *ahead {
	var made nativeunwind.StackDeltaProvider = goleaf.Provider{StackDeltaProvider: unmapped{elfunwindinfo.NewStackDeltaProvider()}}
	if cacheDir != "" {
		made = unwindcache.NewProvider(unwindcache.In(filepath.Join(cacheDir, tablesDir), unwindcache.MostBytes), made)
	}
	return &ahead{StackDeltaProvider: loaderEntry{made}, files: map[fileIdentity]*tables{}}
}

// useTables has the profiler take its unwind tables from there. It has an interface for
// what makes them, and a place for it in the configuration of its inner parts, but none
// in that of its Tracer: it is set in the fields that lead there, which must have the
// names and the types of the pinned version. It is called before the profiler looks at
// the first process.
func useTables(t *tracer.Tracer, made nativeunwind.StackDeltaProvider) error {
	place, err := placeOf[nativeunwind.StackDeltaProvider](t, "processManager", "eim", "sdp")
	if err != nil {
		return err
	}
	if _, own := (*place).(*elfunwindinfo.ELFStackDeltaProvider); !own {
		return fmt.Errorf("the profiler makes unwind tables with a %T", *place)
	}
	*place = made
	return nil
}

// handlerField leads to what puts tables into the kernel.
var handlerField = [...]string{"processManager", "eim", "state", "guarded", "ebpf"}

// useLargeTables has tables of so many bytes of .eh_frame made in parts, and put into the
// kernel in pieces: whole, they would take more memory than all else. It is called after
// useTables.
func useLargeTables(t *tracer.Tracer, made *ahead, least int64) error {
	place, err := placeOf[ebpfapi.EbpfHandler](t, handlerField[:]...)
	if err != nil {
		return err
	}
	all, err := support.LoadCollectionSpec()
	if err != nil {
		return fmt.Errorf("reading the profiler's programs: %w", err)
	}
	outer := all.Maps[fmt.Sprintf("exe_id_to_%d_stack_deltas", support.StackDeltaBucketLargest)]
	maps, err := mapsOf(t)
	if err != nil {
		return err
	}
	if outer == nil || outer.InnerMap == nil || outer.InnerMap.ValueSize != uint32(unsafe.Sizeof(support.StackDelta{})) {
		return errors.New("this version of the profiler has other maps for unwind tables")
	}
	large := largetables.New(made.StackDeltaProvider, elfunwindinfo.NewStackDeltaProvider(), least)
	*place = largetables.NewHandler(*place, large, largetables.Kernel(maps, outer.InnerMap))
	made.StackDeltaProvider = large
	return nil
}

// loaderEntry adds to the tables of the dynamic loader that a stack ends at its entry
// point. The kernel jumps there and nothing called it, but unlike the start of a program
// it is code without unwind tables: what a program does before its own start, half of
// which is linking, would seem cut. In glibc it is in sysdeps/x86_64/dl-machine.h.
type loaderEntry struct {
	nativeunwind.StackDeltaProvider
}

// longestEntry bounds the code at the entry point; glibc's has 61 bytes on x86-64.
const longestEntry = 256

// GetIntervalDataForFile implements nativeunwind.StackDeltaProvider.
func (l loaderEntry) GetIntervalDataForFile(ref *pfelf.Reference) (*sdtypes.IntervalData, error) {
	tables, err := l.StackDeltaProvider.GetIntervalDataForFile(ref)
	if err != nil {
		return nil, err //nolint:wrapcheck // it stands before the profiler's own, and is not seen
	}
	file, err := ref.GetELF()
	if err != nil || file.Entry == 0 {
		return tables, nil //nolint:nilerr // what is known of the entry point is all that is missing
	}
	names, _ := file.DynString(elf.DT_SONAME)
	if len(names) == 1 && strings.HasPrefix(names[0], "ld-") {
		endAt(tables, file.Entry)
	}
	return tables, nil
}

// endAt lets stacks end in the code from entry up to what is known already.
func endAt(tables *sdtypes.IntervalData, entry uint64) {
	next, _ := slices.BinarySearchFunc(tables.Blocks, entry, func(b *sdtypes.BasicBlock, addr uint64) int {
		if b.End <= addr {
			return -1
		}
		return 1
	})
	end := entry + longestEntry
	if next < len(tables.Blocks) {
		end = min(end, tables.Blocks[next].Start)
	}
	if end <= entry {
		return // it is known
	}
	stop := &sdtypes.BasicBlock{Start: entry, End: end}
	stop.Deltas.Add(0, sdtypes.UnwindInfoStop)
	tables.Blocks = slices.Insert(tables.Blocks, next, stop)
	tables.NumDeltas++
}
