package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// leastUnused is how long a file stays after its last use although the bound is met:
	// what machines run now is not exchanged for what others run now.
	leastUnused = time.Hour
	// forgotten is how long the file of a binary stays of which nothing is kept: debug
	// information may come before the first sample.
	forgotten = 7 * 24 * time.Hour
)

// used takes note of a file's use as its time of access, which readers set, too.
func (s *Store) used(id string) {
	if info, err := os.Stat(s.path(id)); err == nil {
		_ = os.Chtimes(s.path(id), time.Now(), info.ModTime()) // a guess at worst: it goes earlier
	}
}

// file is one that is there.
type file struct {
	path  string
	id    string
	size  int64
	used  time.Time
	inUse bool // something is kept of the binary
}

// all are the files that are there, those first that nothing is kept of, and of these and
// the others those that were not used for longest.
func (s *Store) all() []file {
	var out []file
	// What cannot be read is not there.
	_ = filepath.WalkDir(filepath.Join(s.dir, tree), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // see above
		}
		info, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		f := file{path: path, id: filepath.Base(filepath.Dir(path)) + strings.TrimSuffix(e.Name(), suffix), size: info.Size(), used: info.ModTime()}
		if st := (unix.Stat_t{}); unix.Stat(path, &st) == nil {
			if read := time.Unix(st.Atim.Unix()); read.After(f.used) {
				f.used = read
			}
		}
		f.inUse = s.opts.InUse == nil || s.opts.InUse(f.id)
		out = append(out, f)
		return nil
	})
	slices.SortFunc(out, func(a, b file) int {
		if a.inUse != b.inUse {
			if b.inUse {
				return -1
			}
			return 1
		}
		return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path))
	})
	return out
}

// evict removes files until so many bytes are free, and tells how many are. It is called
// with mu held.
func (s *Store) evict(bytes int64) (freed int64) {
	// What a bucket has may go from here at any time.
	least := leastUnused
	if s.opts.Bucket != nil {
		least = 0
	}
	return s.remove(func(f *file) bool { return freed < bytes && time.Since(f.used) > least }, &freed)
}

// Forget removes the files of binaries of which nothing is kept, and that nobody used for a
// week.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var freed int64
	s.remove(func(f *file) bool { return !f.inUse && time.Since(f.used) > forgotten }, &freed)
}

func (s *Store) remove(goes func(*file) bool, freed *int64) int64 {
	var files int
	for _, f := range s.all() {
		if !goes(&f) || os.Remove(f.path) != nil {
			continue
		}
		_ = os.Remove(filepath.Dir(f.path)) // where it was the last one
		*freed += f.size
		s.size -= f.size
		s.evicted++
		files++
	}
	if files > 0 {
		s.opts.Log(fmt.Sprintf("debug information: removed %d files, %d bytes, that were not used for longest", files, *freed))
	}
	return *freed
}
