package cfi

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"whyhot/internal/elfinfo/elffile"
)

// entry is a CIE or FDE of .eh_frame, padded with instructions that do nothing.
func entry(order binary.AppendByteOrder, id uint32, body []byte) []byte {
	for len(body)%8 != 0 {
		body = append(body, byte(Nop))
	}
	out := order.AppendUint32(nil, uint32(len(body)+4))
	return append(order.AppendUint32(out, id), body...)
}

// function is an .eh_frame with one function at [0x100, 0x180) whose return
// address is in column 16.
func function(order binary.AppendByteOrder, size int, program ...byte) []byte {
	address := func(b []byte, v uint64) []byte {
		if size == 4 {
			return order.AppendUint32(b, uint32(v))
		}
		return order.AppendUint64(b, v)
	}
	out := entry(order, 0, slices.Concat([]byte{1}, []byte("zR\x00"), []byte{2, 0x78, 16, 1, encAbs}, []byte{byte(DefCFA), 7, 8, byte(Offset) | 16, 1}))
	body := append(address(address(nil, 0x100), 0x80), 0)
	return append(out, entry(order, uint32(len(out)+4), append(body, program...))...)
}

// The same table in each format, for which readelf has no binary here.
func TestFormats(t *testing.T) {
	program := []byte{byte(AdvanceLoc) | 1, byte(DefCFAOffset), 16, byte(Offset) | 6, 2, byte(AdvanceLoc4)}
	for name, c := range map[string]struct {
		order  binary.AppendByteOrder
		format Format
	}{
		"64 little": {binary.LittleEndian, Format{AddressSize: 8}},
		"32 little": {binary.LittleEndian, Format{AddressSize: 4}},
		"64 big":    {binary.BigEndian, Format{AddressSize: 8, Big: true}},
		"32 big":    {binary.BigEndian, Format{AddressSize: 4, Big: true}},
	} {
		p := append(c.order.AppendUint32(bytes.Clone(program), 4), byte(DefCFARegister), 6)
		s := EHFrame(function(c.order, int(c.format.AddressSize), p...), 0x1000, nil, 0, c.format)
		f, ok := s.Find(0x17f)
		if !ok || f.Low != 0x100 || f.High != 0x180 || f.CodeAlign != 2 || f.DataAlign != -8 || f.ReturnColumn != 16 || f.Signal {
			t.Errorf("%s: %+v, %v", name, f, ok)
			continue
		}
		for pc, want := range map[uint64]Row{
			0x100: {CFARegister: 7, CFAOffset: 8, Rules: []Rule{{Kind: AtOffset, Register: 16, Offset: -8}}},
			0x102: {CFARegister: 7, CFAOffset: 16, Rules: []Rule{{Kind: AtOffset, Register: 6, Offset: -16}, {Kind: AtOffset, Register: 16, Offset: -8}}},
			0x10a: {CFARegister: 6, CFAOffset: 16, Rules: []Rule{{Kind: AtOffset, Register: 6, Offset: -16}, {Kind: AtOffset, Register: 16, Offset: -8}}},
		} {
			r, ok := f.Row(pc)
			if !ok || r.CFARegister != want.CFARegister || r.CFAOffset != want.CFAOffset || len(r.Rules) != len(want.Rules) {
				t.Errorf("%s at %#x: %+v, %v; want %+v", name, pc, r, ok, want)
				continue
			}
			for _, rule := range want.Rules {
				if got := r.Rule(rule.Register); got.Kind != rule.Kind || got.Offset != rule.Offset {
					t.Errorf("%s at %#x: %+v, want %+v", name, pc, got, rule)
				}
			}
		}
		for _, pc := range []uint64{0xff, 0x180} {
			if _, ok := s.Find(pc); ok {
				t.Errorf("%s: a function at %#x", name, pc)
			}
		}
	}
}

// What cannot be read costs its own function, not those behind it.
func TestBrokenEntriesAreLeftOut(t *testing.T) {
	order := binary.LittleEndian
	good := function(order, 8)
	for name, bad := range map[string][]byte{
		"no CIE there":   entry(order, 1<<20, make([]byte, 24)),
		"FDE for CIE":    entry(order, uint32(len(good)), make([]byte, 24)),
		"cut in the LEB": entry(order, 0, append([]byte("\x03zR\x00"), bytes.Repeat([]byte{0xff}, 20)...)),
	} {
		s := EHFrame(slices.Concat(bad, good), 0, nil, 0, Format{AddressSize: 8})
		if _, ok := s.Find(0x100); !ok {
			t.Errorf("%s: the function behind it is not found", name)
		}
	}
}

func TestInstructionsEndWhereTheyMakeNoSense(t *testing.T) {
	for _, program := range [][]byte{{0x3f}, {byte(DefCFA), 7}, {byte(RestoreState)}, {byte(DefCFA), 40, 8}, bytes.Repeat([]byte{byte(RememberState)}, maxRemembered+1)} {
		s := EHFrame(function(binary.LittleEndian, 8, program...), 0, nil, 0, Format{AddressSize: 8})
		f, ok := s.Find(0x110)
		if !ok {
			t.Fatal("no function")
		}
		if r, ok := f.Row(0x110); ok && program[0] != byte(DefCFA) {
			t.Errorf("% x: %+v", program, r)
		}
	}
}

// The linker's table and the one that is made of the section say the same.
func TestTableOfTheLinkerAndOwn(t *testing.T) {
	path, err := os.Executable()
	if _, e := os.Stat("/bin/ls"); e == nil {
		path, err = "/bin/ls", nil
	}
	if err != nil {
		t.Skip(err)
	}
	f, err := elffile.Open(path)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = f.Close() }()
	linked := Exception(f)
	if linked == nil || linked.hdr == nil {
		t.Skip("no table of the linker")
	}
	own := EHFrame(linked.data, linked.addr, nil, linked.hdrAddr, linked.format)
	n := 0
	for fde := range own.All() {
		n++
		got, ok := linked.Find(fde.Low)
		if !ok || got.Low != fde.Low || got.High != fde.High {
			t.Errorf("%#x: %#x to %#x, %v", fde.Low, got.Low, got.High, ok)
		}
	}
	if n != len(own.index) || n == 0 {
		t.Errorf("%d functions, %d in the index", n, len(own.index))
	}
}

// FuzzSection reads sections that may be anything: no panic, no function that
// ends before it begins, no row outside of one.
func FuzzSection(f *testing.F) {
	f.Add(function(binary.LittleEndian, 8, byte(AdvanceLoc)|1, byte(DefCFAOffset), 16), []byte{}, uint64(0x104), false, true)
	f.Add(function(binary.BigEndian, 4, byte(Expression), 16, 2, 0x77, 8), []byte{1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0x20, 0, 0, 0}, uint64(0x110), true, false)
	f.Fuzz(func(t *testing.T, data, hdr []byte, pc uint64, big, wide bool) {
		format := Format{Big: big, AddressSize: 4}
		if wide {
			format.AddressSize = 8
		}
		for _, s := range []*Section{EHFrame(data, 0x1000, hdr, 0x800, format), DebugFrame(data, format)} {
			n := 0
			for fde := range s.All() {
				n++
				if fde.High <= fde.Low || n > len(data) {
					t.Fatalf("function %d from %#x to %#x", n, fde.Low, fde.High)
				}
				program := fde.Instructions()
				for in := (Instruction{}); program.Next(&in); {
				}
			}
			if fde, ok := s.Find(pc); ok {
				if pc < fde.Low || pc >= fde.High {
					t.Fatalf("%#x is not in %#x to %#x", pc, fde.Low, fde.High)
				}
				fde.Row(pc)
			}
		}
	})
}
