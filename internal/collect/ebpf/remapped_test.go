package ebpf

import (
	"testing"
	"unique"

	"go.opentelemetry.io/ebpf-profiler/host"
	"go.opentelemetry.io/ebpf-profiler/libpf"
)

// A file that a process has mapped twice: an address behind the second mapping is in the first.
func TestRemapped(t *testing.T) {
	mapping := func(name string, start, end libpf.Address) libpf.FrameMapping {
		return libpf.NewFrameMapping(libpf.FrameMappingData{
			File:  libpf.NewFrameMappingFile(libpf.FrameMappingFileData{FileName: libpf.Intern(name)}),
			Start: start, End: end,
		})
	}
	whole, builtins, other := mapping("node", 0xb6f000, 0x25fe000), mapping("node", 0x1ab7000, 0x1c40000), mapping("libc", 0, 0x3000000)
	seen := seenMappings{}
	seen.add(7, builtins)
	seen.add(7, whole)
	seen.add(7, whole)
	seen.add(8, other)
	if len(seen[7]) != 2 {
		t.Errorf("%d mappings", len(seen[7]))
	}
	for _, x := range []struct {
		file    host.FileID
		address libpf.AddressOrLineno
		want    libpf.FrameMapping
	}{
		{7, 0x21bd626, whole},
		{7, 0x1ab8000, builtins},
		{7, 0x2600000, libpf.FrameMapping{}},
		{9, 0x21bd626, libpf.FrameMapping{}},
	} {
		h := unique.Make(libpf.Frame{Type: libpf.NativeFrame, AddressOrLineno: x.address})
		if got := seen.remapped(h, x.file).Value(); got.Mapping != x.want || got.AddressOrLineno != x.address {
			t.Errorf("%x of %d: %+v", x.address, x.file, got)
		}
	}
}

func TestNativesOfATrace(t *testing.T) {
	native := libpf.NewEbpfFrameHeader(libpf.NativeFrame, 0, 2, 0x1000)
	perl := libpf.NewEbpfFrameHeader(libpf.PerlFrame, 0, 3, 0)
	trace := &libpf.EbpfTrace{FrameData: []uint64{0xffff, native, 7, perl, 1, 2, native, 8}, NumKernelFrames: 1}
	if got := nativesOf(nil, trace); len(got) != 2 || got[0] != 7 || got[1] != 8 {
		t.Errorf("%v", got)
	}
}
