package machine_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

const (
	bitsUnit = `int test(const unsigned char *bits, int at) { return bits[at >> 3] >> (at & 7) & 1; }
unsigned spin(unsigned x) { for (unsigned i = 0; i < 1060; i++) x = x * 1664525u + i; return x; }
`
	callsUnit = `#include <stdio.h>
int test(const unsigned char *bits, int at);
int once(int x, int y);
unsigned spin(unsigned x);
int (*volatile pointer)(const unsigned char *, int) = test;
static unsigned char bits[64];
__attribute__((noinline)) int count(int n) { int s = 0; for (int i = 0; i < n; i++) s += test(bits, i); return s; }
__attribute__((noinline)) int through(int n) { int s = 0; for (int i = 0; i < n; i++) s += pointer(bits, i); return s; }
__attribute__((noinline)) int twice(int x) { return x * 3; }
__attribute__((noinline)) int ask(int n) { int s = 0; for (int i = 0; i < n; i++) s += once(i, n); return s; }
__attribute__((noinline)) int asks(int n) { int s = 0; for (int i = 0; i < n; i++) s += twice(i + s) + twice(s); return s; }
__attribute__((noinline)) unsigned spins(int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += spin(s); return s; }
int main(int argc, char **argv) { return spins(argc) + count(argc) + ask(argc) + asks(argc) + through(argc); }
__attribute__((noinline)) int once(int x, int y) { return x * y + 7; }
`
)

// called is a profile of samples at the entry of one function below another that calls it;
// where it has no direct call of it, the first call of its code counts.
func called(t *testing.T, path, function, caller, file, callerFile string) *profile.Profile {
	t.Helper()
	binaryFile, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = binaryFile.Close() }()
	symbols, err := binaryFile.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]elf.Symbol{}
	for _, s := range symbols {
		at[s.Name] = s
	}
	text := binaryFile.Section(".text")
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	var back uint64
	from := at[caller]
	for a := from.Value; a+5 <= from.Value+from.Size; a++ {
		in := code[a-text.Addr:]
		switch direct := in[0] == 0xe8; {
		case direct && a+5+uint64(int64(int32(binary.LittleEndian.Uint32(in[1:])))) == at[function].Value:
			back = a + 5
		case back == 0 && in[0] == 0xff && in[1]&0x38 == 0x10: // through a pointer
			back = a + 2
		}
	}
	if back == 0 {
		t.Fatalf("no call of %s in %s", function, caller)
	}
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: path, Start: text.Addr, Limit: text.Addr + text.Size, Offset: text.Offset})
	frame := func(name, file string, address uint64) profile.LocationID {
		f := b.Function(profile.Function{Name: name, File: filepath.Join(filepath.Dir(path), file), StartLine: 1, Mapping: m, Kind: profile.KindNative})
		return b.Location(m, address, profile.KindNative, profile.Line{Function: f, Line: 9})
	}
	sample := func(address uint64, count int64) {
		stack := b.Stack([]profile.LocationID{frame(function, file, address), frame(caller, callerFile, back)})
		b.Sample(profile.Sample{Stack: stack, Count: count, Value: count})
	}
	sample(at[function].Value, 100)
	body := code[at[function].Value-text.Addr:][:at[function].Size]
	if multiplies := bytes.IndexByte(body, 0x69); function == "spin" {
		sample(at[function].Value+uint64(multiplies), 9900)
	}
	return b.Build(profile.Meta{})
}

func TestSmallCalls(t *testing.T) {
	analyzertest.Use(t)
	dir := t.TempDir()
	unit := filepath.Join(dir, "bits.c")
	if err := os.WriteFile(unit, []byte(bitsUnit), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, function, caller, file string
		flags                        []string
		want                         string // in what is found, "" where nothing is
	}{
		{"of another file", "test", "count", "bits.c", []string{"-O2", "-g"}, "bytes: all of its code"},
		{"through a pointer", "test", "through", "bits.c", []string{"-O2", "-g"}, ""},
		{"of a header", "test", "count", "bits.h", []string{"-O2", "-g"}, ""},
		{"one call in its own file", "once", "ask", "calls.c", []string{"-O2", "-g"}, "it has one caller, and is not static"},
		{"two calls in its own file", "twice", "asks", "calls.c", []string{"-O2", "-g"}, ""},
		{"a loop, and an instruction before it", "spin", "spins", "bits.c", []string{"-O2", "-g"}, ""},
		{"the linker saw the whole", "once", "ask", "bits.c", []string{"-O2", "-g", "-flto"}, ""},
	} {
		path := tooltest.Compile(t, "gcc", "calls.c", callsUnit, append(x.flags, unit)...)
		p := called(t, path, x.function, x.caller, x.file, "calls.c")
		facts := binfacts.New()
		answer, err := machine.Find(t.Context(), machine.Request{Profile: p}, facts)
		if err != nil {
			t.Fatal(err)
		}
		found := machine.SmallCalls(p, answer, facts, facts.Info)
		_ = facts.Close()
		if len(found) != min(len(x.want), 1) {
			t.Errorf("%s: %+v", x.name, found)
			continue
		}
		if x.want == "" {
			continue
		}
		f := found[0]
		if f.Share.Main() != 1 || f.Place.Function != x.function || !strings.Contains(f.Evidence[0].Text, x.want) || f.Fix.Steps == nil {
			t.Errorf("%s: %+v", x.name, f.Finding)
		}
	}
}
