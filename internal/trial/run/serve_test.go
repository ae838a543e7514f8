//go:build linux

package run

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/ending"
)

// A small real server: it takes connections, answers each line, and burns CPU time for
// it in a child process, as a server that forks does.
const serverText = `
import os, socket, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1])))
s.listen(16)
print("listening", file=sys.stderr, flush=True)
while True:
    c, _ = s.accept()
    with c, c.makefile("rwb") as f:
        for line in f:
            if line == b"die\n":
                os._exit(7)
            if os.fork() == 0:
                n = 0
                for i in range(int(sys.argv[2])):
                    n += i * i % 7
                os._exit(0)
            os.wait()
            f.write(b"served " + line)
            f.flush()
`

const loadText = `
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as c, c.makefile("rwb") as f:
    for i in range(int(sys.argv[2])):
        f.write(sys.argv[3].encode() + b"\n"); f.flush()
        answer = f.readline()
        if not answer:
            sys.exit("no answer")
    print(answer.decode().strip(), "rate:", i + 1)
`

// served are a server and its load on a port that is free.
func served(t *testing.T, work, requests int, line string) Spec {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	return Spec{
		Args: []string{python, write("server.py", serverText), port, fmt.Sprint(work)}, Env: os.Environ(),
		Load: &Load{
			Args:  []string{python, write("load.py", loadText), port, fmt.Sprint(requests), line},
			Env:   os.Environ(),
			Ready: "127.0.0.1:" + port,
		},
	}
}

func TestAServerIsLoaded(t *testing.T) {
	l := newLocal(t)
	// Work that the clock of the kernel, which ticks each hundredth of a second, sees.
	spec := served(t, 2_000_000, 3, "hello")
	for range 2 { // the port is free again
		r := mustRun(t, l, spec)
		if r.End != (ending.Ending{}) || r.Stdout.Length == 0 || r.Stdout.FirstDifference >= 0 || r.LeftRunning != 0 {
			t.Fatalf("%+v", r)
		}
		if r.CPU() == 0 || r.CPU() > 2*r.Wall || r.PeakRSS == 0 {
			t.Errorf("CPU %s in %s, %d bytes", r.CPU(), r.Wall, r.PeakRSS)
		}
	}
	if reachable(t.Context(), spec.Load.Ready) {
		t.Error("the server is still there")
	}
}

func TestAServerThatEnds(t *testing.T) {
	r := mustRun(t, newLocal(t), served(t, 1, 2, "die"))
	if r.End.Code != 7 || !strings.Contains(r.StderrTail, "ended before its load did") || !strings.Contains(r.StderrTail, "listening") {
		t.Errorf("%+v", r)
	}
	spec := served(t, 1, 1, "x")
	spec.Args = []string{"/bin/true"}
	if r := mustRun(t, newLocal(t), spec); !r.End.Failed() {
		t.Errorf("%+v", r)
	}
}

func TestAServerThatIsNeverReady(t *testing.T) {
	spec := served(t, 1, 1, "x")
	spec.Args, spec.Timeout = []string{"/bin/sleep", "1000"}, 50*time.Millisecond
	if r := mustRun(t, newLocal(t), spec); r.End.Limit != spec.Timeout || !strings.Contains(r.StderrTail, "does not take connections at 127.0.0.1:") {
		t.Errorf("%+v", r)
	}
}

func TestALoadThatFails(t *testing.T) {
	spec := served(t, 1, 1, "x")
	spec.Load.Args = []string{"/bin/sh", "-c", "echo broken >&2; exit 3"}
	if r := mustRun(t, newLocal(t), spec); r.End.Code != 3 || !strings.Contains(r.StderrTail, "broken") {
		t.Errorf("%+v", r)
	}
}

func TestAnotherServerIsThere(t *testing.T) {
	spec := served(t, 1, 1, "x")
	other, err := net.Listen("tcp", spec.Load.Ready)
	if err != nil {
		t.Skip("the port was taken")
	}
	defer func() { _ = other.Close() }()
	if _, err := newLocal(t).Run(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "another process listens there") {
		t.Error(err)
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct{ ready, load, want string }{
		{"", "wrk -d2 http://127.0.0.1:8080/x?y=1", "127.0.0.1:8080"},
		{"", "hey -z 2s http://localhost:3000", "localhost:3000"},
		{"", "curl http://[::1]:80/", "[::1]:80"},
		{"", "redis-benchmark -p 6379", ""},
		{"http://db.local/ready", "x", "db.local:80"},
		{"https://db.local:444/", "x", "db.local:444"},
		{"127.0.0.1:6379", "x", "127.0.0.1:6379"},
		{"6379", "x", ""},
	} {
		got, err := Address(c.ready, strings.Fields(c.load))
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q, %q: %q, %v; want %q", c.ready, c.load, got, err, c.want)
		}
	}
}

func TestCPUOfASession(t *testing.T) {
	line := "77 (a) b) S 1 77 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0"
	if u, ok := cpuOf(line, 42); !ok || u.user != 440*time.Millisecond || u.system != 660*time.Millisecond {
		t.Errorf("%+v, %v", u, ok)
	}
	if _, ok := cpuOf(line, 43); ok {
		t.Error("of another session")
	}
}
