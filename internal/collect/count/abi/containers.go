package abi

import "strings"

// text says where in a type the address of a text and its length in bytes are: std::string of
// libstdc++, std::string_view, String and &str of Rust, and any other type that is the address of bytes
// and a number.
func (t *typ) text() (address, length int32, ok bool) {
	if t.kind != aggregate {
		return 0, 0, false
	}
	switch {
	case strings.HasPrefix(t.name, "basic_string<char"):
		data, isData := t.find("_M_dataplus")
		size, isSize := t.find("_M_string_length")
		return data, size, isData && isSize
	case t.name == "String":
		return t.rustVector(1)
	}
	leaves, known := t.leaves()
	if !known || len(leaves) != 2 || t.size != 2*wordSize {
		return 0, 0, false
	}
	a, b := leaves[0], leaves[1]
	if a.t.kind != pointer {
		a, b = b, a
	}
	if a.t.kind != pointer || b.t.kind != whole || b.t.size != wordSize || a.t.elementSize() != 1 {
		return 0, 0, false
	}
	return int32(a.offset), int32(b.offset), true //nolint:gosec // within two words
}

// find is the offset of a field of a name, of this type or one that it derives from.
func (t *typ) find(name string) (int32, bool) {
	for _, f := range t.fields {
		if f.name == name {
			return int32(f.offset), true //nolint:gosec // of a small type
		}
	}
	return 0, false
}

// elementSize is the size of the numbers that a pointer points to, 0 where these are none.
func (t *typ) elementSize() int64 {
	to, err := t.target()
	if err != nil || to.kind != whole {
		return 0
	}
	return to.size
}

// vector says where the begin and the end of the numbers of a std::vector of libstdc++ are.
func (t *typ) vector() (begin, end, size int32, ok bool) {
	if !strings.HasPrefix(t.name, "vector<") {
		return 0, 0, 0, false
	}
	leaves, known := t.leaves()
	if !known || len(leaves) != 3 || leaves[0].name != "_M_start" || leaves[1].name != "_M_finish" {
		return 0, 0, 0, false
	}
	element := leaves[0].t.elementSize()
	return int32(leaves[0].offset), int32(leaves[1].offset), int32(element), element > 0 //nolint:gosec // of a small type
}

// rustVector says where the address and the length of the elements of a Vec or a String are.
func (t *typ) rustVector(element int64) (address, length int32, ok bool) {
	leaves, known := t.leaves()
	if !known {
		return 0, 0, false
	}
	const notYet = -1
	address, length = notYet, notYet
	for _, l := range leaves {
		switch {
		case l.t.kind == pointer && address == notYet:
			if size := l.t.elementSize(); size != element {
				return 0, 0, false
			}
			address = int32(l.offset) //nolint:gosec // of a small type
		case l.name == "len":
			length = int32(l.offset) //nolint:gosec // of a small type
		}
	}
	return address, length, address != notYet && length != notYet
}
