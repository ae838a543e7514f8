package ebpf

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/command"
	"whyhot/internal/profile"
)

// usable skips a test where the machine does not let the profiler run.
func usable(ctx context.Context, t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("loading the profiler takes seconds")
	}
	if err := (&Sampler{}).Available(ctx, collect.Target{System: true}); err != nil {
		t.Skipf("the eBPF profiler cannot record here: %v", err)
	}
}

func record(ctx context.Context, t *testing.T, r collect.Request) (*profile.Profile, collect.Outcome) {
	t.Helper()
	usable(ctx, t)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r.TempDir, r.Streams = t.TempDir(), command.Streams{In: null, Out: null, Err: null}
	var p *profile.Profile
	out, err := (&Sampler{}).Record(ctx, r, func(q *profile.Profile) error { p = q; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return p, out
}

// nativeOf is the share of the samples with a frame in the file.
func nativeOf(p *profile.Profile, file string) float64 {
	return share(p, func(f *profile.Function) bool { return p.Mapping(f.Mapping).Path == file })
}

// share is that of the samples with a frame of a function that matches.
func share(p *profile.Profile, matches func(*profile.Function) bool) float64 {
	in := int64(0)
	for _, s := range p.Samples() {
	stack:
		for _, l := range p.Stack(s.Stack) {
			for _, line := range p.Lines(l) {
				if matches(p.Function(line.Function)) {
					in += s.Count
					break stack
				}
			}
		}
	}
	return float64(in) / float64(max(p.Count(), 1))
}

// whole is the share of the stacks that reach their root.
func whole(p *profile.Profile) float64 {
	return 1 - share(p, func(f *profile.Function) bool { return f.Name == profile.TruncatedStack })
}

// verdict collects what is wrong with one recording.
type verdict struct{ problems []string }

func (v *verdict) Errorf(format string, args ...any) {
	v.problems = append(v.problems, fmt.Sprintf(format, args...))
}

// settled lets attempt record and judge up to three times. A profiler that gets
// no processor because the machine is busy learns too late what was mapped where
// and cuts stacks; what is wrong with the sampler itself is wrong each time.
func settled(t *testing.T, attempt func(*verdict)) {
	t.Helper()
	const attempts = 3
	for i := range attempts {
		var v verdict
		attempt(&v)
		if len(v.problems) == 0 {
			return
		}
		for _, problem := range v.problems {
			if i < attempts-1 {
				t.Logf("attempt %d: %s", i+1, problem)
			} else {
				t.Error(problem)
			}
		}
	}
}

// muslSpecs make gcc build for musl.
var muslSpecs = map[string]string{
	"amd64": "/usr/lib/x86_64-linux-musl/musl-gcc.specs", "arm64": "/usr/lib/aarch64-linux-musl/musl-gcc.specs",
}[runtime.GOARCH]

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		name, mode string
		flags      []string
	}{
		{"without frame pointers", "plain", []string{"-fomit-frame-pointer"}},
		{"threads", "threads", nil},
		{"fork", "fork", nil},
		{"static", "plain", []string{"-static"}},
		{"static, at any address", "plain", []string{"-static-pie"}},
		{"musl", "plain", []string{"-specs", muslSpecs}},
		{"musl, static", "threads", []string{"-specs", muslSpecs, "-static"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(muslSpecs); err != nil && slices.Contains(c.flags, muslSpecs) {
				t.Skip("musl-tools is not installed")
			}
			program := burn.Build(t, c.flags...)
			settled(t, func(v *verdict) {
				p, out := record(t.Context(), t, collect.Request{
					Target: collect.Target{Command: []string{program, c.mode, "200"}}, Settings: collect.Settings{Frequency: 499},
				})
				if out.Exit == nil || out.Exit.Failed() || out.EndedByUs {
					v.Errorf("outcome %+v", out)
				}
				heavy, light := burn.Shares(t, p, program)
				if !burn.Near(heavy, 0.75, p.Count()) || !burn.Near(light, 0.25, p.Count()) {
					v.Errorf("heavy %.3f, light %.3f of %d samples, want 0.75 and 0.25", heavy, light, p.Count())
				}
				if got := burn.Callers(t, p, program); got < 0.97 {
					v.Errorf("%.3f of the stacks have their caller", got)
				}
				if got := burn.Reaches(t, p, program, "main"); got < 0.97 && c.mode == "plain" {
					v.Errorf("%.3f of the stacks reach main", got)
				}
				// musl's own code has no unwind tables: stacks end where it calls main.
				if got := whole(p); got < 0.97 && !slices.Contains(c.flags, muslSpecs) {
					v.Errorf("%.3f of the stacks are whole", got)
				}
				if m := p.Meta; m.Duration <= 0 || m.Start.IsZero() || m.Period != int64(time.Second/499) || m.ValueType.Unit != "nanoseconds" {
					v.Errorf("meta %+v", m)
				}
			})
		})
	}
}

// A stripped program is unwound all the same, and its mapping has the build ID.
func TestStrippedProgram(t *testing.T) {
	program := burn.Build(t, "-s")
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program, "plain", "100"}}})
		if got := whole(p); got < 0.97 || nativeOf(p, program) < 0.97 {
			v.Errorf("%.3f of the stacks are whole, %.3f in the program", got, nativeOf(p, program))
		}
		for i := range p.NumMappings() {
			m := p.Mapping(profile.MappingID(i))
			if strings.HasPrefix(m.Path, "/") && (m.BuildID == "" || m.Limit <= m.Start) {
				v.Errorf("mapping %+v", m)
			}
		}
	})
}

func TestLabelsAndTheTreeOfProcesses(t *testing.T) {
	program := burn.Build(t)
	// Not of the tree, and busy all the time.
	other := exec.CommandContext(t.Context(), program, "forever", "1")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	p, out := record(t.Context(), t, collect.Request{
		Target: collect.Target{Command: []string{"sh", "-c", `"$0" plain 60 & "$0" plain 60; wait; exit 9`, program}},
	})
	if out.Exit == nil || out.Exit.Code != 9 {
		t.Errorf("exit %v, want status 9", out.Exit)
	}
	pids := map[int64]bool{}
	for _, s := range p.Samples() {
		name, _ := p.Label(s.Labels, profile.LabelProcess)
		thread, _ := p.Label(s.Labels, profile.LabelThread)
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		if pid.Num == int64(other.Process.Pid) {
			t.Error("a process that is not of the tree was recorded")
		}
		if name.Str == "burn" {
			pids[pid.Num] = true
		}
		if name.Str == "" || thread.Str == "" {
			t.Errorf("labels %+v", p.Labels(s.Labels))
		}
	}
	if len(pids) != 2 {
		t.Errorf("samples of %d processes called burn, want 2", len(pids))
	}
}

func TestRunningProcessAndWholeMachine(t *testing.T) {
	program := burn.Build(t)
	cmd := exec.CommandContext(t.Context(), program, "forever", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	settled(t, func(v *verdict) {
		p, out := record(t.Context(), t, collect.Request{
			Target: collect.Target{PIDs: []int{cmd.Process.Pid}}, Settings: collect.Settings{Duration: time.Second},
		})
		if out.Exit != nil {
			v.Errorf("outcome %+v of a process that was not started here", out)
		}
		heavy, light := burn.Shares(t, p, program)
		if heavy < 0.5 || light < 0.05 || heavy+light < 0.9 || whole(p) < 0.97 {
			v.Errorf("heavy %.3f, light %.3f, whole %.3f of %d samples", heavy, light, whole(p), p.Count())
		}
		p, _ = record(t.Context(), t, collect.Request{Target: collect.Target{System: true}, Settings: collect.Settings{Duration: time.Second, Frequency: 199}})
		if heavy, _ := burn.Shares(t, p, program); heavy == 0 {
			v.Errorf("the busy program is in none of %d samples", p.Count())
		}
	})
}

func TestDurationEndsTheCommand(t *testing.T) {
	program := burn.Build(t)
	p, out := record(t.Context(), t, collect.Request{
		Target: collect.Target{Command: []string{program, "forever", "1"}}, Settings: collect.Settings{Duration: 700 * time.Millisecond},
	})
	if !out.EndedByUs || out.Exit == nil || out.Exit.Signal != syscall.SIGTERM {
		t.Errorf("outcome %+v", out)
	}
	if p.Count() == 0 || p.Meta.Duration < 700*time.Millisecond {
		t.Errorf("%d samples in %s", p.Count(), p.Meta.Duration)
	}
}

// The file of a program that is replaced while it runs is kept for naming.
func TestReplacedProgram(t *testing.T) {
	program := burn.Build(t)
	other := burn.Build(t, "-DOTHER", "-O1")
	old, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	usable(t.Context(), t)
	settled(t, func(v *verdict) {
		if err := os.WriteFile(program, old, 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		request := collect.Request{Target: collect.Target{Command: []string{
			"sh", "-c", `"$0" plain 200 & until [ /proc/$!/exe -ef "$0" ]; do :; done; sleep 0.2; rm "$0"; cp "$1" "$0"; wait`, program, other,
		}}}
		request.TempDir = t.TempDir()
		var p *profile.Profile
		if _, err := (&Sampler{}).Record(t.Context(), request, func(q *profile.Profile) error { p = q; return nil }); err != nil {
			t.Fatal(err)
		}
		if nativeOf(p, program) < 0.5 {
			v.Errorf("%.3f of the samples are in the program", nativeOf(p, program))
		}
		kept, err := os.ReadFile(filepath.Join(request.BinariesDir(), program))
		if err != nil || string(kept) != string(old) {
			v.Errorf("the old file was not kept: %d bytes of %d, %v", len(kept), len(old), err)
		}
	})
}
