// Package elfinfo measures the readers of debug information and of call frame
// information on real files:
//
//	go test ./bench/elfinfo -run xxx -bench . -args DWARF-FILE CFI-FILE
//
// Without arguments the C library of this machine serves where it will do.
package elfinfo

import (
	"flag"
	"os"
	"sync/atomic"
	"testing"

	"whyhot/internal/elfinfo/dwarf"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/ingest/unwind"
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// file is an argument of the run, or a file that does.
func file(b *testing.B, arg int, otherwise string) string {
	b.Helper()
	path := otherwise
	if flag.NArg() > arg {
		path = flag.Arg(arg)
	}
	if _, err := os.Stat(path); err != nil {
		b.Skip(err)
	}
	return path
}

// addresses are places in the code, step bytes apart.
func addresses(f *elffile.File, step uint64) []uint64 {
	var out []uint64
	for _, r := range f.CodeRanges() {
		for a := r.Low; a < r.High; a += step {
			out = append(out, a)
		}
	}
	return out
}

const libc = "/lib/x86_64-linux-gnu/libc.so.6"

// BenchmarkDWARF finds functions, inlined calls and lines of the code of a file
// that has its debug information inside, from opening it.
func BenchmarkDWARF(b *testing.B) {
	f, err := elffile.Open(file(b, 0, libc))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	const step = 64
	code := f.CodeRanges()
	addrs := addresses(f, step)
	var found atomic.Int64
	for b.Loop() {
		found.Store(0)
		info, err := dwarf.Open(f, nil, code)
		if err != nil {
			b.Skip(err)
		}
		count := func() func(int, []dwarf.Frame) {
			return func(_ int, frames []dwarf.Frame) {
				if len(frames) > 0 {
					found.Add(1)
				}
			}
		}
		if err := info.Lookup(b.Context(), addrs, count); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(found.Load()), "found")
}

// BenchmarkCFI opens a file's call frame information and makes the row at
// places in its code.
func BenchmarkCFI(b *testing.B) {
	path := file(b, 1, libc)
	f, err := elffile.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	const step = 32
	offsets := addresses(f, step) // of a shared library, whose file offsets are near enough
	stack := make([]byte, 64)
	walked := 0
	for b.Loop() {
		walked = 0
		m := unwind.NewFinder(nil).Find(path, "", 0)
		w := unwind.NewWalker()
		in := unwind.Input{Stack: stack, Max: 1}
		in.Regs.Valid = 1<<unwind.RIP | 1<<unwind.RSP
		in.Find = func(a uint64) (*unwind.Module, uint64) { return m, a }
		for _, off := range offsets {
			in.Regs.Value[unwind.RIP], in.Regs.Value[unwind.RSP] = off, 0x7000
			ips, _ := w.Walk(&in, nil)
			walked += len(ips)
		}
	}
	b.ReportMetric(float64(walked), "rows")
}
