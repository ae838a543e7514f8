package goroutine

import (
	"cmp"
	endian "encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"whyhot/internal/collect/bpf"
	"whyhot/internal/collect/codemap"
	"whyhot/internal/collect/ebpf/known"
)

const (
	// mostWaiting is how many goroutines may wait at a time; of more, those that have waited
	// longest are forgotten.
	mostWaiting = 1 << 15
	mostStacks  = 1 << 13
	mostDepth   = 64
	ringSize    = 1 << 20 // of 20,000 waits
	// readEvery is how often waits are read.
	readEvery = 10 * time.Millisecond
)

// Wait is where goroutines of a process have waited.
type Wait struct {
	Process uint32
	Program *Program
	// Addresses are those of the stack in the program's file, innermost first: of gopark, of calls.
	Addresses []uint64
	// Goroutines are how many different ones there were.
	Goroutines         int
	Times, Nanoseconds int64
}

// Program is the file of a program of Go.
type Program struct {
	Path, BuildID string
	// Start and End are the addresses of its code, Offset is where that begins in the file.
	Start, End, Offset uint64
}

// place is where waits are added up.
type place struct {
	process uint32
	stack   uint32
	caller  uint64
}

type waited struct {
	nanoseconds, times float64
	goroutines         map[uint64]bool
}

// process is one with a program of Go.
type process struct {
	of   *program
	bias uint64 // what its addresses are more than those of the file
}

// Recorder sees goroutines wait until it is closed.
type Recorder struct {
	since, stacks, calls, ring *ebpf.Map
	programs                   [probes]*ebpf.Program
	reader                     *ringbuf.Reader
	asked                      chan uint32
	stop                       chan struct{}
	done                       sync.WaitGroup

	// The goroutine of run alone has these; after it, Waits.
	files     map[codemap.File]*program // that were looked at; nil where one is none of Go
	record    ringbuf.Record
	processes map[uint32]process
	windows   []*window
	checked   int64  // when it was last looked at how many waits there are, and
	met       uint64 // how many there were
	// resume is when the probes are put back; ends, until when those are in that tell of ends, 0
	// where they are out.
	resume, ends int64
	ended        int64 // when the recording ended
	notes        []string
}

// Start begins to listen. recorded is the profiler's map of processes that are recorded, nil where
// all are.
func Start(recorded *ebpf.Map) (r *Recorder, err error) {
	registers, ok := bpf.GoRegisters()
	if !ok {
		return nil, errors.New("not on " + runtime.GOARCH)
	}
	r = &Recorder{
		asked: make(chan uint32, 1<<12), stop: make(chan struct{}), files: map[codemap.File]*program{}, processes: map[uint32]process{},
	}
	defer func() {
		if err != nil {
			r.closeMaps()
		}
	}()
	for to, spec := range map[**ebpf.Map]*ebpf.MapSpec{
		&r.since:  {Name: "whyhot_parked", Type: ebpf.LRUHash, KeySize: 16, ValueSize: sinceSize, MaxEntries: mostWaiting},
		&r.stacks: {Name: "whyhot_stacks", Type: ebpf.StackTrace, KeySize: 4, ValueSize: 8 * mostDepth, MaxEntries: mostStacks},
		&r.calls:  {Name: "whyhot_parks", Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1},
		&r.ring:   {Name: "whyhot_ran", Type: ebpf.RingBuf, MaxEntries: ringSize},
	} {
		if *to, err = ebpf.NewMap(spec); err != nil {
			return nil, fmt.Errorf("making a table in the kernel: %w", err)
		}
	}
	m := descriptors{processes: -1, since: r.since.FD(), stacks: r.stacks.FD(), calls: r.calls.FD(), ring: r.ring.FD()}
	if recorded != nil {
		if err := known.Form(recorded); err != nil {
			return nil, fmt.Errorf("choosing processes: %w", err)
		}
		m.processes = recorded.FD()
	}
	for i, code := range [probes]ebpf.ProgramSpec{
		begins: {Name: "whyhot_parks", Instructions: parks(m, registers)},
		goesOn: {Name: "whyhot_runs", Instructions: runs(m, registers)},
	} {
		code.Type, code.License = ebpf.Kprobe, "GPL"
		if r.programs[i], err = ebpf.NewProgram(&code); err != nil {
			return nil, fmt.Errorf("loading a probe: %w", err)
		}
	}
	if r.reader, err = ringbuf.NewReader(r.ring); err != nil {
		return nil, fmt.Errorf("reading waits: %w", err)
	}
	r.reader.SetDeadline(time.Unix(1, 0)) // a read never waits
	r.checked = clock()
	r.open(&window{from: r.checked})
	r.done.Go(r.run)
	return r, nil
}

// Process has the program looked at that a process runs. It does not wait.
func (r *Recorder) Process(pid uint32) {
	if r == nil {
		return
	}
	select {
	case r.asked <- pid:
	default: // of thousands at once
	}
}

// Mapped is Process where the file may be the process's program.
func (r *Recorder) Mapped(pid uint32, path string) {
	if base := filepath.Base(path); path == "" || strings.HasPrefix(path, "/") && !strings.HasSuffix(base, ".so") && !strings.Contains(base, ".so.") {
		r.Process(pid)
	}
}

func (r *Recorder) run() {
	ticker := time.NewTicker(readEvery)
	defer ticker.Stop()
	for {
		select {
		case <-r.stop:
			r.takeOut(begins, goesOn)
			r.ended = clock()
			r.drain()
			return
		case pid := <-r.asked:
			r.lookAt(pid)
		case <-ticker.C:
			r.drain()
			var calls uint64
			if r.calls.Lookup(uint32(0), &calls) == nil {
				r.look(clock(), calls)
			}
		}
	}
}

// drain reads which waits have ended.
func (r *Recorder) drain() {
	for r.reader.ReadInto(&r.record) == nil {
		if e, ok := parse(r.record.RawSample); ok {
			r.add(e)
		}
	}
}

// Waits ends it and gives what was seen, in an order that is always the same; notes say what was
// not.
func (r *Recorder) Waits() (all []Wait, notes []string) {
	if r == nil {
		return nil, nil
	}
	r.end()
	frames := map[uint32][]uint64{}
	for k, row := range r.all(r.ended) {
		of, ok := r.processes[k.process]
		if !ok {
			continue
		}
		if _, read := frames[k.stack]; !read {
			frames[k.stack] = r.stack(k.stack)
		}
		stack := frames[k.stack]
		if len(stack) == 0 {
			continue
		}
		w := Wait{Process: k.process, Program: &of.of.Program, Goroutines: len(row.goroutines), Times: int64(math.Round(row.times)), Nanoseconds: int64(row.nanoseconds)}
		w.Addresses = append(w.Addresses, stack[0]-of.bias, k.caller-1-of.bias)
		for _, address := range stack[1:] {
			w.Addresses = append(w.Addresses, address-1-of.bias) // of the call, and not of what comes after it
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), slices.Compare(a.Addresses, b.Addresses))
	})
	return all, r.notes
}

// stack reads one that the kernel has walked.
func (r *Recorder) stack(id uint32) (out []uint64) {
	raw, err := r.stacks.LookupBytes(id)
	if err != nil {
		return nil
	}
	for ; len(raw) >= 8; raw = raw[8:] {
		address := endian.NativeEndian.Uint64(raw)
		if address == 0 {
			break
		}
		out = append(out, address)
	}
	return out
}

// end stops it.
func (r *Recorder) end() {
	select {
	case <-r.stop:
	default:
		close(r.stop)
	}
	r.done.Wait()
}

// Close ends it.
func (r *Recorder) Close() {
	if r == nil {
		return
	}
	r.end()
	_ = r.reader.Close() // what is left in it is not wanted
	for _, p := range r.files {
		if p != nil && p.opened != nil {
			_ = p.opened.Close() // only read from
		}
	}
	r.closeMaps()
}

func (r *Recorder) closeMaps() {
	for _, p := range r.programs {
		if p != nil {
			_ = p.Close()
		}
	}
	for _, m := range []*ebpf.Map{r.since, r.stacks, r.calls, r.ring} {
		if m != nil {
			_ = m.Close()
		}
	}
}
