package analyzer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/host/ending"
)

// maxReply bounds one answer; the largest real ones are a few megabytes.
const maxReply = 1 << 30

// ErrMissing says that the analyser is not installed.
var ErrMissing = errors.New("the source analyser whyhot-analyzer is neither next to whyhot nor on PATH; install the package whyhot-analyzer, or build it with `make analyzer` (it needs libclang-19-dev and llvm-19-dev); `whyhot doctor` says what else this machine lacks")

// Find returns the analyser's binary: $WHYHOT_ANALYZER, then beside this
// program, then on PATH.
func Find() (string, error) {
	if path := os.Getenv("WHYHOT_ANALYZER"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("$WHYHOT_ANALYZER: %w", err)
		}
		return path, nil
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), "whyhot-analyzer")
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath("whyhot-analyzer")
	if err != nil {
		return "", ErrMissing
	}
	return path, nil
}

// worker is one analyser process. It serves one request at a time.
type worker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
}

func startWorker(binary string) (*worker, error) {
	w := &worker{cmd: exec.Command(binary), stderr: &tail{}} //nolint:noctx // killed by stop and by ask's deadline
	w.cmd.Stderr = w.stderr
	// A group of its own: what the analyser started dies with it. And no wait
	// for a grandchild that keeps its standard error open.
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w.cmd.WaitDelay = time.Second
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReaderSize(stdout, 1<<16)
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the analyser: %w", err)
	}
	return w, nil
}

// errWorkerDied says that the process is gone and the worker of no more use.
var errWorkerDied = errors.New("the analyser died")

// ask sends one request. After errWorkerDied or a context error the worker must
// be stopped and replaced.
func (w *worker) ask(ctx context.Context, req Request) (Reply, error) {
	line, err := json.Marshal(struct {
		Version int `json:"version"`
		Request
	}{protocolVersion, req})
	if err != nil {
		return Reply{}, err
	}
	type answer struct {
		line []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		if _, err := w.in.Write(append(line, '\n')); err != nil {
			done <- answer{err: err}
			return
		}
		l, err := readLine(w.out)
		done <- answer{l, err}
	}()
	select {
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	case a := <-done:
		if a.err != nil {
			return Reply{}, fmt.Errorf("%w: %s", errWorkerDied, w.obituary())
		}
		var r Reply
		if err := json.Unmarshal(a.line, &r); err != nil {
			return Reply{}, fmt.Errorf("the analyser's answer is not understood: %w", err)
		}
		if id := r.unknownRule(&req); id != "" {
			return Reply{}, unknownRuleError(id)
		}
		r.giveSites()
		return r, nil
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxReply:
			return nil, errors.New("the answer has no end")
		}
	}
}

// lastBreath is how long a process may live on after it closed its output.
const lastBreath = 2 * time.Second

// obituary waits for the dead process and says how it died. One that only fell
// silent is ended.
func (w *worker) obituary() string {
	_ = w.in.Close()
	kill := time.AfterFunc(lastBreath, func() { _ = w.cmd.Process.Kill() })
	defer kill.Stop()
	_ = w.cmd.Wait() // the state says more
	text := "it ended without an answer"
	if end := ending.Of(w.cmd.ProcessState); end.Failed() {
		text = end.String()
	}
	if last := w.stderr.lastLine(); last != "" {
		text += ": " + last
	}
	return text
}

func (w *worker) stop() {
	_ = w.in.Close()
	if w.cmd.ProcessState == nil {
		_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
		_ = w.cmd.Wait()
	}
}

// tail keeps the end of what a process wrote to its standard error.
type tail struct{ buf []byte }

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailSize; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// lastLine prefers the line of an assertion or a fatal error to the last frame
// of a stack dump.
func (t *tail) lastLine() string {
	lines := bytes.Split(bytes.TrimSpace(t.buf), []byte("\n"))
	for _, l := range lines {
		if s := string(l); strings.Contains(s, "Assertion") || strings.Contains(s, "fatal error") || strings.Contains(s, "LLVM ERROR") {
			return s
		}
	}
	return string(lines[len(lines)-1])
}

// requestTimeout ends a unit on which the analyser hangs.
const requestTimeout = 5 * time.Minute
