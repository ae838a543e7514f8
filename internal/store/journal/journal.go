// Package journal keeps records on disk until they are elsewhere.
//
// It owns a directory of segments: files of records, numbered upwards. It takes bytes
// and gives them back, a segment at a time. It must never know what is in them.
//
// Durable. Append returns when the record is on the disk (fdatasync). Records of
// callers who wait at the same time go with one write (group commit: DeWitt et al.,
// "Implementation Techniques for Main Memory Database Systems", 1984).
//
// Segments. A segment is closed when it is old or large enough, and never changes
// afterwards: whoever takes the records elsewhere takes a whole segment, and can name
// what it did by the segment's number.
//
// Damage. Each record has its length and a checksum. What a crash left at the end of
// the last segment, of which nobody was told that it is durable, is cut off. A damaged
// record anywhere else is an error: nothing that was acknowledged is dropped silently.
// The number of the last segment that was taken elsewhere stays, as the name of an empty
// file: whoever opens the journal and has less has lost it.
package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options bound a journal. Zero values are the defaults.
type Options struct {
	SegmentBytes int64         // a segment is closed when it has that many; 16 MiB
	SegmentAge   time.Duration // or is that old and not empty; 1 s
	MaxRecord    int           // bytes; 64 MiB
	MaxBytes     int64         // of all segments; Append refuses what is beyond; 4 GiB
}

func (o Options) withDefaults() Options {
	if o.SegmentBytes == 0 {
		o.SegmentBytes = 16 << 20
	}
	if o.SegmentAge == 0 {
		o.SegmentAge = time.Second
	}
	if o.MaxRecord == 0 {
		o.MaxRecord = 64 << 20
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 4 << 30
	}
	return o
}

// Record is one entry.
type Record struct {
	Kind byte // below 128
	Data []byte
}

// Errors of Append.
var (
	ErrFull   = errors.New("the journal is full")
	ErrClosed = errors.New("the journal is closed")
)

const suffix = ".journal"

// Journal is an open directory. Several goroutines may use it.
type Journal struct {
	dir  string
	opts Options

	requests chan *request
	seals    chan chan struct{}
	closing  chan struct{}
	done     chan struct{}
	once     sync.Once

	mu     sync.Mutex
	sizes  map[uint64]int64 // of the segments that are there
	closed []uint64         // segments that do not change any more, ascending
	signal chan struct{}    // holds a token when there may be a newly closed one
	last   atomic.Uint64
	taken  uint64 // the number of the mark, 0 for none; only who removes has it
	cut    int64  // bytes at the end of the last segment that were not finished

	file    *os.File // the open segment; only the writer's
	number  uint64
	written int64
	began   time.Time
}

// Open opens the journal in dir, which it makes. Segments up to number done were
// taken elsewhere and are removed.
func Open(dir string, taken uint64, o Options) (*Journal, error) {
	return openAbove(dir, taken, taken, o)
}

// openAbove opens the journal; new segments have numbers above least.
func openAbove(dir string, taken, least uint64, o Options) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{
		dir: dir, opts: o.withDefaults(), requests: make(chan *request, 256), seals: make(chan chan struct{}), closing: make(chan struct{}), done: make(chan struct{}),
		sizes: map[uint64]int64{}, signal: make(chan struct{}, 1), number: taken,
	}
	if err := j.scan(taken); err != nil {
		return nil, err
	}
	j.last.Store(j.number) // of what has records: nobody is to wait for others
	j.number = max(j.number, least)
	go j.write()
	return j, nil
}

// scan finds the segments of an earlier process.
func (j *Journal) scan(taken uint64) error {
	entries, err := os.ReadDir(j.dir)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	for _, e := range entries {
		if number, ok := parseName(e.Name(), mark); ok {
			if err := j.marked(number); err != nil {
				return err
			}
			continue
		}
		number, ok := parseName(e.Name(), suffix)
		if !ok {
			continue
		}
		if number <= taken {
			if err := os.Remove(j.path(number, suffix)); err != nil {
				return fmt.Errorf("journal: %w", err)
			}
			continue
		}
		j.closed = append(j.closed, number)
	}
	if j.taken > taken {
		return &LostError{Mark: j.path(j.taken, mark), Had: j.taken, Has: taken}
	}
	slices.Sort(j.closed)
	for i, number := range j.closed {
		size, err := j.check(number, i == len(j.closed)-1)
		if err != nil {
			return err
		}
		j.sizes[number] = size
		j.number = number
	}
	if len(j.closed) > 0 {
		j.tell()
	}
	return nil
}

func (j *Journal) path(number uint64, suffix string) string {
	return filepath.Join(j.dir, fmt.Sprintf("%016x%s", number, suffix))
}

func parseName(name, suffix string) (uint64, bool) {
	stem, ours := strings.CutSuffix(name, suffix)
	number, err := strconv.ParseUint(stem, 16, 64)
	return number, ours && err == nil && len(stem) == 16
}

// check reads a segment through and, of the last one, cuts off what was not finished.
func (j *Journal) check(number uint64, last bool) (size int64, err error) {
	data, err := os.ReadFile(j.path(number, suffix))
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	good, err := walk(data, func(Record) error { return nil })
	switch {
	case err == nil:
		return int64(len(data)), nil
	case !last || !tornAt(data, good):
		return 0, j.damaged(number, good)
	}
	if err := os.Truncate(j.path(number, suffix), int64(good)); err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	j.cut = int64(len(data) - good)
	return int64(good), nil
}

func (j *Journal) damaged(number uint64, at int) error {
	return &DamageError{Path: j.path(number, suffix), Offset: at}
}

// DamageError says that a record which was acknowledged cannot be read.
type DamageError struct {
	Path   string
	Offset int
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("journal: %s is damaged at byte %d; restore the file from a copy, or move it away to go on without what it holds", e.Path, e.Offset)
}

// Cut is how many bytes at the end of the last segment could not be read when the journal
// was opened.
func (j *Journal) Cut() int64 { return j.cut }

// Next waits for the oldest closed segment that is still there; Remove makes it give
// another. One goroutine calls it.
func (j *Journal) Next(ctx context.Context) (segment uint64, err error) {
	for {
		j.mu.Lock()
		if len(j.closed) > 0 {
			segment = j.closed[0]
			j.mu.Unlock()
			return segment, nil
		}
		j.mu.Unlock()
		select {
		case <-j.signal:
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-j.done:
			j.mu.Lock()
			left := len(j.closed)
			j.mu.Unlock()
			if left == 0 {
				return 0, ErrClosed
			}
		}
	}
}

// Seal closes the open segment: what was appended before is in closed ones then.
func (j *Journal) Seal() error {
	sealed := make(chan struct{})
	select {
	case j.seals <- sealed:
		<-sealed
		return nil
	case <-j.done:
		return ErrClosed
	}
}

// Read gives the records of a closed segment.
func (j *Journal) Read(segment uint64, yield func(Record) error) error {
	data, err := os.ReadFile(j.path(segment, suffix))
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	good, err := walk(data, yield)
	if errors.Is(err, errDamaged) {
		return j.damaged(segment, good)
	}
	return err
}

// Remove removes a closed segment, which was taken elsewhere. What it was becomes the
// mark. One goroutine calls it.
func (j *Journal) Remove(segment uint64) error {
	err := os.Rename(j.path(segment, suffix), j.path(segment, mark))
	if err == nil {
		err = j.marked(segment)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.sizes, segment)
	j.closed = slices.DeleteFunc(j.closed, func(n uint64) bool { return n == segment })
	return nil
}

// Bytes is the size of all segments.
func (j *Journal) Bytes() (sum int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.sizes {
		sum += n
	}
	return sum
}

// Full says that there is no room for another record.
func (j *Journal) Full() bool { return j.Bytes() >= j.opts.MaxBytes }

// Segments is how many there are.
func (j *Journal) Segments() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.sizes)
}

// Pending lists the closed segments, ascending.
func (j *Journal) Pending() []uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.closed)
}

// Close ends the writing; what was appended is durable, and stays until it is removed.
func (j *Journal) Close() error {
	j.once.Do(func() { close(j.closing) })
	<-j.done
	return nil
}

// Last is the number of the newest segment with a record, 0 when there was none.
func (j *Journal) Last() uint64 { return j.last.Load() }
