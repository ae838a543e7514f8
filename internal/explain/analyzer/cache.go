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

	"whyhot/internal/explain/compdb"
	"whyhot/internal/host/userdir"
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
	Reply  *Reply           `json:"reply,omitempty"`
	Note   json.RawMessage  `json:"note,omitempty"`
}

// OpenCache opens the cache in dir ("" means the user's cache directory).
func OpenCache(dir, binary string) (*Cache, error) {
	if dir == "" {
		var err error
		if dir, err = userdir.Cache(os.Getenv, "analyzer"); err != nil {
			return nil, fmt.Errorf("no place for a cache: %w; set XDG_CACHE_HOME or use --no-cache", err)
		}
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

// place is where an entry of a kind lies.
func (c *Cache) place(kind string, of any) (string, error) {
	key, err := json.Marshal(struct {
		Analyser string `json:"analyser"`
		Kind     string `json:"kind"`
		Of       any    `json:"of"`
	}{c.analyser, kind, of})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(key)
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name+".json.zst"), nil
}

// load reads an entry, with the files that it came of and that have changed since. A
// damaged entry is no entry.
func (c *Cache) load(kind string, of any) (e cacheEntry, changed []string, ok bool) {
	if c == nil {
		return e, nil, false
	}
	path, err := c.place(kind, of)
	if err != nil {
		return e, nil, false
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		return e, nil, false
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		return e, nil, false
	}
	defer dec.Close()
	data, err := dec.DecodeAll(packed, nil)
	if err != nil || json.Unmarshal(data, &e) != nil {
		return cacheEntry{}, nil, false
	}
	for file, was := range e.Files {
		if !c.unchanged(file, was) {
			changed = append(changed, file)
		}
	}
	for _, file := range e.Absent {
		if _, err := os.Lstat(file); err == nil {
			changed = append(changed, file)
		}
	}
	return e, changed, true
}

func (c *Cache) save(kind string, of any, e cacheEntry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	defer func() { _ = enc.Close() }()
	path, err := c.place(kind, of)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, 0o600, wholefile.Bytes(enc.EncodeAll(data, nil)))
}

// The kinds of entries: the answer to a request, what the front end read for a unit,
// and what somebody has Note keep.
const (
	kindReply = "reply"
	kindReads = "reads"
	kindNote  = "note"
)

// get answers from the cache.
func (c *Cache) get(req Request) (Reply, bool) {
	e, changed, ok := c.load(kindReply, req)
	if !ok || len(changed) > 0 || e.Reply == nil {
		return Reply{}, false
	}
	e.Reply.giveSites()
	return *e.Reply, true
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
	e := cacheEntry{Files: map[string]stamp{}}
	for _, d := range r.Dependencies {
		s, err := c.stamp(in(d))
		if asItWas := err == nil && s.Time.Before(start); !asItWas {
			return nil // it went away or changed meanwhile: the answer stands, it is just not kept
		}
		e.Files[in(d)] = s
	}
	for _, a := range r.Absent {
		e.Absent = append(e.Absent, in(a))
	}
	if len(req.Files) == 0 && len(r.Errors) == 0 {
		if err := c.save(kindReads, unitOf(req), e); err != nil {
			return err
		}
	}
	if r.Reused > 0 {
		return nil // it holds until the whole unit is analysed: nobody else is to have it
	}
	r.Dependencies, r.Absent, r.Preamble = nil, nil, ""
	e.Reply = &r
	return c.save(kindReply, req, e)
}

// unitOf is what of a request decides which files are read.
func unitOf(r Request) any {
	return struct {
		Directory string   `json:"directory"`
		Arguments []string `json:"arguments"`
	}{r.Directory, r.Arguments}
}

// Reads says whether a unit includes a file that is meant, as far as it was asked for anything
// before and nothing that it read has changed since; known is false where not.
//
// Example. A header that 3 of 60 units include has to be looked at in those 3.
func (c *Cache) Reads(u compdb.Unit, meant func(file string) bool) (reads, known bool) {
	e, changed, ok := c.load(kindReads, unitOf(Request{Directory: u.Directory, Arguments: u.Arguments}))
	if !ok || len(changed) > 0 {
		return false, false
	}
	for f := range e.Files {
		if meant(filepath.Clean(f)) {
			return true, true
		}
	}
	return false, true
}

// Note keeps a value under a name, with the files that it was made of from start on. One
// that was written since counts as changed.
func (c *Cache) Note(name string, start time.Time, files []string, v any) error {
	if c == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	e := cacheEntry{Files: map[string]stamp{}, Note: data}
	for _, f := range files {
		s, err := c.stamp(f)
		if err != nil || !s.Time.Before(start) {
			s = stamp{Size: -1}
		}
		e.Files[f] = s
	}
	return c.save(kindNote, name, e)
}

// Recall gives what Note kept, and which of its files have changed since.
func (c *Cache) Recall(name string, v any) (changed []string, ok bool) {
	e, changed, ok := c.load(kindNote, name)
	if !ok || json.Unmarshal(e.Note, v) != nil {
		return nil, false
	}
	return changed, true
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

// stamp hashes a file once, as long as its size and its time stay: headers are shared by
// many units.
func (c *Cache) stamp(file string) (stamp, error) {
	c.mu.Lock()
	s, ok := c.hashes[file]
	c.mu.Unlock()
	if ok {
		if info, err := os.Stat(file); err == nil && info.Size() == s.Size && info.ModTime().Equal(s.Time) {
			return s, nil
		}
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
