package abi

import (
	"debug/dwarf"
	"fmt"
)

// function is an entry of the debug information.
type function struct {
	name       string
	parameters []parameter
	result     *typ // nil for none
	variadic   bool
	changed    bool // its calling convention is not the standard one
	cpp        bool // of C++
}

type parameter struct {
	t        *typ
	isThis   bool // the object of a method
	isResult bool // of Go
	parts    []part
	located  bool // parts are where it is when the function begins
}

// kind is what a type is, as far as calls are concerned.
type kind int

const (
	whole     kind = iota // a number, a truth value, a character, an enumeration
	floating              // of any size
	pointer               // or a reference
	aggregate             // a structure, a class
	other
)

// typ is a type without its names and qualifiers.
type typ struct {
	kind    kind
	name    string
	size    int64
	isConst bool
	isChar  bool // of a text of C
	// target is what a pointer points to, of kind other where that is not known. It is read when it is asked for.
	target func() (*typ, error)
	fields []field
	// byReference: it is passed by its address, whatever its size (a class of C++ with a copy
	// constructor or a destructor of its own); known: the compiler said whether it is.
	byReference, passingKnown bool
	variants                  bool // an enumeration of Rust with fields
	isUnion, isArray          bool
}

type field struct {
	name   string
	offset int64
	t      *typ
}

const (
	nocall          = 0x3 // DW_CC_nocall
	passByReference = 0x4 // DW_CC_pass_by_reference
	passByValue     = 0x5 // DW_CC_pass_by_value
	mostNesting     = 24  // of types
)

// reader reads entries of one binary.
type reader struct{ data *dwarf.Data }

func (r reader) entry(at dwarf.Offset) (*dwarf.Entry, *dwarf.Reader, error) {
	in := r.data.Reader()
	in.Seek(at)
	entry, err := in.Next()
	if err != nil {
		return nil, nil, fmt.Errorf("reading the debug information: %w", err)
	}
	if entry == nil {
		return nil, nil, ErrNoTypes
	}
	return entry, in, nil
}

// value is an attribute of an entry, or of the entry that it is an instance or the definition of.
func (r reader) value(e *dwarf.Entry, attr dwarf.Attr) any {
	for range 4 { // an instance of a definition of a declaration
		if v := e.Val(attr); v != nil {
			return v
		}
		next, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if next, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return nil
			}
		}
		var err error
		if e, _, err = r.entry(next); err != nil {
			return nil
		}
	}
	return nil
}

// readFunction reads a function and its parameters.
func readFunction(data *dwarf.Data, places *locations, entry *dwarf.Entry, address uint64) (*function, error) {
	r := reader{data}
	f := &function{}
	f.name, _ = r.value(entry, dwarf.AttrName).(string)
	if convention, ok := r.value(entry, dwarf.AttrCalling).(int64); ok && convention == nocall {
		f.changed = true
	}
	if at, ok := r.value(entry, dwarf.AttrType).(dwarf.Offset); ok {
		var err error
		if f.result, err = r.read(at, mostNesting); err != nil {
			return nil, err
		}
	}
	_, in, err := r.entry(entry.Offset)
	if err != nil {
		return nil, err
	}
	for entry.Children {
		child, err := in.Next()
		if err != nil {
			return nil, fmt.Errorf("reading the debug information: %w", err)
		}
		if child == nil || child.Tag == 0 {
			break
		}
		switch child.Tag { //nolint:exhaustive // the others are no parameters
		case dwarf.TagFormalParameter:
			at, ok := r.value(child, dwarf.AttrType).(dwarf.Offset)
			if !ok {
				return nil, errLayout
			}
			t, err := r.read(at, mostNesting)
			if err != nil {
				return nil, err
			}
			name, _ := r.value(child, dwarf.AttrName).(string)
			artificial, _ := r.value(child, dwarf.AttrArtificial).(bool)
			isResult, _ := r.value(child, dwarf.AttrVarParam).(bool)
			p := parameter{t: t, isThis: artificial && (name == "this" || name == ""), isResult: isResult}
			p.parts, p.located = places.at(child, address)
			f.parameters = append(f.parameters, p)
		case dwarf.TagUnspecifiedParameters:
			f.variadic = true
		}
		if child.Children {
			in.SkipChildren()
		}
	}
	return f, nil
}

// read reads a type.
func (r reader) read(at dwarf.Offset, depth int) (*typ, error) {
	if depth == 0 {
		return nil, errLayout
	}
	e, in, err := r.entry(at)
	if err != nil {
		return nil, err
	}
	t := &typ{}
	t.name, _ = e.Val(dwarf.AttrName).(string)
	t.size, _ = e.Val(dwarf.AttrByteSize).(int64)
	of, hasType := e.Val(dwarf.AttrType).(dwarf.Offset)
	switch e.Tag { //nolint:exhaustive // the others are other
	case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
		if !hasType { // void
			return &typ{kind: other, isConst: e.Tag == dwarf.TagConstType}, nil
		}
		inner, err := r.read(of, depth-1)
		if err != nil {
			return nil, err
		}
		out := *inner
		out.isConst = out.isConst || e.Tag == dwarf.TagConstType
		return &out, nil
	case dwarf.TagBaseType:
		r.base(e, t)
	case dwarf.TagEnumerationType:
		t.kind = whole
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		t.kind, t.size = pointer, wordSize
		t.target = func() (*typ, error) {
			if !hasType {
				return &typ{kind: other}, nil
			}
			return r.read(of, depth-1)
		}
	case dwarf.TagSubroutineType:
		t.kind, t.size = pointer, wordSize // Go: a value of a function
		t.target = func() (*typ, error) { return &typ{kind: other}, nil }
	case dwarf.TagArrayType:
		if !hasType {
			return nil, errLayout
		}
		element, err := r.read(of, depth-1)
		if err != nil {
			return nil, err
		}
		return t, r.elements(in, t, element)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		t.kind, t.isUnion = aggregate, e.Tag == dwarf.TagUnionType
		return t, r.members(e, in, t, depth)
	default:
		t.kind = other
	}
	return t, nil
}

func (r reader) base(e *dwarf.Entry, t *typ) {
	const (
		complexFloat  = 0x03 // DW_ATE_…
		float         = 0x04
		signedChar    = 0x06
		decimalFloat  = 0x0f
		mostWholeSize = 8
	)
	encoding, _ := e.Val(dwarf.AttrEncoding).(int64)
	switch encoding {
	case complexFloat, float, decimalFloat:
		t.kind = floating
	default:
		t.isChar = encoding == signedChar
		if t.size > mostWholeSize {
			t.kind = other
		}
	}
}

// members reads the fields of a structure and how it is passed.
func (r reader) members(e *dwarf.Entry, in *dwarf.Reader, t *typ, depth int) error {
	if passing, ok := e.Val(dwarf.AttrCalling).(int64); ok {
		t.passingKnown, t.byReference = passing == passByReference || passing == passByValue, passing == passByReference
	}
	if declaration, _ := e.Val(dwarf.AttrDeclaration).(bool); declaration {
		t.kind = other
		return nil
	}
	for e.Children {
		child, err := in.Next()
		if err != nil {
			return fmt.Errorf("reading the debug information: %w", err)
		}
		if child == nil || child.Tag == 0 {
			return nil
		}
		at, ok := child.Val(dwarf.AttrType).(dwarf.Offset)
		isStatic, _ := child.Val(dwarf.AttrExternal).(bool)
		offset, placed := child.Val(dwarf.AttrDataMemberLoc).(int64)
		switch {
		case child.Tag == dwarf.TagVariantPart:
			t.variants = true
		case child.Tag == dwarf.TagInheritance && !placed: // a virtual base
			t.kind = other
			return nil
		case (child.Tag == dwarf.TagMember || child.Tag == dwarf.TagInheritance) && ok && !isStatic && (placed || t.isUnion):
			name, _ := child.Val(dwarf.AttrName).(string)
			inner, err := r.read(at, depth-1)
			if err != nil {
				return err
			}
			t.fields = append(t.fields, field{name, offset, inner})
		case child.Tag == dwarf.TagMember && !isStatic: // bits
			t.kind = other
			return nil
		}
		if child.Children {
			in.SkipChildren()
		}
	}
	return nil
}

// elements reads how many elements an array has. One that is too large to be read whole is other.
func (r reader) elements(in *dwarf.Reader, t, element *typ) error {
	count := int64(1)
	for {
		child, err := in.Next()
		if err != nil {
			return fmt.Errorf("reading the debug information: %w", err)
		}
		if child == nil || child.Tag == 0 {
			break
		}
		n, ok := child.Val(dwarf.AttrCount).(int64)
		if !ok {
			if n, ok = child.Val(dwarf.AttrUpperBound).(int64); ok {
				n++
			}
		}
		if !ok || n < 0 || n > MostMemory {
			t.kind = other
			return nil
		}
		count = min(count*n, MostMemory+1)
	}
	t.kind, t.isArray, t.size = aggregate, true, count*element.size
	if t.size > MostMemory {
		t.kind = other
		return nil
	}
	for i := range count {
		t.fields = append(t.fields, field{offset: i * element.size, t: element})
	}
	return nil
}

// leaf is a number or an address in a structure.
type leaf struct {
	name   string // of the field that has it
	offset int64
	t      *typ
}

// leaves are what is in a type, by offset; ok is false where not all of it is known.
func (t *typ) leaves() (out []leaf, ok bool) {
	switch {
	case t.kind == whole || t.kind == floating || t.kind == pointer:
		return []leaf{{t.name, 0, t}}, true
	case t.kind != aggregate || t.variants || t.isUnion:
		return nil, false
	}
	for _, f := range t.fields {
		inner, ok := f.t.leaves()
		if !ok {
			return nil, false
		}
		for _, l := range inner {
			l.offset += f.offset
			if f.t.kind != aggregate {
				l.name = f.name
			}
			out = append(out, l)
		}
	}
	return out, true
}

// isNumbers says whether a type is small and has nothing but numbers in it.
func (t *typ) isNumbers() bool {
	all, ok := t.leaves()
	if !ok || len(all) == 0 || t.size > MostMemory {
		return false
	}
	covered := int64(0)
	for _, l := range all {
		if l.t.kind == pointer {
			return false
		}
		covered += l.t.size
	}
	return covered == t.size // no bytes between them, which may be anything
}
