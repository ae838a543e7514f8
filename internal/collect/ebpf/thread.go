package ebpf

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect/tracefs"
)

// passMemlock makes the profiler's requests for unlimited locked memory succeed,
// now and on whichever thread it makes them later. Where the limit is finite and
// CAP_SYS_RESOURCE is not there, they fail, although BPF memory has not counted
// against the limit since Linux 5.11. A system-call filter then answers them with
// success and leaves the limit as it is. What this process starts afterwards
// inherits the filter, so the command must have been started before.
func passMemlock() error {
	var old unix.Rlimit
	unlimited := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	if unix.Prlimit(0, unix.RLIMIT_MEMLOCK, &unlimited, &old) == nil {
		return unix.Prlimit(0, unix.RLIMIT_MEMLOCK, &old, nil)
	}
	arch, known := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !known {
		return fmt.Errorf("locked memory is limited to %d bytes (ulimit -Hl)", old.Max)
	}
	if err := installFilter(memlockFilter(arch)); err != nil {
		return fmt.Errorf("locked memory is limited (ulimit -Hl), and the limit can be neither raised nor bypassed: %w", err)
	}
	return nil
}

// FreeMemlock lifts the limit on locked memory for good, where this process may.
// The profiler lifts it for each new binary, and could not once the capability to do
// so was dropped; where it never was there, the filter of passMemlock serves.
func FreeMemlock() {
	unlimited := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	_ = unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unlimited) // refused: see above
}

// Offsets in struct seccomp_data.
const (
	seccompNr       = 0
	seccompArch     = 4
	seccompArgument = 16 // the first of six, 8 bytes each
)

// memlockFilter answers prlimit64(pid, RLIMIT_MEMLOCK, new, old) with 0 where new
// is not null, and allows everything else. The words are of a little-endian
// machine.
func memlockFilter(arch uint32) []unix.SockFilter {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	unless := func(k uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: skip}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	const resource, limit = seccompArgument + 8, seccompArgument + 16
	return []unix.SockFilter{
		load(seccompArch), unless(arch, 8),
		load(seccompNr), unless(unix.SYS_PRLIMIT64, 6),
		load(resource), unless(unix.RLIMIT_MEMLOCK, 4),
		load(limit), unless(0, 3),
		load(limit + 4), unless(0, 1),
		answer(unix.SECCOMP_RET_ALLOW),
		answer(unix.SECCOMP_RET_ERRNO), // with the error number 0
	}
}

// installFilter gives all threads of this process a system-call filter.
func installFilter(filter []unix.SockFilter) error {
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	install := func() error {
		thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))) //nolint:gosec // how this system call takes its program
		if errno != 0 {
			return fmt.Errorf("seccomp: %w", errno)
		}
		if thread != 0 {
			return fmt.Errorf("seccomp: thread %d has a filter of its own", thread)
		}
		return nil
	}
	err := install()
	if errors.Is(err, unix.EACCES) { // without CAP_SYS_ADMIN
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("no_new_privs: %w", err)
		}
		err = install()
	}
	return err
}

// mountTracefs gives the calling thread a tracefs where there is none, in a mount
// name space of its own.
func mountTracefs() error {
	for _, dir := range tracefs.Roots {
		if _, err := os.Stat(dir + "/events"); err == nil {
			return nil
		}
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("tracefs is not mounted, and a mount namespace is denied: %w", err)
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("tracefs is not mounted, and the mount namespace cannot be made private: %w", err)
	}
	if err := unix.Mount("tracefs", tracefs.Root, "tracefs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("tracefs is not mounted and cannot be: %w", err)
	}
	return nil
}

// initialPIDNamespace is the number of the name space that the machine starts
// with (PROC_PID_INIT_INO).
const initialPIDNamespace = "pid:[4026531836]"

func inInitialPIDNamespace() bool {
	name, err := os.Readlink("/proc/self/ns/pid")
	return err != nil || name == initialPIDNamespace
}
