package extract

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tool"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/symbol"
	"whyhot/internal/symbol/elfsym"
)

const program = `
#include <cstdio>
static inline int square(int x) { return x * x + 1; }
__attribute__((noinline)) int heavy(int n) { int s = 0; for (int i = 0; i < n; i++) s += square(i) ^ s; return s; }
int main(int argc, char**) { return printf("%d\n", heavy(argc)) < 0; }
`

// build compiles the program; it gives the path.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	return tooltest.Compile(t, "c++", "p.cpp", program, append([]string{"-O2", "-g", "-Wl,--build-id"}, flags...)...)
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	out, err := Open(f, st.Size())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// write makes the extract's file.
func write(t *testing.T, kind Kind, binary, debug *File) (string, *Extract) {
	t.Helper()
	e, err := New(kind, binary, debug)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(e.Reader())
	if err != nil || int64(len(data)) != e.Size() {
		t.Fatalf("%d bytes of %d, %v", len(data), e.Size(), err)
	}
	path := filepath.Join(t.TempDir(), "x.debug")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, e
}

// same compares what the names of addresses are read from.
func same(t *testing.T, original, extract string) {
	t.Helper()
	a, err := elffile.Open(original)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := elffile.Open(extract)
	if err != nil {
		t.Fatalf("%s: the extract: %v", original, err)
	}
	defer b.Close()
	if a.BuildID() != b.BuildID() {
		t.Errorf("%s: build ID %s became %s", original, a.BuildID(), b.BuildID())
	}
	before, _ := elfsym.Read(a)
	after, err := elfsym.Read(b)
	if err != nil {
		t.Errorf("%s: %v", original, err)
	}
	if !slices.Equal(before.Symbols(), after.Symbols()) {
		t.Errorf("%s: %d symbols became %d, or others", original, before.Len(), after.Len())
	}
	if !slices.Equal(a.CodeRanges(), b.CodeRanges()) {
		t.Errorf("%s: code ranges %v became %v", original, a.CodeRanges(), b.CodeRanges())
	}
	step := uint64(a.Size()/101) + 1
	for off := uint64(0); off < uint64(a.Size()); off += step {
		v, ok := a.OffsetToVaddr(off)
		w, still := b.OffsetToVaddr(off)
		if v != w || ok != still {
			t.Fatalf("%s: offset %#x was at %#x (%v), is at %#x (%v)", original, off, v, ok, w, still)
		}
	}
}

func TestRealFiles(t *testing.T) {
	patterns := []string{
		"/usr/bin/bash", "/usr/bin/perl", "/usr/bin/python3.??", "/lib/*-linux-gnu/libc.so.6", "/lib/*-linux-gnu/libm.so.6",
		"/usr/lib/*-linux-gnu/libstdc++.so.6", "/usr/lib/*-linux-gnu/libz.so.1", "/lib/*-linux-gnu/libattr.so.1",
	}
	if goTool, err := tool.Find("go"); err == nil {
		patterns = append(patterns, goTool)
	}
	files := []string{os.Args[0]}
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, path := range files {
		for _, kind := range []Kind{Symbols, Full} {
			f := open(t, path)
			out, e := write(t, kind, f, nil)
			same(t, path, out)
			if kind == Symbols && e.Size() > f.size*9/10 {
				t.Errorf("%s: %d bytes, %d of them symbols", path, f.size, e.Size())
			}
		}
	}
}

// lineOf is the innermost frame at the symbol's first address.
func framesOf(t *testing.T, path, name string) string {
	t.Helper()
	f, err := symbol.Open(path, symbol.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	table, err := elfsym.Read(e)
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, s := range table.Symbols() {
		if !strings.Contains(s.Name, name) {
			continue
		}
		for at := s.Low; at < s.High; at++ {
			for _, frame := range f.Lookup(at) {
				out += frame.Function.Name + " " + frame.Function.File + " " + strconv.Itoa(int(frame.Line)) + "\n"
			}
		}
	}
	return out
}

func TestFullHasLinesAndInlinedCalls(t *testing.T) {
	for name, flags := range map[string][]string{
		"plain": nil, "static": {"-static"}, "fixed address": {"-no-pie"}, "compressed": {"-gz=zlib"}, "relocations kept": {"-Wl,--emit-relocs"},
	} {
		path := build(t, flags...)
		want := framesOf(t, path, "heavy")
		if !strings.Contains(want, "square") {
			t.Fatalf("%s: no inlined call in %q", name, want)
		}
		full, e := write(t, Full, open(t, path), nil)
		if got := framesOf(t, full, "heavy"); got != want || e.Kind() != Full {
			t.Errorf("%s: %s: %q, want %q", name, e.Kind(), got, want)
		}
		symbols, e := write(t, Symbols, open(t, path), nil)
		if got := framesOf(t, symbols, "heavy"); !strings.Contains(got, "heavy") || strings.Contains(got, "square") || e.Kind() != Symbols {
			t.Errorf("%s: %s: %q", name, e.Kind(), got)
		}
		if flags != nil && strings.Contains(flags[0], "relocs") && open(t, full).find(".rela.text") != nil {
			t.Error("relocations of the code were taken")
		}
	}
}

// A stripped program with its debug file gives what the whole one gives, whichever
// tool split it.
func TestSeparateDebugFile(t *testing.T) {
	whole := build(t)
	stripped := filepath.Join(t.TempDir(), "stripped")
	tooltest.Run(t, "strip", "-o", stripped, whole)
	want, _ := write(t, Full, open(t, whole), nil)
	splits := map[string][]string{"objcopy": {"objcopy", "--only-keep-debug", whole}}
	if _, err := tool.Find("eu-strip"); err == nil {
		splits["eu-strip"] = []string{"eu-strip", "-o", filepath.Join(t.TempDir(), "s"), whole, "-f"}
	}
	for name, command := range splits {
		debug := filepath.Join(t.TempDir(), "d.debug")
		tooltest.Run(t, command[0], append(command[1:], debug)...)
		for _, kind := range []Kind{Symbols, Full} {
			out, _ := write(t, kind, open(t, stripped), open(t, debug))
			same(t, whole, out)
			if kind == Full && framesOf(t, out, "heavy") != framesOf(t, want, "heavy") {
				t.Errorf("%s: other lines than in the whole file", name)
			}
		}
		alone, _ := write(t, Full, nil, open(t, debug))
		if framesOf(t, alone, "heavy") != framesOf(t, want, "heavy") {
			t.Errorf("%s: a debug file alone gives other lines", name)
		}
	}
}

func TestGDBReadsIt(t *testing.T) {
	if _, err := tool.Find("gdb"); err != nil {
		t.Skip("there is no gdb")
	}
	whole := build(t)
	stripped := filepath.Join(t.TempDir(), "stripped")
	tooltest.Run(t, "strip", "-o", stripped, whole)
	out, e := write(t, Full, open(t, whole), nil)
	dir := t.TempDir()
	tree := filepath.Join(dir, ".build-id", e.BuildID()[:2])
	if err := os.MkdirAll(tree, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(out, filepath.Join(tree, e.BuildID()[2:]+".debug")); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), "gdb", "-batch", "-nx", "-iex", "set debug-file-directory "+dir,
		"-ex", "info line heavy", "-ex", "info scope heavy", stripped).CombinedOutput()
	if err != nil || !strings.Contains(string(said), "p.cpp") || !strings.Contains(string(said), "Symbol n ") || strings.Contains(string(said), "warning") {
		t.Errorf("%v: %s", err, said)
	}
}

func TestHash(t *testing.T) {
	path := build(t)
	_, symbols := write(t, Symbols, open(t, path), nil)
	_, again := write(t, Symbols, open(t, path), nil)
	_, full := write(t, Full, open(t, path), nil)
	if symbols.Hash() != again.Hash() || symbols.Hash() == full.Hash() || !strings.HasPrefix(full.Hash(), "full-") || !strings.HasPrefix(symbols.Hash(), "symbols-") {
		t.Errorf("%s, %s, %s", symbols.Hash(), again.Hash(), full.Hash())
	}
}

func TestWhatIsRefused(t *testing.T) {
	data, err := os.ReadFile(build(t))
	if err != nil {
		t.Fatal(err)
	}
	edit := func(f func(b []byte) []byte) []byte { return f(slices.Clone(data)) }
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":          {nil, ErrNotELF},
		"text":           {[]byte("#!/bin/sh\n" + strings.Repeat("echo\n", 50)), ErrNotELF},
		"32 bits":        {edit(func(b []byte) []byte { b[elf.EI_CLASS] = 1; return b }), ErrUnsupported},
		"big-endian":     {edit(func(b []byte) []byte { b[elf.EI_DATA] = 2; return b }), ErrUnsupported},
		"core":           {edit(func(b []byte) []byte { b[16] = byte(elf.ET_CORE); return b }), ErrUnsupported},
		"no sections":    {edit(func(b []byte) []byte { clear(b[40:48]); return b }), ErrNoSections},
		"far sections":   {edit(func(b []byte) []byte { b[46] = 0xff; return b }), ErrDamaged},
		"far names":      {edit(func(b []byte) []byte { binary.LittleEndian.PutUint16(b[62:], 0xfff0); return b }), ErrDamaged},
		"many sections":  {edit(func(b []byte) []byte { binary.LittleEndian.PutUint16(b[60:], 0xff00); return b }), ErrUnsupported},
		"cut in the end": {data[:len(data)-1], ErrDamaged},
		"overlapping": {edit(func(b []byte) []byte {
			table := b[binary.LittleEndian.Uint64(b[40:]):]
			for i := range int(binary.LittleEndian.Uint16(b[60:])) {
				if s := table[64*i:]; elf.SectionType(binary.LittleEndian.Uint32(s[4:])) == elf.SHT_PROGBITS {
					binary.LittleEndian.PutUint32(s[4:], uint32(elf.SHT_NOTE))
					binary.LittleEndian.PutUint64(s[24:], 0)
					binary.LittleEndian.PutUint64(s[32:], uint64(len(b)))
				}
			}
			return b
		}), ErrDamaged},
		"only a header": {data[:64], ErrDamaged},
	} {
		f, err := Open(bytes.NewReader(c.data), int64(len(c.data)))
		if err == nil {
			_, err = New(Symbols, f, nil)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A file that becomes shorter while it is read gives an error, no short result.
func TestTruncatedMeanwhile(t *testing.T) {
	path := build(t)
	e, err := New(Full, open(t, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 2000); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, e.Reader()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func FuzzExtract(f *testing.F) {
	if data, err := os.ReadFile("/bin/true"); err == nil {
		f.Add(data)
	}
	for _, small := range []string{"testdata/small", "testdata/small.debug"} {
		data, err := os.ReadFile(small)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		in.DebugLink()
		in.AltLink()
		for _, kind := range []Kind{Symbols, Full} {
			e, err := New(kind, in, nil)
			if err != nil {
				continue
			}
			if e2, err := New(kind, in, in); err == nil && e2.Size() < 0 {
				t.Fatal("negative")
			}
			out, err := io.ReadAll(io.LimitReader(e.Reader(), 64<<20))
			if err != nil || int64(len(out)) != min(e.Size(), 64<<20) {
				t.Fatalf("%d bytes of %d, %v", len(out), e.Size(), err)
			}
			back, err := Open(bytes.NewReader(out), int64(len(out)))
			if e.Size() < 64<<20 && (err != nil || back.BuildID() != in.BuildID()) {
				t.Fatalf("the result cannot be read: %v", err)
			}
		}
	})
}
