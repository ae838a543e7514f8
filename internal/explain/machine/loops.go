package machine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/symbol"
)

// loops gives the loops of a function with the samples that belong to them.
func (f *function) loops(b *binary, reply analyzer.MachineFunction) []Loop {
	out := make([]Loop, len(reply.Loops))
	holds := map[uint64]int{} // the innermost loop of an instruction
	for i, l := range reply.Loops {
		out[i] = loopOf(l)
		out[i].Function, out[i].Mapping, out[i].Unresolved, out[i].binary, out[i].function = f.name, b.mapping, reply.Unresolved, b, f
		for _, in := range l.Instructions {
			holds[in.Address] = i
		}
	}
	number(out)
	charge := func(list []analyzer.MachineInstruction, in int) {
		for n, l := range list {
			h, sampled := b.within(l)
			if !sampled {
				continue
			}
			to := in
			if of, known := holds[l.Cause]; known && l.Cause != 0 {
				to = of
			}
			if in >= 0 {
				out[in].Instructions[n].Self += h.value
				out[in].Instructions[n].Count += h.count
			}
			if to >= 0 {
				out[to].Self += h.value
				out[to].Count += h.count
			}
		}
	}
	for i, l := range reply.Loops {
		charge(l.Instructions, i)
	}
	charge(reply.Outside, -1)
	for i := range slices.Backward(out) { // inner ones stand behind outer ones
		out[i].Total += out[i].Self
		if parent := reply.Loops[i].Parent; parent >= 0 && parent < i {
			out[parent].Total += out[i].Total
			out[parent].nested = append(out[parent].nested, out[i].Ranges...)
		}
	}
	return slices.DeleteFunc(out, func(l Loop) bool { return l.Self == 0 })
}

// number counts the matches of a function's loops by rule, in the order of their addresses
// and whether they are hot or not: an identity rests on it.
func number(loops []Loop) {
	order := make([]*Loop, len(loops))
	for i := range loops {
		order[i] = &loops[i]
	}
	slices.SortStableFunc(order, func(a, b *Loop) int { return cmp.Compare(a.Header, b.Header) })
	count := map[string]int{}
	for _, l := range order {
		l.before = map[string]int{}
		for _, m := range l.Matches {
			l.before[m.Rule] = count[m.Rule]
		}
		for _, m := range l.Matches {
			count[m.Rule]++
		}
	}
}

// loopOf is what the analyser says of a loop, without a profile.
func loopOf(l analyzer.MachineLoop) Loop {
	out := Loop{
		Header: l.Header, Ranges: l.Ranges, Depth: l.Depth, Innermost: l.Innermost, Matches: l.Matches,
		Cycles: l.Cycles, Calls: l.Calls, Atomic: l.Atomic, Strings: l.Strings, Step: l.Step,
	}
	for n, r := range l.Ranges {
		if n == 0 || r[0] < out.Start {
			out.Start = r[0]
		}
		out.End = max(out.End, r[1])
	}
	for _, in := range l.Instructions {
		out.Instructions = append(out.Instructions, Instruction{Address: in.Address, Text: in.Text, For: in.Cause})
	}
	return out
}

// outside gives a function with what ran in it outside of loops.
func (f *function) outside(b *binary, reply analyzer.MachineFunction) Function {
	out := Function{Name: f.name, Mapping: b.mapping, Start: f.low, End: f.high, Self: f.value, Unresolved: reply.Unresolved}
	for _, in := range reply.Outside {
		_, followed := b.outcomes[in.Address]
		if h, sampled := b.within(in); sampled || followed {
			out.Outside = append(out.Outside, Instruction{Address: in.Address, Text: in.Text, Self: h.value, Count: h.count, For: in.Cause})
		}
	}
	return out
}

// within sums what was sampled in an instruction: an unwinder may have moved an
// address by a byte.
func (b *binary) within(in analyzer.MachineInstruction) (sum hits, sampled bool) {
	for a := in.Address; a < in.Address+max(in.Size, 1); a++ {
		if h, ok := b.at[a]; ok {
			sum.value += h.value
			sum.count += h.count
			sampled = true
		}
	}
	return sum, sampled
}

// locate gives instructions their source lines, and the loops their place. The name is
// what notes call the file at path.
func locate(ctx context.Context, name, path string, loops []Loop, functions []Function, stalls []Stall, opts symbol.Options) (note string) {
	var all []*Instruction
	for i := range loops {
		for k := range loops[i].Instructions {
			all = append(all, &loops[i].Instructions[k])
		}
	}
	for i := range functions {
		for k := range functions[i].Outside {
			all = append(all, &functions[i].Outside[k])
		}
	}
	for i := range stalls {
		all = append(all, &stalls[i].Load)
	}
	addresses := make([]uint64, len(all))
	for i, in := range all {
		addresses[i] = in.Address
	}
	if len(addresses) == 0 {
		return ""
	}
	file, err := symbol.Open(path, opts)
	if err != nil {
		return fmt.Sprintf("%s: no source lines: %v", name, err)
	}
	defer func() { _ = file.Close() }() // only read from
	frames, err := file.LookupAll(ctx, addresses)
	if err != nil {
		return fmt.Sprintf("%s: no source lines: %v", name, err)
	}
	for i, in := range all {
		in.Lines = frames[i]
	}
	for i := range loops {
		loops[i].place()
	}
	return ""
}

// place says where a loop is in the source: the lines, in the file and function that
// hold most of its samples, of code that somebody edits where there is any.
func (l *Loop) place() {
	type where struct{ file, function string }
	weight := map[where]int64{}
	lines := map[where][2]int32{}
	for _, in := range l.Instructions {
		f, ok := Edited(in.Lines)
		if !ok {
			continue
		}
		w := where{f.Function.File, f.Function.Name}
		weight[w] += 1 + 1000*in.Self // where nothing was sampled, the most instructions
		span, known := lines[w]
		if !known {
			span = [2]int32{f.Line, f.Line}
		}
		lines[w] = [2]int32{min(span[0], f.Line), max(span[1], f.Line)}
	}
	var best where
	for w, v := range weight {
		if best.file == "" || cmp.Or(cmp.Compare(v, weight[best]), -cmp.Compare(w.function, best.function), -cmp.Compare(w.file, best.file)) > 0 {
			best = w
		}
	}
	if best.file == "" {
		return
	}
	l.File, l.Line, l.EndLine = best.file, int(lines[best][0]), int(lines[best][1])
	if best.function != l.Function {
		l.Inlined = best.function
	}
}

// Edited is the innermost of inlined frames that is not in an installed header, else
// the innermost that has a line.
func Edited(frames []profile.Frame) (profile.Frame, bool) {
	var first profile.Frame
	for _, f := range frames {
		if f.Function.File == "" || f.Line <= 0 {
			continue
		}
		if !finding.IsInstalled(f.Function.File, "") {
			return f, true
		}
		if first.Line == 0 {
			first = f
		}
	}
	return first, first.Line > 0
}
