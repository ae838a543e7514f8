package preload

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
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

func silent(t *testing.T) command.Streams {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return command.Streams{In: null, Out: null, Err: null}
}

func try(t *testing.T, settings collect.Settings, args ...string) (*profile.Profile, collect.Outcome, error) {
	t.Helper()
	s := &Sampler{}
	r := collect.Request{
		Target: collect.Target{Command: args}, Settings: settings, TempDir: t.TempDir(), Streams: silent(t),
	}
	if err := s.Available(t.Context(), r.Target); err != nil {
		t.Skipf("preloading does not work here: %v", err)
	}
	var p *profile.Profile
	out, err := s.Record(t.Context(), r, func(q *profile.Profile) error { p = q; return nil })
	return p, out, err
}

func TestShares(t *testing.T) {
	for _, mode := range []string{"plain", "threads", "fork"} {
		t.Run(mode, func(t *testing.T) {
			program := burn.Build(t)
			p, out, err := try(t, collect.Settings{}, program, mode, "150")
			if err != nil || out.Exit == nil || out.Exit.Failed() {
				t.Fatalf("outcome %+v, %v", out, err)
			}
			heavy, light := burn.Shares(t, p, program)
			if !burn.Near(heavy, 0.75, p.Count()) || !burn.Near(light, 0.25, p.Count()) {
				t.Errorf("heavy %.3f, light %.3f of %d samples, want 0.75 and 0.25", heavy, light, p.Count())
			}
			if got := burn.Callers(t, p, program); got < 0.95 {
				t.Errorf("%.3f of the stacks have their caller", got)
			}
			if low := p.Meta.Coverage.Low(); low != (mode == "fork") {
				t.Errorf("coverage %+v", p.Meta.Coverage)
			}
		})
	}
}

func TestProcessesOfAShell(t *testing.T) {
	program := burn.Build(t)
	p, out, err := try(t, collect.Settings{}, "sh", "-c", `"$0" plain 60; exec "$0" plain 60`, program)
	if err != nil || out.Exit.Failed() {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	pids := map[int64]bool{}
	for _, s := range p.Samples() {
		if name, _ := p.Label(s.Labels, profile.LabelProcess); name.Str != "burn" {
			continue
		}
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		pids[pid.Num] = true
	}
	if len(pids) != 2 {
		t.Errorf("samples of %d processes called burn, want 2", len(pids))
	}
	mappings := 0
	for i := range p.NumMappings() {
		if m := p.Mapping(profile.MappingID(i)); m.Path == program {
			mappings++
			if m.BuildID == "" {
				t.Error("the program has no build ID")
			}
		}
	}
	if mappings != 1 {
		t.Errorf("the program is %d mappings, want 1 for both processes", mappings)
	}
}

func TestWhatLeavesNoSamples(t *testing.T) {
	program := burn.Build(t)
	for _, mode := range []string{"exit", "kill"} {
		_, out, err := try(t, collect.Settings{}, program, mode, "150")
		if err == nil || !strings.Contains(err.Error(), "-d SECONDS") || out.Exit == nil {
			t.Errorf("%s: outcome %+v, error %v", mode, out, err)
		}
	}
}

func TestTooShort(t *testing.T) {
	if _, _, err := try(t, collect.Settings{}, "sh", "-c", "exit 0"); !errors.Is(err, collect.ErrNoSamples) {
		t.Errorf("error %v", err)
	}
}

func TestTimed(t *testing.T) {
	program := burn.Build(t)
	for _, args := range [][]string{{program, "forever", "1"}, {"sh", "-c", `exec "$0" forever 1`, program}} {
		p, out, err := try(t, collect.Settings{Duration: 3 * time.Second}, args...)
		if err != nil {
			t.Fatal(err)
		}
		if !out.EndedByUs || out.Exit.Signal != syscall.SIGTERM {
			t.Errorf("outcome %+v", out)
		}
		heavy, light := burn.Shares(t, p, program)
		if heavy < 0.4 || heavy+light < 0.9 {
			t.Errorf("%s: heavy %.3f, light %.3f of %d samples", filepath.Base(args[0]), heavy, light, p.Count())
		}
	}
}

func TestCheckProgram(t *testing.T) {
	program := burn.Build(t)
	if machine, err := checkProgram(program); err != nil || machine == elf.EM_NONE {
		t.Errorf("a plain program: %v, %v", machine, err)
	}
	static := burn.Build(t, "-static")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		static: "statically linked", "go": "Go program", text: "not an ELF program", "no-such-command": "not found",
	} {
		_, err := checkProgram(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filepath.Base(name), err, want)
		}
	}
	if _, err := usable(collect.Target{PIDs: []int{1}}); err == nil || !strings.Contains(err.Error(), "-p") {
		t.Errorf("a running process: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	got := environment([]string{"A=1", "LD_PRELOAD=/lib/mine.so", "CPUPROFILE=old", "CPUPROFILE_REALTIME=1"}, "/lib/prof.so", "/tmp/x", 99, true)
	for _, want := range []string{"A=1", "LD_PRELOAD=/lib/mine.so:/lib/prof.so", "CPUPROFILE=\xaftmp/x/cpu", "CPUPROFILE_FREQUENCY=99", "CPUPROFILESIGNAL=50"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if len(got) != 5 {
		t.Errorf("%q has more than that", got)
	}
}

func TestProcessOf(t *testing.T) {
	for name, want := range map[string]int{"cpu_12": 12, "cpu_12.0": 12, "cpu": 7, "cpu.0": 7} {
		if pid, ok := processOf(name, 7); !ok || pid != want {
			t.Errorf("%s: %d, %v", name, pid, ok)
		}
	}
	for _, name := range []string{"other", "cpu_x"} {
		if _, ok := processOf(name, 7); ok {
			t.Errorf("%s is taken for a profile", name)
		}
	}
}

const maps = "00400000-00500000 r-xp 00000000 08:01 1 /usr/bin/x\n"

// written is what one process writes: each stack with its count.
func written(stacks map[uint64]uint64) []byte {
	words := []uint64{0, 3, 0, 10000, 0}
	for pc, count := range stacks {
		words = append(words, count, 1, pc)
	}
	words = append(words, 0, 1, 0)
	var out []byte
	for _, w := range words {
		out = binary.NativeEndian.AppendUint64(out, w)
	}
	return append(out, maps...)
}

func TestForkedCopiesAreNotCountedTwice(t *testing.T) {
	before := map[uint64]uint64{0x400100: 3}
	after := map[uint64]uint64{0x400100: 5, 0x400200: 4}
	for _, file := range [][]byte{
		slices.Concat(written(before), written(after)),
		slices.Concat(written(after), written(before), written(before)),
	} {
		p, err := parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := p.events; n != 9 {
			t.Errorf("%d samples, want the parent's 9", n)
		}
	}
}

// A caller that all samples share is a caller, not the profiler's own frame.
func TestSharedCallersAreKept(t *testing.T) {
	words := []uint64{0, 3, 0, 10000, 0, 2, 3, 0x400100, 0x400201, 0x400301, 1, 3, 0x400110, 0x400201, 0x400301, 0, 1, 0}
	var data []byte
	for _, w := range words {
		data = binary.NativeEndian.AppendUint64(data, w)
	}
	s, err := parse(append(data, maps...))
	if err != nil {
		t.Fatal(err)
	}
	m := &merged{builder: profile.NewBuilder(), rebased: map[segmentKey]profile.Mapping{}, buildID: func(string) string { return "" }}
	m.add(s, 1)
	p := m.builder.Build(profile.Meta{})
	for _, row := range p.Samples() {
		stack := p.Stack(row.Stack)
		if len(stack) != 3 || p.Location(stack[1]).Address != 0x400200 || p.Location(stack[2]).Address != 0x400300 {
			t.Errorf("stack of %d frames", len(stack))
		}
	}
	if p.Count() != 3 || p.Total() != 3*10_000_000 {
		t.Errorf("count %d, total %d", p.Count(), p.Total())
	}
}

func TestCutFiles(t *testing.T) {
	whole := written(map[uint64]uint64{0x400100: 3})
	for n := range len(whole) - len(maps) {
		if _, err := parse(whole[:n]); n > 0 && !errors.Is(err, errIncomplete) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := parse([]byte(strings.Repeat("x", 100))); err == nil || errors.Is(err, errIncomplete) {
		t.Errorf("a foreign file: %v", err)
	}
}

func TestCancelGivesTheCommandTime(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a command that ignores the end of the recording")
	}
	program := burn.Build(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := collect.Request{
		Target: collect.Target{Command: []string{program, "plain", "100"}}, TempDir: t.TempDir(), Streams: silent(t),
	}
	s := &Sampler{}
	if err := s.Available(ctx, r.Target); err != nil {
		t.Skip(err)
	}
	out, err := s.Record(ctx, r, func(*profile.Profile) error { return nil })
	if err != nil || out.Exit == nil || out.Exit.Failed() {
		t.Errorf("outcome %+v, %v; want the command to end by itself and its samples", out, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(written(map[uint64]uint64{0x400100: 3}))
	f.Add(slices.Concat(written(map[uint64]uint64{0x400100: 3}), written(map[uint64]uint64{0x400200: 9})))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parse(data)
		if err != nil {
			return
		}
		m := &merged{builder: profile.NewBuilder(), rebased: map[segmentKey]profile.Mapping{}, buildID: func(string) string { return "" }}
		m.add(p, 1)
		m.builder.Build(profile.Meta{})
	})
}
