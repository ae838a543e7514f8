package machine

import (
	"fmt"
	"testing"

	"whyhot/internal/profile"
)

// A filter whose samples all stand behind three operations, and what is no such loop.
func TestDenormals(t *testing.T) {
	code := []string{
		"movss 0x10c(%rdi), %xmm4", "movslq 0xc(%rax), %r13", "movaps %xmm6, %xmm2", "movq (%rax), %r12",
		"mulss %xmm4, %xmm0", "addl $0x1, %edx", "movss (%r12), %xmm3", "mulss %xmm3, %xmm2", "addss %xmm2, %xmm0",
		"movss %xmm0, 0x10(%rax)", "mulss %xmm8, %xmm0", "addss %xmm9, %xmm0", "movss %xmm0, (%r12)", "cmpl %edx, 0x8(%rax)", "jne 0x10",
	}
	loop := func(code []string, at map[int]int64) []Loop {
		l := Loop{Function: "comb", Mapping: &profile.Mapping{Path: "/p/app"}, Innermost: true}
		for n, text := range code {
			l.Instructions = append(l.Instructions, Instruction{Address: uint64(n), Text: text, Self: at[n], Count: at[n]})
			l.Self += at[n]
			l.Count += at[n]
		}
		return []Loop{l}
	}
	stalls := map[int]int64{5: 270, 8: 270, 11: 260, 2: 10}
	integers := append([]string{}, code...)
	for n, text := range integers {
		if len(text) > 5 && text[:5] == "mulss" {
			integers[n] = fmt.Sprintf("imull%s", text[5:])
		}
	}
	for _, x := range []struct {
		name  string
		loops []Loop
		want  bool
	}{
		{"denormal", loop(code, stalls), true},
		{"other instructions have samples, too", loop(code, map[int]int64{5: 270, 8: 270, 11: 260, 2: 60}), false},
		{"few samples", loop(code, map[int]int64{5: 60, 8: 60}), false},
		{"all operations are waited for", loop(code, map[int]int64{5: 200, 8: 200, 9: 200, 11: 200, 12: 200}), false},
		{"a short loop", loop(code[:11], map[int]int64{5: 270, 8: 270}), false},
		{"integers", loop(integers, stalls), false},
		{"nothing is kept", loop([]string{
			code[0], code[1], code[2], code[3], code[4], code[5], code[6], code[7], code[8], "nop", code[10], code[11], "nop", code[13], code[14],
		}, stalls), false},
	} {
		withDenormals(samplesOf(1, 1, 1, 1), x.loops)
		if got := len(x.loops[0].Matches) > 0; got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}
