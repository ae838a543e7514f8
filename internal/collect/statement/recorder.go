package statement

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/features"
	"github.com/cilium/ebpf/ringbuf"

	"whyhot/internal/collect/bpf"
	"whyhot/internal/collect/codemap"
	"whyhot/internal/collect/ebpf/known"
	"whyhot/internal/profile"
)

const (
	mostProbes = 64 // in all binaries
	lostSlot   = mostProbes
	ringSize   = 4 << 20
	// lookEvery is how often the ring is read and calls are counted: in that time so many
	// statements come, where nothing bounds them, that they fit into the ring.
	lookEvery = 5 * time.Millisecond
	// keptFor is how late a sample may come.
	keptFor = 15 * time.Second
)

// Recorder sees statements until it is closed.
type Recorder struct {
	maps     map[string]*ebpf.Map
	known    *ebpf.Map
	now      func(kernel int64) int64
	programs []*ebpf.Program
	probes   []*probe
	binaries []*watched
	files    map[codemap.File]*codeOf // that were looked at; nil where one has no library's code
	multi    bool                     // see link
	opened   []*os.File
	reader   *ringbuf.Reader
	asked    chan request
	stop     chan struct{}
	done     sync.WaitGroup

	mu      sync.Mutex // of what follows
	seen    *seen
	record  ringbuf.Record
	read    time.Time
	forgot  time.Time
	of      map[uint32]*watched // by probe
	code    map[string]*codeOf
	notes   []string
	noted   map[string]bool
	waiting int
}

// codeOf is where a binary has the code of a library: all of it, or some addresses.
type codeOf struct {
	of       *System
	from, to uint64
}

type request struct {
	pid  uint32
	path string // "" for all that it has mapped
}

// Start begins to listen. recorded is the profiler's map of processes that are recorded, nil
// where all are; clock turns a time of the kernel into one of samples.
func Start(recorded *ebpf.Map, clock func(kernel int64) int64) (r *Recorder, err error) {
	if _, ok := bpf.Argument(1); !ok {
		return nil, errors.New("not on " + runtime.GOARCH)
	}
	if recorded != nil {
		if err := known.Form(recorded); err != nil {
			return nil, fmt.Errorf("choosing processes: %w", err)
		}
	}
	r = &Recorder{
		maps: map[string]*ebpf.Map{}, known: recorded, now: clock, files: map[codemap.File]*codeOf{}, asked: make(chan request, 1<<12), stop: make(chan struct{}),
		multi: features.HaveBPFLinkUprobeMulti() == nil, seen: newSeen((&databases{}).bytes), of: map[uint32]*watched{}, code: map[string]*codeOf{}, noted: map[string]bool{},
	}
	defer func() {
		if err != nil {
			r.closeMaps()
		}
	}()
	for name, spec := range map[string]*ebpf.MapSpec{
		"hits":    {Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: mostProbes + 1},
		"scratch": {Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: headSize + textSize, MaxEntries: 1},
		"ring":    {Type: ebpf.RingBuf, MaxEntries: ringSize},
		"states":  {Type: ebpf.LRUHash, KeySize: 4, ValueSize: stateSize, MaxEntries: mostThreads},
		"running": {Type: ebpf.LRUHash, KeySize: 16, ValueSize: 8, MaxEntries: mostHandles},
	} {
		spec.Name = "whyhot_" + name
		if r.maps[name], err = ebpf.NewMap(spec); err != nil {
			return nil, fmt.Errorf("making a table in the kernel: %w", err)
		}
	}
	if r.reader, err = ringbuf.NewReader(r.maps["ring"]); err != nil {
		return nil, fmt.Errorf("reading statements: %w", err)
	}
	r.reader.SetDeadline(time.Unix(1, 0)) // a read never waits
	r.done.Go(r.run)
	return r, nil
}

// Process has the binaries looked at that a process has mapped. It does not wait.
func (r *Recorder) Process(pid uint32) { r.ask(request{pid: pid}) }

// Mapped has a binary looked at that a process maps, and all of them without a path.
func (r *Recorder) Mapped(pid uint32, path string) {
	if path == "" || systemOf(path) != nil {
		r.ask(request{pid, path})
	}
}

// Ahead has the libraries of the system looked at that a process may map.
func (r *Recorder) Ahead() {
	for _, pattern := range []string{"/usr/lib/*/libsqlite3.so.0", "/usr/lib64/libsqlite3.so.0", "/usr/lib/libsqlite3.so.0", "/usr/local/lib/libsqlite3.so.0"} {
		paths, _ := filepath.Glob(pattern) // the pattern is well formed
		for _, path := range paths {
			r.Mapped(uint32(os.Getpid()), path) //nolint:gosec // a PID
		}
	}
}

func (r *Recorder) ask(q request) {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.waiting++
	r.mu.Unlock()
	select {
	case r.asked <- q:
	default: // of thousands at once; the next process with it has the binary too
		r.mu.Lock()
		r.waiting--
		r.mu.Unlock()
	}
}

// Settle waits until what was asked for is attached, or the time is over.
func (r *Recorder) Settle(limit time.Duration) {
	if r == nil {
		return
	}
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(lookEvery) {
		r.mu.Lock()
		waiting := r.waiting
		r.mu.Unlock()
		if waiting == 0 {
			return
		}
	}
}

func (r *Recorder) run() {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-r.stop:
			for _, b := range r.binaries {
				r.detach(b)
			}
			return
		case q := <-r.asked:
			r.lookAt(q)
			r.mu.Lock()
			r.waiting--
			r.mu.Unlock()
		case <-ticker.C:
			r.look(time.Now())
			r.mu.Lock()
			r.drain()
			r.mu.Unlock()
		}
	}
}

func (r *Recorder) note(b *watched, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.noted[b.name] {
		r.noted[b.name] = true
		r.notes = append(r.notes, text)
	}
}

// hits is how often a probe was met.
func (r *Recorder) hits(number uint32) (n uint64) {
	var perCPU []uint64
	if r.maps["hits"].Lookup(number, &perCPU) != nil {
		return 0
	}
	for _, c := range perCPU {
		n += c
	}
	return n
}

// drain reads the ring. The caller has the lock.
func (r *Recorder) drain() {
	now := time.Now()
	for r.reader.ReadInto(&r.record) == nil {
		e, ok := parse(r.record.RawSample)
		b := r.of[e.probe]
		if !ok || b == nil {
			continue
		}
		e.time = r.now(e.time)
		r.seen.take(e, b, r.probe(b, e.probe))
	}
	r.read = now
	if now.Sub(r.forgot) > time.Second {
		r.forgot = now
		for _, tracks := range r.seen.tracks {
			tracks.Forget(now.Add(-keptFor).UnixNano())
		}
	}
}

func (*Recorder) probe(b *watched, number uint32) *probe {
	return b.probes[slices.IndexFunc(b.probes, func(p *probe) bool { return p.number == number })]
}

// At is the statement that a thread was at, in a server or in the library whose code it was
// in, and its system; the text is "" where none is known.
func (r *Recorder) At(thread uint32, at int64, in *System) (system, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at >= r.read.UnixNano() {
		r.drain()
	}
	if id := r.seen.is(thread, at, in); id > 0 {
		row := &r.seen.rows[id-1]
		return row.of.name, row.text
	}
	return "", ""
}

// Code is the system whose library an address of a file is in, nil for none.
func (r *Recorder) Code(path string, address uint64) *System {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.code[path]
	if c == nil || c.to > 0 && (address < c.from || address >= c.to) {
		return nil
	}
	return c.of
}

// Times says by how much more of a statement there was than was seen while probes were in
// their binary, by the samples of both; known is false where too few tell.
type Times func(system, text string) (n float64, known bool)

// Statements are those that were seen; notes say what was not.
func (r *Recorder) Statements(times Times) (all []profile.Statement, notes []string) {
	if r == nil {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drain()
	now := time.Now()
	for _, b := range r.of {
		b.weigh(r.seen, now)
		for i := range r.seen.rows {
			if row := &r.seen.rows[i]; row.of == b.of && b.inner == (row.inner > 0) {
				row.watched = min(row.watched, b.share(now))
			}
		}
	}
	notes = slices.Clone(r.notes)
	if lost := r.hits(lostSlot); lost > 0 {
		notes = append(notes, fmt.Sprintf("%d statements found the kernel's buffer full: they are not counted", lost))
	}
	return r.seen.statements(times), notes
}

// Close ends it.
func (r *Recorder) Close() {
	if r == nil {
		return
	}
	close(r.stop)
	r.done.Wait()
	_ = r.reader.Close() // what is left in it is not wanted
	for _, p := range r.programs {
		_ = p.Close()
	}
	for _, f := range r.opened {
		_ = f.Close() // only read from
	}
	r.closeMaps()
}

func (r *Recorder) closeMaps() {
	for _, m := range r.maps {
		if m != nil {
			_ = m.Close()
		}
	}
}
