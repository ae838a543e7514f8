package pprof

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxMessage bounds one message: no sample or function comes near it, so a
// longer one is damage, and is refused before memory is set aside for it.
// Where entries are bounded, so is what one of them may become.
const (
	maxMessage        = 1 << 28
	maxForeignMessage = 1 << 24
)

// rawSamples holds the bytes of all samples in chunks, each message with its
// length in front, so that they can be given back to the memory one by one.
type rawSamples struct {
	chunks [][]byte
	n      int
}

// The first chunk is small and the next ones grow: most profiles that are pushed to a
// server are a few kilobytes.
const (
	firstChunk = 16 << 10
	chunkSize  = 1 << 20
)

// add copies nothing: it returns room for a message of n bytes.
func (s *rawSamples) add(n int) []byte {
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < n+binary.MaxVarintLen64 {
		size := firstChunk
		if last >= 0 {
			size = min(2*cap(s.chunks[last]), chunkSize)
		}
		s.chunks = append(s.chunks, make([]byte, 0, max(size, n+binary.MaxVarintLen64)))
		last++
	}
	c := binary.AppendUvarint(s.chunks[last], uint64(n))
	s.chunks[last] = c[:len(c)+n]
	s.n++
	return s.chunks[last][len(c):]
}

// each calls f for every sample and lets go of a chunk when it is done.
func (s *rawSamples) each(ctx context.Context, f func(i int, b []byte) error) error {
	i := 0
	for c := range s.chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		for b := s.chunks[c]; len(b) > 0; i++ {
			n, k := binary.Uvarint(b)
			body := b[k : k+int(n)]
			if err := f(i, body); err != nil {
				return err
			}
			b = b[k+int(n):]
		}
		s.chunks[c] = nil
	}
	return nil
}

const readSize = 32 << 10

var messageNames = map[int]string{
	fieldSampleType: "sample_type", fieldSample: "sample", fieldMapping: "mapping", fieldLocation: "location",
	fieldFunction: "function", fieldString: "string_table", fieldPeriodType: "period_type", fieldComment: "comment",
}

// scan reads a whole stream into tables of at most most entries and raw samples.
func scan(ctx context.Context, r io.Reader, most int) (*tables, *rawSamples, error) {
	t, s := &tables{most: most}, &rawSamples{}
	in := &reader{r: bufio.NewReaderSize(r, readSize)}
	var seen [fieldDefaultType + 2]int
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		at := in.off
		field, err := in.field(t, s)
		if errors.Is(err, io.EOF) {
			return t, s, nil
		}
		number := 0
		if field > 0 && field < len(seen) {
			number = seen[field]
			seen[field]++
		}
		if err != nil {
			name, known := messageNames[field]
			if !known {
				name = fmt.Sprintf("field %d", field)
			}
			return nil, nil, fmt.Errorf("pprof: %s %d at byte %d of the uncompressed data: %w", name, number, at, err)
		}
	}
}

// reader reads top-level fields.
type reader struct {
	r   *bufio.Reader
	off int64
	buf []byte
}

// field reads one top-level field. io.EOF is the end of the profile.
func (r *reader) field(t *tables, s *rawSamples) (field int, err error) {
	if _, err := r.r.Peek(1); err != nil {
		return 0, err
	}
	tag, err := r.varint()
	if err != nil {
		return 0, err
	}
	field = int(tag >> 3)
	if field == 0 || tag>>3 > 1<<29-1 {
		return 0, fmt.Errorf("field number %d does not exist: the data is damaged or no profile", tag>>3)
	}
	switch tag & 7 {
	case wireVarint:
		v, err := r.varint()
		if err != nil {
			return field, err
		}
		return field, t.scalar(field, v)
	case wireFixed8, wireFixed4:
		n := 8
		if tag&7 == wireFixed4 {
			n = 4
		}
		b, err := r.take(n)
		if err != nil {
			return field, err
		}
		var v [8]byte
		copy(v[:], b)
		return field, t.scalar(field, binary.LittleEndian.Uint64(v[:]))
	case wireBytes:
		return field, r.message(field, t, s)
	}
	return field, fmt.Errorf("wire type %d is not used by profiles: the data is damaged", tag&7)
}

func (r *reader) message(field int, t *tables, s *rawSamples) error {
	n, err := r.varint()
	if err != nil {
		return err
	}
	longest := uint64(maxMessage)
	if t.most > 0 {
		longest = maxForeignMessage
	}
	if n > longest {
		return fmt.Errorf("a message of %d bytes is longer than any real one: the data is damaged", n)
	}
	if field != fieldSample {
		b, err := r.take(int(n))
		if err != nil {
			return err
		}
		return t.message(field, b)
	}
	// A damaged length must not set aside memory that the file cannot fill.
	if n > chunkSize {
		b, err := r.take(int(n))
		if err != nil {
			return err
		}
		copy(s.add(int(n)), b)
		return nil
	}
	got, err := io.ReadFull(r.r, s.add(int(n)))
	r.off += int64(got)
	return cut(err)
}

// take returns the next n bytes, valid until the next call.
func (r *reader) take(n int) ([]byte, error) {
	r.buf = r.buf[:0]
	for len(r.buf) < n {
		step := min(n-len(r.buf), chunkSize)
		have := len(r.buf)
		r.buf = append(r.buf, make([]byte, step)...)
		got, err := io.ReadFull(r.r, r.buf[have:])
		r.off += int64(got)
		if err != nil {
			return nil, cut(err)
		}
	}
	return r.buf, nil
}

func (r *reader) varint() (uint64, error) {
	v, err := binary.ReadUvarint(byteCounter{r})
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, errVarint
	}
	return v, cut(err)
}

type byteCounter struct{ r *reader }

func (b byteCounter) ReadByte() (byte, error) {
	c, err := b.r.r.ReadByte()
	if err == nil {
		b.r.off++
	}
	return c, err
}

// cut turns the end of input inside a field into an error that says so.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the data ends in the middle of it: the file is truncated")
	}
	return err
}
