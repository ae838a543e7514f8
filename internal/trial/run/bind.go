//go:build linux

package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Bind has the directory From stand at At for one run, in a mount namespace of its own:
// runs at the same time can each have another directory there. Where this process may not
// mount, the run gets a user namespace too, in which it may; it stays the same user there.
type Bind struct{ From, At string }

var errMount = errors.New("this user may not mount one of them where the other one is (CAP_SYS_ADMIN, or user namespaces, would allow it)")

// enter changes the mount namespace of this thread, and with it of the processes that it
// starts. The thread is of no use for anything else afterwards. allowed is false where that
// needs a right that this process does not have.
func (b *Bind) enter() (allowed bool, err error) {
	if b == nil {
		return true, nil
	}
	switch err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); {
	case errors.Is(err, unix.EPERM):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w: %w", errMount, err)
	}
	// Otherwise the mount would be seen by everybody.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return false, fmt.Errorf("%w: %w", errMount, err)
	}
	if err := unix.Mount(b.From, b.At, "", unix.MS_BIND, ""); err != nil {
		return false, fmt.Errorf("%w: %w", errMount, err)
	}
	return true, nil
}

// mounting is the shell's line that mounts and becomes the command. What it says when it
// cannot mount is told from what the command may say by its status and first word.
const (
	mounting    = `mount --bind -- "$1" "$2" || { echo "` + cannotMount + `" >&2; exit 125; }; cd -- "$3" && shift 3 && exec "$@"`
	cannotMount = "whyhot: no mount"
)

// asUser has a process begin in a user namespace, in which the shell mounts before it
// becomes the command. The CPU time of the run has some milliseconds of the shell and of
// mount in it.
func (s *Spec) asUser(attr *os.ProcAttr) (program string, args []string) {
	at := *attr.Sys
	at.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
	at.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	at.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	at.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // the user is not root there either
	attr.Sys = &at
	attr.Dir = s.Bind.From // the place is empty until it is mounted
	inside := *s
	inside.Dir = s.outside(s.Dir)
	command := append([]string{shifted(s.Args[0], inside)}, s.Args[1:]...)
	return "/bin/sh", append([]string{"sh", "-c", mounting, "sh", s.Bind.From, s.Bind.At, s.Dir}, command...)
}

// mayNotMount says that a run ended because the shell could not mount.
func (r *Result) mayNotMount() bool {
	const status = 125
	return r.End.Code == status && strings.Contains(r.StderrTail, cannotMount)
}

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
