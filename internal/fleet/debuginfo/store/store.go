package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/bucket"
	"whyhot/internal/host/dirlock"
)

// Options bound the store. Zero values are the defaults.
type Options struct {
	MaxFile  int64         // bytes of one file; 2 GiB
	MaxTotal int64         // bytes of all; 16 GiB
	Uploads  int           // at a time; 4
	Idle     time.Duration // from the announcement to the upload; 1 min
	// Rate is the least that a client must send, in bytes a second, beside Idle for
	// the upload as a whole; 64 KiB.
	Rate int64
	// Log takes a line for people. Several goroutines call it. It may be nil.
	Log func(text string)
	// Arrived is told the build ID of each file that was taken. It may be nil.
	Arrived func(buildID string)
	// Bucket has the files of all servers; the directory is a cache of it then. nil for none.
	Bucket *bucket.Bucket
	// InUse says whether anything is kept of a binary; files of others go first. nil: of all.
	InUse func(buildID string) bool
	// Unnamed are binaries of whose addresses hardly any has a name; nil: it is not known.
	Unnamed func() map[string]bool
}

func (o Options) withDefaults() Options {
	if o.MaxFile == 0 {
		o.MaxFile = 2 << 30
	}
	if o.MaxTotal == 0 {
		o.MaxTotal = 16 << 30
	}
	if o.Uploads == 0 {
		o.Uploads = 4
	}
	if o.Idle == 0 {
		o.Idle = time.Minute
	}
	if o.Rate == 0 {
		o.Rate = 64 << 10
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Arrived == nil {
		o.Arrived = func(string) {}
	}
	return o
}

// Store is an open directory. Several goroutines may use it.
type Store struct {
	opts    Options
	dir     string
	lock    *os.File
	slots   chan struct{} // uploads
	calls   chan struct{} // requests that are being read
	mu      sync.Mutex
	size    int64              // of the files
	pending map[string]*upload // by upload ID, also those that are done, until they expire
	files   int64              // taken since Open
	evicted int64              // since Open
	absent  map[string]time.Time
	missed  map[string]bool  // build IDs whose file could not be fetched
	listed  map[string]int64 // sizes of the bucket's files by build ID; nil until they were listed
	away    string           // why the bucket could not be used last, "" where it could
	awayAt  time.Time
	failed  int64 // how often that was since Open
}

// upload is one that was announced.
type upload struct {
	id, buildID string
	size        int64
	expires     time.Time
	state       state
}

type state uint8

const (
	announced state = iota
	running
	done
)

const (
	tree     = ".build-id"
	suffix   = ".debug"
	incoming = "incoming-"
	lockName = "lock"
	// maxPending bounds how many announced uploads are remembered.
	maxPending = 1024
	// A build ID, in hex digits. Linkers make up to 20 bytes.
	minBuildID, maxBuildID = 4, 128
)

// Open opens the store in dir, which it makes.
func Open(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("debug information: %w", err)
	}
	lock, err := dirlock.Take(filepath.Join(dir, lockName), 0o666)
	switch {
	case errors.Is(err, dirlock.ErrTaken):
		return nil, fmt.Errorf("debug information: %s is %w", dir, err)
	case err != nil:
		return nil, fmt.Errorf("debug information: %w", err)
	}
	s := &Store{opts: o, dir: dir, lock: lock, slots: make(chan struct{}, o.Uploads), calls: make(chan struct{}, maxCalls), pending: map[string]*upload{}, absent: map[string]time.Time{}, missed: map[string]bool{}}
	if err := s.scan(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// scan adds up what is there, and removes what an earlier process did not finish.
func (s *Store) scan() error {
	left, err := filepath.Glob(filepath.Join(s.dir, incoming+"*"))
	if err != nil {
		return fmt.Errorf("debug information: %w", err)
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("debug information: %w", err)
		}
	}
	err = filepath.WalkDir(filepath.Join(s.dir, tree), func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			s.size += info.Size()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("debug information: %w", err)
	}
	return nil
}

// Close gives the directory free.
func (s *Store) Close() error { return s.lock.Close() }

// Stats are the files taken since Open, and the bytes of all that are there.
func (s *Store) Stats() (files, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files, s.size
}

// Bound is how many bytes there may be, and how many files went since Open because of it or
// because nothing is kept of their binary.
func (s *Store) Bound() (most, evicted int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.MaxTotal, s.evicted
}

// checkBuildID refuses what could not be part of a path.
func checkBuildID(id string) error {
	if len(id) < minBuildID || len(id) > maxBuildID || len(id)%2 != 0 || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("a GNU build ID is between %d and %d hex digits in lower case", minBuildID, maxBuildID)
	}
	return nil
}

func (s *Store) path(id string) string { return filepath.Join(s.dir, tree, id[:2], id[2:]+suffix) }

// have tells what is there for a build ID.
func (s *Store) have(id string) (size int64, grade extract.Grade, there bool) {
	f, err := os.Open(s.path(id))
	if err != nil {
		return 0, extract.NoGrade, false
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil {
		return 0, extract.NoGrade, false
	}
	e, err := extract.Open(f, info.Size())
	if err != nil {
		return info.Size(), extract.NoGrade, true
	}
	return info.Size(), e.Grade(), true
}

// verdict is the answer to whether a file is wanted.
type verdict struct {
	wanted     bool
	inProgress bool
	reason     string
}

// judge decides whether a file is wanted.
func (s *Store) judge(ctx context.Context, id, hash string, force bool) (verdict, error) {
	s.mu.Lock()
	s.expire()
	for _, u := range s.pending {
		if u.buildID == id && u.state != done {
			s.mu.Unlock()
			return verdict{inProgress: true}, nil
		}
	}
	s.mu.Unlock()
	_, grade, there := s.have(id)
	if there {
		s.used(id) // the binary is on a machine of the fleet
	}
	if s.opts.Bucket != nil {
		var err error
		if grade, there, err = s.kept(ctx, id); err != nil {
			return verdict{}, err
		}
	}
	switch {
	case !there:
		return verdict{wanted: true, reason: "not there yet"}, nil
	case force:
		return verdict{wanted: true, reason: "there, and to be replaced"}, nil
	case extract.GradeOf(hash) > grade:
		return verdict{wanted: true, reason: "there with less: " + grade.String()}, nil
	}
	return verdict{reason: "already there"}, nil
}

// expire forgets uploads whose time is up. Those that run end by themselves.
func (s *Store) expire() {
	now := time.Now()
	for id, u := range s.pending {
		if u.state != running && now.After(u.expires) {
			delete(s.pending, id)
		}
	}
}

var (
	errLarge   = errors.New("the file is too large")
	errFull    = errors.New("the store is full")
	errBusy    = errors.New("too many uploads at a time")
	errUnknown = errors.New("no such upload was announced, or it has expired")
	errContent = errors.New("the file was rejected")
)

// announce sets room aside for an upload.
func (s *Store) announce(id string, size int64) (*upload, error) {
	if size > s.opts.MaxFile {
		return nil, fmt.Errorf("%w: %d bytes, and %d at most", errLarge, size, s.opts.MaxFile)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	total := s.size + size
	for _, u := range s.pending {
		if u.state != done {
			total += u.size
		}
	}
	if total > s.opts.MaxTotal {
		total -= s.evict(total - s.opts.MaxTotal)
	}
	if total > s.opts.MaxTotal {
		return nil, fmt.Errorf("%w: it may hold %d bytes", errFull, s.opts.MaxTotal)
	}
	if len(s.pending) >= maxPending {
		return nil, errBusy
	}
	u := &upload{id: rand.Text(), buildID: id, size: size, expires: time.Now().Add(s.opts.Idle)}
	s.pending[u.id] = u
	return u, nil
}

// begin finds an announced upload and makes it run.
func (s *Store) begin(buildID, id string) (*upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	u := s.pending[id]
	if u == nil || u.buildID != buildID || u.state != announced {
		return nil, errUnknown
	}
	u.state = running
	return u, nil
}

// end closes an upload that ran. One that failed may be announced again at once.
func (s *Store) end(u *upload, taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !taken {
		delete(s.pending, u.id)
		return
	}
	u.state, u.expires = done, time.Now().Add(s.opts.Idle)
	s.files++
}

// finished tells whether the upload's file is there.
func (s *Store) finished(buildID, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.pending[id]
	return u != nil && u.buildID == buildID && u.state == done
}

// create opens the file that an upload is written into.
func (s *Store) create(u *upload) (*os.File, error) {
	return os.OpenFile(filepath.Join(s.dir, incoming+u.id), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// keep checks a file that was written and puts it in its place. The lock makes the
// sum of sizes right where two uploads of one build ID end at the same moment.
func (s *Store) keep(ctx context.Context, u *upload, f *os.File) error {
	e, err := check(f, u.buildID, u.size)
	if err != nil {
		return err
	}
	if s.opts.Bucket != nil { // first there: what is only here is not kept
		if better, err := s.share(ctx, u, f, e.Grade()); better || err != nil {
			return err
		}
	}
	return s.place(u.buildID, f, u.size)
}

// check refuses what is not the file that it was announced as.
func check(f *os.File, id string, size int64) (*extract.File, error) {
	e, err := extract.Open(f, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errContent, err)
	}
	if e.BuildID() != id {
		return nil, fmt.Errorf("%w: its build ID is %q", errContent, e.BuildID())
	}
	return e, nil
}

// place puts a file where it belongs.
func (s *Store) place(id string, f *os.File, size int64) error {
	to := s.path(id)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var before int64
	if info, err := os.Stat(to); err == nil {
		before = info.Size()
	}
	if err := os.Rename(f.Name(), to); err != nil {
		return err
	}
	s.size += size - before
	return nil
}
