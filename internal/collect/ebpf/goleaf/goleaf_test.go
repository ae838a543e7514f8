package goleaf

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind/elfunwindinfo"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
)

const source = `package main

//go:noinline
func leaf(n int) (s int) {
	for i := range n {
		s += i * i ^ s
	}
	return s
}

//go:noinline
func middle(n int) int { return leaf(n) + leaf(n) }

func main() {
	if middle(3) == 1 {
		panic("one")
	}
}
`

// program builds a Go program.
func program(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": source, "go.mod": "module leaf\ngo 1.22\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "leaf")
	build := exec.CommandContext(t.Context(), "go", append(append([]string{"build"}, flags...), "-o", path, ".")...)
	build.Dir = dir
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return path
}

// infoAt is how the tables have an address unwound.
func infoAt(tables *sdtypes.IntervalData, address uint64) (info sdtypes.UnwindInfo, ok bool) {
	for _, b := range tables.Blocks {
		if b.Start <= address && address < b.End {
			for _, d := range b.Deltas {
				if b.Start+uint64(d.Offset) <= address {
					info, ok = d.Info, true
				}
			}
		}
	}
	return info, ok
}

func TestLeavesAreUnwoundByTheStackPointer(t *testing.T) {
	for name, flags := range map[string][]string{"plain": nil, "without DWARF": {"-ldflags=-w"}} {
		t.Run(name, func(t *testing.T) {
			path := program(t, flags...)
			symbols, err := elf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer symbols.Close()
			list, err := symbols.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			ref := pfelf.NewReference(path, pfelf.SystemOpener)
			defer ref.Close()
			before, err := elfunwindinfo.NewStackDeltaProvider().GetIntervalDataForFile(ref)
			if err != nil {
				t.Fatal(err)
			}
			after, err := Provider{elfunwindinfo.NewStackDeltaProvider()}.GetIntervalDataForFile(ref)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := frameless(symbols.Machine)
			for _, s := range list {
				last := s.Value + s.Size - 1
				switch s.Name {
				case "main.leaf":
					for _, at := range []uint64{s.Value, last} {
						if got, _ := infoAt(after, at); got != want {
							t.Errorf("%s at %x: %+v, want %+v", s.Name, at, got, want)
						}
					}
				case "main.middle", "main.main":
					for _, at := range []uint64{s.Value, last} {
						was, _ := infoAt(before, at)
						if got, _ := infoAt(after, at); got != was {
							t.Errorf("%s at %x: %+v, was %+v", s.Name, at, got, was)
						}
					}
				}
			}
			if after.NumDeltas > 2*before.NumDeltas+100 {
				t.Errorf("%d deltas, %d before", after.NumDeltas, before.NumDeltas)
			}
			t.Logf("%d deltas, %d before", after.NumDeltas, before.NumDeltas)
		})
	}
}

// Spans at the edges of blocks, across them, and where the tables know better.
func TestApply(t *testing.T) {
	pointer, other, want := sdtypes.UnwindInfoFramePointer, sdtypes.UnwindInfoStop, sdtypes.UnwindInfo{Param: 8}
	tables := &sdtypes.IntervalData{}
	for _, b := range []struct {
		start, end uint64
		info       sdtypes.UnwindInfo
	}{{100, 200, pointer}, {200, 240, other}, {240, 400, pointer}} {
		tables.Add(sdtypes.BasicBlock{Start: b.start, End: b.end, Deltas: sdtypes.StackDeltaArray{{Info: b.info}}})
	}
	got := apply(tables, []span{{100, 110}, {150, 160}, {190, 250}, {390, 400}, {500, 600}}, want)
	for address, info := range map[uint64]sdtypes.UnwindInfo{
		100: want, 109: want, 110: pointer, 149: pointer, 150: want, 160: pointer, 190: want, 199: want,
		200: other, 239: other, 240: want, 249: want, 250: pointer, 389: pointer, 390: want, 399: want,
	} {
		if is, ok := infoAt(got, address); !ok || is != info {
			t.Errorf("%d: %+v, want %+v", address, is, info)
		}
	}
	if _, ok := infoAt(got, 500); ok {
		t.Error("a span outside of all blocks is in the tables")
	}
}

// Damaged tables give an error or spans, and never a panic.
func FuzzLeaves(f *testing.F) {
	f.Add([]byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8, 1, 0, 0, 0, 0, 0, 0, 0}, uint32(4), uint32(8))
	f.Fuzz(func(t *testing.T, data []byte, pcs, funcs uint32) {
		r := io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
		tab := table{list: window{r: r}, descriptions: window{r: r}, values: window{r: r}, quantum: 1, count: 64, text: 1, pcs: int64(pcs % 4096), funcs: int64(funcs % 4096), framelessAt: map[uint32]uint32{}}
		spans, err := tab.leaves()
		for _, s := range spans {
			if err == nil && s.end <= s.start {
				t.Errorf("%+v", s)
			}
		}
	})
}
