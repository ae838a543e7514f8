package ingest

import (
	"errors"
	"io"
)

// ahead reads a stream on a goroutine of its own, a few blocks in front of its
// reader, so that decompression and parsing run at the same time.
type ahead struct {
	full  chan block
	empty chan []byte
	quit  chan struct{}
	cur   []byte
	buf   []byte // that cur is a part of
	err   error
}

type block struct {
	b   []byte
	err error
}

// The first block is small: most profiles that are pushed to a server are a few
// kilobytes.
const (
	firstBlock = 32 << 10
	blockSize  = 256 << 10
	blockCount = 4
)

func newAhead(r io.Reader) *ahead {
	a := &ahead{
		full: make(chan block, blockCount), empty: make(chan []byte, blockCount),
		quit: make(chan struct{}),
	}
	for range blockCount {
		a.empty <- nil // made when needed: most files are small
	}
	go a.run(r)
	return a
}

func (a *ahead) run(r io.Reader) {
	for size := firstBlock; ; size = blockSize {
		var buf []byte
		select {
		case buf = <-a.empty:
		case <-a.quit:
			return
		}
		if len(buf) < size {
			buf = make([]byte, size)
		}
		n, err := io.ReadFull(r, buf)
		// ReadFull's mark of a short last block; a stream that broke off in
		// earnest has told its layer.
		if errors.Is(err, io.ErrUnexpectedEOF) && n < len(buf) {
			err = io.EOF
		}
		a.full <- block{buf[:n], err} // has room for every buffer
		if err != nil {
			return
		}
	}
}

func (a *ahead) Read(p []byte) (int, error) {
	for len(a.cur) == 0 {
		if a.err != nil {
			return 0, a.err
		}
		if a.buf != nil {
			a.empty <- a.buf // has room for every buffer
			a.buf = nil
		}
		b := <-a.full
		a.cur, a.buf, a.err = b.b, b.b, b.err
	}
	n := copy(p, a.cur)
	a.cur = a.cur[n:]
	return n, nil
}

// stop lets the goroutine end after the read that it is in. It does not wait:
// the stream may be a pipe that nobody writes to any more.
func (a *ahead) stop() { close(a.quit) }
