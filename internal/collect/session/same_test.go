package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/ebpf"
	"whyhot/internal/collect/perf"
	"whyhot/internal/host/cgroup/cgrouptest"
	"whyhot/internal/host/tool"
	"whyhot/internal/ingest"
	"whyhot/internal/profile"
)

// tree builds the program of this test and gives the command line that runs it
// for that many seconds.
func tree(t *testing.T, seconds string) []string {
	t.Helper()
	python, err := tool.Find("/usr/bin/python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if _, err := tool.Find("g++"); err != nil {
		t.Skip("g++ is not installed")
	}
	dir := t.TempDir()
	program, child, script := filepath.Join(dir, "tree"), filepath.Join(dir, "branch"), filepath.Join(dir, "leaf.py")
	for out, level := range map[string]string{program: "-O2", child: "-O1"} {
		args := []string{level, "-fomit-frame-pointer", "-pthread", "-o", out, filepath.Join("testdata", "tree.cc")}
		if text, err := exec.CommandContext(t.Context(), "g++", args...).CombinedOutput(); err != nil {
			t.Fatalf("g++: %v\n%s", err, text)
		}
	}
	source := `import sys, time
def leaf(n):
    s = 0
    for i in range(n): s += i * i
    return s
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end: leaf(20000)
`
	if err := os.WriteFile(script, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{program, seconds, child, python, script}
}

// shape is what two recordings of one program have in common: shares of the
// samples by what they show.
type shape map[string]float64

// shapeOf takes apart a profile. Each key says what it is in front of a colon.
func shapeOf(p *profile.Profile) shape {
	counts := map[string]int64{}
	for _, s := range p.Samples() {
		keys := map[string]bool{}
		for _, l := range p.Labels(s.Labels) {
			keys["label:"+l.Key] = true
			if l.Key != profile.LabelPID {
				keys[l.Key+":"+l.Str] = true
			}
		}
		stack := p.Stack(s.Stack)
		for i, id := range stack {
			m := p.Mapping(p.Location(id).Mapping)
			for _, line := range p.Lines(id) {
				f := p.Function(line.Function)
				if f.Kind == profile.KindPython {
					continue // perf does not see them
				}
				keys["mapping:"+m.Path+" "+m.BuildID] = true
				keys["kind:"+f.Kind.String()] = true
				keys["function:"+f.Name+" "+f.Kind.String()+" in "+m.Path] = true
				if i == len(stack)-1 {
					keys["root:"+f.Name] = true
				}
			}
		}
		for k := range keys {
			counts[k] += s.Count
		}
	}
	out := shape{}
	for k, n := range counts {
		out[k] = float64(n) / float64(p.Count())
	}
	return out
}

// recordTree records with one sampler and reads the file.
func recordTree(t *testing.T, s collect.Sampler, target collect.Target) *profile.Profile {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	path := filepath.Join(t.TempDir(), "out.pb.gz")
	r, err := Record(t.Context(), Options{
		Target: target, Sampler: s.Name(), Output: path, Settings: collect.Settings{Frequency: 499},
		Streams: command.Streams{In: null, Out: null, Err: null},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Exit.Failed() {
		t.Fatalf("the program failed: %v", r.Exit)
	}
	p, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Both samplers give the same model of one program: in a container, with threads,
// processes that are forked and become others, and an interpreter.
func TestBothSamplersGiveTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("two recordings take some seconds")
	}
	args := tree(t, "2")
	container, err := cgrouptest.Try(t)
	if err == nil {
		args = container.Command(args...)
	}
	target := collect.Target{Command: args}
	samplers := []collect.Sampler{&ebpf.Sampler{}, &perf.Sampler{}}
	for _, s := range samplers {
		if err := s.Available(t.Context(), target); err != nil {
			t.Skipf("%s cannot record here: %v", s.Name(), err)
		}
	}
	// On a busy machine the eBPF profiler learns too late what was mapped where.
	const attempts = 3
	var problems []string
	for range attempts {
		problems = differences(recordTree(t, samplers[0], target), recordTree(t, samplers[1], target), container)
		if len(problems) == 0 {
			return
		}
		t.Logf("%d differences", len(problems))
	}
	t.Error(strings.Join(problems, "\n"))
}

// differences lists what two recordings of the tree should have in common, and
// have not.
func differences(byEBPF, byPerf *profile.Profile, container *cgrouptest.Container) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	e, p := byEBPF.Meta, byPerf.Meta
	if p.ValueType.Type == "cpu" && (e.ValueType != p.ValueType || e.PeriodType != p.PeriodType || e.Period != p.Period) {
		wrong("units: ebpf %v per %d, perf %v per %d", e.ValueType, e.Period, p.ValueType, p.Period)
	}
	a, b := shapeOf(byEBPF), shapeOf(byPerf)
	for k, share := range a {
		if b.lacks(k, share) {
			wrong("%s: %.3f of the samples of ebpf, %.3f of perf", k, share, b[k])
		}
	}
	for k, share := range b {
		if a.lacks(k, share) {
			wrong("%s: %.3f of the samples of perf, %.3f of ebpf", k, share, a[k])
		}
	}
	for _, k := range []string{
		"process:tree", "process:branch", "process:python3", "thread:calculator", "thread:system caller",
		"root:_start", "kind:kernel", "kind:native", "function:read_zero kernel in [kernel.kallsyms]",
	} {
		if a[k] < noticeable {
			wrong("%s has %.3f of the samples", k, a[k])
		}
	}
	if container != nil && a["container:"+container.ID] < 0.9 {
		wrong("%.3f of the samples are in the container", a["container:"+container.ID])
	}
	return problems
}

// noticeable is the share of samples that cannot be chance.
const noticeable = 0.05

// lacks tells whether something that another recording shows is hardly there. A
// busy machine moves shares.
func (s shape) lacks(key string, share float64) bool { return share >= noticeable && s[key] < share/4 }
