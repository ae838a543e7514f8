package abi

import "strings"

// ofC is the calling convention of C and C++ (System V ABI for x86-64; Itanium C++ ABI).
//
// Example. int width(const std::string &text, int size): the address of the string is in rdi; that of
// its characters is the first word there and their number the second; esi has the size, eax the result.
func ofC(f *function) (Signature, error) {
	if f.variadic {
		return Signature{}, errVariadic
	}
	in := ofSystemV()
	var s Signature
	if f.cpp && f.result.isUndecided() {
		if s.Unknown = errLayout; !f.isLocated() {
			return Signature{}, errLayout // it may take a register
		}
	} else if s.Results, s.Unknown = f.result.resultOfC(); f.result.isInMemory() {
		if _, err := in.one(); err != nil {
			return Signature{}, err
		}
	}
	makes := f.isConstructor()
	if makes && f.copies() {
		return Signature{}, errCopy
	}
	if f.isLocated() {
		return s, s.locate(f, makes, func(to *typ, at Place, p parameter) (Value, error) { return to.behindPointer(at, p.isThis) })
	}
	if f.changed {
		return Signature{}, errChanged
	}
	for i, p := range f.parameters {
		values, err := p.ofC(in)
		if err != nil {
			return Signature{}, err
		}
		if makes && i == 0 {
			continue
		}
		s.Arguments = append(s.Arguments, values...)
	}
	return s, nil
}

// ofCPP is that of C++.
func ofCPP(f *function) (Signature, error) {
	f.cpp = true
	return ofC(f)
}

// isUndecided says whether a small class may be passed in registers or by its address: GCC writes
// nowhere whether it has a copy constructor or a destructor of its own.
func (t *typ) isUndecided() bool {
	return t != nil && t.kind == aggregate && t.size <= 2*wordSize && !t.passingKnown && !strings.HasPrefix(t.name, "basic_string_view<")
}

// isConstructor says whether a function of C++ is one: its name is that of its object's class.
func (f *function) isConstructor() bool {
	if len(f.parameters) == 0 || !f.parameters[0].isThis || f.result != nil {
		return false
	}
	object, err := f.parameters[0].t.target()
	if err != nil {
		return false
	}
	class, _, _ := strings.Cut(object.name, "<")
	return class != "" && class == f.name
}

// copies says whether a constructor makes a copy of another object of its class, which nothing can be
// kept of.
func (f *function) copies() bool {
	if len(f.parameters) != 2 || f.parameters[1].t.kind != pointer { //nolint:mnd // the object and the other one
		return false
	}
	object, err := f.parameters[0].t.target()
	if err != nil {
		return false
	}
	other, err := f.parameters[1].t.target()
	return err == nil && other.name == object.name && other.kind == object.kind
}

// isInMemory says whether a result is, at an address that the caller gives as the first argument.
func (t *typ) isInMemory() bool {
	return t != nil && (t.kind == aggregate || t.kind == other) && (t.size > 2*wordSize || t.byReference)
}

func (t *typ) resultOfC() ([]Value, error) {
	at := Place{Register: rax}
	switch {
	case t == nil || t.kind == other && t.size == 0: // none
		return nil, nil
	case t.kind == whole:
		return []Value{number(at, t.size)}, nil
	case t.kind == pointer:
		return []Value{pointerResult(t, at)}, nil
	case t.kind == floating:
		return nil, errFloat
	case t.isInMemory():
		if v, ok := t.content(Place{Register: Hidden}); ok {
			return []Value{v}, nil
		}
	case t.kind == aggregate:
		return t.words([]Place{at, {Register: rdx}})
	}
	return nil, errLayout
}

// pointerResult is a text of C, or an address.
func pointerResult(t *typ, at Place) Value {
	if to, err := t.target(); err == nil && to.isChar {
		return Value{Kind: Text, At: at}
	}
	return address(at)
}

func (p parameter) ofC(in *registers) ([]Value, error) {
	t := p.t
	switch t.kind {
	case floating:
		return nil, errFloat
	case whole:
		at, err := in.one()
		return []Value{number(at, t.size)}, err
	case pointer:
		at, err := in.one()
		if err != nil {
			return nil, err
		}
		to, err := t.target()
		if err != nil {
			return nil, err
		}
		v, err := to.behindPointer(at, p.isThis)
		return []Value{v}, err
	case aggregate:
		if t.byReference || len(p.parts) > 0 && p.parts[0].address {
			at, err := in.one()
			if err != nil {
				return nil, err
			}
			v, ok := t.content(at)
			if !ok {
				return nil, errLayout
			}
			return []Value{v}, nil
		}
		if t.size > 2*wordSize {
			return nil, errLayout
		}
		places, err := in.take(int(t.size+wordSize-1) / wordSize)
		if err != nil {
			return nil, err
		}
		return t.words(places)
	case other:
	}
	return nil, errLayout
}

// behindPointer is what is known of an argument that is a pointer to a type.
func (t *typ) behindPointer(at Place, isThis bool) (Value, error) {
	switch v, ok := t.content(at); {
	case t.isChar:
		return Value{Kind: Text, At: at}, nil
	case t.isConst && t.kind == whole && t.size > 1:
		return address(at), nil // one or many: the address says which
	case !t.isConst && (t.kind == whole && t.size > 1 || t.kind == floating || t.kind == pointer) && !isThis:
		return Value{}, errOutput
	case ok && t.kind == aggregate && v.Kind == Block && !t.isConst && !isThis:
		return Value{}, errOutput // a string or a vector to write into
	case ok && t.kind == aggregate:
		return v, nil
	}
	return address(at), nil
}

// words are the words of a small structure by value, without what is between its fields.
func (t *typ) words(places []Place) ([]Value, error) {
	leaves, known := t.leaves()
	if !known || len(leaves) == 0 {
		return nil, errLayout
	}
	if text, length, ok := t.text(); ok && len(places) == 2 { //nolint:mnd // an address and a length
		return []Value{{Kind: Block, At: places[text/wordSize], Len: places[length/wordSize], Size: 1}}, nil
	}
	masks, addresses := make([]uint64, len(places)), make([]bool, len(places))
	for _, l := range leaves {
		word := int(l.offset / wordSize)
		switch {
		case l.t.kind == floating:
			return nil, errFloat
		case word >= len(places):
			return nil, errLayout
		}
		addresses[word] = addresses[word] || l.t.kind == pointer
		masks[word] |= all(l.t.size) << (8 * (l.offset % wordSize)) //nolint:mnd // bits of a byte
	}
	var out []Value
	for i, mask := range masks {
		if mask != 0 {
			out = append(out, Value{Kind: Number, At: places[i], Mask: mask, Address: addresses[i]})
		}
	}
	return out, nil
}
