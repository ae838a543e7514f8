package generated

import (
	"encoding/hex"
	"errors"
	"math/bits"
	"strings"
	"testing"

	"go.opentelemetry.io/ebpf-profiler/host"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/lpm"
	"go.opentelemetry.io/ebpf-profiler/processmanager/ebpfapi"
	"go.opentelemetry.io/ebpf-profiler/support"
)

func TestAddress(t *testing.T) {
	for _, address := range []uint64{0x1000, 0x7f12_3456_789a, 1<<48 - 1} {
		// What the kernel part gives back of an offset are 52 bits.
		got, ok := Address(offset(address) & (1<<52 - 1))
		if !ok || got != address {
			t.Errorf("%#x comes back as %#x, %v", address, got, ok)
		}
	}
	if _, ok := Address(0x1234_5678); ok {
		t.Error("an offset in a file is no address of generated code")
	}
	if _, err := support.EncodeBiasAndUnwindProgram(bias, 1); err != nil {
		t.Error(err)
	}
}

func TestAfterCall(t *testing.T) {
	for text, want := range map[string]bool{
		"90 90 e8 01 02 03 04": true,  // call rel32
		"90 90 90 90 90 ff d0": true,  // call rax
		"90 90 90 90 41 ff d3": true,  // call r11
		"90 90 90 90 ff 50 30": true,  // call [rax+0x30]
		"90 90 90 ff 14 c5 90": false, // a call that goes on
		"90 90 90 90 ff 14 c8": true,  // call [rax+rcx*8]
		"ff 14 c5 01 02 03 04": true,  // call [rax*8+disp32]
		"90 ff 15 01 02 03 04": true,  // call [rip+disp32]
		"90 ff 90 01 02 03 04": true,  // call [rax+disp32]
		"ff 94 24 01 02 03 04": true,  // call [rsp+disp32]
		"90 90 90 90 90 90 c3": false, // ret: what follows is another function
		"90 90 90 90 90 ff e0": false, // jmp rax
		"90 90 e9 01 02 03 04": false, // jmp rel32
		"90 90 90 90 66 66 90": false,
		"":                     false,
	} {
		code, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := afterCallAMD64(code); got != want {
			t.Errorf("amd64 %s: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"00000094": true,  // bl
		"20003fd6": true,  // blr x1
		"200a3fd7": true,  // blraa x17, x0
		"c0035fd6": false, // ret
		"20001fd6": false, // br x1
		"0000":     false,
	} {
		code, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := afterCallARM64(code); got != want {
			t.Errorf("arm64 %s: %v, want %v", text, got, want)
		}
	}
}

func FuzzAfterCall(f *testing.F) {
	f.Add([]byte{0xff, 0x14, 0xc5, 1, 2, 3, 4})
	f.Fuzz(func(_ *testing.T, code []byte) {
		afterCallAMD64(code)
		afterCallARM64(code)
	})
}

// kernel is what the kernel part would know.
type kernel struct {
	ebpfapi.EbpfHandler

	t     *testing.T
	rows  int
	pages map[uint64]bool
	maps  map[support.PIDPage]uint64 // the file, by prefix
	full  bool
}

func newKernel(t *testing.T) *kernel {
	return &kernel{t: t, pages: map[uint64]bool{}, maps: map[support.PIDPage]uint64{}}
}

func (k *kernel) UpdateExeIDToStackDeltas(host.FileID, []ebpfapi.StackDeltaEBPF) (uint16, error) {
	k.rows++
	return 8, nil
}

func (k *kernel) UpdateStackDeltaPages(_ host.FileID, n []uint16, _ uint16, first uint64) error {
	if len(n) != 1 || n[0] != 1 || first&support.StackDeltaPageMask != 0 || k.pages[first] {
		k.t.Errorf("pages %v at %#x", n, first)
	}
	k.pages[first] = true
	return nil
}

func (k *kernel) DeleteStackDeltaPage(_ host.FileID, page uint64) error {
	if !k.pages[page] {
		k.t.Errorf("page %#x is deleted and was not there", page)
	}
	delete(k.pages, page)
	return nil
}

func keyOf(pid libpf.PID, p lpm.Prefix) support.PIDPage {
	return support.PIDPage{Pid: bits.ReverseBytes32(uint32(pid)), Page: bits.ReverseBytes64(p.Key), PrefixLen: support.BitWidthPID + p.Length}
}

var errFull = errors.New("full")

func (k *kernel) UpdatePidPageMappingInfo(pid libpf.PID, p lpm.Prefix, file, _ uint64) error {
	if k.full {
		return errFull
	}
	k.maps[keyOf(pid, p)] = file
	return nil
}

func (k *kernel) DeletePidPageMappingInfo(pid libpf.PID, prefixes []lpm.Prefix) (uint64, error) {
	for _, p := range prefixes {
		delete(k.maps, keyOf(pid, p))
	}
	return uint64(len(prefixes)), nil
}

func (k *kernel) Lookup(key, out any) error {
	file, ok := k.maps[*key.(*support.PIDPage)]
	if !ok {
		return errors.New("no such key")
	}
	out.(*support.PIDPageMappingInfo).File_id = file
	return nil
}

func (k *kernel) code() *Code {
	return New(Maps{EbpfHandler: k, Pages: k}, func(libpf.PID) bool { return false })
}

func TestMappingsComeAndGo(t *testing.T) {
	k := newKernel(t)
	c := k.code()
	set := func(pid libpf.PID, spans ...span) {
		t.Helper()
		if err := c.set(pid, spans); err != nil {
			t.Fatal(err)
		}
	}
	a, b := span{0x7f00_0000_0000, 0x7f00_0003_0000}, span{0x7f00_0003_0000, 0x7f00_0003_1000}
	set(1, a)
	if len(k.pages) != 3 || len(k.maps) != 2 || k.rows != 1 {
		t.Fatalf("%d pages, %d prefixes, %d rows", len(k.pages), len(k.maps), k.rows)
	}
	set(1, a, b)
	set(2, b) // another process has code at the same address
	if len(k.pages) != 4 || len(k.maps) != 4 || k.rows != 1 {
		t.Fatalf("%d pages, %d prefixes, %d rows", len(k.pages), len(k.maps), k.rows)
	}
	set(1, a)
	if len(k.pages) != 4 {
		t.Fatal("a page went that the other process has")
	}
	set(2)
	set(1)
	if len(k.pages) != 0 || len(k.maps) != 0 {
		t.Fatalf("%d pages and %d prefixes are left", len(k.pages), len(k.maps))
	}
}

// A library that was loaded where code was has its place.
func TestWhatHasThePlaceStays(t *testing.T) {
	k := newKernel(t)
	c := k.code()
	s := span{0x1000_0000, 0x1001_0000}
	if err := c.set(1, []span{s}); err != nil {
		t.Fatal(err)
	}
	for key := range k.maps {
		k.maps[key] = 4711
	}
	if err := c.set(1, nil); err != nil {
		t.Fatal(err)
	}
	if len(k.maps) != 1 || len(k.pages) != 0 {
		t.Errorf("%d prefixes, %d pages", len(k.maps), len(k.pages))
	}
}

func TestTooMuchCode(t *testing.T) {
	k := newKernel(t)
	c := k.code()
	if err := c.set(1, []span{{1 << 32, 1<<32 + (mostPages+1)<<pageBits}}); !errors.Is(err, errPages) {
		t.Error(err)
	}
	k.full = true
	if err := c.set(1, []span{{1 << 32, 1<<32 + 1<<pageBits}}); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if len(k.pages) != 0 || len(k.maps) != 0 || len(c.entered) != 0 {
		t.Errorf("%d pages, %d prefixes are left", len(k.pages), len(k.maps))
	}
}
