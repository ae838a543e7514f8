//go:build linux

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/host/ending"
	"whyhot/internal/host/environ"
)

const (
	pipeSize   = 1 << 20
	tailSize   = 4 << 10
	drainGrace = 200 * time.Millisecond // for the last bytes of descendants
	killGrace  = 2 * time.Second        // between asking to end and ending
)

// Local executes commands on this machine.
type Local struct{ refs references }

// New returns a runner. Close gives up the outputs that it keeps to compare
// with; they are in temporary files without a name, so that nothing is left
// behind however this process ends. New makes this process the one that orphaned
// descendants of a command fall to, so that none outlives its run.
func New() (*Local, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("adopting orphaned processes: %w", err)
	}
	lowerOwnPeak()
	return &Local{refs: references{byName: map[string]*reference{}}}, nil
}

// lowerOwnPeak forgets what this process held before (a large profile, say),
// since its peak is the floor under which the peak of a command is unknown. See
// clear_refs in proc(5); kernels without it leave the floor where it is.
func lowerOwnPeak() {
	debug.FreeOSMemory()
	const resetPeak = "5"
	_ = os.WriteFile("/proc/self/clear_refs", []byte(resetPeak), 0) // the file is there; no mode applies
}

// Close gives up what the runner kept.
func (l *Local) Close() { l.refs.close() }

// StartError says that a command could not be started at all.
type StartError struct {
	Name string
	Err  error
}

func (e *StartError) Error() string {
	switch {
	case errors.Is(e.Err, exec.ErrNotFound), errors.Is(e.Err, os.ErrNotExist):
		return "command not found: " + e.Name
	case errors.Is(e.Err, os.ErrPermission):
		return e.Name + " cannot be executed: permission denied (a script needs chmod +x, and its file system must allow programs)"
	case errors.Is(e.Err, syscall.ENOEXEC):
		return e.Name + " is neither a program of this machine nor a script with a #! line"
	}
	return fmt.Sprintf("starting %s: %v", e.Name, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// Run executes spec once.
func (l *Local) Run(ctx context.Context, spec Spec) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := l.begin(spec)
	if err != nil {
		return nil, err
	}
	res, err := execute(ctx, spec, p.stdout)
	if err != nil {
		return nil, err
	}
	return res, l.finish(ctx, spec, p, res)
}

// pending is what a run is compared by.
type pending struct {
	stdout *recorder
	before []stamp // of the outputs
}

func (l *Local) begin(spec Spec) (p *pending, err error) {
	p = &pending{before: make([]stamp, len(spec.Outputs))}
	for i, name := range spec.Outputs {
		p.before[i] = stampOf(spec.outside(environ.From(spec.Dir, name)))
	}
	p.stdout, err = l.refs.recorder(Stdout, spec.Digests)
	return p, err
}

// finish adds what the command wrote.
func (l *Local) finish(ctx context.Context, spec Spec, p *pending, res *Result) error {
	res.Processes = confirm(ctx, spec, res.Processes)
	res.Stdout = p.stdout.output()
	if p.stdout.err != nil {
		return p.stdout.err
	}
	for i, name := range spec.Outputs {
		o, err := l.refs.recordFile(spec, name, p.before[i])
		if err != nil {
			return err
		}
		res.Outputs = append(res.Outputs, o)
	}
	return nil
}

// execute runs the process on a thread of its own: the kernel signal that ends
// the child when its maker dies is bound to that thread, and so is the set of
// CPUs that the child inherits.
func execute(ctx context.Context, spec Spec, stdout io.Writer) (*Result, error) {
	type answer struct {
		res *Result
		err error
	}
	done := make(chan answer, 1)
	go func() {
		runtime.LockOSThread()
		if len(spec.Pin) == 0 && spec.Bind == nil {
			defer runtime.UnlockOSThread() // a pinned thread is thrown away instead, and one with mounts of its own
		}
		mounted, err := spec.Bind.enter()
		if err := errors.Join(pin(spec.Pin), err); err != nil {
			done <- answer{nil, err}
			return
		}
		res, err := executeHere(ctx, spec, mounted, stdout)
		done <- answer{res, err}
	}()
	a := <-done
	return a.res, a.err
}

func pin(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("pinning to CPU %v: %w", cpus, err)
	}
	return nil
}

// CPUs are those that this process may use.
func CPUs() (out []int) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	for c := range len(set) * bits.UintSize {
		if set.IsSet(c) {
			out = append(out, c)
		}
	}
	return out
}

func executeHere(ctx context.Context, spec Spec, mounted bool, stdout io.Writer) (*Result, error) {
	if spec.Load != nil {
		return serve(ctx, spec, stdout)
	}
	path, args := "", spec.Args
	if mounted {
		var err error
		if path, err = environ.LookPath(spec.Env, spec.Dir, spec.Args[0]); err != nil {
			return nil, &StartError{spec.Args[0], err}
		}
		path = shifted(path, spec)
	}
	stdin, err := os.Open(cmp.Or(spec.Stdin, os.DevNull))
	if err != nil {
		return nil, fmt.Errorf("standard input of the command: %w", err)
	}
	defer func() { _ = stdin.Close() }()
	compared, flush := filtered(spec, Stdout, stdout)
	out, err := newDrain(compared, flush)
	if err != nil {
		return nil, err
	}
	defer out.close()
	tail := &tailWriter{limit: tailSize}
	seen, flushErr := filtered(spec, Stderr, io.Discard)
	errs, err := newDrain(io.MultiWriter(tail, seen), flushErr)
	if err != nil {
		return nil, err
	}
	defer errs.close()

	floor := ownPeakRSS()
	start := time.Now()
	attr := &os.ProcAttr{
		Dir: spec.Dir, Env: spec.Env,
		Files: []*os.File{stdin, out.write, errs.write},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	if !mounted {
		path, args = spec.asUser(attr)
	}
	proc, err := os.StartProcess(path, args, attr)
	if err != nil && !mounted {
		return nil, fmt.Errorf("%w: %w", errMount, err)
	}
	if err != nil {
		return nil, &StartError{spec.Args[0], err}
	}
	spec.turn.join(proc.Pid)
	out.start()
	errs.start()
	g := guard(ctx, proc.Pid, spec.Timeout)
	w := startWatch(spec, proc.Pid)
	state, waitErr := proc.Wait()
	wall := time.Since(start)
	g.stop()
	spec.turn.gone()
	left := sweep(proc.Pid, spec.turn != nil, out, errs)
	processes := w.stop()
	if waitErr != nil {
		return nil, fmt.Errorf("waiting for %s: %w", spec.Args[0], waitErr)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	res := &Result{Wall: wall, End: ending.Of(state), LeftRunning: left.ended, StderrTail: tail.String(), Processes: processes}
	if g.timedOut.Load() {
		res.End.Limit = spec.Timeout
	}
	res.fillUsage(state, left.usage, floor)
	return res, nil
}

func (r *Result) fillUsage(state *os.ProcessState, orphans syscall.Rusage, floor int64) {
	ru, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return
	}
	r.User = time.Duration(ru.Utime.Nano() + orphans.Utime.Nano())
	r.System = time.Duration(ru.Stime.Nano() + orphans.Stime.Nano())
	r.MinorFaults = ru.Minflt + orphans.Minflt
	r.MajorFaults = ru.Majflt + orphans.Majflt
	const kilo = 1024 // ru_maxrss counts kilobytes on Linux
	if peak := max(ru.Maxrss, orphans.Maxrss) * kilo; peak > floor+floor/50 {
		r.PeakRSS = peak
	}
	// The last look at a short process may be long before its peak.
	const least = 5 * time.Millisecond
	for _, p := range r.Processes {
		if r.Wall >= least {
			r.PeakRSS = max(r.PeakRSS, p.PeakRSS)
		}
	}
}
