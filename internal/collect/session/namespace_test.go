package session

import (
	"os"
	"os/exec"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/ebpf"
	"whyhot/internal/collect/perf"
	"whyhot/internal/profile"
)

// Functions of a program have names although, seen from outside of its mount name
// space, its file is not there, and nothing of it is left when it has ended.
func TestNamesOfAProgramInAnotherNameSpace(t *testing.T) {
	program, dir := burn.Build(t), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "unshare", "-m", "mount", "-t", "tmpfs", "none", dir).CombinedOutput(); err != nil {
		t.Skipf("a mount name space cannot be had here: %v: %s", err, out)
	}
	script := `mount -t tmpfs none "$0" && cp "$1" "$0/burn" && exec "$0/burn" plain 300`
	args := []string{"unshare", "-m", "sh", "-c", script, dir, program}
	for _, s := range []collect.Sampler{&ebpf.Sampler{}, &perf.Sampler{}} {
		t.Run(s.Name(), func(t *testing.T) {
			target := collect.Target{Command: args}
			if err := s.Available(t.Context(), target); err != nil {
				t.Skipf("%v", err)
			}
			// A busy machine may not look at the program in time.
			const attempts = 3
			var heavy, main float64
			for range attempts {
				p := recordTree(t, s, target)
				heavy, main = named(p, "heavy"), named(p, "main")
				if heavy > 0.5 && main > 0.8 {
					return
				}
			}
			t.Errorf("heavy in %.3f of the samples, main in %.3f", heavy, main)
		})
	}
	if _, err := os.Stat(dir + "/burn"); err == nil {
		t.Error("the file is there: the test shows nothing")
	}
}

// named is the share of the samples with a function in their stack.
func named(p *profile.Profile, function string) float64 {
	in := int64(0)
	for _, s := range p.Samples() {
	stack:
		for _, id := range p.Stack(s.Stack) {
			for _, line := range p.Lines(id) {
				if p.Function(line.Function).Name == function {
					in += s.Count
					break stack
				}
			}
		}
	}
	return float64(in) / float64(max(p.Count(), 1))
}
