package count

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"

	"whyhot/internal/collect/bpf"
	"whyhot/internal/collect/count/inside"
	"whyhot/internal/profile"
)

// Function is one whose calls are to be counted.
type Function struct {
	Name   string // as people read it
	Symbol string // in the symbol table of Binary; "" for one inside of an interpreter
	Binary string
	// Inside is one that an interpreter runs, nil for machine code.
	Inside *inside.Function
	// Timed asks how long calls of a function of machine code take. Go: it is one of Go.
	Timed, Go bool
	// Texts: texts among its first two arguments end with a zero byte, as those of C do.
	// Different arguments are counted of such functions, and of those inside of interpreters.
	Texts bool
	// Filled are how many arguments come first that the function fills: what is in them
	// before is no argument.
	Filled int
}

// MostFunctions bounds how many functions are counted at once.
const MostFunctions = 8

const (
	regsThird     = 96      // rdx
	regsFourth    = 88      // rcx
	textSize      = 64      // bytes of a text that are told apart
	mostArguments = 1 << 16 // different ones, of all functions
	printable     = 0x20
	leastAddress  = 1 << 16 // where a program may have memory
	noExist       = 1       // BPF_NOEXIST
)

// counted are the arguments that are told apart.
func (f *Function) counted() []int16 {
	all := []int16{regsFirst, regsSecond, regsThird, regsFourth}
	from := min(f.Filled, len(all)-2) //nolint:mnd // two are told apart
	return all[from : from+2]
}

// argument is a key of the table of arguments.
type argument struct{ Function, Hash uint64 }

// probes are what is attached to functions.
type probes struct {
	counts, arguments *ebpf.Map
	// unread has what could not be read as a text, and whether it could later: then it was an
	// address whose page was not yet in memory, and no number. The value of an argument is the
	// last such word, 0 for none.
	unread    *ebpf.Map
	programs  []*ebpf.Program
	links     []link.Link
	functions []Function
	failed    []string
}

// attachFunctions attaches a counter to each function of machine code. What cannot be
// attached is said in failed.
func attachFunctions(m maps, own namespace, functions []Function) (p *probes, err error) {
	p = &probes{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.counts, err = ebpf.NewMap(&ebpf.MapSpec{Name: "functions", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: wordSize, MaxEntries: MostFunctions}); err != nil {
		return nil, fmt.Errorf("making a table in the kernel: %w", err)
	}
	if p.arguments, err = ebpf.NewMap(&ebpf.MapSpec{Name: "arguments", Type: ebpf.Hash, KeySize: 2 * wordSize, ValueSize: wordSize, MaxEntries: mostArguments}); err != nil {
		return nil, fmt.Errorf("making a table in the kernel: %w", err)
	}
	if p.unread, err = ebpf.NewMap(&ebpf.MapSpec{Name: "unread", Type: ebpf.Hash, KeySize: wordSize, ValueSize: wordSize, MaxEntries: mostArguments}); err != nil {
		return nil, fmt.Errorf("making a table in the kernel: %w", err)
	}
	for _, f := range functions {
		if len(p.functions) == MostFunctions {
			break
		}
		if err := p.attach(m, own, f); err != nil {
			p.failed = append(p.failed, fmt.Sprintf("%s: %v", f.Name, err))
		}
	}
	return p, nil
}

func (p *probes) attach(m maps, own namespace, f Function) error {
	file, err := link.OpenExecutable(f.Binary)
	if err != nil {
		return err //nolint:wrapcheck // it says what it is about
	}
	index := int32(len(p.functions)) //nolint:gosec // below MostFunctions
	prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "whyhot_calls", Type: ebpf.Kprobe, Instructions: p.program(m, own, index, &f), License: "GPL"})
	if err != nil {
		return fmt.Errorf("loading the counter: %w", err)
	}
	l, err := file.Uprobe(f.Symbol, prog, nil)
	if err != nil {
		_ = prog.Close() // it was never attached
		return err       //nolint:wrapcheck // it says what it is about
	}
	p.programs, p.links, p.functions = append(p.programs, prog), append(p.links, l), append(p.functions, f)
	return nil
}

// detach ends the counting, close also lets go of the tables.
func (p *probes) detach() {
	for _, l := range p.links {
		_ = l.Close() // nothing better can be done
	}
	for _, prog := range p.programs {
		_ = prog.Close()
	}
	p.links, p.programs = nil, nil
}

func (p *probes) close() {
	p.detach()
	for _, m := range []*ebpf.Map{p.counts, p.arguments, p.unread} {
		if m != nil {
			_ = m.Close() // what it held was read or is not wanted
		}
	}
}

// program counts at the start of a function. R6 is the saved registers, R7 an argument, R8
// the hash of the arguments, R9 the multiplier.
func (p *probes) program(m maps, own namespace, index int32, f *Function) asm.Instructions {
	const (
		atKey  = -24 // of counts
		atName = -40 // the key of arguments: function, hash
		atText = atName - textSize
		atWord = atText - wordSize
		atLast = atWord - wordSize // that could not be read
		atZero = atLast - wordSize
	)
	var code bpf.Code
	code.Do(asm.Mov.Reg(asm.R6, asm.R1), bpf.Number(atIDs, 0),
		asm.LoadImm(asm.R1, int64(own.device), asm.DWord), asm.LoadImm(asm.R2, int64(own.inode), asm.DWord)) //nolint:gosec // bits
	code.Place(asm.R3, atIDs)
	code.Do(asm.Mov.Imm(asm.R4, 8), asm.FnGetNsCurrentPidTgid.Call(), asm.JNE.Imm(asm.R0, 0, "end"))
	code.Lookup(m.processes.FD(), atIDs+4, "end")
	code.Store(atKey, index)
	code.Lookup(p.counts.FD(), atKey, "end")
	code.Add(asm.R0, 0, 1)
	if f.Texts {
		code.Do(bpf.Number(atLast, 0), bpf.Number(atZero, 0), asm.Mov.Imm(asm.R8, 0), asm.LoadImm(asm.R9, multiplier, asm.DWord))
		for n, register := range f.counted() {
			value, check, next := fmt.Sprintf("value%d", n), fmt.Sprintf("check%d", n), fmt.Sprintf("next%d", n)
			code.Do(asm.LoadMem(asm.R7, asm.R6, register, asm.DWord), asm.StoreMem(asm.RFP, atWord, asm.R7, asm.DWord))
			for at := int16(0); at < textSize; at += wordSize {
				code.Do(bpf.Number(atText+at, 0))
			}
			code.Do(read(atText, textSize, 0, asm.FnProbeReadUserStr)...)
			code.Do(asm.JSLT.Imm(asm.R0, 0, value)) // no address: a number
			code.Lookup(p.unread.FD(), atWord, check)
			code.Do(asm.Mov.Imm(asm.R1, 1), asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord),
				asm.LoadMem(asm.R1, asm.RFP, atText, asm.Byte).WithSymbol(check), asm.JLT.Imm(asm.R1, printable, next)) // what it points to is no text
			for at := int16(0); at < textSize; at += wordSize {
				code.Do(asm.LoadMem(asm.R1, asm.RFP, atText+at, asm.DWord))
				code.Do(mix(asm.R1)...)
			}
			code.Do(asm.Ja.Label(next), asm.Mov.Reg(asm.R1, asm.R7).WithSymbol(value))
			code.Do(mix(asm.R1)...)
			code.Do(asm.JLT.Imm(asm.R7, leastAddress, next), asm.StoreMem(asm.RFP, atLast, asm.R7, asm.DWord), asm.LoadMapPtr(asm.R1, p.unread.FD()))
			code.Place(asm.R2, atWord)
			code.Place(asm.R3, atZero)
			code.Do(asm.Mov.Imm(asm.R4, noExist), asm.FnMapUpdateElem.Call())
			code.Do(asm.Mul.Reg(asm.R8, asm.R9).WithSymbol(next))
		}
		code.Do(bpf.Number(atName, index), asm.StoreMem(asm.RFP, atName+wordSize, asm.R8, asm.DWord))
		code.Update(p.arguments.FD(), atName, atLast)
	}
	code.End("end")
	return asm.Instructions(code)
}

// mix mixes a word into the hash at R8.
func mix(word asm.Register) asm.Instructions {
	return asm.Instructions{
		asm.Xor.Reg(asm.R8, word), asm.Mul.Reg(asm.R8, asm.R9),
		asm.Mov.Reg(asm.R2, asm.R8), asm.RSh.Imm(asm.R2, fold), asm.Xor.Reg(asm.R8, asm.R2),
	}
}

// read gives what was counted.
func (p *probes) read() (out []profile.FunctionCalls, err error) {
	different := map[uint64]uint64{}
	all := uint64(0)
	var key argument
	var unread, isAddress uint64
	for each := p.arguments.Iterate(); each.Next(&key, &unread); all++ {
		if unread == 0 || p.unread.Lookup(unread, &isAddress) != nil || isAddress == 0 {
			different[key.Function]++
		}
	}
	for i, f := range p.functions {
		var perCPU []uint64
		if err := p.counts.Lookup(uint32(i), &perCPU); err != nil { //nolint:gosec // below MostFunctions
			return nil, fmt.Errorf("reading a table of the kernel: %w", err)
		}
		c := profile.FunctionCalls{Name: f.Name}
		for _, n := range perCPU {
			c.Count += n
		}
		if f.Texts && all < mostArguments {
			c.Different = different[uint64(i)] //nolint:gosec // below MostFunctions
		}
		out = append(out, c)
	}
	return out, nil
}

// sortFunctions puts the most frequent first.
func sortFunctions(all []profile.FunctionCalls) {
	slices.SortFunc(all, func(a, b profile.FunctionCalls) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
	})
}
