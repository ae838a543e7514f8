package rebuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"whyhot/internal/host/ending"
	"whyhot/internal/trial/run"
)

// execute lets the shell carry out a line, with everything that it writes in a
// log. Several of them may run at once, which a run.Runner cannot: it ends all
// that this process has started when a command is over.
func (w *Workshop) execute(ctx context.Context, line, log string, env []string, dir, stdin string) (ending.Ending, error) {
	// The kernel ends the build when the thread that made it does.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	limit := w.limit()
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return shell(limited, ctx, limit, line, log, env, dir, stdin)
	}
	return shell(ctx, ctx, 0, line, log, env, dir, stdin)
}

// limit is how long a command that begins now may take, 0 for as long as it likes.
func (w *Workshop) limit() time.Duration {
	if w.o.Until.IsZero() {
		return w.o.Timeout
	}
	left := max(time.Millisecond, time.Until(w.o.Until))
	if w.o.Timeout > 0 {
		return min(left, w.o.Timeout)
	}
	return left
}

func shell(ctx, whole context.Context, limit time.Duration, line, log string, env []string, dir, stdin string) (ending.Ending, error) {
	const grace = 2 * time.Second // between asking to end and ending
	out, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return ending.Ending{}, fmt.Errorf("log of the build: %w", err)
	}
	defer func() { _ = out.Close() }()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = env, dir, out, out, grace
	if stdin != "" {
		in, err := os.Open(stdin)
		if err != nil {
			return ending.Ending{}, fmt.Errorf("standard input of the training: %w", err)
		}
		defer func() { _ = in.Close() }()
		cmd.Stdin = in
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		return ending.Ending{}, fmt.Errorf("starting the build: %w", err)
	}
	failed := cmd.Wait() // how it ended is in its state
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if whole.Err() != nil {
		return ending.Ending{}, whole.Err()
	}
	if cmd.ProcessState == nil { // something else of this process waited for it
		return ending.Ending{}, fmt.Errorf("waiting for the build: %w", failed)
	}
	end := ending.Of(cmd.ProcessState)
	if ctx.Err() != nil {
		end.Limit = limit.Round(time.Millisecond)
	}
	return end, nil
}

// sweep ends what builds left running and the signals to their groups did not
// reach.
func (w *Workshop) sweep(ctx context.Context) error {
	_, err := w.o.Runner.Run(ctx, run.Spec{Args: []string{"/bin/sh", "-c", ":"}, Env: w.o.Env})
	return err
}
