package proctree

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// fakeProc writes stat files: ID, name, parent.
func fakeProc(t *testing.T, processes map[int]string) string {
	t.Helper()
	root := t.TempDir()
	for pid, stat := range processes {
		dir := filepath.Join(root, fmt.Sprint(pid))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(stat), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "sys"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestDescendants(t *testing.T) {
	root := fakeProc(t, map[int]string{
		1:  "1 (init) S 0 1 1",
		10: "10 (a b) R) S 1 1 1", // a name may hold spaces and parentheses
		11: "11 (c) S 10 1 1",
		12: "12 (d) S 11 1 1",
		20: "20 (e) S 1 1 1",
		21: "21 (damaged",
		22: "22 (short) S",
	})
	for _, c := range []struct {
		of, want []int
	}{
		{[]int{10}, []int{10, 11, 12}},
		{[]int{12, 20, 12}, []int{12, 20}},
		{[]int{99}, []int{99}},
		{nil, nil},
	} {
		if got := descendants(root, c.of); !slices.Equal(got, c.want) {
			t.Errorf("of %v: %v, want %v", c.of, got, c.want)
		}
	}
}

func TestThisProcessIsThere(t *testing.T) {
	if !slices.Contains(All(), os.Getpid()) {
		t.Error("this process is not in the list")
	}
	if got := Descendants([]int{os.Getppid()}); !slices.Contains(got, os.Getpid()) {
		t.Errorf("this process is no child of its parent: %v", got)
	}
}

func TestTimes(t *testing.T) {
	root := fakeProc(t, map[int]string{
		10: "10 (a b) R) S 1 1 1 0 -1 0 0 0 0 0 120 30 7 7 20 0 1 0 4000 1 1",
		22: "22 (short) S 1 1 1 0 -1 0 0 0 0 0 120 30",
	})
	if err := os.WriteFile(filepath.Join(root, "uptime"), []byte("100.25 180.00\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	times, now := allTimes(root)
	want := Times{CPU: 1500 * time.Millisecond, Start: 40 * time.Second}
	if len(times) != 1 || times[10] != want || now != 100250*time.Millisecond {
		t.Errorf("%+v at %s, want %+v", times, now, want)
	}
	if times, now := AllTimes(); times[os.Getpid()].Start <= 0 || times[os.Getpid()].Start > now {
		t.Errorf("this process: %+v at %s", times[os.Getpid()], now)
	}
}
