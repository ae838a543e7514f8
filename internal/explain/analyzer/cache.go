package analyzer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"whyhot/internal/host/wholefile"
)

// Cache keeps answers on disk. An entry is found by the request and the
// analyser's own content, and holds as long as every file the front end read
// has the content it had. A header that appears earlier on the include path
// than one that was read is not noticed; nor is it by a dependency file of make.
type Cache struct {
	dir      string
	analyser string // content hash of the analyser's binary

	mu     sync.Mutex
	hashes map[string]stamp
}

// stamp is the identity of a file's content at one moment.
type stamp struct {
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
	Hash string    `json:"hash"`
}

type cacheEntry struct {
	Files  map[string]stamp `json:"files"`
	Absent []string         `json:"absent,omitempty"`
	Reply  Reply            `json:"reply"`
}

// OpenCache opens the cache in dir ("" means the user's cache directory).
func OpenCache(dir, binary string) (*Cache, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no place for a cache: %w; set XDG_CACHE_HOME or use --no-cache", err)
		}
		dir = filepath.Join(base, "whyhot", "analyzer")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s, err := stampOf(binary)
	if err != nil {
		return nil, err
	}
	return &Cache{dir: dir, analyser: s.Hash, hashes: map[string]stamp{}}, nil
}

func (c *Cache) path(req Request) (string, error) {
	key, err := json.Marshal(struct {
		Analyser string `json:"analyser"`
		Request
	}{c.analyser, req})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(key)
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name+".json.zst"), nil
}

// get answers from the cache. A damaged entry is no entry.
func (c *Cache) get(req Request) (Reply, bool) {
	if c == nil {
		return Reply{}, false
	}
	path, err := c.path(req)
	if err != nil {
		return Reply{}, false
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		return Reply{}, false
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		return Reply{}, false
	}
	defer dec.Close()
	data, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return Reply{}, false
	}
	var e cacheEntry
	if err := json.Unmarshal(data, &e); err != nil {
		return Reply{}, false
	}
	for file, was := range e.Files {
		if !c.unchanged(file, was) {
			return Reply{}, false
		}
	}
	for _, file := range e.Absent {
		if _, err := os.Lstat(file); err == nil {
			return Reply{}, false
		}
	}
	e.Reply.giveSites()
	return e.Reply, true
}

// put stores an answer that was asked for at start. That a unit does not compile
// is an answer too: it holds until a file that it read changes or one that it
// lacks appears.
func (c *Cache) put(req Request, r Reply, start time.Time) error {
	if c == nil {
		return nil
	}
	in := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(req.Directory, path)
	}
	e := cacheEntry{Files: map[string]stamp{}, Reply: r}
	for _, d := range r.Dependencies {
		s, err := c.stamp(in(d))
		if err != nil || !s.Time.Before(start) {
			return nil // it went away or changed meanwhile: the answer stands, it is just not kept
		}
		e.Files[in(d)] = s
	}
	for _, a := range r.Absent {
		e.Absent = append(e.Absent, in(a))
	}
	e.Reply.Dependencies, e.Reply.Absent = nil, nil
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	defer func() { _ = enc.Close() }()
	path, err := c.path(req)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, 0o600, wholefile.Bytes(enc.EncodeAll(data, nil)))
}

// unchanged compares size and time first, and the content where only the time
// differs: a checkout touches files without changing them.
func (c *Cache) unchanged(file string, was stamp) bool {
	info, err := os.Stat(file)
	if err != nil || info.Size() != was.Size {
		return false
	}
	if info.ModTime().Equal(was.Time) {
		return true
	}
	now, err := c.stamp(file)
	return err == nil && now.Hash == was.Hash
}

// stamp hashes a file once per run: headers are shared by many units.
func (c *Cache) stamp(file string) (stamp, error) {
	c.mu.Lock()
	s, ok := c.hashes[file]
	c.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := stampOf(file)
	if err != nil {
		return stamp{}, err
	}
	c.mu.Lock()
	c.hashes[file] = s
	c.mu.Unlock()
	return s, nil
}

func stampOf(file string) (stamp, error) {
	f, err := os.Open(file)
	if err != nil {
		return stamp{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	if info.IsDir() {
		return stamp{}, &fs.PathError{Op: "hash", Path: file, Err: errors.New("is a directory")}
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return stamp{}, err
	}
	return stamp{Size: info.Size(), Time: info.ModTime(), Hash: hex.EncodeToString(h.Sum(nil))}, nil
}
