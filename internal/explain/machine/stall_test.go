package machine_test

import (
	"debug/elf"
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

// waitsOf has every instruction of a function sampled.
func waitsOf(t *testing.T, program, library string, low, high uint64) []analyzer.MachineWait {
	t.Helper()
	r := analyzer.MachineRange{Low: low, High: high}
	for a := low; a < high; a++ {
		r.Sampled = append(r.Sampled, a)
	}
	replies, errs := analyzer.Machine(t.Context(), program, []analyzer.MachineRequest{{File: library, Functions: []analyzer.MachineRange{r}}})
	if errs[0] != nil {
		t.Fatal(errs[0])
	}
	return replies[0].Functions[0].Waits
}

// Each function of the fixture says by its name what its load is addressed by.
func TestWaitsOnFixtures(t *testing.T) {
	program := analyzertest.Use(t)
	for _, compiler := range []string{"gcc", "clang-19"} {
		library := t.TempDir() + "/x.so"
		tooltest.Run(t, compiler, "-O2", "-fno-tree-vectorize", "-fPIC", "-shared", "testdata/rules/stall_code.c", "-o", library)
		seen := 0
		for _, s := range symbolsOf(t, library) {
			what, rest, _ := strings.Cut(s.Name, "_")
			kind, _, _ := strings.Cut(rest, "_")
			if what != "wait" && what != "silent" && what != "product" {
				continue
			}
			seen++
			waits := waitsOf(t, program, library, s.Value, s.Value+s.Size)
			is := func(w analyzer.MachineWait) bool { return w.Kind == kind }
			multiplies := func(w analyzer.MachineWait) bool { return strings.Contains(w.Load.Text, "mulsd") }
			if what == "wait" && !slices.ContainsFunc(waits, is) || what == "silent" && len(waits) > 0 ||
				what == "product" && slices.ContainsFunc(waits, multiplies) {
				t.Errorf("%s: %s: %+v", compiler, s.Name, waits)
			}
		}
		if seen < 10 {
			t.Errorf("%s: %d functions", compiler, seen)
		}
	}
}

// Of a table of large elements the analyser says how large they are and what is read of them.
func TestElementsOfATable(t *testing.T) {
	program := analyzertest.Use(t)
	for _, compiler := range []string{"gcc", "clang-19"} {
		library := t.TempDir() + "/x.so"
		tooltest.Run(t, compiler, "-O2", "-fno-tree-vectorize", "-fPIC", "-shared", "testdata/rules/stall_code.c", "-o", library)
		for _, s := range symbolsOf(t, library) {
			if s.Name != "spread_field" && s.Name != "dense_field" {
				continue
			}
			spread := func(w analyzer.MachineWait) bool { return w.Element == 304 && w.Used == 4 }
			large := func(w analyzer.MachineWait) bool { return w.Element > 0 }
			waits := waitsOf(t, program, library, s.Value, s.Value+s.Size)
			if s.Name == "spread_field" && !slices.ContainsFunc(waits, spread) || s.Name == "dense_field" && slices.ContainsFunc(waits, large) {
				t.Errorf("%s: %s: %+v", compiler, s.Name, waits)
			}
		}
	}
}

const hashed = `#include <stdio.h>
__attribute__((noinline)) unsigned long look_up(const unsigned long *table, const unsigned *keys, long n) {
  unsigned long s = 0;
  for (long i = 0; i < n; i++)
    s ^= table[(keys[i] * 2654435761u) >> 8];
  return s;
}
int main(int argc, char **argv) { return (int)look_up((unsigned long *)argv, (unsigned *)argv, argc); }
`

// The samples behind a load are a finding where they are many and those around it few.
func TestStalls(t *testing.T) {
	program := analyzertest.Use(t)
	for name, test := range map[string]struct {
		behind, beside int64
		want           bool
	}{
		"waits":                {behind: 100, beside: 10, want: true},
		"all around it is hot": {behind: 100, beside: 90},
		"few samples":          {behind: 19},
	} {
		path := tooltest.Compile(t, "gcc", "hash.c", hashed, "-O2", "-g")
		file, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		var at, load uint64
		for _, s := range symbolsOf(t, path) {
			if s.Name != "look_up" {
				continue
			}
			for _, w := range waitsOf(t, program, path, s.Value, s.Value+s.Size) {
				if w.Kind == "table" {
					at, load = w.At, w.Load.Address
				}
			}
		}
		if at == 0 {
			t.Fatal("no load of a table")
		}
		p := sampled(t, path, file, []taken{{at, "look_up", test.behind}, {load, "look_up", test.beside}})
		found := machine.Stalls(p, find(t, p))
		if (len(found) == 1) != test.want {
			t.Fatalf("%s: %+v", name, found)
		}
		if !test.want {
			continue
		}
		f := found[0]
		if f.Rule != "machine-load-stall" || f.Certainty != finding.Suspected || f.Place.Line != 5 || f.Share.Main() < 0.9 {
			t.Errorf("%s: %+v", name, f)
		}
		facts := binfacts.New()
		t.Cleanup(func() { _ = facts.Close() })
		rows := f.Loop.Samples(p, func(m *profile.Mapping, address uint64) (uint64, bool) {
			_, vaddr, ok := facts.Code(m, address)
			return vaddr, ok
		})
		if len(rows) != 1 {
			t.Errorf("%s: its samples: %v", name, rows)
		}
	}
}
