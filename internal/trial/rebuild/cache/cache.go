package cache

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/host/userdir"
	"whyhot/internal/host/wholefile"
)

const (
	mostBytes = 8 << 30 // of all entries
	oldest    = 14 * 24 * time.Hour
	keyLength = 16 // of the directory's name: all paths are equally long
	metaName  = "meta.json"
	builtName = "built" // the copy
	siteName  = "site"  // where programs run
	lockName  = "lock"
)

// Cache is a directory of entries.
type Cache struct {
	dir   string
	limit int64
}

// Open gives the user's cache, which need not exist yet; nil where the environment
// names no place for one. getenv reads the environment.
func Open(getenv func(string) string) *Cache {
	dir, err := userdir.Cache(getenv, "builds")
	if err != nil {
		return nil
	}
	return In(dir, mostBytes)
}

// In is a cache in a directory, bounded to so many bytes.
func In(dir string, limit int64) *Cache { return &Cache{dir, limit} }

// Entry is a place for one build, which no other process uses meanwhile.
type Entry struct {
	Site string // where the tree is built and run

	cache *Cache
	root  string
	lock  *os.File
}

// Meta is what is known of an entry beside its files.
type Meta struct {
	Bytes   int64           `json:"bytes"`
	Search  []string        `json:"search"` // directories outside of the tree that the build searched
	Stamp   string          `json:"stamp"`  // of what is in them and of the tools
	Details json.RawMessage `json:"details"`
}

// Take gives the place for a key. It is nil where there is none to be had: the
// directory cannot be made, runs no programs, or another process is in it.
func (c *Cache) Take(key string) *Entry {
	root := filepath.Join(c.dir, key[:keyLength])
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil
	}
	var st syscall.Statfs_t
	const noexec = 8 // ST_NOEXEC, statvfs(3)
	if syscall.Statfs(root, &st) != nil || st.Flags&noexec != 0 {
		return nil
	}
	lock, err := os.OpenFile(filepath.Join(root, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		_ = lock.Close()
		return nil
	}
	e := &Entry{Site: filepath.Join(root, siteName), cache: c, root: root, lock: lock}
	if os.RemoveAll(e.Site) != nil { // a process that was killed has left it
		e.Release()
		return nil
	}
	return e
}

// Restore makes the site as it was built, and gives the details that were stored
// with it. ok is false where nothing is stored, or what it was built from has
// changed.
func (e *Entry) Restore(ctx context.Context, details any) (ok bool) {
	data, err := os.ReadFile(filepath.Join(e.root, metaName))
	if err != nil {
		return false
	}
	var m Meta
	if json.Unmarshal(data, &m) != nil || json.Unmarshal(m.Details, details) != nil {
		return false
	}
	stamp, err := stampOf(ctx, m.Search)
	if err != nil || stamp != m.Stamp || copyTree(ctx, filepath.Join(e.root, builtName), e.Site) != nil {
		_ = os.RemoveAll(e.Site)
		return false
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Join(e.root, metaName), now, now) // when it was last of use
	return true
}

// Store keeps the site as it is now. A build that does not fit is not kept, which
// is no error: the next trial builds it again.
func (e *Entry) Store(ctx context.Context, search []string, details any) error {
	e.forget()
	size, err := sizeOf(e.Site)
	if err != nil {
		return err
	}
	const share = 2 // of the limit, for one entry
	var st syscall.Statfs_t
	if err := syscall.Statfs(e.root, &st); err != nil {
		return fmt.Errorf("keeping a build: %w", err)
	}
	if size > e.cache.limit/share || int64(st.Bavail)*st.Bsize < 2*size { //nolint:mnd // room for as much again
		return nil
	}
	m := Meta{Bytes: size, Search: search}
	if m.Stamp, err = stampOf(ctx, search); err != nil {
		return err
	}
	if m.Details, err = json.Marshal(details); err != nil {
		return fmt.Errorf("keeping a build: %w", err)
	}
	if err := copyTree(ctx, e.Site, filepath.Join(e.root, builtName)); err != nil {
		e.forget()
		return err
	}
	data, err := json.Marshal(m)
	if err == nil {
		// Last, so that a copy that broke off is nobody's build.
		err = wholefile.Write(filepath.Join(e.root, metaName), 0o600, wholefile.Bytes(data))
	}
	if err != nil {
		e.forget()
		return fmt.Errorf("keeping a build: %w", err)
	}
	e.cache.prune(e.root)
	return nil
}

func (e *Entry) forget() {
	_ = os.Remove(filepath.Join(e.root, metaName))
	_ = os.RemoveAll(filepath.Join(e.root, builtName))
}

// Release removes the site and lets others use the entry.
func (e *Entry) Release() {
	_ = os.RemoveAll(e.Site)
	if _, err := os.Stat(filepath.Join(e.root, metaName)); err != nil {
		_ = os.RemoveAll(e.root) // nothing was stored
	}
	_ = e.lock.Close() // the lock goes with it
}

// entry is one on disk.
type entry struct {
	root  string
	bytes int64
	used  time.Time
}

func (c *Cache) entries() []entry {
	dirs, err := os.ReadDir(c.dir)
	if err != nil {
		return nil
	}
	var out []entry
	for _, d := range dirs {
		root := filepath.Join(c.dir, d.Name())
		x := entry{root: root}
		if info, err := os.Stat(filepath.Join(root, metaName)); err == nil {
			x.used = info.ModTime()
		}
		var m Meta
		if data, err := os.ReadFile(filepath.Join(root, metaName)); err == nil && json.Unmarshal(data, &m) == nil {
			x.bytes = m.Bytes
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(b.used.UnixNano(), a.used.UnixNano()) })
	return out
}

// prune removes what was not used for long, and the least recently used beyond the
// limit. One that another process is in stays.
func (c *Cache) prune(but string) {
	sum := int64(0)
	for _, x := range c.entries() {
		sum += x.bytes
		if x.root != but && (sum > c.limit || time.Since(x.used) > oldest) {
			sum -= x.bytes
			_ = remove(x.root)
		}
	}
}

// Clear removes every entry that no process is in, and says how many and how large
// they were.
func (c *Cache) Clear() (entries int, bytes int64, err error) {
	for _, x := range c.entries() {
		if e := remove(x.root); e != nil {
			err = errors.Join(err, e)
			continue
		}
		entries, bytes = entries+1, bytes+x.bytes
	}
	return entries, bytes, err
}

func remove(root string) error {
	lock, err := os.OpenFile(filepath.Join(root, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("removing a kept build: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return fmt.Errorf("removing a kept build: another trial runs in %s", root)
	}
	if err := os.RemoveAll(root); err != nil {
		return fmt.Errorf("removing a kept build: %w", err)
	}
	return nil
}

// copyTree copies with times, links and modes; blocks are shared where the file
// system can.
func copyTree(ctx context.Context, from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("copying a build: %w", err)
	}
	out, err := exec.CommandContext(ctx, "cp", "-a", "--reflink=auto", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copying a build: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

func sizeOf(dir string) (int64, error) {
	sum := int64(0)
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("keeping a build: %w", err)
	}
	return sum, nil
}
