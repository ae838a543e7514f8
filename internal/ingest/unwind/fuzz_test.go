package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"testing"
)

func idOf(tb testing.TB, b []byte) string {
	tb.Helper()
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		tb.Fatal(err)
	}
	return buildID(f)
}

// FuzzFrames walks through sections that may be anything: no panic, no endless
// walk, and never more frames than asked for.
func FuzzFrames(f *testing.F) {
	m := moduleWith("zR", cfaAdvanceLoc|1, cfaDefCFAOffset, 16, cfaOffset|regRBP, 2, cfaRememberState, cfaRestoreState)
	f.Add(m.cfi[0].data, []byte{}, make([]byte, 64), uint64(0x104))
	f.Add(moduleWith("zRS", cfaExpression, regRA, 2, opBreg0+regRSP, 8, cfaDefCFAExpression, 2, opBreg0+regRSP, 16).cfi[0].data,
		[]byte{1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0x20, 0, 0, 0}, make([]byte, 64), uint64(0x110))
	f.Fuzz(func(t *testing.T, frames, hdr, stack []byte, ip uint64) {
		for _, s := range []*cfiSection{newEHFrame(frames, 0x1000, hdr, 0x800), newDebugFrame(frames)} {
			m := &Module{loads: []load{{0, 1 << 40, 0}}, cfi: []*cfiSection{s}}
			in := Input{Stack: stack, Max: 50}
			in.in(m)
			in.Regs.Valid = 1<<numRegs - 1
			in.Regs.Value[RIP], in.Regs.Value[RSP], in.Regs.Value[regRBP] = ip, 0x7000, 0x7010
			if ips, _ := NewWalker().Walk(&in, nil); len(ips) > 50 {
				t.Fatalf("%d frames", len(ips))
			}
		}
	})
}

// FuzzModule opens binaries that may be anything.
func FuzzModule(f *testing.F) {
	if b, err := os.ReadFile("/bin/true"); err == nil {
		f.Add(b)
	}
	f.Add(binary.LittleEndian.AppendUint64([]byte("\x7fELF\x02\x01\x01\x00"), 0))
	f.Fuzz(func(_ *testing.T, b []byte) {
		m, err := newModule(bytes.NewReader(b), "")
		if err != nil {
			return
		}
		for _, l := range m.loads {
			m.row(l.off)
			m.row(l.off + l.size/2)
		}
	})
}
