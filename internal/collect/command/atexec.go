package command

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// atExec lets a process of ours go on by release, and calls stopped when it has become
// another program and has run nothing of it. Where it may not be traced, or does not become
// another program, stopped is not called. Nothing else may wait for the process meanwhile:
// it would take the stop for its end. What holds the process is a program too, which it may
// still be about to become: begun tells that from the one that is meant.
func atExec(pid int, release func() error, begun func() bool, stopped func()) error {
	runtime.LockOSThread() // who traces is a thread
	defer runtime.UnlockOSThread()
	if err := seize(pid); err != nil {
		return release() // a tracer is there already, or the machine forbids it
	}
	if err := release(); err != nil {
		_ = unix.PtraceDetach(pid) // it is running, and ends with the gate
		return err
	}
	for {
		event, signal, err := nextStop(pid)
		switch {
		case err != nil:
			return err
		case event == ended:
			return nil // whoever waits for it is told
		case event == unix.PTRACE_EVENT_EXEC && begun():
			stopped()
			return letGo(pid)
		case event == unix.PTRACE_EVENT_EXEC:
			signal = 0 // the stop's own
		case event == unix.PTRACE_EVENT_STOP: // somebody stopped it: it stays so
			return letGo(pid)
		}
		if err := ptrace(unix.PTRACE_CONT, pid, uintptr(signal)); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("starting the command: %w", err)
		}
	}
}

func seize(pid int) error { return ptrace(unix.PTRACE_SEIZE, pid, unix.PTRACE_O_TRACEEXEC) }

// ended is no event of ptrace: these are positive.
const ended = -1

// nextStop waits until the process stops, and leaves its end to others.
func nextStop(pid int) (event int, signal unix.Signal, err error) {
	var info unix.Siginfo
	if err := again(func() error {
		return unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WALL, nil)
	}); err != nil {
		return 0, 0, fmt.Errorf("waiting for the command to start: %w", err)
	}
	const trapped, stopped = 4, 5 // CLD_TRAPPED, CLD_STOPPED
	if info.Code != trapped && info.Code != stopped {
		return ended, 0, nil
	}
	var status unix.WaitStatus
	if err := again(func() error {
		_, err := unix.Wait4(pid, &status, unix.WALL, nil)
		return err
	}); err != nil {
		return 0, 0, fmt.Errorf("waiting for the command to start: %w", err)
	}
	const eventShift = 16
	return int(status) >> eventShift, status.StopSignal(), nil
}

func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func letGo(pid int) error {
	if err := unix.PtraceDetach(pid); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("letting the command go: %w", err)
	}
	return nil
}

func ptrace(request, pid int, data uintptr) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, uintptr(request), uintptr(pid), 0, data, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
