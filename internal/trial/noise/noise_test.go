//go:build linux

package noise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestNotes(t *testing.T) {
	proc := func(name string, cpu float64) process { return process{name, cpu} }
	before := snapshot{load: 0.5, busy: 100, processes: map[int]process{1: proc("chrome", 10), 2: proc("idle", 5), 3: proc("old", 1)}}
	after := snapshot{busy: 118, processes: map[int]process{1: proc("chrome", 16), 2: proc("idle", 5.1), 3: proc("new", 50)}}
	for _, c := range []struct {
		name          string
		before, after snapshot
		ours          float64
		want          []string
	}{
		{"quiet", before, after, 18, nil},
		{"others", before, after, 10, []string{"0.8 of 2 CPUs busy", "chrome 60%; take another"}},
		{"load", snapshot{load: 3.25}, snapshot{}, 0, []string{"load average was 3.2 at the start, on 2 CPUs"}},
		{"steal", snapshot{}, snapshot{steal: 0.5}, 0, []string{"5% of a CPU"}},
		{"shared cores", before, after, 10, []string{"share a core", "take another"}},
		{"heat", snapshot{heat: 5}, snapshot{heat: 8}, 0, []string{"too hot and throttled 3 times"}},
		{"quota", snapshot{}, snapshot{throttled: 2}, 0, []string{"20% of the time"}},
	} {
		got := strings.Join(notes(c.before, c.after, 10, c.ours, 2, c.name == "shared cores", nil, "take another"), "\n")
		if len(c.want) == 0 && got != "" {
			t.Errorf("%s: %q", c.name, got)
		}
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in %q", c.name, w, got)
			}
		}
		if strings.Contains(got, "idle") || strings.Contains(got, "new") {
			t.Errorf("%s blames the innocent: %q", c.name, got)
		}
	}
}

func write(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSettingsAndCounters(t *testing.T) {
	root := t.TempDir()
	write(t, root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
	write(t, root, "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
	write(t, root, "sys/class/power_supply/BAT0/type", "Battery\n")
	write(t, root, "sys/class/power_supply/BAT0/status", "Discharging\n")
	write(t, root, "proc/sys/kernel/randomize_va_space", "0\n")
	write(t, root, "sys/devices/system/cpu/cpufreq/boost", "1\n")
	write(t, root, "sys/devices/system/cpu/smt/active", "1\n")
	write(t, root, "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n")
	write(t, root, "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n")
	got := strings.Join(settings(root), "\n")
	if strings.Count(got, "powersave") != 1 || !strings.Contains(got, "battery") || !strings.Contains(got, "not randomised") || !strings.Contains(got, "turbo is on") || !smt(root) {
		t.Errorf("%q", got)
	}
	write(t, root, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n")
	if turbo(root) || heat(root) != 7 {
		t.Errorf("turbo %v, heat %v", turbo(root), heat(root))
	}
	write(t, root, "proc/loadavg", "1.50 1 1 1/1 1\n")
	write(t, root, "proc/stat", "cpu  100 0 200 1000 50 10 10 300 0 0\ncpu0 1 1\n")
	write(t, root, "proc/self/cgroup", "1:cpu:/\n0::/a/b\n")
	write(t, root, "sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nthrottled_usec 2500000\n")
	write(t, root, "proc/77/stat", "77 (my (odd) name) S 1 1 1 0 -1 0 0 0 0 0 150 50 0 0 20 0 1 0 1 1 1\n")
	write(t, root, "proc/78/stat", "78 (gone)")
	s := look(root)
	if s.load != 1.5 || s.busy != 3.2 || s.steal != 3 || s.throttled != 2.5 {
		t.Errorf("%+v", s)
	}
	if p := s.processes[77]; p.name != "my (odd) name" || p.cpu != 2 || len(s.processes) != 1 {
		t.Errorf("%+v", s.processes)
	}
}

func TestNothingToReadIsNothingToSay(t *testing.T) {
	if n := startAt(t.TempDir()).Notes(time.Second, ""); len(n) != 0 {
		t.Errorf("%q", n)
	}
	for _, bad := range []string{"", "cpu 1 2", "cpu a b c d e f g h i", "intr 1 2 3 4 5 6 7 8 9"} {
		if b, s := parseCPU(bad); b != 0 || s != 0 {
			t.Errorf("%q: %v, %v", bad, b, s)
		}
	}
}

func TestThisMachine(t *testing.T) {
	model, kernel := Machine()
	if kernel == "" {
		t.Error("no kernel version")
	}
	_ = model // ARM kernels name none
	if s := look("/"); s.busy <= 0 || len(s.processes) == 0 {
		t.Errorf("%+v", s)
	}
}

// What others used is what all used but for us.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		write(t, root, "proc/stat", "cpu  100 0 0 1000 0 0 0 0 0 0\n")
		w := startAt(root)
		time.Sleep(10 * time.Second)
		write(t, root, "proc/stat", "cpu  1100 0 0 1000 0 0 0 0 0 0\n")
		if got := w.Busy(4 * time.Second); got != 0.6 {
			t.Errorf("%v CPUs", got)
		}
		if got := w.Busy(time.Minute); got != 0 {
			t.Errorf("%v CPUs", got)
		}
	})
}
