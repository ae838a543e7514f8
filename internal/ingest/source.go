package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// headSize is how much of the content decides what a file is.
const headSize = 64 << 10

// maxWraps is how often a file may be compressed over.
const maxWraps = 3

// source is a stream whose first bytes can be looked at. Reading starts at the
// head again.
type source struct {
	origin io.Reader // what was given
	taken  *counter  // how much of it was read
	r      io.Reader // the rest, head not included
	head   []byte
	pos    int // of head, as far as Read gave it out
	wraps  []*layer
	most   int64 // bytes of a layer, 0 for no bound
}

// layer is one decompressor and the counter of what went into it.
type layer struct {
	name  string
	in    *counter
	out   io.Reader
	close func()

	failed atomic.Pointer[error] // read by others than the goroutine that decompresses
}

// err is what the decompressor failed with.
func (l *layer) err() error {
	if e := l.failed.Load(); e != nil {
		return *e
	}
	return nil
}

// counter counts the bytes that were read from r.
type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Read notes a failure of the decompressor, because the reader of a format may
// report it as something of its own.
func (l *layer) Read(p []byte) (int, error) {
	n, err := l.out.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		l.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// bounded fails beyond so many bytes.
func bounded(r io.Reader, most int64) io.Reader {
	if most <= 0 {
		return r
	}
	return &bound{r: r, left: most, most: most}
}

type bound struct {
	r          io.Reader
	left, most int64
}

func (b *bound) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, b.most)
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, b.most)
	}
	return n, err
}

// costs is what bytes say of what is made of them, in eighths of an entry.
type costs [256]int8

var (
	jsonCosts = &costs{'{': 8, '[': 8, ',': 1}
	textCosts = &costs{'\n': 8}
)

// entries fails beyond about so many entries.
func entries(r io.Reader, c *costs, most int) io.Reader {
	if most <= 0 {
		return r
	}
	return &entryBound{r: r, costs: c, left: most * 8, most: most}
}

type entryBound struct {
	r          io.Reader
	costs      *costs
	left, most int
}

func (b *entryBound) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	for _, c := range p[:n] {
		b.left -= int(b.costs[c])
	}
	if b.left < 0 {
		return 0, fmt.Errorf("%w: it has more than %d entries", ErrTooLarge, b.most)
	}
	return n, err
}

func newSource(r io.Reader, most int64) (*source, error) {
	taken := &counter{r: r}
	s := &source{origin: r, taken: taken, r: bounded(taken, most), most: most}
	return s, s.peek()
}

// peek fills the head.
func (s *source) peek() error {
	buf := make([]byte, headSize)
	n, err := io.ReadFull(s.r, buf)
	s.head, s.pos = buf[:n], 0
	if l := s.damaged(); l != nil {
		s.r = broken{l.err()}
		return nil // the head may still say what it is
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// broken is a stream that can give no more.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func (s *source) Read(p []byte) (int, error) {
	if s.pos < len(s.head) {
		n := copy(p, s.head[s.pos:])
		s.pos += n
		return n, nil
	}
	return s.r.Read(p)
}

// seekable is the whole input again: the origin itself where it is not
// compressed and can be rewound, else the stream.
func (s *source) seekable() io.Reader {
	rs, ok := s.origin.(io.ReadSeeker)
	if !ok || len(s.wraps) > 0 {
		return s
	}
	if _, err := rs.Seek(-s.taken.n.Load(), io.SeekCurrent); err != nil {
		return s
	}
	return rs
}

// unwrap puts a decompressor on the stream when the head asks for one.
func (s *source) unwrap() (bool, error) {
	in := &counter{r: io.MultiReader(bytes.NewReader(s.head), s.r)}
	l := &layer{in: in, close: func() {}}
	switch {
	case bytes.HasPrefix(s.head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		if err != nil {
			return false, fmt.Errorf("gzip: damaged header in the first %d bytes: %w", in.n.Load(), err)
		}
		l.name, l.out = "gzip", z
	case bytes.HasPrefix(s.head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		memory := uint64(8 << 30)
		if s.most > 0 {
			memory = uint64(s.most)
		}
		z, err := zstd.NewReader(in, zstd.WithDecoderMaxMemory(memory))
		if err != nil {
			return false, fmt.Errorf("zstd: %w", err)
		}
		l.name, l.out, l.close = "zstd", z, z.Close
	default:
		return false, nil
	}
	l.out = bounded(l.out, s.most)
	s.wraps = append(s.wraps, l)
	if l.name == "gzip" { // zstd decodes on goroutines of its own
		a := newAhead(l)
		l.close = a.stop
		s.r = a
	} else {
		s.r = l
	}
	return true, s.peek()
}

// damaged is the innermost decompressor that failed.
func (s *source) damaged() *layer {
	for _, l := range s.wraps {
		if l.err() != nil {
			return l
		}
	}
	return nil
}

// compressionError says where the compressed data broke off or is damaged.
func (s *source) compressionError() error {
	l := s.damaged()
	if l == nil {
		return nil
	}
	err, at := l.err(), l.in.n.Load()
	switch {
	case errors.Is(err, ErrTooLarge):
		return fmt.Errorf("%s: %w", l.name, err)
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("%s: %w: %w", l.name, ErrTooLarge, err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the file is truncated: it ends at byte %d in the middle of the compressed data; copy or record it again", l.name, at)
	}
	return fmt.Errorf("%s: damaged near byte %d: %w", l.name, at, err)
}

// emptyError says that there is nothing, or nothing inside.
func (s *source) emptyError() error {
	if err := s.compressionError(); err != nil {
		return err
	}
	if n := len(s.wraps); n > 0 {
		return fmt.Errorf("%w: the %s file has no content", ErrNoSamples, s.wraps[n-1].name)
	}
	return fmt.Errorf("%w: the file is empty (0 bytes)", ErrNoSamples)
}

func (s *source) close() {
	for _, l := range s.wraps {
		l.close()
	}
}
