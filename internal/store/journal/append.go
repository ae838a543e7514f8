package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/host/wholefile"
)

type request struct {
	record  Record
	segment uint64
	err     error
	ready   chan struct{}
}

// Append writes a record and tells in which segment it is. It returns when the record
// is durable. Where ctx ends before, the record may be written or not.
func (j *Journal) Append(ctx context.Context, r Record) (segment uint64, err error) {
	if len(r.Data) > j.opts.MaxRecord {
		return 0, fmt.Errorf("journal: a record of %d bytes is larger than %d", len(r.Data), j.opts.MaxRecord)
	}
	q := &request{record: r, ready: make(chan struct{})}
	select {
	case j.requests <- q:
	case <-j.closing:
		return 0, ErrClosed
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case <-q.ready:
		return q.segment, q.err
	case <-j.done:
		select {
		case <-q.ready:
			return q.segment, q.err
		default:
			return 0, ErrClosed
		}
	}
}

// write is the only goroutine that writes.
func (j *Journal) write() {
	defer close(j.done)
	tick := time.NewTicker(j.opts.SegmentAge / 4)
	defer tick.Stop()
	for {
		select {
		case q := <-j.requests:
			j.group(q)
		case sealed := <-j.seals:
			j.rotate()
			close(sealed)
		case <-tick.C:
		case <-j.closing:
			for {
				select {
				case q := <-j.requests:
					j.group(q)
					continue
				default:
				}
				break
			}
			j.rotate()
			return
		}
		if j.file != nil && (j.written >= j.opts.SegmentBytes || time.Since(j.began) >= j.opts.SegmentAge) {
			j.rotate()
		}
	}
}

// group writes a record and those that wait with it.
func (j *Journal) group(first *request) {
	group := []*request{first}
	size := len(first.record.Data)
	for size < 4<<20 {
		select {
		case q := <-j.requests:
			group = append(group, q)
			size += len(q.record.Data)
			continue
		default:
		}
		break
	}
	err := j.flush(group, size)
	for _, q := range group {
		q.segment, q.err = j.number, err
		close(q.ready)
	}
}

func (j *Journal) flush(group []*request, size int) error {
	if j.Bytes()+int64(size) > j.opts.MaxBytes {
		return ErrFull
	}
	if j.file == nil {
		if err := j.create(); err != nil {
			return err
		}
	}
	data := make([]byte, 0, size+len(group)*headerSize)
	mark := byte(beginsGroup)
	for _, q := range group {
		data = appendRecord(data, q.record, mark)
		mark = 0
	}
	_, err := j.file.WriteAt(data, j.written)
	if err == nil {
		err = unix.Fdatasync(int(j.file.Fd()))
	}
	if err != nil {
		// Nobody is told that it is there: nor must it be found after a restart.
		if cut := j.file.Truncate(j.written); cut != nil {
			err = errors.Join(err, cut)
		}
		if j.written == 0 {
			j.abandon()
		}
		return fmt.Errorf("journal: %w", err)
	}
	j.written += int64(len(data))
	j.last.Store(j.number)
	j.mu.Lock()
	j.sizes[j.number] = j.written
	j.mu.Unlock()
	return nil
}

func (j *Journal) create() error {
	// What may be there by that name was never a segment: an attempt that failed.
	f, err := os.OpenFile(j.path(j.number+1, suffix), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := wholefile.SyncDir(j.dir); err != nil {
		return errors.Join(fmt.Errorf("journal: %w", err), f.Close(), os.Remove(f.Name()))
	}
	j.number++
	j.file, j.written, j.began = f, 0, time.Now()
	return nil
}

// abandon removes a segment in which nothing was written. Its number is the next one's.
func (j *Journal) abandon() {
	j.number--
	_ = j.file.Close()           // it is empty
	_ = os.Remove(j.file.Name()) // an empty one does no harm
	j.file = nil
}

// rotate closes the open segment.
func (j *Journal) rotate() {
	if j.file == nil {
		return
	}
	_ = j.file.Close() // all of it is on disk
	j.file = nil
	j.mu.Lock()
	if j.written > 0 {
		j.closed = append(j.closed, j.number)
	}
	j.mu.Unlock()
	j.tell()
}

func (j *Journal) tell() {
	select {
	case j.signal <- struct{}{}:
	default:
	}
}
