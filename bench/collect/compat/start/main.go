// Start runs a command where it may load eBPF programs that ask for unlimited
// locked memory and read tracefs, and leaves the command itself as it is.
//
//	start COMMAND [ARGUMENT]...
//
// Where the limit on locked memory is finite and CAP_SYS_RESOURCE is missing, the
// kernel refuses to raise it, and the profiler ends, although since Linux 5.11 BPF
// memory does not count against it. A system-call filter, which COMMAND inherits,
// answers those requests with success and does nothing. tracefs is mounted in a
// mount name space of COMMAND's own, where it is not mounted.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

func passMemlock() error {
	unlimited := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	if unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unlimited) == nil {
		return nil
	}
	arch, known := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !known {
		return errors.New("locked memory is limited (ulimit -Hl)")
	}
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	unless := func(k uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: skip}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	// struct seccomp_data: number, architecture, instruction pointer, arguments.
	filter := []unix.SockFilter{
		load(4), unless(arch, 8),
		load(0), unless(unix.SYS_PRLIMIT64, 6),
		load(16 + 8), unless(unix.RLIMIT_MEMLOCK, 4),
		load(16 + 16), unless(0, 3), // a question, not a wish
		load(16 + 20), unless(0, 1),
		answer(unix.SECCOMP_RET_ALLOW),
		answer(unix.SECCOMP_RET_ERRNO), // with the error number 0
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("locked memory is limited (ulimit -Hl), and seccomp: %w", errno)
	}
	return nil
}

const tracefs = "/sys/kernel/tracing"

func mountTracefs() error {
	if _, err := os.Stat(tracefs + "/events"); err == nil {
		return nil
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("a mount name space: %w", err)
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("a private mount name space: %w", err)
	}
	if err := unix.Mount("tracefs", tracefs, "tracefs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting tracefs: %w", err)
	}
	return nil
}

func run() error {
	if len(os.Args) < 2 {
		return errors.New("start COMMAND [ARGUMENT]...")
	}
	// The filter and the name space are this thread's; exec makes it the only one.
	runtime.LockOSThread()
	if err := mountTracefs(); err != nil {
		return err
	}
	if err := passMemlock(); err != nil {
		return err
	}
	program, err := exec.LookPath(os.Args[1])
	if err != nil {
		return err
	}
	return unix.Exec(program, os.Args[1:], os.Environ())
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("start: ")
	log.Fatal(run())
}
