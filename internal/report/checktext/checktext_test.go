package checktext

import (
	"bytes"
	"strings"
	"testing"

	"whyhot/internal/check"
	"whyhot/internal/report/term"
)

func TestPrint(t *testing.T) {
	r := &check.Result{
		Verdict: check.Slower, Says: "it takes 6% more (5.1% to 6.9%), beyond the limit of 2%", CPUSeconds: 31.2, Elapsed: 40, Level: 0.98, Metric: "cpu",
		Repeat:   []string{"whyhot", "check", "--base", "main", "--", "./bench", "a b"},
		Commands: []check.Command{{Name: "./bench", Rounds: 20, Before: 0.1, After: 0.106, Unit: "seconds", OutputDiffers: "line 3"}},
		Functions: []check.Function{
			{Name: "parse", File: "src/parse.c", Line: 40, Before: 0.1, After: 0.15, Delta: 0.05, Edited: true},
			{Name: "main", Before: 0.01, After: 0.02, Delta: 0.01},
		},
		Moved: []check.Function{{Name: "part", Before: 0, After: 0.3, Delta: 0.3, Why: "moved, not added: whole, which calls it, takes as much as before"}},
		Notes: []string{"a note"},
	}
	var out bytes.Buffer
	p := term.New(&out, nil)
	Print(p, r)
	const want = `slower: it takes 6% more (5.1% to 6.9%), beyond the limit of 2%
  100 ms → 106 ms a run (median of 20 runs each)
  the output differs from the base's: line 3
functions that take more CPU time (100% is all that the base takes):
   +5.0%  parse  10% → 15%  src/parse.c:40  (edited)
   +1.0%  main  1% → 2%
functions whose work only moved (100% is all that the base takes):
  +30.0%  part  0% → 30%
          moved, not added: whole, which calls it, takes as much as before
note: a note
32 CPU seconds in 40 seconds; metric cpu, 98% joint confidence
repeat: whyhot check --base main -- ./bench 'a b'
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	out.Reset()
	for range 10 {
		r.Functions = append(r.Functions, check.Function{Name: "more", Delta: 0.01})
	}
	if Print(p, r); !strings.Contains(out.String(), "… and 7 more") {
		t.Errorf("got\n%s", out.String())
	}
}
