package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"whyhot/internal/host/ending"
)

// Streams are what the command reads and writes; nil means this process's own.
// They are files so that the command sees the same terminal, pipe or file.
type Streams struct {
	In, Out, Err *os.File
}

// Options say how to start a command.
type Options struct {
	Args    []string
	Dir     string   // where it runs, "" for this process's
	Env     []string // nil: this process's environment
	Streams Streams
	// HoldDir, when set, is a private directory. The process then exists, but
	// the command in it starts only at Release.
	HoldDir string
}

// Process is a started command.
type Process struct {
	cmd     *exec.Cmd
	gate    *os.File
	waiting sync.Once
	waited  atomic.Bool // wait has begun
	done    chan struct{}
	exit    Exit
}

// holdScript waits for one line on the FIFO $1 and then becomes the command. A
// shell does it, and not this program, so that the process that a sampler is
// attached to has one thread and keeps its ID; opening the FIFO by name leaves
// the command's descriptors alone. If this program dies, read sees the end of
// the file and the command never starts.
const holdScript = `read -r _ <"$1" || exit 125; shift; exec "$@"`

// Start starts the command.
func Start(o Options) (*Process, error) {
	path, err := FindIn(o.Dir, o.Env, o.Args[0])
	if err != nil {
		return nil, err
	}
	p := &Process{done: make(chan struct{})}
	args := o.Args
	if o.HoldDir != "" {
		fifo := filepath.Join(o.HoldDir, "gate")
		if err := p.openGate(fifo); err != nil {
			return nil, err
		}
		path = "/bin/sh"
		args = append([]string{path, "-c", holdScript, "sh", fifo}, o.Args...)
	}
	// Not exec.Command, which would search the PATH of this process.
	p.cmd = &exec.Cmd{Path: path, Args: args, Env: o.Env, Dir: o.Dir}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if o.Streams.In != nil {
		p.cmd.Stdin = o.Streams.In
	}
	if o.Streams.Out != nil {
		p.cmd.Stdout = o.Streams.Out
	}
	if o.Streams.Err != nil {
		p.cmd.Stderr = o.Streams.Err
	}
	if err := p.cmd.Start(); err != nil {
		p.closeGate()
		return nil, startError(o.Args[0], err)
	}
	if p.gate == nil {
		p.startWaiting()
	}
	return p, nil
}

// startWaiting reaps the process when it ends. Of one that is held it does not begin
// before the release, which may look at how the process goes on.
func (p *Process) startWaiting() {
	p.waiting.Do(func() {
		p.waited.Store(true)
		go p.wait()
	})
}

func (p *Process) openGate(fifo string) error {
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		return fmt.Errorf("making %s: %w", fifo, err)
	}
	// Read-write, so that neither side blocks in open.
	gate, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("opening %s: %w", fifo, err)
	}
	p.gate = gate
	return nil
}

func (p *Process) closeGate() {
	if p.gate != nil {
		_ = p.gate.Close()
		p.gate = nil
	}
}

func (p *Process) wait() {
	var done *IO
	if err := untilEnded(p.PID()); err == nil {
		if io, ok := ReadIO(p.PID()); ok {
			done = &io
		}
	}
	// The error says no more than the state: a status that is not 0.
	_ = p.cmd.Wait()
	state := p.cmd.ProcessState
	p.exit = Exit{Ending: ending.Of(state), IO: done, CPU: state.UserTime() + state.SystemTime()}
	close(p.done)
}

// PID is the process ID; a held process keeps it when the command starts.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Release lets a held command start. The gate stays open until Close: were it
// shut before the shell has opened its end, the line would be lost.
func (p *Process) Release() error {
	defer p.startWaiting()
	return p.open()
}

// ReleaseWith is Release, and calls loaded while the process is stopped before the first
// instruction of the command, where the kernel lets this process stop it.
func (p *Process) ReleaseWith(loaded func()) error {
	defer p.startWaiting()
	if p.gate == nil || p.waited.Load() {
		return p.open()
	}
	return atExec(p.PID(), p.open, p.begun, loaded)
}

// begun says whether a held process is no longer the shell that holds it. exec.Cmd.Start
// returns while the kernel still loads that: it has no words yet then, as one that has
// ended, which has no file any more either.
func (p *Process) begun() bool {
	self := "/proc/" + strconv.Itoa(p.PID())
	words, err := os.ReadFile(self + "/cmdline")
	if err == nil && len(words) == 0 {
		_, err = os.Readlink(self + "/exe")
		return err != nil
	}
	return err != nil || !bytes.HasPrefix(words, []byte(strings.Join(p.cmd.Args[:heldWords], "\x00")+"\x00"))
}

// heldWords are the words of the shell's command line before those of the command: its
// name, -c, the script, and the names of the shell and of the gate.
const heldWords = 5

func (p *Process) open() error {
	if p.gate == nil {
		return nil
	}
	if _, err := p.gate.WriteString("go\n"); err != nil {
		return fmt.Errorf("starting the command: %w", err)
	}
	return nil
}

// Done is closed when the command has ended.
func (p *Process) Done() <-chan struct{} {
	p.startWaiting()
	return p.done
}

// Exit waits for the end of the command and tells how it was.
func (p *Process) Exit() Exit {
	<-p.Done()
	p.closeGate()
	return p.exit
}

// Signal sends a signal to the command; a command that has ended is no error.
func (p *Process) Signal(sig os.Signal) error {
	err := p.cmd.Process.Signal(sig)
	if err == nil || errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return fmt.Errorf("sending %s to the command: %w", sig, err)
}

// Kill ends the command at once and waits for it.
func (p *Process) Kill() Exit {
	_ = p.Signal(syscall.SIGKILL) // a process that cannot be killed has ended
	return p.Exit()
}

// Stop gives the command a grace period to end by itself, then asks it with
// SIGTERM, then kills it. asked is false when it ended by itself.
func (p *Process) Stop(grace time.Duration) (exit Exit, asked bool) {
	if p.waitFor(grace) {
		return p.Exit(), false
	}
	_ = p.Signal(syscall.SIGTERM) // what does not end is killed below
	if p.waitFor(max(grace, minTermGrace)) {
		return p.Exit(), true
	}
	return p.Kill(), true
}

// minTermGrace is how long a command may take to react to SIGTERM.
const minTermGrace = 5 * time.Second

func (p *Process) waitFor(d time.Duration) bool {
	p.startWaiting()
	select {
	case <-p.done:
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}
