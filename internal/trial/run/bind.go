//go:build linux

package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Bind has the directory From stand at At for one run, in a mount namespace of its own:
// runs at the same time can each have another directory there. It needs the right to mount.
type Bind struct{ From, At string }

// enter changes the mount namespace of this thread, and with it of the processes that it
// starts. The thread is of no use for anything else afterwards.
func (b *Bind) enter() error {
	if b == nil {
		return nil
	}
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("%w (%w)", errMount, err)
	}
	// Otherwise the mount would be seen by everybody.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("%w (%w)", errMount, err)
	}
	if err := unix.Mount(b.From, b.At, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("%w (%w)", errMount, err)
	}
	return nil
}

var errMount = errors.New("this user may not mount one of them where the other one is, which needs CAP_SYS_ADMIN")

// outside is where a path of the run is for processes that do not run in its namespace.
func (s *Spec) outside(path string) string {
	if s.Bind == nil {
		return path
	}
	if rest, ok := strings.CutPrefix(path, s.Bind.At); ok && (rest == "" || rest[0] == filepath.Separator) {
		return s.Bind.From + rest
	}
	return path
}
