//go:build linux

package run

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/host/ending"
	"whyhot/internal/host/environ"
)

// Load makes a command that does not end by itself one that can be measured: the
// command is a server, and what loads it ends.
type Load struct {
	Args  []string
	Env   []string // whole, as Spec.Env
	Ready string   // HOST:PORT that takes connections once the server is ready
}

// readyLimit is the time that a server has to become ready where the run has no limit.
const readyLimit = time.Minute

// address finds HOST:PORT in a URL, or as a word of its own.
var address = regexp.MustCompile(`(?:^|[\s/@'"=])((?:localhost|\[[0-9a-fA-F:]+\]|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+):[0-9]+)`)

// Address is the HOST:PORT that a server is ready at: that of ready, a URL or an
// address itself, or where ready is "", the first that the load's command names.
func Address(ready string, load []string) (string, error) {
	if ready == "" {
		if m := address.FindStringSubmatch(strings.Join(load, " ")); m != nil {
			return m[1], nil
		}
		return "", fmt.Errorf("the command of --load names no address that can be waited for: give it with --ready, for example --ready 127.0.0.1:8080")
	}
	if u, err := url.Parse(ready); err == nil && u.Host != "" {
		if u.Port() != "" {
			return u.Host, nil
		}
		port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
		if port == "" {
			return "", fmt.Errorf("invalid --ready %q: the URL has no port", ready)
		}
		return net.JoinHostPort(u.Hostname(), port), nil
	}
	if _, _, err := net.SplitHostPort(ready); err != nil {
		return "", fmt.Errorf("invalid --ready %q: must be HOST:PORT or a URL: %w", ready, err)
	}
	return ready, nil
}

// serve runs the spec's command as a server, loads it and ends it. The wall time is
// that of the load, the CPU time that of the server and its descendants meanwhile;
// the ending is the load's, or the server's where that did not last.
func serve(ctx context.Context, spec Spec, stdout io.Writer) (*Result, error) {
	if reachable(ctx, spec.Load.Ready) {
		return nil, fmt.Errorf("%s takes connections before the server is started: another process listens there; end it, or give another port", spec.Load.Ready)
	}
	server, err := start(spec, io.Discard, func() {})
	if err != nil {
		return nil, err
	}
	defer server.close()
	w := startWatch(spec, server.proc.Pid)
	gone := make(chan struct{})
	var state *os.ProcessState
	var waitErr error
	go func() {
		defer close(gone)
		state, waitErr = server.proc.Wait()
	}()
	res := &Result{}
	loadErr := res.load(ctx, spec, stdout, server, gone)
	early := false
	select {
	case <-gone:
		early = true
	default:
		signalGroup(server.proc.Pid, syscall.SIGTERM)
		select {
		case <-gone:
		case <-time.After(killGrace):
			signalGroup(server.proc.Pid, syscall.SIGKILL)
			<-gone
		}
	}
	left := sweep(server.proc.Pid, false, server.out, server.errs)
	res.Processes = w.stop()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case waitErr != nil:
		return nil, fmt.Errorf("waiting for %s: %w", spec.Args[0], waitErr)
	case early:
		res.End, res.StderrTail = ending.Of(state), "the server ended before its load did: "+ending.Of(state).String()+"\n"+server.tail.String()
		if !res.End.Failed() {
			res.End.Code = 1 // a server that ends well has served nothing
		}
		return res, nil
	case loadErr != nil:
		return nil, loadErr
	}
	user, system := res.User, res.System
	res.fillUsage(state, left.usage, 0)
	res.User, res.System = user, system
	return res, nil
}

// load waits until the server is ready, and runs the load.
func (r *Result) load(ctx context.Context, spec Spec, stdout io.Writer, server *started, gone <-chan struct{}) error {
	limit := readyLimit
	if spec.Timeout > 0 {
		limit = spec.Timeout
	}
	began := time.Now()
	for !reachable(ctx, spec.Load.Ready) {
		select {
		case <-gone:
			return nil // said by its ending
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
		if time.Since(began) > limit {
			r.End = ending.Ending{Limit: limit, Signal: syscall.SIGTERM}
			r.Wall = time.Since(began)
			r.StderrTail = fmt.Sprintf("the server does not take connections at %s\n%s", spec.Load.Ready, server.tail.String())
			return nil
		}
	}
	before := sessionCPU(server.proc.Pid)
	loading := Spec{Args: spec.Load.Args, Env: spec.Load.Env, Dir: spec.Dir, Filter: spec.Filter}
	compared, flush := filtered(loading, Stdout, stdout)
	l, err := start(loading, compared, flush)
	if err != nil {
		return err
	}
	defer l.close()
	g := guard(ctx, l.proc.Pid, spec.Timeout)
	state, err := l.proc.Wait()
	r.Wall = time.Since(l.at)
	after := sessionCPU(server.proc.Pid)
	g.stop()
	signalGroup(l.proc.Pid, syscall.SIGKILL) // what it left
	l.out.wait(drainGrace)
	l.errs.wait(drainGrace)
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", spec.Load.Args[0], err)
	}
	r.User, r.System = after.user-before.user, after.system-before.system
	r.End, r.StderrTail = ending.Of(state), l.tail.String()
	if g.timedOut.Load() {
		r.End.Limit = spec.Timeout
	}
	return nil
}

// reachable says that somebody takes connections at an address.
func reachable(ctx context.Context, at string) bool {
	const patience = 200 * time.Millisecond
	c, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", at)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// started is a process with its streams.
type started struct {
	proc      *os.Process
	at        time.Time
	out, errs *drain
	tail      *tailWriter
}

func (s *started) close() {
	s.out.close()
	s.errs.close()
}

// start begins a process in a session of its own, whose output goes to a writer.
func start(spec Spec, to io.Writer, flush func()) (s *started, err error) {
	path, err := environ.LookPath(spec.Env, spec.Dir, spec.Args[0])
	if err != nil {
		return nil, &StartError{spec.Args[0], err}
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	s = &started{tail: &tailWriter{limit: tailSize}}
	if s.out, err = newDrain(to, flush); err != nil {
		return nil, err
	}
	seen, flushErr := filtered(spec, Stderr, io.Discard)
	if s.errs, err = newDrain(io.MultiWriter(s.tail, seen), flushErr); err != nil {
		s.out.close()
		return nil, err
	}
	s.at = time.Now()
	s.proc, err = os.StartProcess(shifted(path, spec), spec.Args, &os.ProcAttr{
		Dir: spec.Dir, Env: spec.Env, Files: []*os.File{null, s.out.write, s.errs.write},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		s.close()
		return nil, &StartError{spec.Args[0], err}
	}
	s.out.start()
	s.errs.start()
	return s, nil
}

// usedCPU is processor time.
type usedCPU struct{ user, system time.Duration }

// sessionCPU is what the processes of a session have used, and those of theirs that
// are gone.
func sessionCPU(session int) usedCPU {
	var sum usedCPU
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return sum
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		data, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // gone meanwhile
		}
		if one, ok := cpuOf(string(data), session); ok {
			sum.user += one.user
			sum.system += one.system
		}
	}
	return sum
}

// cpuOf is a process's CPU time and that of its children that it has waited for, where it
// belongs to the session.
func cpuOf(line string, session int) (usedCPU, bool) {
	st, ok := parseStat(line)
	return st.whole, ok && st.session == session
}
