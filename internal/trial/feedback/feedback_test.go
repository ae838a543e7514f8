package feedback

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/ingest"
	"whyhot/internal/profile"
)

// goProfile has one Go program, called from C's library, with an inlined call.
func goProfile(start int32) *profile.Profile {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/srv/app", Start: 0x400000, Limit: 0x500000})
	libc := b.Mapping(profile.Mapping{Path: "/lib/libc.so.6", Start: 0x700000, Limit: 0x800000})
	fn := func(m profile.MappingID, name, file string, line int32, kind profile.Kind) profile.FunctionID {
		return b.Function(profile.Function{Name: name, File: file, StartLine: line, Mapping: m, Kind: kind})
	}
	inner := fn(app, "main.inner", "/src/a.go", start, profile.KindGo)
	outer := fn(app, "main.outer", "/src/a.go", start*2, profile.KindGo)
	write := fn(libc, "write", "", 0, profile.KindNative)
	inlined := b.Location(app, 0x400010, profile.KindGo, profile.Line{Function: inner, Line: 12}, profile.Line{Function: outer, Line: 25})
	other := b.Location(libc, 0x700010, profile.KindNative, profile.Line{Function: write})
	labels := b.Labels([]profile.Label{{Key: "process", Str: "secret"}})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{inlined}), Labels: labels, Count: 3, Value: 30})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{other, inlined}), Count: 2, Value: 20})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{other}), Count: 5, Value: 50})
	return b.Build(profile.Meta{ValueType: cpuTime})
}

func TestGoKeepsTheProgramAlone(t *testing.T) {
	var out bytes.Buffer
	s, err := Write(&out, Request{Profile: goProfile(10), Format: GoPGO})
	if err != nil {
		t.Fatal(err)
	}
	if s.Binary != "/srv/app" || s.Used != 5 || s.Samples != 10 || s.Functions != 1 || len(s.Notes) != 1 {
		t.Errorf("summary %+v", s)
	}
	p, err := ingest.Read(t.Context(), bytes.NewReader(out.Bytes()), "default.pgo", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Total() != 50 || p.NumStacks() != 1 || p.Meta.ValueType != cpuTime {
		t.Fatalf("total %d in %d stacks of %v", p.Total(), p.NumStacks(), p.Meta.ValueType)
	}
	lines := p.Lines(p.Stack(0)[0])
	if len(lines) != 2 {
		t.Fatalf("%d frames: the inlined one is one of its own", len(lines))
	}
	if f := p.Function(lines[0].Function); f.Name != "main.inner" || f.StartLine != 10 || lines[0].Line != 12 {
		t.Errorf("%+v at %d", f, lines[0].Line)
	}
	for i := range p.NumLabelSets() {
		if len(p.Labels(profile.LabelSetID(i))) > 0 {
			t.Error("labels are kept")
		}
	}
}

// A call by way of an interface goes from the caller to the method, as in profiles of Go's
// own sampler; what the compiler wrote between them is no function of the source.
func TestGoLeavesWrappersOut(t *testing.T) {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/srv/app", Start: 0x400000, Limit: 0x500000})
	fn := func(name, file string, line int32) profile.FunctionID {
		return b.Function(profile.Function{Name: name, File: file, StartLine: line, Mapping: app, Kind: profile.KindGo})
	}
	wrapper, method, caller := fn("main.(*T).m", generated, 0), fn("main.T.m", "/src/a.go", 3), fn("main.call", "/src/a.go", 9)
	inlined := b.Location(app, 0x400010, profile.KindGo, profile.Line{Function: method, Line: 4}, profile.Line{Function: wrapper, Line: 1})
	alone := b.Location(app, 0x400020, profile.KindGo, profile.Line{Function: fn("main.(*T).m", "", 0)})
	call := b.Location(app, 0x400030, profile.KindGo, profile.Line{Function: caller, Line: 11})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{inlined, call}), Count: 3, Value: 30})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{alone, call}), Count: 2, Value: 20})
	var out bytes.Buffer
	s, err := Write(&out, Request{Profile: b.Build(profile.Meta{ValueType: cpuTime}), Format: GoPGO})
	if err != nil {
		t.Fatal(err)
	}
	p, err := ingest.Read(t.Context(), bytes.NewReader(out.Bytes()), "default.pgo", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Used != 5 || p.Total() != 50 || p.NumStacks() != 2 {
		t.Errorf("%+v, %d in %d stacks", s, p.Total(), p.NumStacks())
	}
	for _, sample := range p.Samples() {
		for _, loc := range p.Stack(sample.Stack) {
			for _, l := range p.Lines(loc) {
				if f := p.Function(l.Function); f.Name != "main.T.m" && f.Name != "main.call" {
					t.Errorf("%+v is kept", f)
				}
			}
		}
	}
}

func TestGoWithoutFirstLines(t *testing.T) {
	var out bytes.Buffer
	if _, err := Write(&out, Request{Profile: goProfile(0), Format: GoPGO}); !errors.Is(err, ErrNothing) {
		t.Errorf("%v", err)
	}
}

func TestNothingToExport(t *testing.T) {
	p := goProfile(10)
	for _, r := range []Request{
		{Profile: p, Format: GoPGO, Binary: "nowhere"},
		{Profile: profile.NewBuilder().Build(profile.Meta{}), Format: GoPGO},
		{Profile: p, Format: LLVMSample, File: filepath.Join(t.TempDir(), "none")},
		{Profile: p, Format: "autofdo"},
	} {
		if _, err := Write(&bytes.Buffer{}, r); err == nil {
			t.Errorf("%+v: no error", r)
		}
	}
}

// The numbers are LLVM's own: discriminators that clang writes, and what
// DILocation makes of them.
func TestDiscriminators(t *testing.T) {
	for d, want := range map[uint32][2]int64{
		0: {0, 1}, 2: {1, 1}, 4: {2, 1}, 0x3e: {31, 1}, 1: {0, 1},
		0x1 | 0x4<<2: {0, 4},        // no base, four copies
		2<<0 | 3<<8:  {1, 3},        // base 1 in seven bits, then 3
		0x40 | 2:     {1, 1},        // twelve bits
		0xc0 | 2:     {0x20 | 1, 1}, // a sixth bit
	} {
		if component(d) != uint32(want[0]) || duplication(d) != want[1] {
			t.Errorf("%#x: base %d, %d copies; want %v", d, component(d), duplication(d), want)
		}
	}
}

const program = `#include <stdlib.h>
static int twice(int x) {
  if (x & 1)
    return x * 3;
  return x * 2;
}
int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += twice(i ^ sum);
  return sum;
}
int main(int argc, char **argv) { return work(argc * 1000); }
`

// built compiles the program and gives a profile of it with a sample on every byte of
// work, as a sampler that never misses one would.
func built(t *testing.T) (*profile.Profile, string) {
	t.Helper()
	clang := tooltest.Find(t, "clang-19")
	dir := t.TempDir()
	path, source := filepath.Join(dir, "prog"), filepath.Join(dir, "prog.c")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), clang, "-O2", "-fno-vectorize", "-fno-unroll-loops", "-g", "-fdebug-info-for-profiling", "-Wl,--emit-relocs", "-o", path, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	bin, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer bin.Close() //nolint:errcheck // only read from
	text := bin.Section(".text")
	b := profile.NewBuilder()
	const base = 0x555500000000
	m := b.Mapping(profile.Mapping{Path: path, BuildID: bin.BuildID(), Start: base, Limit: base + 1<<20})
	for off := text.Offset; off < text.Offset+text.Size; off++ {
		stack := b.Stack([]profile.LocationID{b.Location(m, base+off, profile.KindNative)})
		b.Sample(profile.Sample{Stack: stack, Count: 10, Value: 10})
	}
	return b.Build(profile.Meta{}), path
}

// LLVM's own tools read what is written, and find the inlined call in it.
func TestLLVMReadsIt(t *testing.T) {
	p, path := built(t)
	var out bytes.Buffer
	s, err := Write(&out, Request{Profile: p, Format: LLVMSample})
	if err != nil {
		t.Fatal(err)
	}
	if s.Binary != path || s.Used == 0 || s.Used > s.Samples {
		t.Errorf("%+v", s)
	}
	text := out.String()
	// twice is called on the third line after the function's first.
	if !strings.Contains(text, "work:") || !strings.Contains(text, "\n 3: twice:") && !strings.Contains(text, "\n 3.1: twice:") {
		t.Errorf("no inlined call in\n%s", text)
	}
	file := filepath.Join(t.TempDir(), "p.prof")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	shown, err := exec.CommandContext(t.Context(), tooltest.Find(t, "llvm-profdata-19"), "show", "--sample", file).CombinedOutput()
	if err != nil || !strings.Contains(string(shown), "inlined callee: twice") {
		t.Errorf("%v: %s", err, shown)
	}
	source := filepath.Join(filepath.Dir(path), "prog.c")
	again, err := exec.CommandContext(t.Context(), tooltest.Find(t, "clang-19"), "-O2", "-g", "-fdebug-info-for-profiling", "-fprofile-sample-use="+file,
		"-Wall", "-Werror", "-S", "-o", "-", source, "-Xclang", "-emit-llvm").CombinedOutput()
	if err != nil || !strings.Contains(string(again), "function_entry_count") {
		t.Errorf("clang does not use it: %v\n%.2000s", err, again)
	}
}

func TestBOLTReadsIt(t *testing.T) {
	p, path := built(t)
	var out bytes.Buffer
	s, err := Write(&out, Request{Profile: p, Format: BOLT})
	if err != nil {
		t.Fatal(err)
	}
	if s.Functions < 2 || len(s.Notes) > 0 {
		t.Errorf("%+v", s)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "p.fdata")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), tooltest.Find(t, "llvm-bolt-19"), path, "-data="+file, "-o", filepath.Join(dir, "out"),
		"-reorder-blocks=ext-tsp").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "have non-empty execution profile") {
		t.Errorf("%v: %s", err, said)
	}
}

func TestAnotherBuildIsRefused(t *testing.T) {
	p, path := built(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bin, err := elffile.New(path, data)
	if err != nil {
		t.Fatal(err)
	}
	note := bin.Section(".note.gnu.build-id")
	if note == nil {
		t.Skip("the linker writes no build ID")
	}
	data[note.Offset+note.Size-1] ^= 0xff
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Format{LLVMSample, BOLT} {
		if _, err := Write(&bytes.Buffer{}, Request{Profile: p, Format: f, File: other}); err == nil || !strings.Contains(err.Error(), "another build") {
			t.Errorf("%s: %v", f, err)
		}
	}
}
