//go:build linux

package run_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/trial/run"
)

// counting is a program that counts to a number in each of its processes.
func counting(to string) []string {
	return []string{"/bin/sh", "-c", `i=0; while [ $i -lt ` + to + ` ]; do i=$((i+1)); done; echo done`}
}

// alone runs something first, so that there is an output to compare with.
func alone(t *testing.T, l *run.Local, spec run.Spec) *run.Result {
	t.Helper()
	res, err := l.Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func newLocal(t *testing.T) *run.Local {
	t.Helper()
	l, err := run.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func TestTogetherGivesEachItsOwnNumbers(t *testing.T) {
	l := newLocal(t)
	small := run.Spec{Args: counting("100000"), Env: os.Environ()}
	large := run.Spec{Args: counting("600000"), Env: os.Environ()}
	alone(t, l, small)
	all, err := l.Together(t.Context(), []run.Spec{large, small}, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for i, res := range all {
		if res.End.Failed() || res.LeftRunning > 0 || res.Stdout.Length != int64(len("done\n")) {
			t.Errorf("run %d: %+v", i, res)
		}
	}
	if all[0].CPU() < 2*all[1].CPU() {
		t.Errorf("six times the work took %s, once %s", all[0].CPU(), all[1].CPU())
	}
}

// Once both have begun to count, each is seen standing still: by the other one's turns.
func TestTogetherTakesTurns(t *testing.T) {
	l := newLocal(t)
	alone(t, l, run.Spec{Args: []string{"echo", "done"}, Env: os.Environ()})
	dir := t.TempDir()
	specs := make([]run.Spec, 2)
	for i := range specs {
		specs[i] = run.Spec{Args: counting("1500000"), Env: append(os.Environ(), "MARK="+dir)}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := l.Together(t.Context(), specs, 5*time.Millisecond)
		ended <- err
	}()
	stood := map[string]bool{}
	for {
		select {
		case err := <-ended:
			if err != nil || len(stood) != 2 {
				t.Errorf("%d of two programs were seen standing still: %v", len(stood), err)
			}
			return
		default:
			for _, at := range marked(t, dir) {
				stat, err := os.ReadFile(filepath.Join(at, "stat"))
				if f := strings.Fields(string(stat)); err == nil && len(f) > 13 && f[2] == "T" && f[13] != "0" {
					stood[at] = true
				}
			}
		}
	}
}

// marked are the directories below /proc of the processes with a mark in their environment.
func marked(t *testing.T, mark string) (out []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range all {
		if env, err := os.ReadFile(filepath.Join(at, "environ")); err == nil && strings.Contains(string(env), "MARK="+mark) {
			out = append(out, at)
		}
	}
	return out
}

// A program that a script starts, and one that outlives it in the same session, stop and go
// with it, and their CPU time is the script's.
func TestTogetherCountsDescendants(t *testing.T) {
	l := newLocal(t)
	spec := run.Spec{Args: []string{"/bin/sh", "-c", `sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done' & sleep 0.01; echo started`}, Env: os.Environ()}
	alone(t, l, run.Spec{Args: []string{"echo", "started"}, Env: os.Environ()})
	all, err := l.Together(t.Context(), []run.Spec{spec, spec}, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for i, res := range all {
		if res.End.Failed() || res.LeftRunning != 1 {
			t.Errorf("run %d left %d running: %s", i, res.LeftRunning, res.End)
		}
	}
}

func TestTogetherSaysWhatHasToRunAlone(t *testing.T) {
	l := newLocal(t)
	echo := run.Spec{Args: []string{"echo", "x"}, Env: os.Environ()}
	if _, err := l.Together(t.Context(), []run.Spec{echo, echo}, time.Millisecond); !errors.Is(err, run.ErrAlone) {
		t.Errorf("without an output to compare with: %v", err)
	}
	alone(t, l, echo)
	daemon := run.Spec{Args: []string{"/bin/sh", "-c", "setsid sleep 60 > /dev/null 2>&1 & sleep 0.3; echo x"}, Env: os.Environ()}
	if _, err := l.Together(t.Context(), []run.Spec{daemon, echo}, time.Millisecond); !errors.Is(err, run.ErrAlone) || !strings.Contains(err.Error(), "sessions") {
		t.Errorf("a daemon: %v", err)
	}
	none := run.Spec{Args: []string{"no-such-program-at-all"}, Env: os.Environ()}
	_, err := l.Together(t.Context(), []run.Spec{echo, none}, time.Millisecond)
	if start, ok := errors.AsType[*run.StartError](err); !ok || start.Name != none.Args[0] {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestTogetherEnds(t *testing.T) {
	l := newLocal(t)
	alone(t, l, run.Spec{Args: []string{"echo", "x"}, Env: os.Environ()})
	hang := run.Spec{Args: []string{"sleep", "600"}, Env: os.Environ(), Timeout: 50 * time.Millisecond}
	all, err := l.Together(t.Context(), []run.Spec{hang, hang}, time.Millisecond)
	if err != nil || all[0].End.Limit == 0 || all[1].End.Limit == 0 {
		t.Errorf("at the limit: %v, %v", all, err)
	}
	hang.Timeout = 0
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := l.Together(ctx, []run.Spec{hang, hang}, time.Millisecond); err == nil {
		t.Error("an interrupt ends nothing")
	}
}

// Each run sees its own directory at one path.
func TestTogetherBinds(t *testing.T) {
	l := newLocal(t)
	dir := t.TempDir()
	place := filepath.Join(dir, "place")
	specs := make([]run.Spec, 2)
	for i, name := range []string{"a", "b"} {
		from := filepath.Join(dir, name)
		for _, d := range []string{from, place} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(from, "prog"), []byte("#!/bin/sh\npwd; cat "+place+"/name; echo > made\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, "name"), []byte(strings.Repeat(name, i+1)), 0o644); err != nil {
			t.Fatal(err)
		}
		specs[i] = run.Spec{Args: []string{"./prog"}, Env: os.Environ(), Dir: place, Bind: &run.Bind{From: from, At: place}, Outputs: []string{"made"}}
	}
	if res, err := l.Run(t.Context(), specs[0]); err != nil || res.End.Code == 125 {
		t.Skipf("no right to mount: %v, %+v", err, res)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "a", "made"))); err != nil {
		t.Fatalf("the run did not write into its directory: %v", err)
	}
	all, err := l.Together(t.Context(), specs, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for i, res := range all {
		if want := int64(len(place) + 2 + i); res.Stdout.Length != want || !res.Outputs[0].Written {
			t.Errorf("run %d: %d bytes, not %d; %+v", i, res.Stdout.Length, want, res.Outputs)
		}
	}
	if left, err := os.ReadDir(place); err != nil || len(left) > 0 {
		t.Errorf("the place outside has %v: %v", left, err)
	}
}
