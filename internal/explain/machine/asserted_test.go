package machine_test

import (
	"debug/elf"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/machine"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

// memcmp is called for an assertion alone, for one and more, and for no assertion.
const checks = `#include <assert.h>
#include <string.h>
#define LOOP(name, body) \
  __attribute__((noinline)) long name(const char *a, const char *b, const long *at, long n, long m) { \
    long s = 0; \
    for (long i = 0; i < n; i++) { body; s += at[i]; } \
    return s; \
  }
LOOP(alone, assert(memcmp(a + at[i], b + at[i], m) == 0))
LOOP(kept, int d = memcmp(a + at[i], b + at[i], m); assert(d < 7); s += d)
LOOP(without, if (memcmp(a + at[i], b + at[i], m) == 0) s++; assert(at[i] != 7))
int main(int argc, char **argv) {
  return (int)(alone(argv[0], argv[1], (long *)argv, argc, argc) + kept(argv[0], argv[1], (long *)argv, argc, argc) +
               without(argv[0], argv[1], (long *)argv, argc, argc));
}
`

// What a function takes that an assertion alone calls is the assertion's.
func TestCallsOfAssertions(t *testing.T) {
	analyzertest.Use(t)
	path := tooltest.Compile(t, "gcc", "checks.c", checks, "-O2")
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for name, want := range map[string]bool{"alone": true, "kept": false, "without": false} {
		at := slices.IndexFunc(symbolsOf(t, path), func(s elf.Symbol) bool { return s.Name == name })
		symbol := symbolsOf(t, path)[at]
		var own []taken // an event at each byte: loops without any are not told
		for i := range symbol.Size {
			own = append(own, taken{symbol.Value + i, name, 1})
		}
		p := sampled(t, path, file, own)
		back := uint64(0)
		for _, l := range find(t, p).Loops {
			for n, in := range l.Instructions {
				if l.Function == name && strings.HasPrefix(in.Text, "call") {
					back = l.Instructions[n+1].Address
				}
			}
		}
		if back == 0 {
			t.Fatalf("%s: no loop with a call", name)
		}
		for _, callee := range []string{"__memcmp_evex_movbe", "read"} {
			p := sampledIn(t, path, file, callee, own, back)
			found := machine.Findings(p, find(t, p).Loops)
			is := slices.ContainsFunc(found, func(f machine.Found) bool {
				return f.Rule == "machine-assert" && f.Share.Main() >= 0.8
			})
			if is != (want && callee != "read") {
				t.Errorf("%s, %s: %+v", name, callee, found)
			}
		}
	}
}

// sampledIn has four of five samples in a function of another library, which returns to
// back, and the rest as they were taken in the caller.
func sampledIn(t *testing.T, path string, file *elf.File, callee string, own []taken, back uint64) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder()
	var code *elf.Prog
	for _, s := range file.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 {
			code = s
		}
	}
	const base, library = 0x7f0000000000, 0x7f1000000000
	m := b.Mapping(profile.Mapping{Path: path, Start: base, Limit: base + code.Memsz, Offset: code.Off})
	libc := b.Mapping(profile.Mapping{Path: "/lib/libc.so.6", Start: library, Limit: library + 0x1000})
	f := b.Function(profile.Function{Name: own[0].function, Mapping: m, Kind: profile.KindNative})
	to := b.Function(profile.Function{Name: callee, Mapping: libc, Kind: profile.KindNative})
	of := func(address uint64) profile.LocationID {
		return b.Location(m, base+address-code.Vaddr, profile.KindNative, profile.Line{Function: f})
	}
	in := b.Location(libc, library+0x100, profile.KindNative, profile.Line{Function: to})
	for _, s := range own {
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{of(s.address)}), Count: s.events, Value: s.events})
	}
	n := 4 * int64(len(own))
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{in, of(back)}), Count: n, Value: n})
	return b.Build(profile.Meta{})
}
