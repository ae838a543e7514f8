package rule

import (
	"math"
	"strings"
	"testing"
)

// What allocates is freed elsewhere: in a destructor of the caller, or by a
// collector in its own thread.
func TestTheBestCaseHasWhatTheCauseDragsAlong(t *testing.T) {
	const parser = "app;main_[app];nlohmann::json_abi_v3_11_2::detail::parser<x>::parse_[app]"
	p := parse(t, parser+` 200
`+parser+`;malloc_[libc.so.6] 60
app;main_[app];work_[app];malloc_[libc.so.6] 40
app;main_[app];drop_[app];free_[libc.so.6] 200
app;main_[app];work_[app] 500
`)
	fs := run(t, p, only(t, "json-nlohmann-simdjson"), nil)
	if len(fs) != 1 {
		t.Fatalf("got %+v", fs)
	}
	// 60 of 100 allocations are the parser's: so is up to 60 % of freeing.
	if want := 0.26 + 0.6*0.2; math.Abs(fs[0].Gain.Reach-want) > 1e-3 {
		t.Errorf("reaches %v, want %v: %s", fs[0].Gain.Reach, want, fs[0].Gain.Basis)
	}
	if !strings.Contains(fs[0].Gain.Basis, "up to 12% in freeing memory") {
		t.Errorf("the basis does not say it: %s", fs[0].Gain.Basis)
	}
	for name, text := range map[string]string{
		"nothing is allocated there": parser + " 260\napp;main_[app];work_[app];malloc_[libc.so.6] 100\napp;main_[app];drop_[app];free_[libc.so.6] 200\napp;main_[app];work_[app] 440\n",
		"it frees its own":           parser + " 200\n" + parser + ";malloc_[libc.so.6] 60\n" + parser + ";free_[libc.so.6] 60\napp;main_[app];work_[app] 680\n",
	} {
		fs := run(t, parse(t, text), only(t, "json-nlohmann-simdjson"), nil)
		if len(fs) != 1 || strings.Contains(fs[0].Gain.Basis, "freeing memory") {
			t.Errorf("%s: %+v", name, fs)
		}
	}
	// Another allocator gets as many calls.
	fs = run(t, p, only(t, "glibc-malloc"), nil)
	if len(fs) != 1 || strings.Contains(fs[0].Gain.Basis, "and up to") {
		t.Errorf("an allocator: %+v", fs)
	}
}

func TestACollectorIsDraggedAlong(t *testing.T) {
	p := parse(t, `runtime.goexit;main.main;fmt.Sprintf;runtime.mallocgc 100
runtime.goexit;main.main;fmt.Sprintf 200
runtime.goexit;runtime.gcBgMarkWorker;runtime.gcDrain 200
runtime.goexit;main.main;main.work 500
`)
	fs := run(t, p, only(t, "go-fmt"), nil)
	if len(fs) != 1 || !strings.Contains(fs[0].Gain.Basis, "up to 20% in the garbage collector") {
		t.Errorf("got %+v", fs)
	}
}

// What runs in a virtual machine has its compiler and collector work on other threads:
// in proportion, as far as no frame says for whom.
func TestAVirtualMachinesOwnThreadsAreDraggedAlong(t *testing.T) {
	const mine = "java;start_thread_[libc.so.6];java.lang.Thread.run_[j];app.Main.row_[j]"
	const vm = "java;start_thread_[libc.so.6];thread_native_entry_[libjvm.so];CompileBroker::compiler_thread_loop_[libjvm.so]"
	rows := mine + ";java.util.regex.Pattern.compile_[j] 300\n" + mine + " 300\n"
	for name, c := range map[string]struct {
		text string
		want float64
	}{
		"half of what is Java":       {rows + vm + " 400\n", 0.3 + 0.4/2},
		"beneath another's frames":   {rows + mine + ";Runtime1::new_instance_[libjvm.so] 400\n", 0.3},
		"threads of somebody else's": {rows + "java;start_thread_[libc.so.6];deflate_[libz.so.1] 400\n", 0.3},
	} {
		fs := run(t, parse(t, c.text), only(t, "java-regex-compile"), nil)
		if len(fs) != 1 || math.Abs(fs[0].Gain.Reach-c.want) > 1e-3 {
			t.Errorf("%s: reaches %+v, want %v", name, fs, c.want)
		}
		if said := len(fs) == 1 && strings.Contains(fs[0].Gain.Basis, "in the JVM's own threads"); said != (c.want > 0.3) {
			t.Errorf("%s: the basis: %s", name, fs[0].Gain.Basis)
		}
	}
}

// Of builds nothing but the share is known, and no number says otherwise.
func TestWithoutAnEstimateThereIsNoNumber(t *testing.T) {
	p := parse(t, "app;main_[app];f_[app] 600\napp;main_[app];work_[app] 400\n")
	all, _, err := Run(t.Context(), p, only(t, "pgo-lto-native"), nil, Options{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	f := all[0]
	if g := f.Gain; f.Estimate() != nil || g.Low != 0 || g.High != 0 || g.Likely != 0 || !strings.Contains(g.Basis, "acts indirectly") {
		t.Errorf("%+v", g)
	}
	if !f.Aside || !f.General {
		t.Errorf("%+v", f)
	}
}

// TestTruncatedStacks: what the recorder could not see is in the best case.
func TestTruncatedStacks(t *testing.T) {
	const known = "app;main_[app];std::vector<int>::_M_realloc_insert<int>_[app] 200\napp;main_[app];work_[app] 200\n"
	whole := run(t, parse(t, known), only(t, "vector-growth"), nil)
	cut := run(t, parse(t, known+"app;[truncated stack] 400\n"), only(t, "vector-growth"), nil)
	if len(whole) != 1 || len(cut) != 1 {
		t.Fatalf("%+v\n%+v", whole, cut)
	}
	a, b := whole[0].Gain, cut[0].Gain
	if b.High-b.Likely < 0.9*(a.High-a.Likely) || b.Low > 0.6*a.Low || !strings.Contains(b.Basis, "truncated") || strings.Contains(a.Basis, "truncated") {
		t.Errorf("%+v\n%+v", a, b)
	}
}
