package ebpf

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/proctree"
	"whyhot/internal/profile"
)

func TestExpectedProcesses(t *testing.T) {
	const hour = time.Hour
	e := &expected{samples: 250, before: map[int]proctree.Times{
		1: {CPU: time.Second, Start: hour}, 2: {CPU: time.Second, Start: hour}, 3: {CPU: time.Second, Start: hour}, 4: {CPU: 60 * time.Second, Start: hour},
	}}
	for what, c := range map[string]struct {
		pid  int
		now  proctree.Times
		want bool
	}{
		"slept":              {1, proctree.Times{CPU: time.Second, Start: hour}, false},
		"ran since":          {2, proctree.Times{CPU: time.Second + 10*time.Millisecond, Start: hour}, true},
		"another since":      {3, proctree.Times{Start: 2*hour - time.Second}, true},
		"often runs":         {4, proctree.Times{CPU: 60 * time.Second, Start: hour}, true},
		"new":                {5, proctree.Times{Start: 2*hour - time.Second}, true},
		"new at this moment": {6, proctree.Times{Start: 2 * hour}, true},
	} {
		if got := e.of(c.pid, c.now, 2*hour); got != c.want {
			t.Errorf("%s: expected %v, want %v", what, got, c.want)
		}
	}
	sleeper := start(t, "sleep", "1000")
	e = expectedIn(49, time.Millisecond)
	pids := []uint32{uint32(os.Getpid()), uint32(sleeper.Process.Pid), 1 << 30}
	for begin := ownCPU(t); ownCPU(t) < begin+50*time.Millisecond; { // five ticks of its own
	}
	if got := e.only(pids); !slices.Equal(got, pids[:1]) {
		t.Errorf("of %d, which ran, and %d, which slept: %d", pids[0], pids[1], got)
	}
}

// ownCPU is the processor time that this process has had.
func ownCPU(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestSleeperThatWakesUp records one that nobody expected.
func TestSleeperThatWakesUp(t *testing.T) {
	usable(t.Context(), t)
	program := burn.Build(t)
	settled(t, func(v *verdict) {
		cmd := start(t, program, "forever", "1")
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		var once sync.Once
		p, _ := record(t.Context(), t, collect.Request{
			Target: collect.Target{System: true}, Settings: collect.Settings{Duration: 2 * time.Second, Frequency: 199},
			Progress: func(g collect.Progress) {
				if g.Phase == collect.PhaseRecording {
					once.Do(func() { _ = cmd.Process.Signal(syscall.SIGCONT) })
				}
			},
		})
		_ = cmd.Process.Kill()
		var all, cut int64
		for _, s := range p.Samples() {
			if l, ok := p.Label(s.Labels, profile.LabelPID); !ok || l.Num != int64(cmd.Process.Pid) {
				continue
			}
			all += s.Count
			stack := p.Stack(s.Stack)
			if p.Function(p.Lines(stack[len(stack)-1])[0].Function).Name == profile.TruncatedStack {
				cut += s.Count
			}
		}
		if all < 10 || cut*10 > all {
			v.Errorf("%d samples, %d of them cut", all, cut)
		}
	})
}
