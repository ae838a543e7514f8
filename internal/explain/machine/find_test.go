package machine_test

import (
	"debug/elf"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

const modulo = `#include <stdio.h>
__attribute__((noinline)) unsigned long buckets(const unsigned long *a, long n, unsigned long size) {
  unsigned long s = 0;
  for (long i = 0; i < n; i++)
    s ^= a[i] % size;
  return s;
}
__attribute__((noinline)) long last(const long *p, long key) {
  do
    p++;
  while (*p != key);
  return *p + 1;
}
int main(int argc, char **argv) { unsigned long a[2] = {7, (unsigned long)argc}; return (int)buckets(a, 2, 3) + (int)last((long *)a, argc); }
`

// program is a binary with its loops, as the analyser sees them without a profile.
type program struct {
	path  string
	file  *elf.File
	loops map[string]analyzer.MachineLoop // the innermost one of a function
}

func build(t *testing.T, flags ...string) *program {
	t.Helper()
	analyser := analyzertest.Use(t)
	p := &program{path: tooltest.Compile(t, "gcc", "x.c", modulo, flags...), loops: map[string]analyzer.MachineLoop{}}
	file, err := elf.Open(p.path)
	if err != nil {
		t.Fatal(err)
	}
	p.file = file
	t.Cleanup(func() { _ = p.file.Close() })
	symbols, err := p.file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name != "buckets" && s.Name != "last" {
			continue
		}
		replies, errs := analyzer.Machine(t.Context(), analyser, []analyzer.MachineRequest{
			{File: p.path, Functions: []analyzer.MachineRange{{Low: s.Value, High: s.Value + s.Size}}},
		})
		if errs[0] != nil {
			t.Fatal(errs[0])
		}
		loops := replies[0].Functions[0].Loops
		if len(loops) != 1 {
			t.Fatalf("%d loops in %s", len(loops), s.Name)
		}
		p.loops[s.Name] = loops[0]
	}
	return p
}

// taken is what was sampled at a virtual address.
type taken struct {
	address  uint64
	function string
	events   int64
}

// profiled makes a profile with events at virtual addresses, each in a function.
func (p *program) profiled(t *testing.T, at map[uint64]string, events int64) *profile.Profile {
	t.Helper()
	var all []taken
	for a, name := range at {
		all = append(all, taken{a, name, events})
	}
	return sampled(t, p.path, p.file, all)
}

func sampled(t *testing.T, path string, file *elf.File, all []taken) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder()
	var code *elf.Prog
	for _, s := range file.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 {
			code = s
		}
	}
	const base = 0x7f0000000000
	m := b.Mapping(profile.Mapping{Path: path, Start: base, Limit: base + code.Memsz, Offset: code.Off})
	for _, s := range all {
		f := b.Function(profile.Function{Name: s.function, Mapping: m, Kind: profile.KindNative})
		loc := b.Location(m, base+s.address-code.Vaddr, profile.KindNative, profile.Line{Function: f})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: s.events, Value: s.events})
	}
	return b.Build(profile.Meta{})
}

func find(t *testing.T, p *profile.Profile) machine.Answer {
	t.Helper()
	facts := binfacts.New()
	t.Cleanup(func() { _ = facts.Close() })
	answer, err := machine.Find(t.Context(), machine.Request{Profile: p}, facts)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// A sample behind a division is the division's, and what is found there is its share.
func TestDivisionIsWaitedFor(t *testing.T) {
	for name, flags := range map[string][]string{"with debug information": {"-O2", "-g"}, "stripped later": {"-O2"}} {
		x := build(t, flags...)
		loop := x.loops["buckets"]
		at := slices.IndexFunc(loop.Instructions, func(i analyzer.MachineInstruction) bool { return strings.HasPrefix(i.Text, "div") })
		if at < 0 {
			t.Fatal("no division")
		}
		p := x.profiled(t, map[uint64]string{loop.Instructions[at+1].Address: "buckets"}, 50)
		if len(flags) == 1 { // the bounds of functions are in .eh_frame then
			tooltest.Run(t, "strip", x.path)
		}
		answer := find(t, p)
		if len(answer.Loops) != 1 || answer.Loops[0].Self != 50 || answer.Loops[0].Function != "buckets" {
			t.Fatalf("%s: %+v", name, answer.Loops)
		}
		l := answer.Loops[0]
		if l.Instructions[at+1].For != l.Instructions[at].Address {
			t.Errorf("%s: the samples are for %x", name, l.Instructions[at+1].For)
		}
		if hasLines := filepath.Base(l.File) == "x.c" && l.Line == 4 && l.EndLine == 5; hasLines != (len(flags) == 2) {
			t.Errorf("%s: at %s:%d-%d", name, l.File, l.Line, l.EndLine)
		}
		found := machine.Findings(p, answer.Loops)
		if len(found) != 1 || found[0].Rule != "machine-division" || found[0].Certainty != finding.Confirmed || math.Abs(found[0].Share.Main()-1) > 1e-9 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// Where the clock finds the division done, it costs nothing.
func TestDivisionThatNobodyWaitsFor(t *testing.T) {
	x := build(t, "-O2")
	loop := x.loops["buckets"]
	p := x.profiled(t, map[uint64]string{loop.Header: "buckets"}, 50)
	if found := machine.Findings(p, find(t, p).Loops); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestFewSamplesAreChance(t *testing.T) {
	x := build(t, "-O2")
	loop := x.loops["buckets"]
	at := slices.IndexFunc(loop.Instructions, func(i analyzer.MachineInstruction) bool { return strings.HasPrefix(i.Text, "div") })
	p := x.profiled(t, map[uint64]string{loop.Instructions[at+1].Address: "buckets"}, 9)
	if found := machine.Findings(p, find(t, p).Loops); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// What is sampled behind the end of a loop may be meant for its last load.
func TestSampleBehindALoop(t *testing.T) {
	x := build(t, "-O2")
	loop := x.loops["last"]
	end := uint64(0)
	for _, r := range loop.Ranges {
		end = max(end, r[1])
	}
	p := x.profiled(t, map[uint64]string{end: "last", loop.Header: "last"}, 30)
	answer := find(t, p)
	if len(answer.Loops) != 1 || answer.Loops[0].Self != 60 {
		t.Errorf("%+v: the load of *p ends the loop", answer.Loops)
	}
}

func TestAnotherBuildIsNotLookedAt(t *testing.T) {
	x := build(t, "-O2")
	p := x.profiled(t, map[uint64]string{x.loops["last"].Header: "last"}, 30)
	if err := os.Remove(x.path); err != nil {
		t.Fatal(err)
	}
	answer := find(t, p)
	if len(answer.Loops) != 0 || len(answer.Notes) != 1 || !strings.Contains(answer.Notes[0], "missing here") {
		t.Errorf("%+v", answer)
	}
}
