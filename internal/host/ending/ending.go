// Package ending says how a process ended.
//
// It owns the reading of a wait status, the number that a shell would give for it,
// and the one sentence that people read. It takes what the kernel says of a
// process and must never import another package of this module.
package ending

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Ending is how a process ended.
type Ending struct {
	Code   int            // exit status; 0 when Signal is set
	Signal syscall.Signal // that ended it, 0 for none
	Core   bool           // it left a core dump
	// Limit is the time after which it was made to end, 0 when it was not.
	Limit time.Duration
}

// Of is how a process ended that was waited for.
func Of(state *os.ProcessState) Ending {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return Ending{Signal: ws.Signal(), Core: ws.CoreDump()}
	}
	return Ending{Code: state.ExitCode()}
}

// Failed is true for everything but exit status 0.
func (e Ending) Failed() bool { return e.Limit > 0 || e.Status() != 0 }

// Status is the exit status that a shell reports: 128 + n for signal n.
func (e Ending) Status() int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}

func (e Ending) String() string {
	switch {
	case e.Limit > 0:
		return fmt.Sprintf("timed out after %s", e.Limit)
	case e.Signal == 0:
		return fmt.Sprintf("exit status %d", e.Code)
	}
	name := unix.SignalName(e.Signal)
	if name == "" { // a real-time signal
		name = fmt.Sprintf("signal %d", int(e.Signal))
	} else {
		name += " (" + e.Signal.String() + ")"
	}
	if e.Core {
		return "killed by " + name + ", core dumped"
	}
	return "killed by " + name
}
