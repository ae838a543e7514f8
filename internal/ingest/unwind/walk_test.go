package unwind

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/cfi"
)

// stackOf is a recorded stack that starts at sp.
func stackOf(sp uint64, words ...uint64) Input {
	in := Input{Max: 100, Find: func(uint64) (*Module, uint64) { return nil, 0 }}
	in.Regs.Value[RSP] = sp
	in.Regs.Valid = 1<<RSP | 1<<RIP | 1<<regRBP
	for _, w := range words {
		in.Stack = binary.LittleEndian.AppendUint64(in.Stack, w)
	}
	return in
}

func TestFramePointerWalk(t *testing.T) {
	const sp = 0x7000
	in := stackOf(sp, 0, 0, sp+32, 0x2001, sp+48, 0x3001, 0, 0x4001)
	in.Regs.Value[RIP], in.Regs.Value[regRBP] = 0x1000, sp+16
	ips, end := NewWalker().Walk(&in, nil)
	if want := []uint64{0x1000, 0x2000, 0x3000, 0x4000}; !slices.Equal(ips, want) || end != EndComplete {
		t.Errorf("%x, end %d", ips, end)
	}
	in.Stack = in.Stack[:7*8]
	if ips, end := NewWalker().Walk(&in, nil); len(ips) != 3 || end != EndStack {
		t.Errorf("a cut stack: %x, end %d", ips, end)
	}
	in.Max = 2
	if ips, end := NewWalker().Walk(&in, nil); len(ips) != 2 || end != EndMax {
		t.Errorf("at most two: %x, end %d", ips, end)
	}
	in.Regs.Value[regRBP] = 12345
	in.Max = 100
	if ips, end := NewWalker().Walk(&in, nil); len(ips) != 1 || end != EndLost {
		t.Errorf("no frame pointer: %x, end %d", ips, end)
	}
}

// Call frame instructions, for tables that are made by hand.
const (
	cfaAdvanceLoc       = byte(cfi.AdvanceLoc)
	cfaOffset           = byte(cfi.Offset)
	cfaDefCFA           = byte(cfi.DefCFA)
	cfaDefCFAOffset     = byte(cfi.DefCFAOffset)
	cfaDefCFARegister   = byte(cfi.DefCFARegister)
	cfaUndefined        = byte(cfi.Undefined)
	cfaExpression       = byte(cfi.Expression)
	cfaValOffset        = byte(cfi.ValOffset)
	cfaNop              = byte(cfi.Nop)
	cfaRememberState    = byte(cfi.RememberState)
	cfaRestoreState     = byte(cfi.RestoreState)
	cfaDefCFAExpression = byte(cfi.DefCFAExpression)
)

// moduleWith describes one function at [0x100, 0x200) by a program.
func moduleWith(augmentation string, program ...byte) *Module {
	return &Module{
		loads:  []load{{0, 0x1000, 0}},
		frames: []*cfi.Section{cfi.EHFrame(table(augmentation, program...), 0, nil, 0, format)},
	}
}

var format = cfi.Format{AddressSize: 8}

// table is an .eh_frame of one function at [0x100, 0x200).
func table(augmentation string, program ...byte) []byte {
	ciePart := slices.Concat([]byte{1}, []byte(augmentation), []byte{0, 1, 0x78, regRA, 1, 0},
		[]byte{cfaDefCFA, regRSP, 8, cfaOffset | regRA, 1})
	sect := entry(0, ciePart)
	fdePart := binary.LittleEndian.AppendUint64(nil, 0x100)
	fdePart = binary.LittleEndian.AppendUint64(fdePart, 0x100)
	fdePart = append(fdePart, 0) // no augmentation data
	return append(sect, entry(uint32(len(sect)+4), append(fdePart, program...))...)
}

func entry(id uint32, body []byte) []byte {
	for len(body)%8 != 0 {
		body = append(body, cfaNop)
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(body)+4))
	return append(binary.LittleEndian.AppendUint32(out, id), body...)
}

// in makes every address belong to m, at its own offset.
func (in *Input) in(m *Module) *Input {
	in.Find = func(a uint64) (*Module, uint64) { return m, a }
	return in
}

func TestFrameDescriptionWalk(t *testing.T) {
	const sp = 0x7000
	// push rbp at 0x100, mov rsp,rbp at 0x101
	m := moduleWith("zR", cfaAdvanceLoc|1, cfaDefCFAOffset, 16, cfaOffset|regRBP, 2, cfaAdvanceLoc|3, cfaDefCFARegister, regRBP)
	for name, c := range map[string]struct {
		ip, bp uint64
		stack  []uint64
	}{
		"at the entry":     {0x100, 77, []uint64{0x151, 78, 0}},
		"behind the push":  {0x101, 77, []uint64{sp + 16, 0x151, sp + 40, 0}},
		"with the pointer": {0x104, sp + 8, []uint64{1, sp + 24, 0x151, sp + 48, 0}},
	} {
		in := stackOf(sp, c.stack...)
		in.Regs.Value[RIP], in.Regs.Value[regRBP] = c.ip, c.bp
		ips, _ := NewWalker().Walk(in.in(m), nil)
		if len(ips) < 2 || ips[0] != c.ip || ips[1] != 0x150 {
			t.Errorf("%s: %x", name, ips)
		}
	}
	// The outermost frame has no return address.
	m = moduleWith("zR", cfaUndefined, regRA)
	in := stackOf(sp, 0x151)
	in.Regs.Value[RIP] = 0x110
	if ips, end := NewWalker().Walk(in.in(m), nil); len(ips) != 1 || end != EndComplete {
		t.Errorf("outermost: %x, end %d", ips, end)
	}
}

// TestSignalFrame has registers that the kernel saved on the stack; the
// interrupted instruction is not behind a call.
func TestSignalFrame(t *testing.T) {
	const sp = 0x7000
	at := func(reg byte, off byte) []byte {
		return []byte{cfaExpression, reg, 2, opBreg0 + regRSP, off}
	}
	m := moduleWith("zRS", slices.Concat(at(regRBP, 8), at(regRSP, 16), at(regRA, 24))...)
	in := stackOf(sp, 0, 55, sp+48, 0x500, 0, 0, 0x601)
	in.Regs.Value[RIP] = 0x100
	plain := moduleWith("zR")
	in.Find = func(a uint64) (*Module, uint64) {
		if a == 0x100 {
			return m, a
		}
		if a == 0x500 { // not 0x4ff
			return plain, 0x100
		}
		return nil, 0
	}
	ips, _ := NewWalker().Walk(&in, nil)
	if want := []uint64{0x100, 0x500, 0x600}; !slices.Equal(ips, want) {
		t.Errorf("%x, want %x", ips, want)
	}
}

// TestNoProgress has a description that never leaves the frame.
func TestNoProgress(t *testing.T) {
	m := moduleWith("zR", cfaDefCFA, regRSP, 0, cfaValOffset, regRA, 0)
	in := stackOf(0x7000, 0x151)
	in.Regs.Value[RIP] = 0x110
	if ips, end := NewWalker().Walk(in.in(m), nil); len(ips) != 1 || end != EndLost {
		t.Errorf("%x, end %d", ips, end)
	}
}

func TestExpressions(t *testing.T) {
	w := &walk{sp: 0x100, stack: []byte{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0}}
	w.regs[regRSP], w.regs[RIP] = 0x100, 0x40b
	w.valid = 1<<regRSP | 1<<RIP
	minus := func(v int64) uint64 { return uint64(v) }
	for _, c := range []struct {
		name string
		expr []byte
		want uint64
		bad  bool
	}{
		// What linkers write for PLT stubs: eight more once the stub has pushed.
		{name: "plt", expr: []byte{0x77, 8, 0x80, 0, opLit0 + 15, opAnd, opLit0 + 11, opGe, opLit0 + 3, opShl, opPlus}, want: 0x110},
		{name: "deref", expr: []byte{0x77, 0, opDeref}, want: 0x0807060504030201},
		{name: "deref 2", expr: []byte{opBregx, regRSP, 1, opDerefSize, 2}, want: 0x0302},
		{name: "deref outside", expr: []byte{opLit0, opDeref}, bad: true},
		{name: "unknown register", expr: []byte{0x73, 0}, bad: true},
		{name: "rot", expr: []byte{opLit0 + 1, opLit0 + 2, opLit0 + 3, opRot, opMinus, opConst1u, 10, opMul, opPlus}, want: minus(3 + (1-2)*10)},
		{name: "over swap drop dup pick", expr: []byte{opLit0 + 5, opLit0 + 1, opOver, opSwap, opDrop, opDup, opPick, 2, opPlus, opPlus}, want: 15},
		{name: "constants", expr: []byte{opConst1s, 0xff, opConst2s, 0xfe, 0xff, opPlus, opConst4s, 3, 0, 0, 0, opPlus, opConsts, 0x7f, opMul}, want: 0},
		{name: "const8 addr", expr: slices.Concat([]byte{opConst8u, 2, 0, 0, 0, 0, 0, 0, 0, opAddr, 3, 0, 0, 0, 0, 0, 0, 0}, []byte{opMul, opConstu, 0x80, 1, opPlus}), want: 134},
		{name: "abs neg not", expr: []byte{opLit0 + 3, opNeg, opAbs, opNot, opPlusUconst, 5}, want: 1},
		{name: "shifts", expr: []byte{opConst1s, 0x80, opLit0 + 4, opShra, opLit0 + 1, opShr, opConst1u, 60, opShr}, want: 7},
		{name: "branch over", expr: []byte{opLit0 + 1, opBra, 1, 0, opLit0 + 9, opLit0 + 7}, want: 7},
		{name: "loop", expr: []byte{opSkip, 0xfd, 0xff}, bad: true},
		{name: "jump out", expr: []byte{opSkip, 0x10, 0}, bad: true},
		{name: "empty", bad: true},
		{name: "underflow", expr: []byte{opPlus}, bad: true},
		{name: "by zero", expr: []byte{opLit0 + 1, opLit0, opDiv}, bad: true},
		{name: "unknown", expr: []byte{0xe0}, bad: true},
	} {
		got, ok := w.eval(c.expr)
		if ok == c.bad || ok && got != c.want {
			t.Errorf("%s: %d (%#x) %v", c.name, int64(got), got, ok)
		}
	}
}

func TestFinder(t *testing.T) {
	m, err := openFile("/bin/ls", "")
	if err != nil {
		t.Skip(err)
	}
	if len(m.frames) == 0 || len(m.loads) == 0 {
		t.Fatalf("%+v", m)
	}
	f := NewFinder(nil)
	if f.Find("/bin/ls", "", 0) == nil || f.Find("/bin/ls", "00112233", 0) != nil {
		t.Error("the build ID is not looked at")
	}
	if again := f.Find("/bin/ls", "", 0); again != f.modules[moduleKey{"/bin/ls", ""}] {
		t.Error("opened twice")
	}
	if f.Find(t.TempDir(), "", 0) != nil || f.Find("[heap]", "", 0) != nil {
		t.Error("a module out of nothing")
	}
	// By build ID, from a directory of debug files.
	b, err := os.ReadFile("/bin/ls")
	if err != nil {
		t.Fatal(err)
	}
	id := idOf(t, b)
	if len(id) < 4 {
		t.Skip("no build ID")
	}
	dir := t.TempDir()
	place := filepath.Join(dir, ".build-id", id[:2])
	if err := os.MkdirAll(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, id[2:]+".debug"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if NewFinder([]string{dir}).Find("/gone/ls", id, 0) == nil {
		t.Error("not found by build ID")
	}
}

func TestVDSO(t *testing.T) {
	m, err := ownVDSO("")
	if err != nil {
		t.Skip(err)
	}
	if len(m.frames) == 0 {
		t.Error("the vDSO has no frame descriptions")
	}
	if m, err := ownVDSO("ffff"); err == nil {
		t.Errorf("a vDSO of another build ID: %v", m)
	}
}

func TestBadELF(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "text": "#!/bin/sh\n", "head": "\x7fELF\x02\x01\x01"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openFile(path, ""); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
