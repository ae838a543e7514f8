package native

import (
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/machine"
)

func loop(cycles float64, instructions ...string) *machine.Loop {
	l := &machine.Loop{Cycles: map[string]analyzer.MachineCycles{}}
	if cycles > 0 {
		l.Cycles["skylake"] = analyzer.MachineCycles{Least: cycles, Most: cycles}
	}
	for _, text := range instructions {
		l.Instructions = append(l.Instructions, machine.Instruction{Text: text})
	}
	return l
}

func TestWhatGainsNothing(t *testing.T) {
	bound := []string{"orb %dl, (%rdi,%rcx)", "addq $1, %rax", "cmpl %eax, (%rsi,%rbx,4)", "jg 40"}
	local := []string{"orb %dl, (%rdi,%rcx)", "addq $1, %rax", "cmpl %eax, %r9d", "jg 40"}
	for name, x := range map[string]struct {
		was, is *machine.Loop
		want    bool
	}{
		"a load that was free":  {loop(2.98, bound...), loop(3, local...), true},
		"another port":          {loop(3.15, bound...), loop(3.08, local...), true},
		"a load that was not":   {loop(2.98, bound...), loop(2.5, local...), false},
		"fewer instructions":    {loop(3, bound...), loop(3, local[1:]...), false},
		"a store less":          {loop(1, "addl $1, (%rdi)", "jg 40"), loop(1, "addl $1, %eax", "jg 40"), false},
		"no model":              {loop(0, bound...), loop(0, local...), false},
		"twice as many at once": {loop(3, bound...), loop(5, append(local[:1:1], local...)...), false},
	} {
		if got := gainsNothing([]*machine.Loop{x.was}, []*machine.Loop{x.is}); got != x.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if same := loop(3, bound...); gainsNothing(nil, nil) || gainsNothing([]*machine.Loop{same}, []*machine.Loop{same, same}) {
		t.Error("loops that are not told apart are judged")
	}
}
