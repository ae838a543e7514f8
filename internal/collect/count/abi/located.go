package abi

import "slices"

// isLocated says whether the debug information says where the parameters are when the function begins,
// as that of optimised code does. Then it is believed before any convention: it holds also where
// the compiler changed the arguments of a function that only it calls.
func (f *function) isLocated() bool {
	return len(f.parameters) > 0 && !slices.ContainsFunc(f.parameters, func(p parameter) bool { return !p.located || p.isLater() }) &&
		slices.ContainsFunc(f.parameters, func(p parameter) bool { return p.parts[0].state == inRegister || p.parts[0].state == inMemory })
}

// isLater says whether a parameter is in memory that the function has yet to write, as all are in code
// that is not optimised.
func (p *parameter) isLater() bool {
	return slices.ContainsFunc(p.parts, func(at part) bool {
		return at.state == inMemory && (at.register == rsp && at.displacement < wordSize || at.register == rbp)
	})
}

// locate reads the arguments from where they are said to be. behind is what is known of a pointer to
// a type.
func (s *Signature) locate(f *function, makes bool, behind func(*typ, Place, parameter) (Value, error)) error {
	for i, p := range f.parameters {
		if makes && i == 0 {
			continue
		}
		values, err := p.values(behind)
		if err != nil {
			return err
		}
		s.Arguments = append(s.Arguments, values...)
		s.Partial = s.Partial || f.changed && slices.ContainsFunc(p.parts, func(at part) bool { return at.state == absent })
	}
	return nil
}

// place is where a word of a part is, from an offset in the parameter on.
func (at part) place(offset int64) Place {
	if at.state == inMemory {
		return Place{at.register, []int32{at.displacement + int32(offset-at.offset)}} //nolint:gosec // of a small type
	}
	return Place{Register: at.register}
}

func (p *parameter) values(behind func(*typ, Place, parameter) (Value, error)) ([]Value, error) {
	t := p.t
	if slices.ContainsFunc(p.parts, func(at part) bool { return at.state == elsewhere || at.address }) {
		if t.kind == floating {
			return nil, errFloat
		}
		return nil, errLayout
	}
	first := p.parts[0]
	switch {
	case len(p.parts) == 1 && first.state <= constant:
		return nil, nil
	case t.kind == pointer:
		to, err := t.target()
		if err != nil {
			return nil, err
		}
		v, err := behind(to, first.place(0), *p)
		return []Value{v}, err
	case t.kind == whole:
		return []Value{number(first.place(0), t.size)}, nil
	case t.kind == floating:
		return nil, errFloat
	case t.kind != aggregate:
		return nil, errLayout
	case len(p.parts) == 1 && first.state == inMemory && first.displacement == 0: // its address is in the register
		if v, ok := t.rustContent(Place{Register: first.register}); ok {
			return []Value{v}, nil
		}
		return nil, errLayout
	}
	return p.fields()
}

// fields are the numbers and addresses of a structure by value.
func (p *parameter) fields() ([]Value, error) {
	const most = 8
	leaves, known := p.t.leaves()
	if !known || len(leaves) > most {
		return nil, errLayout
	}
	has := func(offset int64) (part, bool) {
		for _, at := range p.parts {
			if at.state > constant && offset >= at.offset && (at.size == 0 || offset < at.offset+at.size) {
				return at, true
			}
		}
		return part{}, false
	}
	if text, length, ok := p.t.text(); ok {
		at, isAt := has(int64(text))
		size, isSize := has(int64(length))
		if isAt && isSize && at.state == inRegister && size.state == inRegister {
			return []Value{{Kind: Block, At: at.place(int64(text)), Len: size.place(int64(length)), Size: 1}}, nil
		}
	}
	var out []Value
	for _, l := range leaves {
		at, ok := has(l.offset)
		switch {
		case !ok:
			continue
		case l.t.kind == floating:
			return nil, errFloat
		}
		v := number(at.place(l.offset), l.t.size)
		v.Address = l.t.kind == pointer
		if at.state == inRegister {
			shift := 8 * (l.offset - at.offset) //nolint:mnd // bits of a byte
			if shift >= 8*wordSize {
				return nil, errLayout
			}
			v.Mask <<= shift
		}
		out = append(out, v)
	}
	return out, nil
}
