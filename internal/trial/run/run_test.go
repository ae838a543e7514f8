//go:build linux

package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/trial/digest"
)

func newLocal(t *testing.T) *Local {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return l
}

func shell(script string) Spec { return Spec{Args: []string{"sh", "-c", script}, Env: os.Environ()} }

func mustRun(t *testing.T, l *Local, s Spec) *Result {
	t.Helper()
	r, err := l.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func gone(t *testing.T, pidFile string) {
	t.Helper()
	data, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	for f := range strings.FieldsSeq(string(data)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func TestMeasures(t *testing.T) {
	r := mustRun(t, newLocal(t), shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo $i; echo err >&2"))
	if r.Wall <= 0 || r.CPU() <= 0 || r.CPU() > 4*r.Wall || r.MinorFaults == 0 || r.End.Failed() {
		t.Errorf("%+v", r)
	}
	if r.Stdout.Length != 6 || r.StderrTail != "err\n" {
		t.Errorf("output %+v, stderr %q", r.Stdout, r.StderrTail)
	}
	if len(r.Stdout.SHA256) != 64 {
		t.Errorf("hash %q", r.Stdout.SHA256)
	}
}

func TestPeakMemory(t *testing.T) {
	// dd holds one block of 100 MB; the shell around it holds little.
	r := mustRun(t, newLocal(t), shell("dd if=/dev/zero of=/dev/null bs=100M count=1 2>/dev/null; true"))
	if r.PeakRSS < 100<<20 || r.PeakRSS > 130<<20 {
		t.Errorf("peak %d MiB of a program that holds 100", r.PeakRSS>>20)
	}
	// whyhot itself is larger than true: its own peak must not be taken for that
	// of the command.
	if r := mustRun(t, newLocal(t), Spec{Args: []string{"true"}, Env: os.Environ()}); r.PeakRSS != 0 {
		t.Errorf("peak of true: %d bytes", r.PeakRSS)
	}
}

func TestOwnPeakIsLowered(t *testing.T) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip("this kernel does not reset peaks:", err)
	}
	touch := func() {
		big := make([]byte, 200<<20)
		for i := 0; i < len(big); i += 4096 {
			big[i] = 1
		}
	}
	touch()
	if peak := ownPeakRSS(); peak < 200<<20 {
		t.Fatalf("peak %d", peak)
	}
	newLocal(t)
	if peak := ownPeakRSS(); peak > 150<<20 {
		t.Errorf("still %d MiB after what was held is gone", peak>>20)
	}
}

// Each process writes down what it used itself: two runs of the same loop differ by as much
// as one loop takes on a busy machine.
func TestChildrenCount(t *testing.T) {
	dir := t.TempDir()
	burn := "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
	r := mustRun(t, newLocal(t), shell("cd "+dir+"; ("+burn+"; times >one) & ("+burn+"; times >two) & wait"))
	one, two := ownCPU(t, filepath.Join(dir, "one")), ownCPU(t, filepath.Join(dir, "two"))
	if one <= 0 || two <= 0 || r.CPU() < one+two {
		t.Errorf("%s counted, the children used %s and %s", r.CPU(), one, two)
	}
}

func TestEndings(t *testing.T) {
	l := newLocal(t)
	if r := mustRun(t, l, shell("echo why >&2; exit 7")); r.End.Code != 7 || r.StderrTail != "why\n" {
		t.Errorf("%+v", r)
	}
	if r := mustRun(t, l, shell("kill -SEGV $$")); r.End.Status() != 139 || r.End.Signal != syscall.SIGSEGV {
		t.Errorf("%+v", r)
	}
}

func TestStartErrors(t *testing.T) {
	l := newLocal(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	junk := filepath.Join(dir, "junk")
	if err := errors.Join(os.WriteFile(plain, []byte("x"), 0o600), os.WriteFile(junk, []byte("\x7fELFjunk"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"no-such-command-here": "command not found",
		"./no/such/file":       "command not found",
		plain:                  "cannot be executed",
		junk:                   "neither a program",
	} {
		_, err := l.Run(t.Context(), Spec{Args: []string{name}})
		if _, ok := errors.AsType[*StartError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a variant says of PATH decides which program is measured.
func TestProgramIsFoundByTheCommandsOwnPath(t *testing.T) {
	l := newLocal(t)
	dir := t.TempDir()
	const name = "whyhot-test-program"
	for sub, text := range map[string]string{"a": "echo first", "b": "echo second", ".": "echo here", "denied": ""} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o755)
		if text == "" {
			mode = 0o644
		}
		if err := os.WriteFile(filepath.Join(dir, sub, name), []byte("#!/bin/sh\n"+text+"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "a")+":/usr/bin:/bin")
	for path, want := range map[string]string{
		filepath.Join(dir, "a"):             "first",
		filepath.Join(dir, "b"):             "second",
		"b":                                 "second", // of the directory in which it runs
		":" + filepath.Join(dir, "b"):       "here",
		"denied:" + filepath.Join(dir, "b"): "second",
	} {
		r, err := l.Run(t.Context(), Spec{Args: []string{name}, Env: []string{"PATH=" + path}, Dir: dir, Outputs: []string{"x"}})
		if err != nil {
			t.Errorf("PATH=%s: %v", path, err)
			continue
		}
		if sum := sha256.Sum256([]byte(want + "\n")); r.Stdout.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("PATH=%s: not %q but another output of %d bytes", path, want, r.Stdout.Length)
		}
	}
	for path, want := range map[string]string{"denied": "cannot be executed", "nowhere": "command not found"} {
		if _, err := l.Run(t.Context(), Spec{Args: []string{name}, Env: []string{"PATH=" + path}, Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("PATH=%s: %v", path, err)
		}
	}
}

func TestTimeLimitEndsTheWholeTree(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	spec := shell("sleep 1000 & echo $! $$ > " + pids + "; wait")
	spec.Timeout = 300 * time.Millisecond
	r := mustRun(t, newLocal(t), spec)
	if r.End.Limit != spec.Timeout || !r.End.Failed() {
		t.Errorf("%+v", r)
	}
	if c := children(); len(c) > 0 {
		t.Errorf("children left: %v", c)
	}
	if text, _ := os.ReadFile(pids); strings.HasSuffix(string(text), "\n") { // a busy machine may not get as far
		gone(t, pids)
	}
}

func TestTimeLimitEndsWhatIgnoresIt(t *testing.T) {
	// Ignored here, it is ignored by what is started from the first moment on.
	signal.Ignore(syscall.SIGTERM)
	defer signal.Reset(syscall.SIGTERM)
	spec := shell("while :; do :; done")
	spec.Timeout = 100 * time.Millisecond
	if r := mustRun(t, newLocal(t), spec); r.End.Limit != spec.Timeout || r.End.Signal != syscall.SIGKILL {
		t.Errorf("%+v", r)
	}
}

func TestCancelEndsTheWholeTree(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	pids, ready := filepath.Join(dir, "pids"), filepath.Join(dir, "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = os.ReadFile(ready) // blocks until the command has written
		cancel()
	}()
	_, err := newLocal(t).Run(ctx, shell("setsid sleep 1000 & sleep 1000 & echo $! $$ > "+pids+"; echo x > "+ready+"; wait"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	gone(t, pids)
	if c := children(); len(c) > 0 {
		t.Errorf("children left: %v", c)
	}
}

func TestLeftoversAreEnded(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	r := mustRun(t, newLocal(t), shell("setsid sleep 1000 & echo $! > "+pids+"; sleep 1000 & echo $! >> "+pids))
	if r.LeftRunning != 2 { // and the run ended, a thousand seconds before them
		t.Errorf("%d left running", r.LeftRunning)
	}
	gone(t, pids)
}

func TestOrphansAreCounted(t *testing.T) {
	dir := t.TempDir()
	ready := filepath.Join(dir, "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	burn := "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
	// The inner shell loses its parent but ends by itself: the outer one waits for it.
	r := mustRun(t, newLocal(t), shell("cd "+dir+"; (("+burn+"; times >orphan; echo x >ready) &); "+burn+"; times >outer; read x <ready"))
	orphan, outer := ownCPU(t, filepath.Join(dir, "orphan")), ownCPU(t, filepath.Join(dir, "outer"))
	if orphan <= 0 || r.CPU() < orphan+outer {
		t.Errorf("%s counted, the orphan used %s and the other %s", r.CPU(), orphan, outer)
	}
}

// ownCPU reads the first line of what the shell's times wrote: 0m0.12s 0m0.00s.
func ownCPU(t *testing.T, path string) time.Duration {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	var sum time.Duration
	for field := range strings.FieldsSeq(line) {
		d, err := time.ParseDuration(field)
		if err != nil {
			t.Fatalf("times wrote %q: %v", text, err)
		}
		sum += d
	}
	return sum
}

func TestOutputsAreCompared(t *testing.T) {
	l := newLocal(t)
	first := mustRun(t, l, shell("printf 'hello world'"))
	for script, at := range map[string]int64{
		"printf 'hello world'":  -1,
		"printf 'hello_world'":  5,
		"printf 'hello'":        5,
		"printf 'hello world!'": 11,
		"true":                  0,
	} {
		o := mustRun(t, l, shell(script)).Stdout
		if o.FirstDifference != at || o.Equal(first.Stdout) != (at < 0) {
			t.Errorf("%s: differs at %d, want %d", script, o.FirstDifference, at)
		}
	}
}

func TestLargeOutputPassesThrough(t *testing.T) {
	l := newLocal(t)
	const size = 40 << 20
	spec := Spec{Args: []string{"head", "-c", strconv.Itoa(size), "/dev/zero"}, Env: os.Environ()}
	a, b := mustRun(t, l, spec), mustRun(t, l, spec)
	if a.Stdout.Length != size || !a.Stdout.Equal(b.Stdout) {
		t.Errorf("%+v and %+v", a.Stdout, b.Stdout)
	}
}

func TestRecorderFindsTheDifferenceWhereverPiecesEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want := make([]byte, 1000)
	for i := range want {
		want[i] = byte(rng.Uint32())
	}
	refs := &references{byName: map[string]*reference{}}
	defer refs.close()
	write := func(data []byte) Output {
		rec, err := refs.recorder("x", true)
		if err != nil {
			t.Fatal(err)
		}
		for len(data) > 0 {
			n := min(len(data), 1+rng.IntN(70))
			if _, err := rec.Write(data[:n]); err != nil {
				t.Fatal(err)
			}
			data = data[n:]
		}
		return rec.output()
	}
	write(want)
	for at := 0; at < len(want); at += 37 {
		other := bytes.Clone(want)
		other[at] ^= 1
		if o := write(other); o.FirstDifference != int64(at) {
			t.Errorf("difference at %d found at %d", at, o.FirstDifference)
		} else if o.Digest == nil || o.Reference == nil || o.Digest.Lines != digestsOf(t, other).Lines || o.Digest.Bytes != digestsOf(t, other).Bytes {
			t.Errorf("difference at %d: digest %+v", at, o.Digest)
		}
	}
}

func digestsOf(t *testing.T, data []byte) *digest.Digest {
	t.Helper()
	d, err := digest.New(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDifferencesAreShownAsText(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, c := range []struct {
		was, now string
		want     Lines
	}{
		{"one\ntwo\nthree\n", "one\ntoo\nthree\n", Lines{2, "two", "too"}},
		{"one\ntwo\n", "one\n", Lines{2, "two", ""}},
		{"one\n", "one\ntwo\n", Lines{2, "", "two"}},
		{"one\ntwo", "one\ntwo more", Lines{2, "two", "two more"}},
		{"a\x00b\xff", "a\x00c", Lines{1, `a\x00b\xff`, `a\x00c`}},
		{"1\n" + long + "a", "1\n" + long + "b", Lines{2, "…" + long[:120] + "a", "…" + long[:120] + "b"}},
		{"", "x", Lines{1, "", "x"}},
	} {
		l := newLocal(t)
		script := func(text string) Spec {
			path := filepath.Join(t.TempDir(), "text")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return shell("cat " + path)
		}
		mustRun(t, l, script(c.was))
		o := mustRun(t, l, script(c.now)).Stdout
		if o.Lines != c.want || o.Digest != nil {
			t.Errorf("%q and %q: %+v", c.was, c.now, o)
		}
	}
}

func TestOutputFiles(t *testing.T) {
	l := newLocal(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("stale"), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := shell("printf abc > new")
	spec.Dir, spec.Outputs = dir, []string{"new", "old", "never"}
	r := mustRun(t, l, spec)
	if o := r.Outputs[0]; !o.Written || o.Length != 3 {
		t.Errorf("%+v", o)
	}
	if r.Outputs[1].Written || r.Outputs[2].Written {
		t.Errorf("files that were not written: %+v", r.Outputs[1:])
	}
	spec.Args[2] = "printf abd > new"
	if o := mustRun(t, l, spec).Outputs[0]; o.FirstDifference != 2 || o.Equal(r.Outputs[0]) {
		t.Errorf("%+v", o)
	}
}

func TestStandardInputIsReplayed(t *testing.T) {
	l := newLocal(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = fmt.Fprint(w, "some input\n")
		_ = w.Close()
	}()
	waited := false
	path, release, err := Spool(t.Context(), r, func() { waited = true })
	if err != nil || !waited {
		t.Fatal(err, waited)
	}
	defer release()
	for range 2 {
		if res := mustRun(t, l, Spec{Args: []string{"cat"}, Stdin: path}); res.Stdout.Length != 11 {
			t.Errorf("%d bytes", res.Stdout.Length)
		}
	}
	if res := mustRun(t, l, Spec{Args: []string{"wc", "-c"}}); res.End.Failed() || res.Stdout.Length != 2 {
		t.Errorf("no input given: %+v", res.Stdout)
	}
}

func TestStandardInputThatNeverEndsCanBeInterrupted(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err = Spool(ctx, r, cancel)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDevNullIsNoInput(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	path, _, err := Spool(t.Context(), f, func() { t.Error("waited") })
	if path != "" || err != nil {
		t.Error(path, err)
	}
}

func TestPin(t *testing.T) {
	spec := Spec{Args: []string{"nproc"}, Env: os.Environ(), Pin: []int{0}}
	spec.Env = append(spec.Env, "OMP_NUM_THREADS=")
	l := newLocal(t)
	one := mustRun(t, l, shell("echo 1"))
	if r := mustRun(t, l, spec); !r.Stdout.Equal(one.Stdout) {
		t.Error("nproc on one CPU does not print 1")
	}
	spec.Pin = []int{1023}
	if _, err := l.Run(t.Context(), spec); err == nil {
		t.Error("pinned to a CPU that is not there")
	}
}

func TestWatchSeesTheTree(t *testing.T) {
	spec := shell("sort /dev/null; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done")
	spec.Watch = true
	r := mustRun(t, newLocal(t), spec)
	if len(r.Processes) == 0 || r.Processes[0].PeakRSS == 0 || !strings.HasPrefix(r.Processes[0].Program, "/") {
		t.Errorf("%+v", r.Processes)
	}
	if r.PeakRSS == 0 {
		t.Error("a watched run knows the peak of a small program")
	}
}

func TestTail(t *testing.T) {
	w := &tailWriter{limit: 4}
	for _, s := range []string{"ab", "cd", "ef"} {
		_, _ = w.Write([]byte(s))
	}
	if w.String() != "…cdef" {
		t.Errorf("%q", w.String())
	}
}

func TestParseStat(t *testing.T) {
	line := "42 (a) b (c)) S 7 42 42 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 100 1000 10"
	if st, ok := parseStat(line); !ok || st.parent != 7 || st.cpu != 3*time.Second {
		t.Errorf("%+v, %v", st, ok)
	}
	for _, bad := range []string{"", "42", "42 (x) S", "42 (x) S y 42 42 0 -1 0 1 0 0 0 1 1 0"} {
		if _, ok := parseStat(bad); ok {
			t.Errorf("%q was read", bad)
		}
	}
	if got := parsePeak("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 5 kB\n"); got != 1234*1024 {
		t.Errorf("peak %d", got)
	}
}

func TestSearchChildren(t *testing.T) {
	for _, c := range searchChildren(os.Getppid()) {
		if c == os.Getpid() {
			return
		}
	}
	t.Error("this process is no child of its parent")
}
