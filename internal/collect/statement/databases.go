package statement

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"whyhot/internal/collect/codemap"
)

// databases knows how large those are that processes have open.
type databases struct {
	known map[uint32]sized
}

type sized struct {
	until time.Time
	bytes uint64
}

// keptSize is how long a size is believed, since statements come by the thousand; of a process
// with many files for timesKept as long as they took to look at.
const (
	keptSize  = 100 * time.Millisecond
	timesKept = 20
)

// magic begins each file of SQLite but an empty one.
var magic = []byte("SQLite format 3\x00")

// bytes sums the files of SQLite that a process has open, with those that are written beside
// them (a journal that is written ahead); 0 where there is none, or where the process is gone.
func (d *databases) bytes(process uint32) uint64 {
	began := time.Now()
	if s, ok := d.known[process]; ok && began.Before(s.until) {
		return s.bytes
	}
	if d.known == nil || len(d.known) >= mostThreads {
		d.known = map[uint32]sized{}
	}
	dir, root := fmt.Sprintf("/proc/%d/fd", process), fmt.Sprintf("/proc/%d/root", process)
	files, _ := os.ReadDir(dir) // with an error there are none
	sum := uint64(0)
	seen := map[codemap.File]bool{}
	for _, f := range files {
		path := dir + "/" + f.Name()
		id, ok := codemap.FileOf(path)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		sum += databaseBytes(path, root)
	}
	ended := time.Now()
	d.known[process] = sized{ended.Add(max(keptSize, timesKept*ended.Sub(began))), sum}
	return sum
}

// databaseBytes is the size of a file of SQLite, 0 of any other. root is where the process has
// its files.
func databaseBytes(path, root string) uint64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // only read from
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(f, begin); err != nil || !bytes.Equal(begin, magic) {
		return 0
	}
	sum := uint64(info.Size()) //nolint:gosec // of a regular file
	if name, err := os.Readlink(path); err == nil {
		if ahead, err := os.Stat(root + name + "-wal"); err == nil {
			sum += uint64(ahead.Size()) //nolint:gosec // the same
		}
	}
	return sum
}
