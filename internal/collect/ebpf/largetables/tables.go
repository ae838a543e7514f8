package largetables

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/support"
)

// Tables gives the profiler, in place of a very large table, one with each different row
// once: the profiler numbers these rows, as it does with those of all binaries. The first row
// says which table is meant, and Handler puts the whole of it into the kernel.
type Tables struct {
	nativeunwind.StackDeltaProvider // of all other files

	maker       nativeunwind.StackDeltaProvider
	least, part int64

	mu      sync.Mutex
	waiting map[uint16]*table // the one that was made, and is not yet in the kernel
	made    uint16
}

// table is one that waits for its numbers.
type table struct {
	packed *packed
	infos  []sdtypes.UnwindInfo // in the order in which the profiler is given them
	rows   int
	pages  []uint16 // how many rows each page of code has, from that of the first
}

const (
	// Least is from how many bytes of .eh_frame on a table is made in parts: some three
	// million rows. Compilers' libraries are below.
	Least = 16 << 20
	// partBytes is what the profiler makes of a table at once: some 300,000 rows.
	partBytes = 2 << 20
)

// New has tables of files with so many bytes of .eh_frame (Least) made in parts by maker, and
// those of others by others.
func New(others, maker nativeunwind.StackDeltaProvider, least int64) *Tables {
	return &Tables{StackDeltaProvider: others, maker: maker, least: least, part: min(partBytes, least), waiting: map[uint16]*table{}}
}

// GetIntervalDataForFile implements nativeunwind.StackDeltaProvider.
func (t *Tables) GetIntervalDataForFile(ref *pfelf.Reference) (*sdtypes.IntervalData, error) {
	if file, err := ref.GetELF(); err == nil && t.large(file) {
		if p, err := t.pack(ref, file); err == nil {
			if given := t.standIn(p); given != nil {
				return given, nil
			}
		}
	}
	return t.StackDeltaProvider.GetIntervalDataForFile(ref) //nolint:wrapcheck // it stands before the profiler's own, and is not seen
}

func (t *Tables) large(file *pfelf.File) bool {
	s := file.Section(".eh_frame")
	return s != nil && int64(s.FileSize) >= t.least && !file.InsideCore && !file.IsGolang() && file.Section(".debug_frame") == nil
}

// pack makes a table in parts.
func (t *Tables) pack(ref *pfelf.Reference, file *pfelf.File) (*packed, error) {
	s := file.Section(".eh_frame")
	f, err := findParts(readerAt{file.Underlying()}, s, t.part)
	if err != nil {
		return nil, err
	}
	p := &packed{numbers: map[sdtypes.UnwindInfo]uint64{}, bytes: make([]byte, 0, s.FileSize/2)}
	for i := range len(f.parts) - 1 {
		part, err := pfelf.NewFile(f.part(i), 0, false)
		if err != nil {
			return nil, fmt.Errorf("part %d of %s: %w", i, ref.FileName(), err)
		}
		shown := pfelf.NewReferenceWithOpenFunc(ref.FileName(), noDebugFiles{}, func() (*pfelf.File, error) { return part, nil })
		made, err := t.maker.GetIntervalDataForFile(shown)
		if err != nil {
			return nil, fmt.Errorf("part %d of %s: %w", i, ref.FileName(), err)
		}
		p.add(made, file.Entry)
	}
	p.sort()
	if len(p.blocks) == 0 {
		return nil, errOther
	}
	return p, nil
}

// readerAt hides what else a file can do.
type readerAt struct{ io.ReaderAt }

// noDebugFiles keeps the maker from looking for a separate debug file for each part with
// little in it.
type noDebugFiles struct{}

var errNoFile = errors.New("no debug file is wanted")

// OpenELF implements pfelf.ELFOpener.
func (noDebugFiles) OpenELF(string) (*pfelf.File, error) { return nil, errNoFile }

// Rows that stand for a table have commands that the kernel part does not know; those that
// it does are small numbers.
const (
	firstToken = 0x100
	lastToken  = 0x7f00
)

// standIn gives the rows that stand for a table, nil where there are too many of them.
func (t *Tables) standIn(p *packed) *sdtypes.IntervalData {
	first, end := p.blocks[0].start, p.read(len(p.blocks)-1, nil).End
	if end <= first || end-first > maxSpan || first == 0 {
		return nil
	}
	page := first >> support.StackDeltaPageBits
	of := &table{packed: p, pages: make([]uint16, end>>support.StackDeltaPageBits-page+1)}
	known := map[sdtypes.UnwindInfo]bool{}
	sound := true
	p.rows(func(address uint64, info sdtypes.UnwindInfo) {
		at := address>>support.StackDeltaPageBits - page
		if at >= uint64(len(of.pages)) {
			sound = false // a block goes beyond the last one's end, or a signal's return is at the very begin
			return
		}
		of.rows++
		of.pages[at]++
		if !isCommand(info) && !known[info] {
			known[info] = true
			of.infos = append(of.infos, info)
		}
	})
	b := &sdtypes.BasicBlock{Start: first, End: end}
	const apart = 4 // so that the profiler takes no row for a push after the one before
	for i, info := range of.infos {
		opcode := info.MergeOpcode
		info.MergeOpcode = 0
		at := uint32(apart * (i + 1))
		b.Deltas = append(b.Deltas, sdtypes.StackDelta{Offset: at, Info: info})
		if opcode != 0 { // the profiler makes it of two rows
			info.Param += pushed
			if opcode&support.MergeOpcodeNegative != 0 {
				info.Param -= 2 * pushed
			}
			b.Deltas = append(b.Deltas, sdtypes.StackDelta{Offset: at + uint32(opcode&^support.MergeOpcodeNegative), Info: info})
		}
	}
	if !sound || uint64(apart*(len(of.infos)+2)) > end-first {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	token := firstToken + t.made%(lastToken-firstToken)
	t.made++
	clear(t.waiting) // of a file that the profiler knew already
	t.waiting[token] = of
	b.Deltas = append(sdtypes.StackDeltaArray{{Info: sdtypes.UnwindInfo{Flags: support.UnwindFlagCommand, Param: int32(token)}}}, b.Deltas...)
	return &sdtypes.IntervalData{NumDeltas: uint32(len(b.Deltas)) + 1, Blocks: []*sdtypes.BasicBlock{b}}
}

// maxSpan bounds how far apart the first and the last code may be, as unwindcache does.
const maxSpan = 1 << 36

// take gives the table that a row stands for, nil where it stands for none.
func (t *Tables) take(row uint16) *table {
	if row&support.DeltaCommandFlag == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	token := row &^ support.DeltaCommandFlag
	of := t.waiting[token]
	delete(t.waiting, token)
	return of
}
