package perfdata

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// errTruncated marks an end of input inside something that had more to come.
var errTruncated = errors.New("the file ends too early")

const readBuffer = 256 << 10 // several of the largest records (64 KiB), and no more than the caches hold

// source is the file as a stream of bytes that knows where it is.
type source struct {
	br  *bufio.Reader
	off int64
	end int64  // of the data section, -1 while unknown: then the input's end
	n   int    // records read
	rec record // the current one
}

func newSource(r io.Reader) *source {
	return &source{br: bufio.NewReaderSize(r, readBuffer), end: -1}
}

// next returns the next record; it is valid until the next call. At the end of
// the data section the error is io.EOF.
func (s *source) next() (*record, error) {
	left := int64(-1)
	if s.end >= 0 {
		left = s.end - s.off
		if left == 0 {
			return nil, io.EOF
		}
	}
	rec := &s.rec
	*rec = record{at: s.off, n: s.n + 1}
	head, err := s.br.Peek(recordHeaderSize)
	if err != nil {
		if errors.Is(err, io.EOF) && len(head) == 0 && left < 0 {
			return nil, io.EOF
		}
		return nil, s.cut(rec, err)
	}
	var size int
	rec.typ, rec.misc, size = parseHeader(head)
	if size < recordHeaderSize {
		return nil, rec.corrupt(fmt.Sprintf("its size is %d, less than its own header", size))
	}
	if left >= 0 && int64(size) > left {
		return nil, rec.corrupt(fmt.Sprintf("its %d bytes reach past the data section, which has %d left", size, left))
	}
	whole, err := s.br.Peek(size)
	if err != nil {
		return nil, s.cut(rec, err)
	}
	rec.body = whole[recordHeaderSize:]
	// Peeked bytes stay in the buffer until the next read, so this keeps body.
	if _, err := s.br.Discard(size); err != nil {
		return nil, s.cut(rec, err)
	}
	s.off += int64(size)
	s.n++
	return rec, nil
}

func (s *source) cut(rec *record, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("record %d at offset %#x: %w", rec.n, rec.at, errTruncated)
	}
	return fmt.Errorf("record %d at offset %#x: %w", rec.n, rec.at, err)
}

// skip passes over n bytes that belong to no record.
func (s *source) skip(n int64) error {
	got, err := io.CopyN(io.Discard, s.br, n)
	s.off += got
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("offset %#x: %w", s.off, errTruncated)
	}
	return err
}

// section reads n bytes, at most limit; what names them in errors.
func (s *source) section(n uint64, limit uint64, what string) ([]byte, error) {
	if n > limit {
		return nil, fmt.Errorf("offset %#x: %s of %d bytes exceeds the limit of %d; the file is corrupt", s.off, what, n, limit)
	}
	// Growing with what really comes keeps a lying size from allocating.
	b, err := io.ReadAll(io.LimitReader(s.br, int64(n)))
	s.off += int64(len(b))
	if err != nil {
		return nil, fmt.Errorf("offset %#x: %s: %w", s.off, what, err)
	}
	if uint64(len(b)) < n {
		return nil, fmt.Errorf("offset %#x: %s: %w", s.off, what, errTruncated)
	}
	return b, nil
}
