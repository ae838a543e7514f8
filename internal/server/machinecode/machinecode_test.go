package machinecode_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
	"whyhot/internal/server/machinecode"
)

const source = `#include <stdlib.h>
static inline unsigned long rest(unsigned long a, unsigned long size) { return a % size; }
__attribute__((noinline)) unsigned long buckets(const unsigned long *a, long n, unsigned long size) {
  unsigned long s = 0;
  for (long i = 0; i < n; i++)
    s ^= rest(a[i], size);
  return s;
}
__attribute__((noinline)) unsigned long one(unsigned long a, unsigned long size) { return rest(a, size) + 1; }
int main(int argc, char **argv) { unsigned long a[2] = {7, (unsigned long)argc}; return (int)buckets(a, 2, 3) + (int)one(argc, 9); }
`

// profiled is a program with a profile of it as the store has them: addresses are
// offsets in the file.
type profiled struct {
	path, buildID string
	profile       *profile.Profile
	rest          profile.FunctionID // inlined into the two others
}

func build(t *testing.T) profiled {
	t.Helper()
	analyzertest.Use(t)
	out := tooltest.Compile(t, "gcc", "x.c", source, "-O2", "-g", "-Wl,--build-id")
	p := profiled{path: out, buildID: elffile.BuildIDOf(out)}
	file, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	text := file.Section(".text")
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: out, BuildID: p.buildID, Limit: 1 << 40})
	p.rest = b.Function(profile.Function{Name: "rest", Mapping: m, Kind: profile.KindNative})
	for _, s := range symbols {
		if s.Name != "buckets" && s.Name != "one" {
			continue
		}
		outer := b.Function(profile.Function{Name: s.Name, Mapping: m, Kind: profile.KindNative})
		events := int64(1)
		if s.Name == "buckets" {
			events = 10
		}
		code := make([]byte, s.Size)
		if _, err := text.ReadAt(code, int64(s.Value-text.Addr)); err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(code), "\x48\xf7") // div
		if at < 0 {
			t.Fatalf("no division in %s", s.Name)
		}
		behind := s.Value + uint64(at) + 3 - text.Addr + text.Offset
		loc := b.Location(m, behind, profile.KindNative, profile.Line{Function: p.rest, Line: 2}, profile.Line{Function: outer, Line: 6})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: events, Value: events})
	}
	p.profile = b.Build(profile.Meta{})
	return p
}

func (p profiled) find(t *testing.T, dirs ...string) machinecode.Answer {
	t.Helper()
	out, err := machinecode.Find(t.Context(), machinecode.Request{Profile: p.profile, Functions: []profile.FunctionID{p.rest}, Dirs: dirs})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A function that was inlined is shown where it was inlined, the hottest place first,
// and what ran outside of loops too.
func TestWhereItWasInlined(t *testing.T) {
	p := build(t)
	found := p.find(t)
	if len(found.Functions) != 2 || found.Functions[0].Name != "buckets" || found.Functions[1].Name != "one" || len(found.Missing) != 0 {
		t.Fatalf("%+v", found)
	}
	in, out := found.Functions[0], found.Functions[1]
	if len(in.Loops) != 1 || in.Loops[0].Self != 10 || in.Loops[0].Line == 0 || len(out.Loops) != 0 {
		t.Errorf("loops: %+v, %+v", in.Loops, out.Loops)
	}
	var self int64
	for i, one := range in.Instructions {
		self += one.Self
		if i > 0 && one.Address <= in.Instructions[i-1].Address {
			t.Errorf("%x stands behind %x", one.Address, in.Instructions[i-1].Address)
		}
		if one.Self > 0 && one.For == 0 {
			t.Errorf("the samples at %x are not for the division", one.Address)
		}
	}
	if self != 10 || len(out.Instructions) != 1 || out.Instructions[0].Self != 1 {
		t.Errorf("%d in the loop, outside of it %+v", self, out.Instructions)
	}
}

// Only the build that ran is shown, wherever it is kept; another at its path is not.
func TestTheBuildThatRan(t *testing.T) {
	p := build(t)
	kept := t.TempDir()
	at := filepath.Join(kept, ".build-id", p.buildID[:2], p.buildID[2:])
	if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(p.path, at); err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.path, other, 0o600); err != nil {
		t.Fatal(err)
	}
	found := p.find(t)
	if len(found.Functions) != 0 || len(found.Missing) != 1 || found.Missing[0] != (machinecode.Missing{Path: p.path, BuildID: p.buildID, Self: 11}) {
		t.Errorf("%+v", found)
	}
	if found := p.find(t, kept); len(found.Functions) != 2 || len(found.Missing) != 0 {
		t.Errorf("kept: %+v", found)
	}
	// What agents upload has the build ID and no code.
	if text, err := exec.CommandContext(t.Context(), "objcopy", "--only-keep-debug", at).CombinedOutput(); err != nil {
		t.Fatalf("objcopy: %v\n%s", err, text)
	}
	if found := p.find(t, kept); len(found.Functions) != 0 || len(found.Missing) != 1 {
		t.Errorf("debug information alone: %+v", found)
	}
}
