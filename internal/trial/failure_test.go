package trial

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/allocator"
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
		return r, nil
	})
	o := do(t, f, planOf("a"))
	v := o.Variants[0]
	if v.Verdict != Different || v.FirstDifference == nil || v.FirstDifference.Offset != 17 || !strings.Contains(v.Explanation, "byte 17") {
		t.Errorf("%+v", v)
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
	if o.Variants[0].Verdict != Faster {
		t.Errorf("verdict %s", o.Variants[0].Verdict)
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
