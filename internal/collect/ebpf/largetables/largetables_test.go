package largetables

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.opentelemetry.io/ebpf-profiler/host"
	"go.opentelemetry.io/ebpf-profiler/interpreter/interpreterconfig"
	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind/elfunwindinfo"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/processmanager/ebpfapi"
	"go.opentelemetry.io/ebpf-profiler/processmanager/execinfomanager"
	"go.opentelemetry.io/ebpf-profiler/support"
)

// kernel stands for the kernel: it holds what the profiler, or Handler, puts there.
type kernel struct {
	ebpfapi.EbpfHandler

	infos map[uint16]sdtypes.UnwindInfo
	rows  []support.StackDelta
	pages []uint16
	first uint64
	puts  int
}

func (k *kernel) UpdateUnwindInfo(index uint16, info sdtypes.UnwindInfo) error {
	k.infos[index] = info
	return nil
}

func (k *kernel) UpdateExeIDToStackDeltas(_ host.FileID, rows []ebpfapi.StackDeltaEBPF) (uint16, error) {
	for _, r := range rows {
		k.rows = append(k.rows, support.StackDelta{AddrLow: r.AddressLow, UnwindInfo: r.UnwindInfo})
	}
	return 9, nil
}

func (k *kernel) UpdateStackDeltaPages(_ host.FileID, rows []uint16, _ uint16, first uint64) error {
	k.pages, k.first = slices.Clone(rows), first
	return nil
}

func (k *kernel) Put(first int, rows []support.StackDelta) error {
	if first != len(k.rows) {
		return errors.New("a piece is not where the last one ended")
	}
	k.puts++
	k.rows = append(k.rows, rows...)
	return nil
}

func (*kernel) Done(bool) error { return nil }

// unwound is a row as the kernel part reads it.
type unwound struct {
	low     uint16
	command uint16
	info    sdtypes.UnwindInfo
}

func (k *kernel) read() []unwound {
	out := make([]unwound, len(k.rows))
	for i, r := range k.rows {
		out[i].low = r.AddrLow
		if r.UnwindInfo&support.DeltaCommandFlag != 0 {
			out[i].command = r.UnwindInfo
		} else {
			out[i].info = k.infos[r.UnwindInfo]
		}
	}
	return out
}

// inKernel has the profiler's own code read a file, and gives what comes to the kernel.
// least is 0 for the profiler alone.
func inKernel(t *testing.T, path string, least, part int64) *kernel {
	t.Helper()
	k := &kernel{infos: map[uint16]sdtypes.UnwindInfo{}}
	maker := elfunwindinfo.NewStackDeltaProvider()
	manager := func() (*execinfomanager.ExecutableInfoManager, error) {
		none := interpreterconfig.NoInterpreters()
		if least == 0 {
			return execinfomanager.NewExecutableInfoManager(maker, k, none)
		}
		tables := New(maker, maker, least)
		tables.part = part
		open := func(uint64, int) (Map, uint16, error) { return k, 9, nil }
		return execinfomanager.NewExecutableInfoManager(tables, NewHandler(k, tables, open), none)
	}
	m, err := manager()
	if err != nil {
		t.Fatal(err)
	}
	ref := pfelf.NewReference(path, pfelf.SystemOpener)
	defer ref.Close()
	if _, err := m.AddOrIncRef(7, ref); err != nil {
		t.Fatal(err)
	}
	return k
}

// same compares what is in the kernel with what the profiler alone puts there.
func same(t *testing.T, path string, part int64) {
	t.Helper()
	want, got := inKernel(t, path, 0, 0), inKernel(t, path, 1, part)
	if got.puts == 0 {
		t.Errorf("%s went the profiler's way", path)
		return
	}
	if !slices.Equal(want.pages, got.pages) || want.first != got.first {
		t.Errorf("%s: other pages", path)
	}
	a, b := want.read(), got.read()
	if slices.Equal(a, b) {
		return
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("%s: row %d of %d and %d: %+v, want %+v", path, i, len(a), len(b), b[i], a[i])
			return
		}
	}
	t.Errorf("%s: %d rows, want %d", path, len(b), len(a))
}

func TestTheKernelGetsTheSame(t *testing.T) {
	var files []string
	for _, name := range []string{"libstdc++.so.6", "libc.so.6", "libcrypto.so.3", "libgcc_s.so.1", "libm.so.6"} {
		found, _ := filepath.Glob("/usr/lib/*-linux-gnu/" + name) // the pattern is sound
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("no library here")
	}
	for _, path := range files {
		for _, part := range []int64{3 << 10, 100 << 10} {
			same(t, path, part)
		}
	}
}

// The same of a file with a million rows, in parts of the usual size.
func TestTheKernelGetsTheSameOfALargeFile(t *testing.T) {
	files, _ := filepath.Glob("/usr/lib/*-linux-gnu/libLLVM*.so*") // the pattern is sound
	if len(files) == 0 || testing.Short() {
		t.Skip("no LLVM here, or no time")
	}
	same(t, files[0], partBytes)
}

func TestPartsAreSeenInEachRead(t *testing.T) {
	file := patched{ReaderAt: readerOf("0123456789"), patches: []patch{{2, []byte("ab")}, {8, []byte("xyz")}}}
	for at := range int64(10) {
		for n := range 10 - at {
			got := make([]byte, n)
			if _, err := file.ReadAt(got, at); err != nil || string(got) != "01ab4567xy"[at:at+n] {
				t.Fatalf("%d bytes at %d: %q, %v", n, at, got, err)
			}
		}
	}
}

type readerOf string

func (r readerOf) ReadAt(to []byte, at int64) (int, error) { return copy(to, r[at:]), nil }

func TestSmallFilesGoTheProfilersWay(t *testing.T) {
	exe, err := os.Executable() // a Go program, besides
	if err != nil {
		t.Fatal(err)
	}
	if k := inKernel(t, exe, 1, 1<<10); k.puts != 0 || len(k.rows) == 0 {
		t.Errorf("%d pieces, %d rows of a Go program", k.puts, len(k.rows))
	}
	for _, path := range []string{"/bin/ls", "/bin/sh"} {
		if _, err := os.Stat(path); err == nil {
			if k := inKernel(t, path, Least, partBytes); k.puts != 0 || len(k.rows) == 0 {
				t.Errorf("%d pieces, %d rows of %s", k.puts, len(k.rows), path)
			}
		}
	}
}
