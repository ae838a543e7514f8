package perfdata

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxWindow is what zstd's highest level (22) uses.
	maxWindow = 128 << 20
	// A zstd block is at most 128 KiB, so that a read of this size never leaves
	// decoded bytes behind in the decoder.
	decodeChunk = 128 << 10
)

// inflater turns the payloads of compressed records into the records they
// hold. All payloads of a file are one zstd stream: the recorder flushes it
// behind each one, but a block, or a record inside, may go on in the next.
type inflater struct {
	src   *source
	other func(*record) error // takes records that stand between compressed ones
	dec   *zstd.Decoder
	feed  []byte // what is left of the current payload
	at    int64
	held  []byte // decoded and not yet a whole record
	buf   []byte
	err   error // of pulling the next payload, kept from the decoder's wrapping
}

func newInflater(src *source, other func(*record) error) (*inflater, error) {
	f := &inflater{src: src, other: other, buf: make([]byte, decodeChunk)}
	// One thread makes the decoder read no further than the block it returns.
	dec, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	f.dec = dec
	return f, nil
}

func (f *inflater) close() { f.dec.Close() }

// Read gives the decoder compressed bytes. It is asked for more than the
// current payload has only where a block goes on in a later record.
func (f *inflater) Read(p []byte) (int, error) {
	for len(f.feed) == 0 {
		if err := f.pull(); err != nil {
			f.err = err
			return 0, err
		}
	}
	n := copy(p, f.feed)
	f.feed = f.feed[n:]
	return n, nil
}

func (f *inflater) pull() error {
	rec, err := f.src.next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("offset %#x: inside compressed data: %w", f.src.off, errTruncated)
	}
	if err != nil {
		return err
	}
	if rec.typ != recCompressed && rec.typ != recCompressed2 {
		return f.other(rec)
	}
	f.at = rec.at
	f.feed, err = payload(rec)
	return err
}

func payload(rec *record) ([]byte, error) {
	if rec.typ == recCompressed {
		return rec.body, nil
	}
	c := cursor{b: rec.body}
	b := c.bytes(c.u64())
	if c.short {
		return nil, rec.corrupt("its data is longer than the record")
	}
	return b, nil
}

// each decodes rec and what it needs of the records that follow, and calls
// handle for every whole record inside.
func (f *inflater) each(rec *record, handle func(*record) error) error {
	feed, err := payload(rec)
	if err != nil {
		return err
	}
	f.feed, f.at = feed, rec.at
	for len(f.feed) > 0 {
		n, err := f.dec.Read(f.buf)
		if f.err != nil {
			return f.err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return rec.corrupt(fmt.Sprintf("its zstd stream does not decode: %v", err))
		}
		f.held = append(f.held, f.buf[:n]...)
		if err := f.drain(handle); err != nil {
			return err
		}
		if err != nil {
			return rec.corrupt("its zstd stream ends before its data")
		}
	}
	return nil
}

// drain hands on the whole records of held.
func (f *inflater) drain(handle func(*record) error) error {
	b := f.held
	r := &record{}
	for len(b) >= recordHeaderSize {
		*r = record{at: f.at, n: f.src.n}
		var size int
		r.typ, r.misc, size = parseHeader(b)
		if size < recordHeaderSize {
			return r.corrupt(fmt.Sprintf("a record inside has size %d, less than its own header", size))
		}
		if size > len(b) {
			break
		}
		if r.typ == recCompressed || r.typ == recCompressed2 {
			return r.corrupt("a compressed record inside another")
		}
		r.body = b[recordHeaderSize:size]
		if err := handle(r); err != nil {
			return err
		}
		b = b[size:]
	}
	f.held = append(f.held[:0], b...)
	return nil
}
