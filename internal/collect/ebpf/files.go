package ebpf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/reporter"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
)

// files knows where the binaries that the profiler met lie. A single recording keeps
// them open, so that one that is replaced or removed meanwhile can still be named. A
// continuous one, which has no end, keeps few of them until somebody wants them.
type files struct {
	mu   sync.Mutex
	byID map[libpf.FileID]*binary
	used map[libpf.FileID]bool
	most int         // files that may be open
	ruby atomic.Bool // one that may be a Ruby interpreter was mapped
	// What follows is for continuous recordings.
	tell  func(collect.Executable) bool // nil where nobody is told of binaries
	held  []*binary                     // those that are open, the first opened first
	round uint64                        // the batch under way, from 1
}

// binary is one file that was mapped.
type binary struct {
	path    string   // as the process saw it
	buildID string   // "" where it has none
	file    *os.File // nil where it could not be opened, or is no longer held
	told    uint64   // the last batch in which somebody was told of it
	settled bool     // nobody wants to be told any more
}

var _ reporter.ExecutableReporter = (*files)(nil)

// maxOpen bounds how many files are kept open, beside a quarter of what this
// process may open at all: the profiler opens files, too.
const maxOpen = 4096

// maxKnown bounds how many files are known by their path, for recordings without
// end on machines that make new programs all the time; others keep their names.
const maxKnown = 1 << 16

// maxHeld bounds how many files a continuous recording holds.
const maxHeld = 256

// newFiles makes the table of a recording.
func newFiles(r *collect.Request) *files {
	f := &files{byID: map[libpf.FileID]*binary{}, used: map[libpf.FileID]bool{}, round: 1}
	switch {
	case r.Settings.Batch == 0:
		f.most = maxOpen
	case r.Executable != nil:
		f.most, f.tell = maxHeld, r.Executable
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil {
		f.most = int(min(limit.Cur/4, uint64(f.most)))
	}
	return f
}

// ReportExecutable implements reporter.ExecutableReporter. The profiler calls it
// once a file.
func (f *files) ReportExecutable(m *reporter.ExecutableMetadata) {
	if strings.Contains(m.Mapping.Path, "ruby") { // as in the names that the profiler knows Ruby by
		f.ruby.Store(true)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id := m.MappingFile.Value().FileID
	if f.byID[id] != nil || len(f.byID) >= maxKnown {
		return
	}
	bin := &binary{path: strings.Clone(m.Mapping.Path), buildID: strings.ToLower(m.MappingFile.Value().GnuBuildID)}
	f.byID[id] = bin
	if m.Mapping.IsVDSO() || !f.room(bin) {
		return
	}
	opened, err := m.Process.OpenMappingFile(m.Mapping)
	if err != nil {
		return // the process is gone; the path may still serve
	}
	if file, ok := opened.(*os.File); ok {
		bin.file = file
		if f.tell != nil {
			f.held = append(f.held, bin)
		}
	} else {
		_ = opened.Close() // only read from
	}
}

// path is where a binary lies; base serves where that is not known.
func (f *files) path(id libpf.FileID, base string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if bin := f.byID[id]; bin != nil {
		f.used[id] = true
		return bin.path
	}
	return base
}

// readAt reads a part of a binary, where it is open.
func (f *files) readAt(id libpf.FileID, b []byte, at int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	bin := f.byID[id]
	if bin == nil || bin.file == nil {
		return false
	}
	_, err := bin.file.ReadAt(b, at)
	return err == nil
}

// preserve copies into dir, under its path, every binary with samples whose path
// does not lead to it any more, or never did from here.
func (f *files) preserve(dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for id, bin := range f.byID {
		if bin.file == nil || !f.used[id] || bin.inPlace() {
			continue
		}
		if err := bin.copyTo(filepath.Join(dir, bin.path)); err != nil {
			errs = append(errs, fmt.Errorf("%s was replaced while it ran, and keeping the old file failed: %w", bin.path, err))
		}
	}
	return errors.Join(errs...)
}

func (b *binary) inPlace() bool {
	there, err := os.Stat(b.path)
	if err != nil {
		return false
	}
	mine, err := b.file.Stat()
	return err == nil && os.SameFile(there, mine)
}

func (b *binary) copyTo(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil // two binaries of one path: the first one met
	}
	if err != nil {
		return err
	}
	size, err := b.file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = io.Copy(to, io.NewSectionReader(b.file, 0, size))
	}
	return errors.Join(err, to.Close())
}

func (f *files) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, bin := range f.byID {
		if bin.file != nil {
			_ = bin.file.Close() // only read from
			bin.file = nil
		}
	}
}
