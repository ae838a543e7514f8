package command

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// Exit is how a command ended.
type Exit struct {
	Code   int            // exit status; 0 when Signal is set
	Signal syscall.Signal // the signal that ended it, 0 for none
	Core   bool           // it left a core dump
	CPU    time.Duration  // user and system time, with the descendants that were waited for
}

// Failed is true for everything but exit status 0.
func (e Exit) Failed() bool { return e.Code != 0 || e.Signal != 0 }

// Status is the exit status that a shell reports: 128 + n for signal n.
func (e Exit) Status() int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}

func (e Exit) String() string {
	switch {
	case e.Signal != 0 && e.Core:
		return fmt.Sprintf("ended by signal %d (%s), core dumped", int(e.Signal), e.Signal)
	case e.Signal != 0:
		return fmt.Sprintf("ended by signal %d (%s)", int(e.Signal), e.Signal)
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

func exitOf(state *os.ProcessState) Exit {
	e := Exit{CPU: state.UserTime() + state.SystemTime()}
	ws, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case ok && ws.Signaled():
		e.Signal, e.Core = ws.Signal(), ws.CoreDump()
	default:
		e.Code = state.ExitCode()
	}
	return e
}
