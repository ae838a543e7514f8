//go:build linux

package run

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// drain is a pipe whose read end is emptied into a writer. Nothing of what
// passes is kept in memory.
type drain struct {
	read, write *os.File
	to          io.Writer
	flush       func() // after the last byte
	done        chan struct{}
}

func newDrain(to io.Writer, flush func()) (*drain, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	// A large pipe lets the command run ahead of us. Users without the right to
	// it keep the default size.
	_, _ = unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, pipeSize)
	return &drain{read: r, write: w, to: to, flush: flush, done: make(chan struct{})}, nil
}

// start closes our copy of the write end and begins to read.
func (d *drain) start() {
	_ = d.write.Close()
	d.write = nil
	go func() {
		defer close(d.done)
		buf := make([]byte, pipeSize/4)
		for {
			n, err := d.read.Read(buf)
			if n > 0 {
				_, _ = d.to.Write(buf[:n])
			}
			if err != nil {
				d.flush()
				return
			}
		}
	}()
}

// wait says whether everything was read within the time.
func (d *drain) wait(limit time.Duration) bool {
	select {
	case <-d.done:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-d.done:
		return true
	case <-timer.C:
		return false
	}
}

func (d *drain) close() {
	if d.write != nil { // never started
		_ = d.write.Close()
		_ = d.read.Close()
		return
	}
	_ = d.read.Close() // unblocks the reader if someone still holds the write end
	<-d.done
}

// tailWriter keeps the last bytes of what is written.
type tailWriter struct {
	limit int
	buf   []byte
	cut   bool
}

func (t *tailWriter) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
		t.cut = true
	}
	return len(p), nil
}

func (t *tailWriter) String() string {
	if t.cut {
		return "…" + string(t.buf)
	}
	return string(t.buf)
}
