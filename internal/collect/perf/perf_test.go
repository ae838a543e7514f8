package perf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/command"
	"whyhot/internal/profile"
)

// usable skips a test where the machine does not let perf record.
func usable(ctx context.Context, t *testing.T, target collect.Target) {
	t.Helper()
	if err := (&Sampler{}).Available(ctx, target); err != nil {
		t.Skipf("perf cannot record here: %v", err)
	}
}

// silent gives a command streams that nobody reads.
func silent(t *testing.T) command.Streams {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return command.Streams{In: null, Out: null, Err: null}
}

func record(ctx context.Context, t *testing.T, r collect.Request) (*profile.Profile, collect.Outcome) {
	t.Helper()
	usable(ctx, t, r.Target)
	r.TempDir, r.Streams = t.TempDir(), silent(t)
	var p *profile.Profile
	out, err := (&Sampler{}).Record(ctx, r, func(q *profile.Profile) error { p = q; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return p, out
}

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		name, mode string
		flags      []string
		settings   collect.Settings
	}{
		{"one thread", "plain", nil, collect.Settings{}},
		{"threads", "threads", nil, collect.Settings{}},
		{"fork", "fork", nil, collect.Settings{}},
		{"static", "plain", []string{"-static"}, collect.Settings{}},
		{"frame pointers", "plain", []string{"-fno-omit-frame-pointer", "-static"}, collect.Settings{CallGraph: collect.CallGraphFP}},
		{"another frequency", "plain", nil, collect.Settings{Frequency: 997, StackBytes: 4096}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := burn.Build(t, c.flags...)
			p, out := record(t.Context(), t, collect.Request{
				Target: collect.Target{Command: []string{program, c.mode, "100"}}, Settings: c.settings,
			})
			if out.Exit == nil || out.Exit.Failed() || out.EndedByUs {
				t.Errorf("outcome %+v", out)
			}
			heavy, light := burn.Shares(t, p, program)
			if !burn.Near(heavy, 0.75, p.Count()) || !burn.Near(light, 0.25, p.Count()) {
				t.Errorf("heavy %.3f, light %.3f of %d samples, want 0.75 and 0.25", heavy, light, p.Count())
			}
			if got := burn.Callers(t, p, program); got < 0.97 && c.settings.CallGraph != collect.CallGraphFP {
				t.Errorf("%.3f of the stacks have their caller", got)
			}
			// Compilers leave the frame pointer out of small leaf functions, which
			// hides their caller, but not its callers.
			if got := burn.Reaches(t, p, program, "main"); got < 0.97 && c.mode == "plain" {
				t.Errorf("%.3f of the stacks reach main", got)
			}
			if m := p.Meta; m.Duration <= 0 || m.Start.IsZero() || m.Period <= 0 {
				t.Errorf("meta %+v", m)
			}
		})
	}
}

func TestEveryMappingHasItsBuildID(t *testing.T) {
	program := burn.Build(t)
	p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program, "plain", "20"}}})
	for i := range p.NumMappings() {
		m := p.Mapping(profile.MappingID(i))
		if strings.HasPrefix(m.Path, "/") && m.BuildID == "" {
			t.Errorf("%s has no build ID", m.Path)
		}
	}
}

func TestExitStatusAndLabels(t *testing.T) {
	program := burn.Build(t)
	p, out := record(t.Context(), t, collect.Request{
		Target: collect.Target{Command: []string{"sh", "-c", `"$0" plain 20; "$0" plain 20; exit 9`, program}},
	})
	if out.Exit == nil || out.Exit.Code != 9 {
		t.Errorf("exit %v, want status 9", out.Exit)
	}
	pids := map[int64]bool{}
	for _, s := range p.Samples() {
		name, _ := p.Label(s.Labels, profile.LabelProcess)
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		if name.Str == "burn" {
			pids[pid.Num] = true
		}
	}
	if len(pids) != 2 {
		t.Errorf("samples of %d processes called burn, want 2", len(pids))
	}
}

func TestDurationEndsTheCommand(t *testing.T) {
	program := burn.Build(t)
	p, out := record(t.Context(), t, collect.Request{
		Target:   collect.Target{Command: []string{program, "forever", "1"}},
		Settings: collect.Settings{Duration: 500 * time.Millisecond},
	})
	if !out.EndedByUs || out.Exit == nil || out.Exit.Signal != syscall.SIGTERM {
		t.Errorf("outcome %+v", out)
	}
	if p.Count() == 0 || p.Meta.Duration < 500*time.Millisecond {
		t.Errorf("%d samples in %s", p.Count(), p.Meta.Duration)
	}
}

func TestCancelKeepsWhatThereIs(t *testing.T) {
	program := burn.Build(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ticks := 0
	usable(t.Context(), t, collect.Target{Command: []string{program}})
	p, out := record(ctx, t, collect.Request{
		Target: collect.Target{Command: []string{"timeout", "2", program, "forever", "1"}},
		Progress: func(s collect.Progress) {
			if ticks++; s.Phase == collect.PhaseRecording && ticks == 2 {
				cancel()
			}
		},
	})
	if p.Count() == 0 || out.Exit == nil || out.Exit.Code != 124 {
		t.Errorf("%d samples, outcome %+v; want samples and the command's own end", p.Count(), out)
	}
}

func TestRunningProcess(t *testing.T) {
	program := burn.Build(t)
	cmd := exec.CommandContext(t.Context(), program, "forever", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	p, out := record(t.Context(), t, collect.Request{
		Target: collect.Target{PIDs: []int{cmd.Process.Pid}}, Settings: collect.Settings{Duration: 700 * time.Millisecond},
	})
	if out.Exit != nil {
		t.Errorf("outcome %+v of a process that was not started here", out)
	}
	heavy, light := burn.Shares(t, p, program)
	if heavy < 0.5 || light < 0.05 || heavy+light < 0.85 { // the rest is the kernel, more of it on a busy machine
		t.Errorf("heavy %.3f, light %.3f of %d samples", heavy, light, p.Count())
	}
}

func TestWholeMachine(t *testing.T) {
	program := burn.Build(t)
	usable(t.Context(), t, collect.Target{System: true})
	cmd := exec.CommandContext(t.Context(), program, "forever", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	p, _ := record(t.Context(), t, collect.Request{
		Target: collect.Target{System: true}, Settings: collect.Settings{Duration: time.Second, Frequency: 199},
	})
	if heavy, _ := burn.Shares(t, p, program); heavy == 0 {
		t.Errorf("the busy program is in none of %d samples", p.Count())
	}
}

// start runs a command until the end of the test.
func start(t *testing.T, args []string) (pid int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

func TestPlan(t *testing.T) {
	tl := &tool{options: "--call-graph --control --buildid-mmap --max-size"}
	granted := func(*unix.PerfEventAttr) error { return nil }
	p, err := (&Sampler{}).plan(&collect.Request{Target: collect.Target{System: true}, TempDir: t.TempDir()}, granted)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(p.arguments(tl, collect.Target{System: true}, nil, "out"), " ")
	for _, want := range []string{"-e cycles ", "-F 49", "dwarf,8192", "--buildid-mmap", "--max-size=", " -a"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	got = strings.Join(p.arguments(tl, collect.Target{}, []int{7, 5, 7}, "out"), " ")
	if !strings.HasSuffix(got, "-p 5,7") {
		t.Errorf("%q does not end in the process IDs", got)
	}
}

func TestBufferSize(t *testing.T) {
	for _, c := range []struct{ cpus, want int }{{2, 8 << 20}, {16, 8 << 20}, {64, 2 << 20}, {1024, 1 << 20}} {
		if got := bufferSize(c.cpus, true); got != c.want {
			t.Errorf("%d CPUs: %d, want %d", c.cpus, got, c.want)
		}
	}
	if got := bufferSize(2, false); got != 0 {
		t.Errorf("without the privilege: %d", got)
	}
}

func TestChooseEvent(t *testing.T) {
	hardware := func(a *unix.PerfEventAttr) bool { return a.Type == unix.PERF_TYPE_HARDWARE }
	kernel := func(a *unix.PerfEventAttr) bool { return a.Bits&unix.PerfBitExcludeKernel == 0 }
	for _, c := range []struct {
		name string
		open opener
		want string
	}{
		{"everything", func(*unix.PerfEventAttr) error { return nil }, "cycles"},
		{"virtual machine", func(a *unix.PerfEventAttr) error {
			if hardware(a) {
				return unix.ENOENT
			}
			return nil
		}, "cpu-clock"},
		{"paranoid", func(a *unix.PerfEventAttr) error {
			if kernel(a) {
				return unix.EACCES
			}
			return nil
		}, "cycles:u"},
		{"paranoid virtual machine", func(a *unix.PerfEventAttr) error {
			switch {
			case kernel(a):
				return unix.EACCES
			case hardware(a):
				return unix.EOPNOTSUPP
			}
			return nil
		}, "cpu-clock:u"},
	} {
		ev, err := chooseEvent(c.open)
		if err != nil || ev.name != c.want || ev.userOnly != strings.HasSuffix(c.want, ":u") {
			t.Errorf("%s: %+v, %v; want %s", c.name, ev, err, c.want)
		}
	}
	if _, err := chooseEvent(func(*unix.PerfEventAttr) error { return unix.EPERM }); !errors.Is(err, unix.EPERM) {
		t.Errorf("nothing allowed: %v", err)
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err    error
		target collect.Target
		text   string
	}{
		{unix.ENOSYS, collect.Target{}, "no perf_event_open"},
		{unix.ESRCH, collect.Target{PIDs: []int{4242}}, "no process has ID 4242"},
		{unix.EINVAL, collect.Target{}, "invalid argument"},
		{unix.EPERM, collect.Target{}, "perf_event_paranoid"},
	} {
		if got := explain(c.err, c.target).Error(); !strings.Contains(got, c.text) {
			t.Errorf("%v: %q lacks %q", c.err, got, c.text)
		}
	}
}

func TestNoPerfInPath(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := findTool(t.Context())
	un := (*collect.UnavailableError)(nil)
	if err == nil {
		t.Skip("a perf outside PATH was found")
	}
	if !errors.As(err, &un) || un.Remedy == "" || !strings.Contains(un.Missing, "not installed") {
		t.Errorf("%v", err)
	}
}

// A perf that fails must not let the command run.
func TestFailingPerfDoesNotRunTheCommand(t *testing.T) {
	dir := t.TempDir()
	fake := dir + "/perf"
	script := "#!/bin/sh\necho 'the cpu is on strike' >&2\nexit 1\n"
	if err := os.WriteFile(fake, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	marker := dir + "/ran"
	var out collect.Outcome
	r := collect.Request{
		Target: collect.Target{Command: []string{"touch", marker}}, TempDir: t.TempDir(), Streams: silent(t),
	}
	_, err := run(t.Context(), &r, &tool{path: fake}, &plan{event: event{name: "cpu-clock"}}, r.TempDir+"/data", &out)
	if err == nil || !strings.Contains(err.Error(), "the cpu is on strike") {
		t.Errorf("error %v does not say what perf said", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran")
	}
}

func TestMessage(t *testing.T) {
	var out tail
	fmt.Fprint(&out, strings.Repeat("x", tailSize), "\nEvents disabled\n[ perf record: Woken up 1 times ]\nError:\n  it broke\n")
	if got := out.message(); !strings.HasSuffix(got, "it broke") || strings.Contains(got, "Woken") || out.buf.Len() > tailSize {
		t.Errorf("message %.40q of %d bytes", got, out.buf.Len())
	}
}

func TestWhatMayBeMissing(t *testing.T) {
	if got := missing(199, 0); !strings.Contains(got, "-F 1990") {
		t.Errorf("no way out: %q", got)
	}
	if got := missing(199, 3); !strings.Contains(got, "lost 3") {
		t.Errorf("%q", got)
	}
}
