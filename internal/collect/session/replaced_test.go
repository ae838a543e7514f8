package session

import (
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/ebpf"
	"whyhot/internal/collect/perf"
)

// Functions of a program have names although another one was put in its place
// while it ran.
func TestNamesOfAReplacedProgram(t *testing.T) {
	for _, s := range []collect.Sampler{&ebpf.Sampler{}, &perf.Sampler{}} {
		t.Run(s.Name(), func(t *testing.T) {
			const attempts = 3 // a busy machine may not look at the program in time
			var heavy, main float64
			for range attempts {
				program, other := burn.Build(t), burn.Build(t, "-DOTHER", "-O1")
				target := collect.Target{Command: []string{
					"sh", "-c", `"$0" plain 600 & until [ /proc/$!/exe -ef "$0" ]; do :; done; sleep 0.1; rm "$0"; cp "$1" "$0"; wait`, program, other,
				}}
				if err := s.Available(t.Context(), target); err != nil {
					t.Skipf("%v", err)
				}
				p := recordTree(t, s, target)
				heavy, main = named(p, "heavy"), named(p, "main")
				if heavy > 0.5 && main > 0.8 {
					return
				}
			}
			t.Errorf("heavy in %.3f of the samples, main in %.3f", heavy, main)
		})
	}
}
