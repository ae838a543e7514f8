package command

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// Forward passes signals that reach this process on to the command until the
// returned function is called. A second request to end kills the command.
//
// Ctrl-C and Ctrl-\ are delivered by the terminal to the whole foreground
// group, the command included; they are passed on only when this process is not
// in that group, so that the command never gets them twice.
func (p *Process) Forward() (stop func()) {
	signals := make(chan os.Signal, 8)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2} {
		// What nohup or the shell ignores for us and the command stays ignored.
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		requests := 0
		for sig := range signals {
			if endsCommand(sig) {
				requests++
			}
			switch {
			case requests > 1:
				_ = p.Signal(syscall.SIGKILL) // it may just have ended
			case fromTerminal(sig):
			default:
				_ = p.Signal(sig) // it may just have ended
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-finished
	}
}

func endsCommand(sig os.Signal) bool {
	return sig == syscall.SIGINT || sig == syscall.SIGTERM || sig == syscall.SIGQUIT || sig == syscall.SIGHUP
}

func fromTerminal(sig os.Signal) bool {
	return (sig == syscall.SIGINT || sig == syscall.SIGQUIT) && inForeground()
}

// inForeground tells whether this process's group is the one that its
// controlling terminal sends Ctrl-C to.
func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer func() { _ = tty.Close() }() // opened for reading: nothing can be lost
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
