package unwindcache

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"

	"whyhot/internal/host/wholefile"
)

const (
	// MostBytes is the bound of a directory: the tables of some thousand binaries, or
	// of fifty compilers.
	MostBytes = 256 << 20
	// maxEntry bounds one entry.
	maxEntry = 64 << 20
	suffix   = ".tables"
	// listEvery is how many entries are written before the directory is looked at
	// again: other processes write into it, too.
	listEvery = 64
	// usedStep is how exactly the time of last use is kept.
	usedStep = time.Hour
)

// Dir is a directory of entries. Its methods may be called from several goroutines.
type Dir struct {
	path  string
	limit int64

	mu      sync.Mutex
	written int   // entries since the directory was listed
	size    int64 // of what it then held, and of what was written since
}

// In is a cache in a directory, bounded to so many bytes. The directory is made with
// the first entry.
func In(path string, limit int64) *Dir { return &Dir{path: path, limit: limit} }

func (d *Dir) place(key Key) string { return filepath.Join(d.path, key.name+suffix) }

// load gives the tables that are kept, nil where there are none, or damaged ones.
func (d *Dir) load(key Key) *sdtypes.IntervalData {
	f, err := os.Open(d.place(key))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxEntry {
		return nil
	}
	entry := make([]byte, info.Size())
	if _, err := io.ReadFull(f, entry); err != nil {
		return nil
	}
	tables, err := decode(key, entry)
	if err != nil {
		return nil
	}
	if now := time.Now(); now.Sub(info.ModTime()) > usedStep {
		_ = os.Chtimes(f.Name(), now, now) // where it cannot, the entry goes sooner
	}
	return tables
}

// store keeps tables, and makes room for them.
func (d *Dir) store(key Key, tables *sdtypes.IntervalData) {
	entry, ok := encode(key, tables)
	if !ok || len(entry) > maxEntry || int64(len(entry)) > d.limit || os.MkdirAll(d.path, 0o700) != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if wholefile.Write(d.place(key), 0o600, wholefile.Bytes(entry)) != nil {
		return // the tables are made again the next time
	}
	d.size += int64(len(entry))
	if d.written%listEvery == 0 || d.size > d.limit {
		d.prune()
	}
	d.written++
}

// kept is one file of the directory.
type kept struct {
	path string
	size int64
	used time.Time
}

// left is what a write that broke off leaves, see internal/host/wholefile.
const (
	left    = ".whyhot-"
	leftAge = time.Hour
)

// prune removes the entries that were used longest ago until the rest is within nine
// tenths of the bound, so that the next ones need not be removed one by one.
func (d *Dir) prune() {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return
	}
	var all []kept
	d.size = 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		x := kept{filepath.Join(d.path, e.Name()), info.Size(), info.ModTime()}
		switch {
		case strings.HasSuffix(e.Name(), suffix):
			all = append(all, x)
			d.size += x.size
		case strings.HasPrefix(e.Name(), left) && time.Since(x.used) > leftAge:
			_ = os.Remove(x.path)
		}
	}
	if d.size <= d.limit {
		return
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	const tenths = 10
	for _, x := range all {
		if d.size <= d.limit-d.limit/tenths {
			return
		}
		if err := os.Remove(x.path); err == nil || errors.Is(err, fs.ErrNotExist) {
			d.size -= x.size
		}
	}
}
