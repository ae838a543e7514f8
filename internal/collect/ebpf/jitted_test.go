package ebpf

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/host/tool"
	"whyhot/internal/profile"
)

// generator builds the program of testdata/generate.c, and gives its functions.
func generator(t *testing.T) (program string, in func(name string, address uint64) bool) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("the program makes code for x86-64")
	}
	if _, err := tool.Find("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	program = filepath.Join(t.TempDir(), "generate")
	if text, err := exec.CommandContext(t.Context(), "gcc", "-O2", "-o", program, "testdata/generate.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return program, func(name string, address uint64) bool {
		for i := range all {
			if s := &all[i]; s.Name == name && s.Value <= address && address < s.Value+s.Size {
				return true
			}
		}
		return false
	}
}

// isGenerated tells of a frame in code of no file.
func isGenerated(p *profile.Profile, id profile.LocationID) bool {
	return strings.HasPrefix(p.Mapping(p.Location(id).Mapping).Path, "/tmp/perf-")
}

func TestGeneratedCode(t *testing.T) {
	usable(t.Context(), t)
	program, in := generator(t)
	for _, memory := range []string{"anonymous", "memfd"} {
		t.Run(memory, func(t *testing.T) {
			settled(t, func(v *verdict) {
				p, out := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program, "frames", memory}}})
				if out.Exit.Failed() {
					t.Fatalf("the program failed: %v", out.Exit)
				}
				all, right := int64(0), int64(0)
				for _, s := range p.Samples() {
					stack := p.Stack(s.Stack)
					n := 0
					for n < len(stack) && isGenerated(p, stack[n]) {
						n++
					}
					if n == 0 {
						continue
					}
					all += s.Count
					if n == 4 && len(stack) > n+1 && in("turn", p.Location(stack[n]).Address) && in("main", p.Location(stack[n+1]).Address) {
						right += s.Count
					}
				}
				if float64(all) < 0.8*float64(p.Count()) || float64(right) < 0.98*float64(all) {
					v.Errorf("of %d samples %d are in generated code, of which %d have their true stack: %v", p.Count(), all, right, p.Meta.Warnings)
				}
			})
		})
	}
}

// What is no frame pointer leads to no caller that is none.
func TestGeneratedCodeWithoutFrames(t *testing.T) {
	usable(t.Context(), t)
	program, in := generator(t)
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program, "bare", "anonymous"}}})
		inside, wrong, cut := int64(0), int64(0), int64(0)
		for _, s := range p.Samples() {
			stack := p.Stack(s.Stack)
			if len(stack) == 0 || !isGenerated(p, stack[0]) {
				continue
			}
			inside += s.Count
			for _, id := range stack[1:] {
				// The address of the table, less one as return addresses are.
				if a := p.Location(id).Address; in("decoy", a) || in("decoy", a+1) {
					wrong += s.Count
				}
			}
			if p.Function(p.Lines(stack[len(stack)-1])[0].Function).Name == profile.TruncatedStack {
				cut += s.Count
			}
		}
		if wrong > 0 {
			t.Errorf("%d of %d samples have a caller that never called", wrong, inside)
		}
		if float64(inside) < 0.8*float64(p.Count()) || float64(cut) < 0.98*float64(inside) || !strings.Contains(strings.Join(p.Meta.Warnings, "\n"), reasons[noFrames]) {
			v.Errorf("of %d samples %d are in generated code, %d cut: %v", p.Count(), inside, cut, p.Meta.Warnings)
		}
	})
}
