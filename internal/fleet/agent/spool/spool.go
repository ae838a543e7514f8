// Package spool keeps batches in a directory until they were delivered.
//
// It owns the directory: one file a batch, written under another name and renamed,
// with its length and a checksum, so that a file is whole or is not believed; the
// bound on their size; and the count of what was dropped to stay within it. It
// takes and gives bytes. It must never know what is in them, nor where they go.
//
// A batch is written before it is sent, so that it survives the process. It is not
// forced to the disk: while the server takes batches, their files are removed
// before the kernel writes them out. What a crash of the machine damages is seen by
// the checksum, and counted.
//
// One process uses a spool at a time; a lock on the directory keeps others out.
package spool

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"whyhot/internal/host/dirlock"
)

// Batch is one file.
type Batch struct {
	ID      string // the same for every attempt to deliver it, also after a restart
	Samples int64
	seq     uint64
	size    int64
}

// Loss is what was dropped.
type Loss struct {
	Batches, Samples int64
}

// Spool is an open directory. Several goroutines may use it.
type Spool struct {
	dir     string
	limit   int64
	lock    *os.File
	origin  string // of the identities of this process's batches
	mu      sync.Mutex
	batches []Batch // the oldest first
	taken   uint64  // sequence number of the batch under way, 0 for none
	size    int64
	next    uint64
	dropped Loss
	damaged Loss
	arrived chan struct{} // holds a token when there may be something new
}

const (
	suffix     = ".batch"
	tempName   = "incoming.tmp"
	lockName   = "lock"
	headerSize = 16
)

// magic begins every file; its last byte is the version of the form.
var magic = [4]byte{'w', 'h', 's', 1}

var checksums = crc32.MakeTable(crc32.Castagnoli)

// Open opens the spool in dir, which it makes. limit is in bytes.
func Open(dir string, limit int64) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	lock, err := dirlock.Take(filepath.Join(dir, lockName), 0o600)
	switch {
	case errors.Is(err, dirlock.ErrTaken):
		return nil, fmt.Errorf("spool: %s is %w", dir, err)
	case err != nil:
		return nil, fmt.Errorf("spool: %w", err)
	}
	s := &Spool{dir: dir, limit: limit, lock: lock, origin: strings.ToLower(rand.Text()[:16]), next: 1, arrived: make(chan struct{}, 1)}
	if err := s.scan(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// scan finds what an earlier process left.
func (s *Spool) scan() error {
	if err := os.Remove(filepath.Join(s.dir, tempName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("spool: %w", err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	for _, e := range entries {
		b, ok := parseName(e.Name())
		info, err := e.Info()
		if !ok || err != nil {
			continue // not ours, or gone
		}
		b.size = info.Size()
		s.batches = append(s.batches, b)
		s.size += b.size
		s.next = max(s.next, b.seq+1)
	}
	slices.SortFunc(s.batches, func(a, b Batch) int { return cmp.Compare(a.seq, b.seq) })
	s.signal()
	return s.makeRoom(0)
}

// name is the batch's file: its place in the order, its identity and its samples,
// which are thus known without reading it.
func (b *Batch) name() string { return fmt.Sprintf("%016x.%s.%d%s", b.seq, b.ID, b.Samples, suffix) }

func parseName(name string) (Batch, bool) {
	stem, ours := strings.CutSuffix(name, suffix)
	parts := strings.Split(stem, ".")
	if !ours || len(parts) != 3 || parts[1] == "" {
		return Batch{}, false
	}
	seq, err := strconv.ParseUint(parts[0], 16, 64)
	samples, err2 := strconv.ParseInt(parts[2], 10, 64)
	return Batch{ID: parts[1], Samples: samples, seq: seq}, err == nil && err2 == nil && seq > 0 && samples >= 0
}

// Put keeps a batch, and drops the oldest ones where the bound asks for that. An
// error means that it was not kept.
func (s *Spool) Put(data []byte, samples int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := Batch{ID: fmt.Sprintf("%s-%d", s.origin, s.next), Samples: samples, seq: s.next, size: int64(len(data)) + headerSize}
	if b.size > s.limit {
		return fmt.Errorf("spool: a batch of %d bytes is larger than the whole spool may be", b.size)
	}
	if err := s.makeRoom(b.size); err != nil {
		return err
	}
	if err := s.write(&b, data); err != nil {
		return err
	}
	s.next++
	s.batches = append(s.batches, b)
	s.size += b.size
	s.signal()
	return nil
}

func (s *Spool) write(b *Batch, data []byte) error {
	var header [headerSize]byte
	copy(header[:], magic[:])
	binary.LittleEndian.PutUint32(header[4:], crc32.Checksum(data, checksums))
	binary.LittleEndian.PutUint64(header[8:], uint64(len(data)))
	temp := filepath.Join(s.dir, tempName)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	_, err = f.Write(header[:])
	if err == nil {
		_, err = f.Write(data)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temp, filepath.Join(s.dir, b.name()))
	}
	if err != nil {
		return fmt.Errorf("spool: %w", errors.Join(err, os.Remove(temp)))
	}
	return nil
}

// makeRoom drops the oldest batches until size more bytes fit. The one that is
// under way stays: it may have arrived already.
func (s *Spool) makeRoom(size int64) error {
	for i := 0; s.size+size > s.limit && i < len(s.batches); {
		b := s.batches[i]
		if b.seq == s.taken {
			i++
			continue
		}
		if err := s.remove(i); err != nil {
			return err
		}
		s.dropped.Batches++
		s.dropped.Samples += b.Samples
	}
	return nil
}

// remove deletes the i-th batch's file.
func (s *Spool) remove(i int) error {
	b := s.batches[i]
	if err := os.Remove(filepath.Join(s.dir, b.name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("spool: %w", err)
	}
	s.size -= b.size
	s.batches = slices.Delete(s.batches, i, i+1)
	return nil
}

// signal tells whoever waits for Arrived.
func (s *Spool) signal() {
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// Arrived gets a token when a batch came in since the last one was taken from it.
func (s *Spool) Arrived() <-chan struct{} { return s.arrived }

// Oldest gives the oldest batch, which then stays until Done says what became of
// it. ok is false where there is none. Damaged ones are removed and counted.
func (s *Spool) Oldest() (b Batch, data []byte, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.batches) > 0 {
		b = s.batches[0]
		data, err = os.ReadFile(filepath.Join(s.dir, b.name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return b, nil, false, fmt.Errorf("spool: %w", err)
		}
		if data, ok = content(data); ok && err == nil {
			s.taken = b.seq
			return b, data, true, nil
		}
		if err := s.remove(0); err != nil {
			return b, nil, false, err
		}
		s.damaged.Batches++
		s.damaged.Samples += b.Samples
	}
	return Batch{}, nil, false, nil
}

// content is what a file holds, if it is whole.
func content(file []byte) ([]byte, bool) {
	if len(file) < headerSize || [4]byte(file) != magic {
		return nil, false
	}
	data := file[headerSize:]
	whole := binary.LittleEndian.Uint64(file[8:]) == uint64(len(data)) &&
		binary.LittleEndian.Uint32(file[4:]) == crc32.Checksum(data, checksums)
	return data, whole
}

// Done ends what Oldest began: the batch was delivered, or refused for good, and is
// removed; or it is to stay.
func (s *Spool) Done(b Batch, remove bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = 0
	i := slices.IndexFunc(s.batches, func(o Batch) bool { return o.seq == b.seq })
	if !remove || i < 0 {
		return nil
	}
	return s.remove(i)
}

// Stats is what the spool holds and what it had to let go.
type Stats struct {
	Batches          int
	Bytes, Samples   int64
	Dropped, Damaged Loss
}

// Stats tells of this moment; the losses are those since Open.
func (s *Spool) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Stats{Batches: len(s.batches), Bytes: s.size, Dropped: s.dropped, Damaged: s.damaged}
	for _, b := range s.batches {
		out.Samples += b.Samples
	}
	return out
}

// Close gives the directory free.
func (s *Spool) Close() error { return s.lock.Close() }
