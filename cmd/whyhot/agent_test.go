package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/ebpf"
)

// spinning is a program whose time is in a function that is inlined into another.
const spinning = `static volatile unsigned long sink;
static inline unsigned long scramble(unsigned long s, long n) {
  for (long i = 0; i < n; i++) s = s * 6364136223846793005UL + 3;
  return s;
}
__attribute__((noinline)) static void hot_one(long n) {
  sink += scramble(sink, n);
}
int main(void) {
  for (;;) hot_one(10000000);
}
`

// background starts a command that ends with the test, and tells when a line of what it
// says on stderr holds the mark.
func background(ctx context.Context, t *testing.T, mark string, name string, args ...string) (seen <-chan struct{}, stop func()) {
	t.Helper()
	cmd := exec.CommandContext(ctx, name, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		open := true
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			t.Logf("%s: %s", args, lines.Text())
			if open && mark != "" && strings.Contains(lines.Text(), mark) {
				open = false
				close(found)
			}
		}
	}()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-over
		_ = cmd.Wait() // a signal ended it
	}
	t.Cleanup(stop)
	return found, stop
}

// shown is what a view of all batches prints, with the store or without it.
func shown(ctx context.Context, t *testing.T, out string, view ...string) string {
	t.Helper()
	batches, err := filepath.Glob(filepath.Join(out, "*.pb.gz"))
	if err != nil || len(batches) == 0 {
		t.Fatalf("no batch arrived: %v", err)
	}
	var text bytes.Buffer
	for _, b := range batches {
		cmd := exec.CommandContext(ctx, binary, append(view, b)...)
		cmd.Stdout = &text
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// A program is gone when its profile is read: what the agent uploaded names its
// functions, and its lines and inlined calls where that was asked for.
func TestAgentUploadsDebugInformation(t *testing.T) {
	if testing.Short() {
		t.Skip("loading the profiler takes seconds")
	}
	if err := (&ebpf.Sampler{}).Available(t.Context(), collect.Target{System: true}); err != nil {
		t.Skipf("the eBPF profiler cannot record here: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	dir := t.TempDir()
	source := filepath.Join(dir, "spinning.c")
	if err := os.WriteFile(source, []byte(spinning), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"symbols", "full"} {
		t.Run(kind, func(t *testing.T) {
			program, out := filepath.Join(dir, "spinning-"+kind), filepath.Join(dir, kind)
			if text, err := exec.CommandContext(ctx, "gcc", "-O2", "-g", "-Wl,--build-id", "-o", program, source).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			id := buildIDOf(ctx, t, program)
			_, end := background(ctx, t, "", program)
			addr := freeAddress(ctx, t)
			stored, stopReceiver := background(ctx, t, "debug information of "+id, binary, "receive", "--listen", addr, "--listen-http", "", "-o", out)
			_, stopAgent := background(ctx, t, "", binary, "agent", "--to", addr, "--spool", filepath.Join(dir, "spool-"+kind),
				"--debuginfo", kind, "--batch", "1", "-F", "49")
			select {
			case <-stored:
			case <-ctx.Done():
				t.Fatal("no debug information of the program arrived")
			}
			stopAgent()
			stopReceiver()
			end()
			if err := os.Remove(program); err != nil {
				t.Fatal(err)
			}
			store := filepath.Join(out, "debuginfo")
			if got := shown(ctx, t, out, "top", "-n", "0"); strings.Contains(got, "hot_one") {
				t.Fatal("the function is named without the store: this test shows nothing")
			}
			got := shown(ctx, t, out, "top", "-n", "0", "--debug-dir", store) + shown(ctx, t, out, "fold", "--debug-dir", store)
			if !strings.Contains(got, "hot_one") {
				t.Errorf("the function has no name:\n%s", got)
			}
			for _, more := range []string{"scramble", "spinning.c:"} {
				if strings.Contains(got, more) != (kind == "full") {
					t.Errorf("%s: %q:\n%s", kind, more, got)
				}
			}
		})
	}
}

func buildIDOf(ctx context.Context, t *testing.T, path string) string {
	t.Helper()
	text, err := exec.CommandContext(ctx, "readelf", "-n", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, id, ok := strings.Cut(string(text), "Build ID: ")
	if !ok {
		t.Fatal("no build ID")
	}
	id, _, _ = strings.Cut(id, "\n")
	return strings.TrimSpace(id)
}

// freeAddress is one that nobody listens on.
func freeAddress(ctx context.Context, t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	}()
	return l.Addr().String()
}

func TestWhereDebugInformationGoes(t *testing.T) {
	for name, c := range map[string]struct {
		flags            agentFlags
		uploads, refused bool
		said             string
	}{
		"gRPC":                  {agentFlags{debugInfo: "symbols", otlp: otlpFlags{endpoint: "localhost:1"}}, true, false, ""},
		"off":                   {agentFlags{debugInfo: "off", otlp: otlpFlags{endpoint: "localhost:1"}}, false, false, ""},
		"HTTP":                  {agentFlags{debugInfo: "symbols", otlp: otlpFlags{endpoint: "http://localhost:1"}}, false, false, ""},
		"HTTP, and asked for":   {agentFlags{debugInfo: "full", debugInfoAsked: true, otlp: otlpFlags{endpoint: "http://localhost:1"}}, false, false, "--debuginfo-to"},
		"another server":        {agentFlags{debugInfo: "symbols", debugInfoTo: "localhost:2", otlp: otlpFlags{endpoint: "http://localhost:1"}}, true, false, ""},
		"another one over HTTP": {agentFlags{debugInfo: "symbols", debugInfoTo: "http://localhost:2", otlp: otlpFlags{endpoint: "localhost:1"}}, false, true, ""},
		"nonsense":              {agentFlags{debugInfo: "symbols", debugInfoTo: "ftp://x", otlp: otlpFlags{endpoint: "localhost:1"}}, false, true, ""},
	} {
		var said bytes.Buffer
		u, err := c.flags.uploader(&agentLog{w: &said})
		if (u != nil) != c.uploads || (err != nil) != c.refused || (c.said == "") != (said.Len() == 0) || !strings.Contains(said.String(), c.said) {
			t.Errorf("%s: %v, %v, %q", name, u, err, said.String())
		}
	}
}
