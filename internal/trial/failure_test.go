package trial

import (
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/allocator"
	"whyhot/internal/trial/digest"
	"whyhot/internal/trial/run"
)

func TestDifferentOutputIsNeverFaster(t *testing.T) {
	f := newFake(func(arm string, _ int) (*run.Result, error) {
		if arm == baselineName {
			return result(time.Second), nil
		}
		r := result(time.Second / 2)
		r.Stdout = output("standard output", "other")
		r.Stdout.FirstDifference = 17
		r.Stdout.Lines = run.Lines{Number: 3, Reference: "sum 42", Run: "sum 41"}
		return r, nil
	})
	o := do(t, f, planOf("a"))
	v := o.Variants[0]
	if v.Verdict != Different || v.FirstDifference == nil || *v.FirstDifference.Offset != 17 || v.Compared != ComparedWhole ||
		!strings.Contains(v.Explanation, "line 3 of standard output is “sum 41”, the baseline's is “sum 42”") {
		t.Errorf("%+v", v)
	}
}

// printing makes runs that print what the test says, with the digests that a
// real runner would give.
func printing(t *testing.T, says func(arm string, n int) string, seconds func(arm string) float64) *fake {
	t.Helper()
	var reference *digest.Digest
	digested := func(text string) *digest.Digest {
		d, err := digest.New(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := ""
	return newFake(func(arm string, n int) (*run.Result, error) {
		text := says(arm, n)
		r := result(time.Duration(seconds(arm) * float64(time.Second)))
		r.Stdout = output("standard output", text)
		switch {
		case reference == nil:
			first, reference = text, digested(text)
		case text != first:
			r.Stdout.Digest, r.Stdout.Reference, r.Stdout.FirstDifference = digested(text), reference, 0
		}
		return r, nil
	})
}

func TestOutputThatVariesIsComparedInPart(t *testing.T) {
	quick := func(arm string) float64 { return map[string]float64{baselineName: 1}[arm] + 0.25 }
	items := func(n int) func(string, int) string {
		return func(arm string, run int) string {
			count := 40
			if arm != baselineName {
				count = n
			}
			var b strings.Builder
			for i := range count {
				fmt.Fprintf(&b, "item %d at 0x55%08x\n", i, hashOf(arm, run, i))
			}
			return b.String()
		}
	}
	o := do(t, printing(t, items(40), quick), planOf("a"))
	v := o.Variants[0]
	if v.Verdict != Faster || v.Compared != ComparedPart || !strings.Contains(strings.Join(o.Notes, "\n"), "compared in part: standard output: it varies") {
		t.Errorf("the same work: %+v, notes %q", v, o.Notes)
	}
	for _, n := range []int{20, 39, 41} {
		o := do(t, printing(t, items(n), quick), planOf("a"))
		v := o.Variants[0]
		if v.Verdict != Different || o.Best() != nil || v.FirstDifference == nil || v.FirstDifference.Varies == "" {
			t.Errorf("%d items in place of 40: %+v", n, v)
		}
	}
}

func hashOf(arm string, run, i int) uint32 {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, arm, run, i)
	return h.Sum32()
}

// An output that is odd in some runs of the variant only may be odd in the
// baseline, too, had it been run more often.
func TestOddRuns(t *testing.T) {
	quick := func(arm string) float64 { return map[string]float64{baselineName: 1}[arm] + 0.25 }
	for odd, want := range map[int]Verdict{1: Unclear, 2: Unclear, 9: Different, 10: Different} {
		f := printing(t, func(arm string, n int) string {
			if arm != baselineName && n >= 10-odd {
				return "took 0.2 s"
			}
			return "took 0.1 s"
		}, quick)
		p := planOf("a")
		p.Rounds = 9
		v := do(t, f, p).Variants[0]
		if v.Verdict != want || want == Unclear && !strings.Contains(v.Explanation, fmt.Sprintf("in %d of 10 runs", odd)) {
			t.Errorf("%d odd runs: %s, %s", odd, v.Verdict, v.Explanation)
		}
	}
}

func TestNoOutputIsNotCompared(t *testing.T) {
	f := printing(t, func(string, int) string { return "" }, func(arm string) float64 { return float64(len(arm)) })
	o := do(t, f, planOf("a"))
	if v := o.Variants[0]; v.Verdict != Faster || v.Compared != NotCompared || !strings.Contains(strings.Join(o.Notes, "\n"), "writes nothing to standard output") {
		t.Errorf("%+v, notes %q", v, o.Notes)
	}
}

func TestOutputThatVariesInTheBaselineSaysNothing(t *testing.T) {
	f := newFake(func(arm string, n int) (*run.Result, error) {
		r := result(time.Second)
		if arm == "a" {
			r = result(time.Second * 3 / 4)
		}
		r.Stdout = output("standard output", fmt.Sprint(arm, n))
		return r, nil
	})
	o := do(t, f, planOf("a"))
	if v := o.Variants[0]; v.Verdict != Faster || v.Compared != NotCompared {
		t.Errorf("verdict %s, %s", v.Verdict, v.Compared)
	}
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "varies between runs of the baseline") }) {
		t.Errorf("notes %q", o.Notes)
	}
}

func TestOutputFiles(t *testing.T) {
	f := newFake(func(arm string, _ int) (*run.Result, error) {
		r := result(time.Second)
		r.Outputs = []run.Output{output("out.bin", "x")}
		if arm == "a" {
			r.Outputs[0].Written = false
		}
		return r, nil
	})
	p := planOf("a")
	p.Outputs = []string{"out.bin"}
	if o := do(t, f, p); o.Variants[0].Verdict != Different {
		t.Errorf("a variant that does not write its file: %s", o.Variants[0].Verdict)
	}
	unwritten := newFake(func(string, int) (*run.Result, error) {
		r := result(time.Second)
		r.Outputs = []run.Output{{Name: "out.bin", FirstDifference: -1}}
		return r, nil
	})
	if _, err := Run(t.Context(), p, unwritten, unwritten, nil); err == nil || !strings.Contains(err.Error(), "out.bin") {
		t.Errorf("a file that the baseline does not write: %v", err)
	}
}

func TestBaselineThatFails(t *testing.T) {
	f := newFake(func(string, int) (*run.Result, error) { return failing(3), nil })
	o, err := Run(t.Context(), planOf("a"), f, f, nil)
	code, ok := IsBaselineFailure(err)
	if o != nil || !ok || code != 3 || !strings.Contains(err.Error(), "last words") || !strings.Contains(err.Error(), "status 3") {
		t.Fatalf("outcome %v, error %v", o, err)
	}
	p := planOf("a")
	p.IgnoreFailure = true
	g := newFake(func(string, int) (*run.Result, error) { return failing(3), nil })
	if o := do(t, g, p); o.Variants[0].Verdict == Failed || o.Variants[0].Verdict == Different {
		t.Errorf("ignored failure: %s", o.Variants[0].Verdict)
	}
	h := newFake(func(arm string, _ int) (*run.Result, error) { return failing(len(arm)), nil })
	if o := do(t, h, p); o.Variants[0].Verdict != Different || !strings.Contains(o.Variants[0].Explanation, "exit status 1") {
		t.Errorf("another exit status: %+v", o.Variants[0])
	}
}

func TestBaselineThatFailsLaterKeepsWhatWasMeasured(t *testing.T) {
	f := newFake(func(arm string, n int) (*run.Result, error) {
		if arm == baselineName && n == 12 {
			return failing(1), nil
		}
		if arm == baselineName {
			return result(2 * time.Second), nil
		}
		return result(time.Second), nil
	})
	p := planOf("a")
	p.Rounds = 50
	o, err := Run(t.Context(), p, f, f, nil)
	if err == nil || o == nil || o.Rounds != 11 || o.Stopped != StopFailed || o.Baseline.Runs != 11 || o.Variants[0].Runs != 11 {
		t.Fatalf("outcome %+v, error %v", o, err)
	}
}

func TestVariantThatFailsLeavesTheOthers(t *testing.T) {
	f := newFake(func(arm string, n int) (*run.Result, error) {
		switch {
		case arm == "bad":
			return failing(134), nil
		case arm == "late" && n == 4:
			r := failing(0)
			r.End.Limit = time.Second
			return r, nil
		case arm == "good":
			return result(500 * time.Millisecond), nil
		}
		return result(time.Second), nil
	})
	o := do(t, f, planOf("bad", "late", "good"))
	if got, want := verdicts(o), []Verdict{Failed, Failed, Faster}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if !strings.Contains(o.Variants[0].Explanation, "last words") || !strings.Contains(o.Variants[1].Explanation, "timed out after 1s") {
		t.Errorf("%q, %q", o.Variants[0].Explanation, o.Variants[1].Explanation)
	}
	if f.seen["bad"] != 1 {
		t.Errorf("a failed variant ran %d times", f.seen["bad"])
	}
}

func TestLibraryThatIsNotLoaded(t *testing.T) {
	lib := &allocator.Library{Name: "lib", Path: "/lib/lib.so"}
	process := func(name string, s allocator.State, cpu time.Duration, why string) run.Process {
		return run.Process{PID: len(name), Program: name, State: s, CPU: cpu, Why: why}
	}
	shell := process("/bin/sh", allocator.Loaded, 0, "")
	for _, c := range []struct {
		name      string
		processes []run.Process
		verdict   Verdict
		note      string
	}{
		{"static", []run.Process{process("/x", allocator.NotLoaded, time.Second, "it is statically linked")}, NoEffect, ""},
		{"shell around static", []run.Process{shell, process("/x", allocator.NotLoaded, time.Second, "it is statically linked")}, NoEffect, ""},
		{"half static", []run.Process{process("/y", allocator.Loaded, time.Second, ""), process("/x", allocator.NotLoaded, time.Second, "it is statically linked")}, Same, "50% of the CPU time"},
		{"loaded", []run.Process{shell, process("/y", allocator.Loaded, time.Second, "")}, Same, ""},
		{"nothing known", []run.Process{process("/y", allocator.Early, 0, "")}, Same, ""},
		{"nothing seen", nil, Same, ""},
	} {
		f := newFake(func(arm string, _ int) (*run.Result, error) {
			r := result(time.Second)
			if arm == "a" {
				r.Processes = c.processes
			}
			return r, nil
		})
		p := planOf("a")
		p.Variants[0].Preload = lib
		o := do(t, f, p)
		v := o.Variants[0]
		if v.Verdict != c.verdict {
			t.Errorf("%s: %s, %s", c.name, v.Verdict, v.Explanation)
		}
		if v.Verdict == NoEffect && (!strings.Contains(v.Explanation, "statically") || o.Rounds != 0) {
			t.Errorf("%s: %q after %d rounds", c.name, v.Explanation, o.Rounds)
		}
		if c.note != "" && !strings.Contains(strings.Join(o.Notes, "\n"), c.note) {
			t.Errorf("%s: notes %q", c.name, o.Notes)
		}
	}
}

// A command line that does not exist is the variant's failure, not the trial's.
func TestVariantThatCannotBeStarted(t *testing.T) {
	f := newFake(func(arm string, _ int) (*run.Result, error) {
		if arm == "missing" {
			return nil, &run.StartError{Name: "nothing", Err: os.ErrNotExist}
		}
		return result(time.Second), nil
	})
	o := do(t, f, planOf("missing", "there"))
	if got, want := verdicts(o), []Verdict{Failed, Same}; !slices.Equal(got, want) || !strings.Contains(o.Variants[0].Explanation, "command not found") {
		t.Errorf("got %v: %q", got, o.Variants[0].Explanation)
	}
}
