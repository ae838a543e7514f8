package count

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"whyhot/internal/collect/bpf"
	"whyhot/internal/collect/count/abi"
	"whyhot/internal/profile"
)

// described is where a function has its arguments and results, or why that is not known.
type described struct {
	abi.Signature
	unknown error
}

// looks are what is kept of the arguments and the results of calls: hashes, as long as the run
// lasts.
type looks struct {
	// scratch is where a text is read to; calls are those that run; states have what is known
	// of a function, pairs of one and its arguments; given are the different results.
	scratch, calls, states, pairs, given *ebpf.Map

	functions []described
	names     []string
}

const (
	mostText = 256 // bytes of a text that are told apart; of a longer one also where it is

	// The state of a function, in words.
	stateLooked    = 0 // calls
	stateDifferent = 1 // arguments
	stateSelf      = 2 // calls that gave their first argument
	stateFull      = 3 // calls that were not kept, since a table was full
	stateFirst     = 4 // ns of calls with new arguments
	stateAgain     = 5 // ns of calls with known ones
	stateWords     = 6

	// What is kept of a function and its arguments, in words.
	pairResult   = 0
	pairRepeated = 1 // calls after the first
	pairSame     = 2 // of these, with the result of the one before
	pairAt       = 3 // the number of the last call
	pairDistance = 4 // from the one before
	pairCyclic   = 5
	pairWords    = 6

	atLook     = -104                        // a key of calls: who runs, function, depth
	atKept     = -136                        // its value: the arguments' hash, the first argument, the address of a large result, when it began
	atLookWord = -144                        // a word that is read
	atLookLen  = -152                        // the length of what it points to
	atLookZero = -160                        // a key
	atGiven    = -176                        // a key of given: function, result
	atPair     = -192                        // a key of pairs: function, arguments
	atNewPair  = atPair - pairWords*wordSize // a value of pairs
	mostLength = int32(1) << 30              // of a text that is one
	lookRoom   = MostTimed * enoughCalls * 2 // of different arguments and results
	keyWords   = 3 * wordSize                // of calls
	keptWords  = 4                           // of what is kept of one
	fullMask   = ^uint64(0)
	exclusive  = 1 // BPF_NOEXIST
)

func newLooks() (l *looks, err error) {
	l = &looks{}
	const noPrealloc = 1 // BPF_F_NO_PREALLOC
	for _, one := range []struct {
		to   **ebpf.Map
		spec ebpf.MapSpec
	}{
		{&l.scratch, ebpf.MapSpec{Name: "scratch", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: mostText, MaxEntries: 1}},
		{&l.calls, ebpf.MapSpec{Name: "looked", Type: ebpf.Hash, KeySize: keyWords, ValueSize: keptWords * wordSize, MaxEntries: mostCalls}},
		{&l.states, ebpf.MapSpec{Name: "states", Type: ebpf.Array, KeySize: 4, ValueSize: stateWords * wordSize, MaxEntries: MostTimed}},
		{&l.pairs, ebpf.MapSpec{Name: "pairs", Type: ebpf.Hash, KeySize: 2 * wordSize, ValueSize: pairWords * wordSize, MaxEntries: lookRoom, Flags: noPrealloc}},
		{&l.given, ebpf.MapSpec{Name: "given", Type: ebpf.Hash, KeySize: 2 * wordSize, ValueSize: wordSize, MaxEntries: lookRoom, Flags: noPrealloc}},
	} {
		if *one.to, err = ebpf.NewMap(&one.spec); err != nil {
			l.close()
			return nil, fmt.Errorf("making a table in the kernel: %w", err)
		}
	}
	return l, nil
}

func (l *looks) close() {
	for _, m := range []*ebpf.Map{l.scratch, l.calls, l.states, l.pairs, l.given} {
		if m != nil {
			_ = m.Close() // what it held was read or is not wanted
		}
	}
}

// add adds a function, whose number is the next one; drop takes the last one back.
func (l *looks) add(name string, d described) {
	l.functions, l.names = append(l.functions, d), append(l.names, name)
}

func (l *looks) drop() {
	l.functions, l.names = l.functions[:len(l.functions)-1], l.names[:len(l.names)-1]
}

// arguments hashes those of a call that begins. Who runs is in the stack (atRunning), the depth
// in R7, which stays, and R6 has the registers.
func (l *looks) arguments(code *bpf.Code, index int32) {
	d := &l.functions[index]
	if d.unknown != nil {
		return
	}
	lookKey(code, index)
	code.Do(bpf.Number(atKept+wordSize, 0), asm.LoadMem(asm.R1, asm.R6, abi.First, asm.DWord), asm.StoreMem(asm.RFP, atKept+2*wordSize, asm.R1, asm.DWord))
	l.hash(code, d.Arguments, "look", "looked")
	code.Do(asm.StoreMem(asm.RFP, atKept, asm.R8, asm.DWord))
	if len(d.Arguments) > 0 {
		load(code, d.Arguments[0].At, atLookWord, "looked")
		code.Do(asm.LoadMem(asm.R1, asm.RFP, atLookWord, asm.DWord), asm.StoreMem(asm.RFP, atKept+wordSize, asm.R1, asm.DWord))
	}
	code.Do(asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.RFP, atKept+3*wordSize, asm.R0, asm.DWord))
	code.Update(l.calls.FD(), atLook, atKept)
	code.Named("looked", func() { code.Do(asm.LoadMem(asm.R7, asm.RFP, atLook+2*wordSize, asm.DWord)) })
}

func lookKey(code *bpf.Code, index int32) {
	code.Do(asm.LoadMem(asm.R1, asm.RFP, atRunning, asm.DWord), asm.StoreMem(asm.RFP, atLook, asm.R1, asm.DWord),
		bpf.Number(atLook+wordSize, index), asm.StoreMem(asm.RFP, atLook+2*wordSize, asm.R7, asm.DWord))
}

// results hashes those of a call that ends, and adds it to what is known of the function with
// the call's arguments. As arguments.
func (l *looks) results(code *bpf.Code, index int32) {
	d := &l.functions[index]
	if d.unknown != nil {
		return
	}
	lookKey(code, index)
	code.Lookup(l.calls.FD(), atLook, "looked")
	code.Do(bpf.Number(atPair, index), bpf.Number(atGiven, index),
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord), asm.StoreMem(asm.RFP, atPair+wordSize, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, wordSize, asm.DWord), asm.StoreMem(asm.RFP, atKept+wordSize, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, 2*wordSize, asm.DWord), asm.StoreMem(asm.RFP, atKept+2*wordSize, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, 3*wordSize, asm.DWord), asm.LoadMem(asm.R2, asm.RFP, atNow, asm.DWord), asm.Sub.Reg(asm.R2, asm.R1),
		asm.StoreMem(asm.RFP, atKept+3*wordSize, asm.R2, asm.DWord)) // how long it took
	code.Delete(l.calls.FD(), atLook)
	results := d.Results
	if d.Unknown != nil {
		results = nil
	}
	l.hash(code, results, "give", "looked")
	code.Do(asm.StoreMem(asm.RFP, atGiven+wordSize, asm.R8, asm.DWord), bpf.Number(atLookZero, index))
	code.Lookup(l.states.FD(), atLookZero, "looked")
	code.Do(asm.Mov.Reg(asm.R7, asm.R0))
	if len(results) > 0 && results[0].Address {
		code.Do(asm.LoadMem(asm.R1, asm.R6, results[0].At.Register, asm.DWord), asm.LoadMem(asm.R2, asm.RFP, atKept+wordSize, asm.DWord),
			asm.JNE.Reg(asm.R1, asm.R2, "another"))
		code.Add(asm.R7, stateSelf*wordSize, 1)
		code.Do(asm.Mov.Reg(asm.R1, asm.R7).WithSymbol("another"))
	}
	code.Add(asm.R7, stateLooked*wordSize, 1)
	code.Do(asm.LoadMem(asm.R9, asm.R7, stateLooked*wordSize, asm.DWord))
	code.Find(l.pairs.FD(), atPair)
	code.Do(asm.JNE.Imm(asm.R0, 0, "before"))

	for at := int16(0); at < pairWords; at++ {
		code.Do(bpf.Number(atNewPair+at*wordSize, 0))
	}
	code.Do(asm.StoreMem(asm.RFP, atNewPair+pairResult*wordSize, asm.R8, asm.DWord), asm.StoreMem(asm.RFP, atNewPair+pairAt*wordSize, asm.R9, asm.DWord),
		asm.LoadMapPtr(asm.R1, l.pairs.FD()))
	code.Place(asm.R2, atPair)
	code.Place(asm.R3, atNewPair)
	code.Do(asm.Mov.Imm(asm.R4, exclusive), asm.FnMapUpdateElem.Call(), asm.JNE.Imm(asm.R0, 0, "full"))
	code.Add(asm.R7, stateDifferent*wordSize, 1)
	took(code, stateFirst)
	code.Do(asm.Ja.Label("gave"))
	code.Named("full", func() { code.Add(asm.R7, stateFull*wordSize, 1) })
	code.Do(asm.Ja.Label("looked"))

	code.Named("before", func() { code.Add(asm.R0, pairRepeated*wordSize, 1) })
	took(code, stateAgain)
	code.Do(asm.LoadMem(asm.R1, asm.R0, pairResult*wordSize, asm.DWord), asm.JNE.Reg(asm.R1, asm.R8, "differs"))
	code.Add(asm.R0, pairSame*wordSize, 1)
	code.Do(
		asm.StoreMem(asm.R0, pairResult*wordSize, asm.R8, asm.DWord).WithSymbol("differs"),
		asm.LoadMem(asm.R1, asm.R0, pairAt*wordSize, asm.DWord), asm.StoreMem(asm.R0, pairAt*wordSize, asm.R9, asm.DWord),
		asm.Sub.Reg(asm.R9, asm.R1), // the distance
		asm.LoadMem(asm.R2, asm.R0, pairDistance*wordSize, asm.DWord), asm.StoreMem(asm.R0, pairDistance*wordSize, asm.R9, asm.DWord),
		asm.JNE.Reg(asm.R2, asm.R9, "gave"),
		asm.LoadMem(asm.R2, asm.R7, stateDifferent*wordSize, asm.DWord), asm.RSh.Imm(asm.R2, 1), asm.JGT.Reg(asm.R2, asm.R9, "gave"))
	code.Add(asm.R0, pairCyclic*wordSize, 1)

	code.Named("gave", func() { code.Do(bpf.Number(atLookZero, 1)) })
	code.Update(l.given.FD(), atGiven, atLookZero)
	code.Named("looked", func() { code.Do(asm.LoadMem(asm.R7, asm.RFP, atLook+2*wordSize, asm.DWord)) })
}

// took adds the time of a call to a word of the state at R7.
func took(code *bpf.Code, word int16) {
	code.Do(asm.LoadMem(asm.R1, asm.R7, word*wordSize, asm.DWord), asm.LoadMem(asm.R2, asm.RFP, atKept+3*wordSize, asm.DWord),
		asm.Add.Reg(asm.R1, asm.R2), asm.StoreMem(asm.R7, word*wordSize, asm.R1, asm.DWord))
}

// hash hashes values into R8. Where one cannot be read it goes to a symbol. It takes R7 and R9.
func (l *looks) hash(code *bpf.Code, values []abi.Value, prefix, otherwise string) {
	code.Do(bpf.Number(atLookZero, 0))
	code.Lookup(l.scratch.FD(), atLookZero, otherwise)
	code.Do(asm.Mov.Reg(asm.R7, asm.R0), asm.Mov.Imm(asm.R8, 0), asm.LoadImm(asm.R9, multiplier, asm.DWord))
	for n, v := range values {
		hashValue(code, v, fmt.Sprintf("%s%d", prefix, n), otherwise)
		code.Do(asm.Mul.Reg(asm.R8, asm.R9))
	}
}

func hashValue(code *bpf.Code, v abi.Value, name, otherwise string) {
	load(code, v.At, atLookWord, otherwise)
	word := func(to asm.Register) asm.Instruction { return asm.LoadMem(to, asm.RFP, atLookWord, asm.DWord) }
	hashWord := func() {
		code.Do(word(asm.R1))
		code.Do(mix(asm.R1)...)
	}
	content := func(size int32) {
		for at := int16(0); at < int16(size); at += wordSize { //nolint:gosec // mostText at most
			code.Do(asm.LoadMem(asm.R1, asm.R7, at, asm.DWord))
			code.Do(mix(asm.R1)...)
		}
	}
	clear := func(size int32) {
		code.Do(asm.Mov.Imm(asm.R1, 0))
		for at := int16(0); at < int16(size); at += wordSize { //nolint:gosec // mostText at most
			code.Do(asm.StoreMem(asm.R7, at, asm.R1, asm.DWord))
		}
	}
	end := func() { code.Do(asm.Mov.Reg(asm.R1, asm.R8).WithSymbol(name)) } // where a jump goes
	switch v.Kind {
	case abi.Number:
		code.Do(word(asm.R1))
		if v.Mask != fullMask {
			code.Do(asm.LoadImm(asm.R2, int64(v.Mask), asm.DWord), asm.And.Reg(asm.R1, asm.R2)) //nolint:gosec // bits
		}
		code.Do(mix(asm.R1)...)
	case abi.Text:
		isText := name + "text"
		clear(mostText)
		code.Do(asm.Mov.Reg(asm.R1, asm.R7), asm.Mov.Imm(asm.R2, mostText), word(asm.R3), asm.FnProbeReadUserStr.Call(),
			asm.JSGE.Imm(asm.R0, 0, isText), word(asm.R1), asm.JNE.Imm(asm.R1, 0, otherwise), // no text is one, too
			asm.Ja.Label(name),
			asm.Mov.Reg(asm.R1, asm.R0).WithSymbol(isText), asm.JLT.Imm(asm.R1, mostText, name+"all"))
		hashWord()
		code.Named(name+"all", func() { content(mostText) })
		end()
	case abi.Block:
		load(code, v.Len, atLookLen, otherwise)
		code.Do(asm.LoadMem(asm.R1, asm.RFP, atLookLen, asm.DWord))
		if v.Ends {
			code.Do(word(asm.R2), asm.Sub.Reg(asm.R1, asm.R2))
		} else {
			code.Do(asm.JGT.Imm(asm.R1, mostLength, otherwise), asm.Mul.Imm(asm.R1, v.Size))
		}
		code.Do(asm.JGT.Imm(asm.R1, mostLength, otherwise), asm.StoreMem(asm.RFP, atLookLen, asm.R1, asm.DWord))
		code.Do(mix(asm.R1)...)
		clear(mostText)
		code.Do(asm.LoadMem(asm.R2, asm.RFP, atLookLen, asm.DWord), asm.JEq.Imm(asm.R2, 0, name), asm.JLE.Imm(asm.R2, mostText, name+"short"))
		hashWord()
		code.Do(asm.Mov.Imm(asm.R2, mostText),
			asm.Mov.Reg(asm.R1, asm.R7).WithSymbol(name+"short"), word(asm.R3), asm.FnProbeReadUser.Call(), asm.JNE.Imm(asm.R0, 0, otherwise))
		content(mostText)
		end()
	case abi.Memory:
		const up = wordSize - 1
		rounded := (v.Size + up) / wordSize * wordSize
		clear(rounded)
		code.Do(asm.Mov.Reg(asm.R1, asm.R7), asm.Mov.Imm(asm.R2, v.Size), word(asm.R3), asm.FnProbeReadUser.Call(),
			asm.JEq.Imm(asm.R0, 0, name+"read"), word(asm.R1), asm.JNE.Imm(asm.R1, 0, otherwise), asm.Ja.Label(name))
		code.Named(name+"read", func() { content(rounded) })
		end()
	}
}

// load reads the word at a place into the stack.
func load(code *bpf.Code, from abi.Place, to int16, otherwise string) {
	if from.Register == abi.Hidden {
		code.Do(asm.LoadMem(asm.R1, asm.RFP, atKept+2*wordSize, asm.DWord))
	} else {
		code.Do(asm.LoadMem(asm.R1, asm.R6, from.Register, asm.DWord))
	}
	code.Do(asm.StoreMem(asm.RFP, to, asm.R1, asm.DWord))
	for _, offset := range from.Behind {
		code.Do(asm.LoadMem(asm.R3, asm.RFP, to, asm.DWord), asm.Add.Imm(asm.R3, offset), asm.Mov.Imm(asm.R2, wordSize))
		code.Place(asm.R1, to)
		code.Do(asm.FnProbeReadUser.Call(), asm.JNE.Imm(asm.R0, 0, otherwise))
	}
}

// read adds what was seen of the functions.
func (l *looks) read(counts []profile.FunctionCalls) error {
	full := make([]bool, len(counts))
	for i := range counts {
		if l.functions[i].unknown != nil {
			continue
		}
		var state [stateWords]uint64
		if err := l.states.Lookup(uint32(i), &state); err != nil { //nolint:gosec // below MostTimed
			return fmt.Errorf("reading a table of the kernel: %w", err)
		}
		if full[i] = state[stateFull] > 0; full[i] {
			continue
		}
		c, d := &counts[i], &l.functions[i]
		c.Looked, c.Different, c.Nothing, c.Contents = state[stateLooked], state[stateDifferent], state[stateSelf], d.ByContent()
		c.FirstTime, c.AgainTime = state[stateFirst], state[stateAgain]
		switch {
		case d.Unknown != nil:
		case len(d.Results) == 0:
			c.Nothing = c.Looked
		case !slices.ContainsFunc(d.Results, func(v abi.Value) bool { return v.Kind != abi.Number }): // addresses are numbers
			c.Plain = c.Looked
		}
	}
	of := func(function uint64) *profile.FunctionCalls {
		if function >= uint64(len(counts)) || full[function] {
			return nil
		}
		return &counts[function]
	}
	var key [2]uint64
	var pair [pairWords]uint64
	for each := l.pairs.Iterate(); each.Next(&key, &pair); {
		if c := of(key[0]); c != nil {
			c.Repeated += pair[pairRepeated]
			c.Cyclic += pair[pairCyclic]
			if l.functions[key[0]].Unknown == nil {
				c.Same += pair[pairSame]
			}
		}
	}
	var one uint64
	for each := l.given.Iterate(); each.Next(&key, &one); {
		if c := of(key[0]); c != nil && l.functions[key[0]].Unknown == nil {
			c.Results++
		}
	}
	return nil
}

// unknown says of which functions the arguments are not known, by reason.
func (l *looks) unknown() string {
	by := map[string][]string{}
	var reasons []string
	for i, d := range l.functions {
		if d.unknown == nil {
			continue
		}
		why := d.unknown.Error()
		if by[why] == nil {
			reasons = append(reasons, why)
		}
		by[why] = append(by[why], l.names[i])
	}
	out := make([]string, len(reasons))
	for i, why := range reasons {
		const most = 4
		names := by[why]
		slices.Sort(names)
		if left := len(names) - most; left > 1 {
			names = append(names[:most:most], fmt.Sprintf("%d more", left))
		}
		out[i] = fmt.Sprintf("%s (%s)", strings.Join(names, ", "), why)
	}
	return strings.Join(out, "; ")
}
