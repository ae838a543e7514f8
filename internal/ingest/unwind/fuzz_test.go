package unwind

import (
	"encoding/binary"
	"os"
	"testing"

	"whyhot/internal/elfinfo/cfi"
	"whyhot/internal/elfinfo/elffile"
)

func idOf(tb testing.TB, b []byte) string {
	tb.Helper()
	f, err := elffile.New("image", b)
	if err != nil {
		tb.Fatal(err)
	}
	return f.BuildID()
}

// FuzzFrames walks through sections that may be anything: no panic, no endless
// walk, and never more frames than asked for.
func FuzzFrames(f *testing.F) {
	f.Add(table("zR", cfaAdvanceLoc|1, cfaDefCFAOffset, 16, cfaOffset|regRBP, 2, cfaRememberState, cfaRestoreState), []byte{}, make([]byte, 64), uint64(0x104))
	f.Add(table("zRS", cfaExpression, regRA, 2, opBreg0+regRSP, 8, cfaDefCFAExpression, 2, opBreg0+regRSP, 16),
		[]byte{1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0x20, 0, 0, 0}, make([]byte, 64), uint64(0x110))
	f.Fuzz(func(t *testing.T, frames, hdr, stack []byte, ip uint64) {
		for _, s := range []*cfi.Section{cfi.EHFrame(frames, 0x1000, hdr, 0x800, format), cfi.DebugFrame(frames, format)} {
			m := &Module{loads: []load{{0, 1 << 40, 0}}, frames: []*cfi.Section{s}}
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
		file, err := elffile.New("image", b)
		if err != nil {
			return
		}
		m, err := newModule(file, "")
		if err != nil {
			return
		}
		for _, l := range m.loads {
			m.row(l.off)
			m.row(l.off + l.size/2)
		}
	})
}
