package ebpf

import (
	little "encoding/binary"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"unique"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/support"
	"go.opentelemetry.io/ebpf-profiler/tracer"
)

// Since 5.22, Perl keeps a subroutine that is only called by its name without a glob: its code
// value (CV) has the name itself (CVf_NAMED). The profiler's program passes over such a CV, so
// that the subroutine has no frame: its lines count as the caller's. Here the few instructions
// that give up are replaced, in the program as it is loaded, by ones that hand over the address
// of the CV's body with its lowest bit set, which no address of Perl's has. The name is read
// from the process then.
//
// Where a version of the profiler has other instructions, its own program stays.

const (
	perlProgram = "perf_unwind_perl"
	cvNamed     = 0x8000 // CVf_NAMED, https://github.com/Perl/perl5/blob/v5.36.0/cv.h
)

// loadNamedSubs puts the changed program in the place of the profiler's.
func loadNamedSubs(t *tracer.Tracer, all *ebpf.CollectionSpec) error {
	maps, err := mapsOf(t)
	if err != nil {
		return err
	}
	spec := all.Programs[perlProgram]
	if spec == nil || !keepNamedSubs(spec.Instructions) {
		return errors.New("this version of the profiler unwinds Perl in another way")
	}
	program, err := verify(spec, maps)
	if err != nil {
		return err
	}
	return putInPlace(maps, support.ProgUnwindPerl, program)
}

// keepNamedSubs changes the instructions of the program; false where they are not as known.
//
// What is replaced is what runs when the flag is set: two messages for debugging, and a jump to
// where an entry is given up. In its place:
//
//	r2 = *(u64 *)(r10 - BODY)   the CV's body, which was read before
//	r2 |= 1
//	*(u64 *)(r10 - NAME) = r2   where the name's address is kept for the frame
//	goto PUSH                   as behind the check of that address
func keepNamedSubs(code asm.Instructions) bool {
	at := slices.IndexFunc(code, func(i asm.Instruction) bool {
		return i.OpCode.Class().IsALU() && i.OpCode.ALUOp() == asm.And && i.OpCode.Source() == asm.ImmSource && i.Constant == cvNamed
	})
	const known = 8 // instructions of the part that is replaced, behind the question
	behind := at + 2 + known
	if at < 0 || behind >= len(code) || code[at+1].OpCode.JumpOp() != asm.JEq {
		return false
	}
	part := code[at+2 : behind]
	isLoad := func(i asm.Instruction) bool { return i.OpCode.IsDWordLoad() }
	if !isLoad(part[0]) || !isLoad(part[4]) || part[6].OpCode.JumpOp() != asm.Call || part[7].OpCode.JumpOp() != asm.Ja {
		return false
	}
	body, ok := bodySlot(code[:at])
	if !ok {
		return false
	}
	name, push, ok := nameSlot(code, at)
	if !ok {
		return false
	}
	const frame, value = asm.R10, asm.R2
	put := func(i int, in asm.Instruction) { part[i] = in.WithMetadata(part[i].Metadata) }
	nothing := asm.Instruction{OpCode: asm.OpCode(asm.JumpClass).SetJumpOp(asm.Ja)}
	put(1, asm.LoadMem(value, frame, body, asm.DWord))
	put(2, asm.Or.Imm(value, 1))
	put(3, asm.StoreMem(frame, name, value, asm.DWord))
	put(5, nothing)
	put(6, nothing)
	over := nothing
	over.Offset = int16(slots(code[:push]) - slots(code[:behind])) //nolint:gosec // within a program
	put(7, over)
	return true
}

// slots is how many slots some instructions take: a load of a constant of 64 bits takes two.
func slots(code asm.Instructions) (n int) {
	for _, i := range code {
		n++
		if i.OpCode.IsDWordLoad() {
			n++
		}
	}
	return n
}

// bodySlot is where on its stack the program keeps the address of the CV's body: what is loaded
// last before the flags are asked for, to which their offset is added.
func bodySlot(code asm.Instructions) (offset int16, ok bool) {
	for _, i := range slices.Backward(code[max(0, len(code)-12):]) {
		if i.OpCode.Class().IsLoad() && !i.OpCode.IsDWordLoad() && i.OpCode.Size() == asm.DWord && i.Src == asm.R10 && i.Dst == asm.R3 {
			return i.Offset, true
		}
	}
	return 0, false
}

// nameSlot is where the program keeps what names the subroutine of a frame, and the instruction
// that follows when it is there: *(slot) = r2; if r2 == 0 goto …; PUSH.
func nameSlot(code asm.Instructions, from int) (offset int16, push int, ok bool) {
	for n := from; n+2 < len(code); n++ {
		store, question := code[n], code[n+1]
		if store.OpCode.Class().IsStore() && store.OpCode.Size() == asm.DWord && store.Dst == asm.R10 && store.Src == asm.R2 &&
			question.OpCode.JumpOp() == asm.JEq && question.Dst == asm.R2 && question.Constant == 0 {
			return store.Offset, n + 2, true
		}
	}
	return 0, 0, false
}

// perlsOf appends, for each Perl frame of a trace, the address of a CV's body that names it, or 0.
// The profiler, which would take the address for a glob's, is given none: it names such a frame
// as the outermost code, with the right line.
func perlsOf(out []uint64, t *libpf.EbpfTrace) []uint64 {
	for f := range rawFrames(t, libpf.Perl) {
		body := f.Variable(0)
		if body&1 == 0 {
			out = append(out, 0)
			continue
		}
		out = append(out, body&^1)
		f[1] = 0
	}
	return out
}

func isPerl(f *libpf.Frame) bool { return f.Type.IsInterpType(libpf.Perl) && !f.Type.IsError() }

// subKey is the body of a CV in a process.
type subKey struct {
	pid  uint32
	body uint64
}

const mostSubs = 1 << 14

// perlFrame gives a frame its subroutine's name.
func (c *converter) perlFrame(h unique.Handle[libpf.Frame], body uint64) unique.Handle[libpf.Frame] {
	k := subKey{c.pid, body}
	name, known := c.subs[k]
	if !known {
		if len(c.subs) >= mostSubs {
			clear(c.subs)
		}
		name = subName(k)
		c.subs[k] = name
	}
	f := h.Value()
	f.FunctionName = libpf.Intern(name)
	return unique.Make(f)
}

// namelessSub is a subroutine whose name cannot be read: its process has ended.
const namelessSub = "[sub]"

// Places in Perl's values on 64-bit machines, 5.22 to 5.42: XPVCV of cv.h, XPVHV and its
// xpvhv_aux of hv.h, HEK of hv.h.
const (
	stashOfCV = 0x20 // the package, an HV
	hekOfCV   = 0x38 // the name, where CVf_NAMED is set
	arrayOfHV = 0x10 // sv_u
	maxOfHV   = 0x18 // xhv_max
	auxOfHV   = 0x20 // from 5.36 on; before, the part is behind the array
	nameCount = 0x1c // xhv_name_count in the part
	lengthHEK = 4
	keyOfHEK  = 8
	mostName  = 250
)

// word matches a name of Perl.
var perlName = regexp.MustCompile(`^[\pL_][\pL\pN_']*(::[\pL_][\pL\pN_']*)*$`)

// subName reads the name of a subroutine with its package.
func subName(k subKey) string {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", k.pid))
	if err != nil {
		return namelessSub
	}
	defer mem.Close() //nolint:errcheck // only read
	read := func(at uint64, n int) []byte {
		b := make([]byte, n)
		if _, err := mem.ReadAt(b, int64(at)); err != nil { //nolint:gosec // an address of a process
			return make([]byte, n)
		}
		return b
	}
	word := func(at uint64) uint64 { return little.LittleEndian.Uint64(read(at, 8)) } //nolint:mnd // bytes of a word
	half := func(at uint64) int32 {
		return int32(little.LittleEndian.Uint32(read(at, 4))) //nolint:gosec,mnd // a number of 32 bits
	}
	hek := func(at uint64) string {
		n := half(at + lengthHEK)
		if n <= 0 || n > mostName {
			return ""
		}
		if name := string(read(at+keyOfHEK, int(n))); perlName.MatchString(name) {
			return name
		}
		return ""
	}
	name := hek(word(k.body + hekOfCV))
	if name == "" {
		return namelessSub
	}
	stash := word(k.body + stashOfCV)
	body := word(stash)
	for _, aux := range []uint64{body + auxOfHV, word(stash+arrayOfHV) + 8*(word(body+maxOfHV)+1)} { //nolint:mnd // bytes of a pointer
		at := word(aux)
		switch n := half(aux + nameCount); { // names of a package that was changed are a list
		case n > 0:
			at = word(at)
		case n < 0:
			at = word(at + 8) //nolint:mnd // the second of them
		}
		if of := hek(at); of != "" {
			return of + "::" + name
		}
	}
	return name
}
