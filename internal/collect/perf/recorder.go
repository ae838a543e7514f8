package perf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/host/ending"
)

// recorder is one running perf.
type recorder struct {
	cmd     *exec.Cmd
	control *os.File // commands to perf
	answers *os.File // its "ack"s
	stderr  *tail
	done    chan struct{}
	waitErr error
	stopped bool
}

// startRecorder starts perf with its events open but disabled.
func startRecorder(t *tool, args []string) (*recorder, error) {
	controlRead, controlWrite, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting perf: %w", err)
	}
	answersRead, answersWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting perf: %w", err), controlRead.Close(), controlWrite.Close())
	}
	r := &recorder{control: controlWrite, answers: answersRead, stderr: &tail{}, done: make(chan struct{})}
	r.cmd = exec.Command(t.path, args...) //nolint:noctx // ended by a signal that lets it finish its file
	r.cmd.Stdout, r.cmd.Stderr = r.stderr, r.stderr
	r.cmd.ExtraFiles = []*os.File{controlRead, answersWrite}
	r.cmd.Env = append(os.Environ(), "LC_ALL=C", "PERF_CONFIG=/dev/null")
	// A group of its own: the terminal's Ctrl-C is for whyhot and the command.
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = r.cmd.Start()
	closeErr := errors.Join(controlRead.Close(), answersWrite.Close())
	if err = errors.Join(err, closeErr); err != nil {
		return nil, errors.Join(fmt.Errorf("starting perf: %w", err), controlWrite.Close(), answersRead.Close())
	}
	// What empties the buffers must get its turn beside what fills them; where
	// that is not allowed, it has to do without.
	_ = unix.Setpriority(unix.PRIO_PROCESS, r.cmd.Process.Pid, perfNice)
	go func() {
		r.waitErr = r.cmd.Wait()
		close(r.done)
	}()
	return r, nil
}

// perfNice is the nice value of perf.
const perfNice = -10

// enable switches the events on and returns when perf says that they are, which
// is also the time by which everything that already ran has been written down.
func (r *recorder) enable(ctx context.Context) error {
	if _, err := io.WriteString(r.control, "enable\n"); err != nil {
		return r.failure(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := io.ReadAtLeast(r.answers, make([]byte, 16), len("ack\n"))
		answered <- err
	}()
	select {
	case err := <-answered:
		if err != nil {
			return r.failure(err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop lets perf finish its file and waits for that.
func (r *recorder) stop() {
	r.stopped = true
	_ = r.cmd.Process.Signal(syscall.SIGINT) // it may have ended by itself
	<-r.done
}

// close gives the descriptors back; perf must have ended.
func (r *recorder) close() {
	_ = errors.Join(r.control.Close(), r.answers.Close()) // pipes to a process that is gone
}

// failure says why perf ended, in its own words where it had any.
func (r *recorder) failure(cause error) error {
	select {
	case <-r.done:
	case <-time.After(endOfPerf):
		r.stop()
	}
	if text := r.stderr.message(); text != "" {
		return fmt.Errorf("perf: %s", text)
	}
	if r.waitErr != nil { // how it ended says more than that its pipe did
		cause = r.waitErr
	}
	return fmt.Errorf("perf ended before it recorded anything: %w", cause)
}

// endOfPerf is how long a perf that closed its pipes may take to exit.
const endOfPerf = 2 * time.Second

// err tells whether perf ended in a way that spoils the recording.
func (r *recorder) err() error {
	var exit *exec.ExitError
	if !errors.As(r.waitErr, &exit) {
		return r.waitErr
	}
	end := ending.Of(exit.ProcessState)
	if r.stopped && end.Signal == syscall.SIGINT {
		return nil // perf passes the signal that ended it on to itself
	}
	if text := r.stderr.message(); text != "" {
		return fmt.Errorf("perf: %s", text)
	}
	return fmt.Errorf("perf: %s", end)
}

// tail keeps the last part of what perf prints.
type tail struct{ buf bytes.Buffer }

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.buf.Write(p)
	if extra := t.buf.Len() - tailSize; extra > 0 {
		t.buf.Next(extra)
	}
	return len(p), nil
}

// message is what perf said, without the lines that it prints in good times.
func (t *tail) message() string {
	var lines []string
	for line := range strings.Lines(t.buf.String()) {
		line = strings.TrimSpace(line)
		if line == "" || line == "Error:" || strings.HasPrefix(line, "[ perf record:") ||
			strings.HasPrefix(line, "Events ") || strings.HasPrefix(line, "Warning:") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}
