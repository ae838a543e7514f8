// Package dirlock keeps a directory for one process, by a lock on a file in it.
//
// It owns how that is done: flock(2), which the kernel gives free when the process ends,
// however it ends, and which keeps out the same process a second time. It takes the
// file's path and gives the file; closing it gives the directory free. It imports
// nothing of ours.
package dirlock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrTaken says that somebody else has the lock.
var ErrTaken = errors.New("in use by another process")

// Take makes the file and locks it, or says at once that it cannot.
func Take(path string, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close() // nothing was written
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrTaken
		}
		return nil, fmt.Errorf("locking %s: %w", filepath.Dir(path), err)
	}
	return f, nil
}
