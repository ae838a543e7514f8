package count

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"

	"whyhot/internal/collect/bpf"
	"whyhot/internal/profile"
)

const (
	// MostTimed bounds how many functions of machine code are timed at once.
	MostTimed = 16
	// enoughCalls are those of a function after which its probes are taken out: by then it is known
	// whether calls take longer each time, or give the same, and each one costs microseconds.
	enoughCalls = 50_000

	octaves    = 32 // numbers of calls, by their logarithm
	mostCalls  = 1 << 14
	recursions = octaves // the slot of a function that says how often it called itself
	slots      = octaves + 1
)

// timers are the probes at the start and the end of functions that say how long calls take.
type timers struct {
	numbers, running, sums *ebpf.Map
	looks                  *looks
	programs               []*ebpf.Program
	links                  [][]link.Link // of a function
	taken                  []bool        // out, since there were enough calls
	functions              []Function
	failed                 []string
	stop                   chan struct{}
	stopped                chan struct{}
}

// attachTimers attaches probes to each function. What cannot be timed is in failed.
func attachTimers(m maps, own namespace, functions []Function) (t *timers, err error) {
	t = &timers{}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	for _, one := range []struct {
		to   **ebpf.Map
		spec ebpf.MapSpec
	}{
		{&t.numbers, ebpf.MapSpec{Name: "numbers", Type: ebpf.Array, KeySize: 4, ValueSize: wordSize, MaxEntries: MostTimed}},
		{&t.running, ebpf.MapSpec{Name: "running", Type: ebpf.Hash, KeySize: 2 * wordSize, ValueSize: 3 * wordSize, MaxEntries: mostCalls}},
		{&t.sums, ebpf.MapSpec{Name: "sums", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: wordSize, MaxEntries: MostTimed * slots}},
	} {
		if *one.to, err = ebpf.NewMap(&one.spec); err != nil {
			return nil, fmt.Errorf("making a table in the kernel: %w", err)
		}
	}
	if t.looks, err = newLooks(); err != nil {
		return nil, err
	}
	opened := binaries{}
	defer opened.close()
	for _, f := range functions {
		if len(t.functions) == MostTimed {
			break
		}
		if err := t.attach(m, own, opened, f); err != nil {
			t.failed = append(t.failed, f.Name)
		}
	}
	t.stop, t.stopped = make(chan struct{}), make(chan struct{})
	go t.watch()
	return t, nil
}

func (t *timers) attach(m maps, own namespace, opened binaries, f Function) error {
	file, err := opened.open(f.Binary)
	if err != nil {
		return err
	}
	leave, signature, err := file.look(f.Symbol)
	if err != nil {
		return err
	}
	index := int32(len(t.functions)) //nolint:gosec // below MostTimed
	t.looks.add(f.Name, signature)
	var links []link.Link
	at := func(name string, code asm.Instructions, offsets ...uint64) error {
		prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: name, Type: ebpf.Kprobe, Instructions: code, License: "GPL"})
		if err != nil {
			return fmt.Errorf("loading the timer: %w", err)
		}
		t.programs = append(t.programs, prog)
		for _, offset := range offsets {
			l, err := file.probes.Uprobe(f.Symbol, prog, &link.UprobeOptions{Offset: offset})
			if err != nil {
				return err //nolint:wrapcheck // told by the caller
			}
			links = append(links, l)
		}
		return nil
	}
	// The ends first: a call that was seen to begin is then seen to end.
	if err := errors.Join(at("whyhot_ended", t.ended(index, f.Go), leave...), at("whyhot_began", t.began(m, own, index, f.Go), 0)); err != nil {
		t.looks.drop()
		for _, l := range links {
			_ = l.Close() // nothing better can be done
		}
		return err
	}
	t.links, t.taken, t.functions = append(t.links, links), append(t.taken, false), append(t.functions, f)
	return nil
}

const (
	atRunning  = -32 // the key: thread or goroutine, and function
	atBegan    = -56 // the value: when it began, its number, its depth
	atFunction = -64 // a key of numbers, later of sums
	atStack    = -72 // where the stack of a goroutine begins
	atNow      = -80
	regsStack  = 152 // rsp
	regsG      = 8   // r14: the goroutine
	stackEnd   = 8   // of what that points to
)

// key writes who runs and the function, which a call is known by, and gives in R7 the depth of its
// stack. R6 is the saved registers.
func key(code *bpf.Code, index int32, isGo bool) {
	code.Store(atRunning+wordSize, index)
	if !isGo {
		code.Do(asm.FnGetCurrentPidTgid.Call(), asm.StoreMem(asm.RFP, atRunning, asm.R0, asm.DWord), asm.Mov.Imm(asm.R7, 0))
	} else { // a goroutine may go on in another thread, and its stack may move
		code.Do(asm.LoadMem(asm.R3, asm.R6, regsG, asm.DWord), asm.StoreMem(asm.RFP, atRunning, asm.R3, asm.DWord), asm.Add.Imm(asm.R3, stackEnd))
		code.Store(atStack, 0)
		code.Place(asm.R1, atStack)
		code.Do(asm.Mov.Imm(asm.R2, wordSize), asm.FnProbeReadUser.Call(), asm.LoadMem(asm.R7, asm.RFP, atStack, asm.DWord))
	}
	code.Do(asm.LoadMem(asm.R1, asm.R6, regsStack, asm.DWord), asm.Sub.Reg(asm.R7, asm.R1))
}

// began notes when a call begins, and its number. A call within another one of the same function is
// not timed: its stack is deeper. Where it is not, the call before was left by a jump, or its end
// was missed.
func (t *timers) began(m maps, own namespace, index int32, isGo bool) asm.Instructions {
	var code bpf.Code
	code.Do(asm.Mov.Reg(asm.R6, asm.R1), bpf.Number(atIDs, 0),
		asm.LoadImm(asm.R1, int64(own.device), asm.DWord), asm.LoadImm(asm.R2, int64(own.inode), asm.DWord)) //nolint:gosec // bits
	code.Place(asm.R3, atIDs)
	code.Do(asm.Mov.Imm(asm.R4, 8), asm.FnGetNsCurrentPidTgid.Call(), asm.JNE.Imm(asm.R0, 0, "end"))
	code.Lookup(m.processes.FD(), atIDs+4, "end")
	key(&code, index, isGo)
	t.looks.arguments(&code, index)
	code.Find(t.running.FD(), atRunning)
	code.Do(asm.JEq.Imm(asm.R0, 0, "first"), asm.LoadMem(asm.R1, asm.R0, 2*wordSize, asm.DWord), asm.JLE.Reg(asm.R7, asm.R1, "first"))
	code.Store(atFunction, index*slots+recursions)
	code.Lookup(t.sums.FD(), atFunction, "end")
	code.Add(asm.R0, 0, 1)
	code.Do(asm.Ja.Label("end"))
	code.Named("first", func() { code.Store(atFunction, index) })
	code.Lookup(t.numbers.FD(), atFunction, "end")
	// Two threads that begin at the same time may have the same number: the octave is the same.
	code.Do(asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord), asm.Add.Imm(asm.R1, 1), asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord),
		asm.StoreMem(asm.RFP, atBegan+wordSize, asm.R1, asm.DWord), asm.StoreMem(asm.RFP, atBegan+2*wordSize, asm.R7, asm.DWord),
		asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.RFP, atBegan, asm.R0, asm.DWord))
	code.Update(t.running.FD(), atRunning, atBegan)
	code.End("end")
	return asm.Instructions(code)
}

// ended adds the time of a call to those of its octave: of the one that was noted, whose stack is
// as deep.
func (t *timers) ended(index int32, isGo bool) asm.Instructions {
	var code bpf.Code
	code.Do(asm.Mov.Reg(asm.R6, asm.R1), asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.RFP, atNow, asm.R0, asm.DWord))
	key(&code, index, isGo)
	t.looks.results(&code, index)
	code.Lookup(t.running.FD(), atRunning, "end")
	code.Do(asm.LoadMem(asm.R1, asm.R0, 2*wordSize, asm.DWord), asm.JNE.Reg(asm.R1, asm.R7, "end"),
		asm.LoadMem(asm.R7, asm.R0, 0, asm.DWord), asm.LoadMem(asm.R6, asm.R0, wordSize, asm.DWord))
	code.Delete(t.running.FD(), atRunning)
	// R8 is the logarithm of R6, found by halves; R9 the time.
	code.Do(asm.Mov.Imm(asm.R8, index*slots))
	for half := int32(octaves / 2); half > 0; half /= 2 { //nolint:mnd // halves
		next := fmt.Sprintf("below%d", half)
		code.Do(asm.Mov.Reg(asm.R1, asm.R6), asm.RSh.Imm(asm.R1, half), asm.JEq.Imm(asm.R1, 0, next),
			asm.Mov.Reg(asm.R6, asm.R1), asm.Add.Imm(asm.R8, half),
			asm.Mov.Reg(asm.R1, asm.R8).WithSymbol(next))
	}
	code.Do(asm.LoadMem(asm.R9, asm.RFP, atNow, asm.DWord), asm.Sub.Reg(asm.R9, asm.R7), asm.StoreMem(asm.RFP, atFunction, asm.R8, asm.DWord))
	code.Lookup(t.sums.FD(), atFunction, "end")
	code.Do(asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord), asm.Add.Reg(asm.R1, asm.R9), asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord))
	code.End("end")
	return asm.Instructions(code)
}

// watch takes out the probes of functions that were called often enough.
func (t *timers) watch() {
	defer close(t.stopped)
	const often = 50 * time.Millisecond
	for tick := time.NewTicker(often); ; {
		select {
		case <-t.stop:
			tick.Stop()
			return
		case <-tick.C:
		}
		for i := range t.functions {
			if calls, inner, err := t.calls(i); len(t.links[i]) > 0 && err == nil && calls+inner >= enoughCalls {
				t.detach(i)
				t.taken[i] = true
			}
		}
	}
}

func (t *timers) detach(i int) {
	for _, l := range t.links[i] {
		_ = l.Close() // nothing better can be done
	}
	t.links[i] = nil
}

// detachAll ends the timing, close also lets go of the tables.
func (t *timers) detachAll() {
	if t.stop != nil {
		close(t.stop)
		<-t.stopped
		t.stop = nil
	}
	for i := range t.links {
		t.detach(i)
	}
	for _, prog := range t.programs {
		_ = prog.Close()
	}
	t.programs = nil
}

func (t *timers) close() {
	t.detachAll()
	for _, m := range []*ebpf.Map{t.numbers, t.running, t.sums} {
		if m != nil {
			_ = m.Close() // what it held was read or is not wanted
		}
	}
	if t.looks != nil {
		t.looks.close()
	}
}

// read gives what was timed. A function that calls itself has no times.
func (t *timers) read() (out []profile.FunctionCalls, err error) {
	for i, f := range t.functions {
		c := profile.FunctionCalls{Name: f.Name}
		var inner uint64
		if c.Count, inner, err = t.calls(i); err != nil {
			return nil, err
		}
		for slot := range bits.Len64(c.Count) {
			n, err := t.sum(i, slot)
			if err != nil {
				return nil, err
			}
			c.Times = append(c.Times, n)
		}
		if c.Count += inner; inner > 0 {
			c.Times = nil
		}
		c.Stopped = t.taken[i]
		out = append(out, c)
	}
	return out, t.looks.read(out)
}

// calls are those of a function, and those within another one of it.
func (t *timers) calls(i int) (calls, inner uint64, err error) {
	if err := t.numbers.Lookup(uint32(i), &calls); err != nil { //nolint:gosec // below MostTimed
		return 0, 0, fmt.Errorf("reading a table of the kernel: %w", err)
	}
	inner, err = t.sum(i, recursions)
	return calls, inner, err
}

func (t *timers) sum(function, slot int) (all uint64, err error) {
	var perCPU []uint64
	if err := t.sums.Lookup(uint32(function*slots+slot), &perCPU); err != nil { //nolint:gosec // few
		return 0, fmt.Errorf("reading a table of the kernel: %w", err)
	}
	for _, n := range perCPU {
		all += n
	}
	return all, nil
}
