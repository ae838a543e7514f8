//go:build linux

package reads

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Opened is what was opened below a directory.
type Opened struct {
	Files map[string]bool // by their paths from the directory
	Lists map[string]bool // directories whose entries were listed, "." the directory itself
}

// Watch sees what is opened below a directory until it is stopped.
type Watch struct {
	fd    int
	dirs  map[int32]string
	out   Opened
	err   error
	pipe  [2]int
	ended sync.WaitGroup
}

// ErrOverflow says that more was opened than the kernel kept account of.
var ErrOverflow = errors.New("more files were opened than the kernel notes")

// Start watches all directories that are below dir now.
func Start(dir string) (*Watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", dir, err)
	}
	w := &Watch{fd: fd, dirs: map[int32]string{}, out: Opened{map[string]bool{}, map[string]bool{}}}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		wd, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_ONLYDIR)
		if err != nil {
			return fmt.Errorf("watching %s: %w", path, err)
		}
		rel, err := filepath.Rel(dir, path)
		w.dirs[int32(wd)] = rel //nolint:gosec // a watch descriptor is an int32
		return err
	})
	if err == nil {
		err = unix.Pipe2(w.pipe[:], unix.O_CLOEXEC)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	w.drain() // what the walk itself has opened
	w.out = Opened{map[string]bool{}, map[string]bool{}}
	w.ended.Go(w.loop)
	return w, nil
}

// loop takes what the kernel notes, so that its queue does not run over.
func (w *Watch) loop() {
	for {
		fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}, {Fd: int32(w.pipe[0]), Events: unix.POLLIN}} //nolint:gosec // file descriptors
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			w.err = errors.Join(w.err, fmt.Errorf("watching: %w", err))
			return
		}
		w.drain()
		if fds[1].Revents != 0 {
			return
		}
	}
}

// Stop gives what was opened until now.
func (w *Watch) Stop() (Opened, error) {
	_ = unix.Close(w.pipe[1])
	w.ended.Wait()
	w.drain()
	_ = unix.Close(w.pipe[0])
	_ = unix.Close(w.fd)
	return w.out, w.err
}

func (w *Watch) drain() {
	buf := make([]byte, 64<<10) //nolint:mnd // room for hundreds of events
	for {
		n, err := unix.Read(w.fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return
		}
		w.take(buf[:n])
	}
}

// take reads struct inotify_event: descriptor, mask, cookie, length and name.
func (w *Watch) take(events []byte) {
	const header = unix.SizeofInotifyEvent
	for len(events) >= header {
		wd := int32(binary.NativeEndian.Uint32(events)) //nolint:gosec // it is one
		mask := binary.NativeEndian.Uint32(events[4:])
		length := int(binary.NativeEndian.Uint32(events[12:]))
		if length > len(events)-header {
			return
		}
		name := strings.TrimRight(string(events[header:header+length]), "\x00")
		events = events[header+length:]
		dir, known := w.dirs[wd]
		switch {
		case mask&unix.IN_Q_OVERFLOW != 0:
			w.err = ErrOverflow
		case !known || mask&unix.IN_OPEN == 0:
		case name == "":
			w.out.Lists[dir] = true
		case mask&unix.IN_ISDIR != 0:
			w.out.Lists[filepath.Join(dir, name)] = true
		default:
			w.out.Files[filepath.Join(dir, name)] = true
		}
	}
}
