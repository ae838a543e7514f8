// Package privilege gives up what this process may do and no longer needs.
//
// It owns the system calls for that. It imports nothing of ours.
package privilege

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Keep leaves every thread of this process the capabilities in the set (one bit
// each), as far as it has them, and no way to get others back: neither by itself nor
// by executing a program. A build with cgo cannot do this: errors.ErrUnsupported.
func Keep(set uint64) error {
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		if errno == syscall.ENOTSUP {
			return fmt.Errorf("a build with cgo cannot drop capabilities: %w", errors.ErrUnsupported)
		}
		return fmt.Errorf("no_new_privs: %w", errno)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("reading the capabilities: %w", err)
	}
	// Ambient ones would come back with the next program.
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("clearing the ambient capabilities: %w", errno)
	}
	for i := range data {
		part := uint32(set >> (32 * i))
		data[i].Permitted &= part
		data[i].Effective &= part
		data[i].Inheritable = 0
	}
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&data[0])), 0) //nolint:gosec // how this system call takes its arguments
	if errno != 0 {
		return fmt.Errorf("dropping capabilities: %w", errno)
	}
	return nil
}
