package ebpf

import (
	"os"
	"slices"

	"go.opentelemetry.io/ebpf-profiler/libpf"

	"whyhot/internal/collect"
)

// room tells whether a file may be opened. A continuous recording lets the first go
// that it opened: a binary without samples for so long is likely to stay without. It
// is called with the lock.
func (f *files) room(bin *binary) bool {
	if f.tell == nil {
		return len(f.byID) <= f.most
	}
	if bin.buildID == "" || f.most == 0 {
		return false
	}
	if len(f.held) >= f.most {
		f.letGo(f.held[0])
	}
	return true
}

// letGo closes a file that is held. It is called with the lock.
func (f *files) letGo(bin *binary) {
	if file := f.take(bin); file != nil {
		_ = file.Close() // only read from
	}
}

// take gives a file away that is held, or nil. It is called with the lock.
func (f *files) take(bin *binary) *os.File {
	file := bin.file
	bin.file = nil
	if i := slices.Index(f.held, bin); i >= 0 {
		f.held = slices.Delete(f.held, i, i+1)
	}
	return file
}

// sampled tells whoever wants to know that a process had a sample in a binary.
func (f *files) sampled(id libpf.FileID, pid uint32) {
	if f.tell == nil {
		return
	}
	f.mu.Lock()
	bin := f.byID[id]
	if bin == nil || bin.buildID == "" || bin.settled || bin.told == f.round {
		f.mu.Unlock()
		return
	}
	bin.told = f.round
	f.mu.Unlock()
	// The lock is not held: the profiler waits for it when it meets a binary.
	again := f.tell(collect.Executable{BuildID: bin.buildID, Path: bin.path, PID: int(pid), File: func() *os.File {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.take(bin)
	}})
	if again {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	bin.settled = true
	f.letGo(bin)
}

// nextRound begins a batch.
func (f *files) nextRound() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.round++
}
