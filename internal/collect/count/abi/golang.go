package abi

import "strings"

// ofGo is the calling convention of Go since 1.17 on x86-64 (cmd/compile/abi-internal.md): the
// words of all arguments are in registers in their order, and so are those of all results.
func ofGo(f *function) (Signature, error) {
	free := []int16{rax, rbx, rcx, rdi, rsi, r8, r9, r10, r11}
	in, out := &registers{free: free}, &registers{free: free}
	var s Signature
	for _, p := range f.parameters {
		at, to := in, &s.Arguments
		if p.isResult {
			at, to = out, &s.Results
		}
		values, err := p.t.ofGo(at, p.isResult)
		if err != nil && p.isResult {
			s.Unknown = err
		} else if err != nil {
			return Signature{}, err
		}
		*to = append(*to, values...)
	}
	return s, nil
}

func (t *typ) ofGo(at *registers, isResult bool) ([]Value, error) {
	switch t.kind {
	case whole:
		place, err := at.one()
		return []Value{number(place, t.size)}, err
	case floating:
		return nil, errFloat
	case pointer:
		place, err := at.one()
		if err != nil {
			return nil, err
		}
		to, err := t.target()
		switch {
		case err != nil:
			return nil, err
		case to.kind == aggregate && to.isNumbers():
			return []Value{{Kind: Memory, At: place, Size: int32(to.size)}}, nil //nolint:gosec // MostMemory at most
		case to.kind == whole && !isResult:
			return nil, errOutput
		}
		return []Value{address(place)}, nil
	case aggregate:
	case other:
		return nil, errLayout
	}
	switch {
	case t.variants || t.isUnion || t.isArray: // an array is on the stack
		return nil, errLayout
	case t.name == "string":
		return sequence(at, 2, 1) //nolint:mnd // address, length
	case strings.HasPrefix(t.name, "[]") && len(t.fields) == 3 && t.fields[0].t.kind == pointer: // address, length, capacity
		if size := t.fields[0].t.elementSize(); size == 1 || size > 0 && isResult {
			return sequence(at, 3, int32(size)) //nolint:mnd,gosec // as above
		}
		places, err := at.take(3) //nolint:mnd // as above
		if err != nil {
			return nil, err
		}
		return []Value{address(places[0]), number(places[1], wordSize)}, nil
	}
	var out []Value
	for _, f := range t.fields {
		values, err := f.t.ofGo(at, isResult)
		if err != nil {
			return nil, err
		}
		out = append(out, values...)
	}
	return out, nil
}

// sequence is a string or a slice, in two or three registers.
func sequence(at *registers, words int, element int32) ([]Value, error) {
	places, err := at.take(words)
	if err != nil {
		return nil, err
	}
	return []Value{{Kind: Block, At: places[0], Len: places[1], Size: element}}, nil
}
