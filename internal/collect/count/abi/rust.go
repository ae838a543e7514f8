package abi

import "strings"

// ofRust is what rustc does on x86-64, which it promises to nobody: a value of one or two numbers
// or addresses is in as many registers, as the address and the length of a &str are, and a larger one is passed by its
// address. Values of a few small numbers, and enumerations with fields, are packed in ways that
// differ by version, and are not known here.
func ofRust(f *function) (Signature, error) {
	in := ofSystemV()
	var s Signature
	if f.result != nil {
		s.Results, s.Unknown = f.result.ofRust(&registers{free: []int16{rax, rdx}}, in, true)
		if s.Unknown != nil && f.result.kind != floating && f.result.size <= 2*wordSize && !f.isLocated() {
			return Signature{}, errLayout // it may take a register
		}
	}
	if f.isLocated() {
		return s, s.locate(f, false, func(_ *typ, at Place, p parameter) (Value, error) { return p.t.behindReference(at) })
	}
	if f.changed {
		return Signature{}, errChanged
	}
	for _, p := range f.parameters {
		values, err := p.t.ofRust(in, in, false)
		if err != nil {
			return Signature{}, err
		}
		s.Arguments = append(s.Arguments, values...)
	}
	return s, nil
}

// ofRust is where a value is: in registers of at, or behind an address, which is an argument.
func (t *typ) ofRust(at, arguments *registers, isResult bool) ([]Value, error) {
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
		if isResult {
			return []Value{address(place)}, nil
		}
		v, err := t.behindReference(place)
		return []Value{v}, err
	case aggregate:
	case other:
		return nil, errLayout
	}
	leaves, known := t.leaves()
	switch {
	case !known && isResult && t.size > 2*wordSize:
		if _, err := arguments.one(); err != nil {
			return nil, err
		}
		return nil, errLayout
	case !known:
		return nil, errLayout
	case t.size == 0:
		return nil, nil
	case len(leaves) == 1:
		return leaves[0].t.ofRust(at, arguments, isResult)
	case len(leaves) == 2: //nolint:mnd // a pair
		places, err := at.take(len(leaves))
		if err != nil {
			return nil, err
		}
		return t.pair(leaves, places)
	case t.size <= 2*wordSize:
		return nil, errLayout
	}
	place, err := arguments.one()
	if err != nil {
		return nil, err
	}
	if isResult {
		place = Place{Register: Hidden}
	}
	v, ok := t.rustContent(place)
	if !ok {
		return nil, errLayout
	}
	return []Value{v}, nil
}

func (t *typ) pair(leaves []leaf, places []Place) ([]Value, error) {
	if text, length, ok := t.text(); ok {
		first := min(text, length)
		return []Value{{Kind: Block, At: places[(text-first)/wordSize], Len: places[(length-first)/wordSize], Size: 1}}, nil
	}
	if t.size == 2*wordSize || leaves[0].offset < leaves[1].offset {
		var out []Value
		for i, l := range leaves {
			if l.t.kind == floating {
				return nil, errFloat
			}
			if l.t.kind == pointer {
				out = append(out, address(places[i]))
			} else {
				out = append(out, number(places[i], l.t.size))
			}
		}
		return out, nil
	}
	return nil, errLayout
}

// rustContent is what is behind an address: a String, a Vec of numbers, or nothing but numbers.
func (t *typ) rustContent(at Place) (Value, bool) {
	const mostElement = 8
	if strings.HasPrefix(t.name, "Vec<") {
		for element := int64(1); element <= mostElement; element *= 2 {
			if address, length, ok := t.rustVector(element); ok {
				return Value{Kind: Block, At: at.behind(address), Len: at.behind(length), Size: int32(element)}, true //nolint:gosec // as above
			}
		}
	}
	return t.content(at)
}

func (t *typ) behindReference(at Place) (Value, error) {
	to, err := t.target()
	if err != nil {
		return Value{}, err
	}
	v, ok := to.rustContent(at)
	ok = ok && (to.kind == aggregate || strings.HasPrefix(t.name, "&")) // a raw pointer may be to the first of many
	mutable := strings.HasPrefix(t.name, "&mut ") || strings.HasPrefix(t.name, "*mut ")
	switch {
	case mutable && (ok && v.Kind == Block || to.kind == whole || to.kind == floating || to.kind == pointer):
		return Value{}, errOutput
	case ok:
		return v, nil
	}
	return address(at), nil
}
