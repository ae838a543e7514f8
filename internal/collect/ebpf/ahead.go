package ebpf

import (
	"context"
	"os"
	"runtime"
	"sync"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/process"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// ahead makes the unwind tables of what runs already while the profiler's programs are
// verified, which keeps one processor busy for more than a second. The profiler would
// begin with them afterwards, and read one process after the other.
type ahead struct {
	nativeunwind.StackDeltaProvider

	mu     sync.Mutex
	files  map[fileIdentity]*tables
	deltas uint32 // that were made
	over   bool   // nothing more is made ahead
}

// tables are those of one file. They are handed out once: the profiler asks once.
type tables struct {
	done chan struct{} // closed when they are made; nil where the profiler makes them itself
	made *sdtypes.IntervalData
	err  error
}

// fileIdentity says which file this is, in this moment.
type fileIdentity struct {
	device, inode uint64
	size          int64
	changed       unix.Timespec
}

// mostAhead bounds how many deltas may wait, of 16 bytes each: a compiler and a browser
// have four million.
const mostAhead = 6 << 20

// begin starts on the files that processes have mapped.
func (a *ahead) begin(ctx context.Context, pids []uint32) {
	go func() { // it ends soon after end
		var g errgroup.Group
		g.SetLimit(max(1, runtime.GOMAXPROCS(0)-1))
		seen := map[[2]uint64]bool{}
		for _, pid := range pids {
			if ctx.Err() != nil || a.full() {
				break
			}
			p := process.New(libpf.PID(pid), libpf.PID(pid))
			_, _ = p.IterateMappings(func(m process.RawMapping) bool { // it has ended, or is another's
				file := [2]uint64{m.Device, m.Inode}
				if !m.IsExecutable() || !m.IsFileBacked() || seen[file] {
					return true
				}
				seen[file] = true
				m.Path = libpf.Intern(m.Path).String() // it is in a buffer
				g.Go(func() error {
					a.makeOf(p, m)
					return nil
				})
				return true
			})
		}
		_ = g.Wait() // none fails: what is not made here is made later
	}()
}

// makeOf makes the tables of one mapped file, if the profiler has not come to it before.
func (a *ahead) makeOf(p process.Process, m process.RawMapping) {
	if a.full() {
		return
	}
	ref := pfelf.NewReferenceWithOpenFunc(m.Path, p, func() (*pfelf.File, error) { return process.OpenELFMapping(p, &m) })
	defer ref.Close()
	id, ok := identify(ref)
	if !ok {
		return
	}
	t := &tables{done: make(chan struct{})}
	a.mu.Lock()
	if a.over || a.files[id] != nil {
		a.mu.Unlock()
		return
	}
	a.files[id] = t
	a.mu.Unlock()
	t.made, t.err = a.StackDeltaProvider.GetIntervalDataForFile(ref)
	close(t.done)
	if t.err == nil {
		a.mu.Lock()
		a.deltas += t.made.NumDeltas
		a.mu.Unlock()
	}
}

func (a *ahead) full() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.over || a.deltas >= mostAhead
}

// end forgets what nobody asked for.
func (a *ahead) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over, a.files = true, nil
}

// GetIntervalDataForFile implements nativeunwind.StackDeltaProvider.
func (a *ahead) GetIntervalDataForFile(ref *pfelf.Reference) (*sdtypes.IntervalData, error) {
	if t := a.take(ref); t != nil {
		<-t.done
		if t.err == nil {
			return t.made, nil
		}
	}
	return a.StackDeltaProvider.GetIntervalDataForFile(ref) //nolint:wrapcheck // it stands before the profiler's own, and is not seen
}

// take gives what is made of a file, or being made, or nil: it is the caller's then.
func (a *ahead) take(ref *pfelf.Reference) *tables {
	id, ok := identify(ref)
	if !ok {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return nil
	}
	t := a.files[id]
	a.files[id] = &tables{} // it is not to be made again
	if t == nil || t.done == nil {
		return nil
	}
	return t
}

// identify looks at the open file, as other files may have its name by now.
func identify(ref *pfelf.Reference) (id fileIdentity, ok bool) {
	elf, err := ref.GetELF()
	if err != nil {
		return id, false
	}
	file, ok := elf.Underlying().(*os.File)
	if !ok {
		return id, false
	}
	var stat unix.Stat_t
	if unix.Fstat(int(file.Fd()), &stat) != nil {
		return id, false
	}
	return fileIdentity{device: stat.Dev, inode: stat.Ino, size: stat.Size, changed: stat.Ctim}, true
}
