package dwarf

import "slices"

// Languages (§7.12) in which functions without a mangled name live in scopes.
const (
	langCpp     = 0x04
	langD       = 0x13
	langCpp03   = 0x19
	langCpp11   = 0x1a
	langCpp14   = 0x21
	langCpp17   = 0x2a
	langCpp20   = 0x2b
	langCpp23   = 0x3a
	langFortran = 0x0e
)

func (u *unit) hasScopes() bool {
	switch u.root.language {
	case langCpp, langCpp03, langCpp11, langCpp14, langCpp17, langCpp20, langCpp23, langD, langFortran:
		return true
	}
	return false
}

func isScope(tag uint16) bool {
	switch tag {
	case tagNamespace, tagClass, tagStructure, tagUnion, tagModule, tagInterface:
		return true
	}
	return false
}

// scopes tells for each function entry of a unit which entries it is in. Names
// are read only when a function asks: most are mangled and say it all.
//
// A scope is numbered from zero up when it is a namespace or type, and from -2
// down when it is a function.
type scopes struct {
	offs   []uint64 // of function entries, ascending
	parent []int32  // their scopes
	types  []scope
}

type scope struct {
	off    uint64 // of the entry that names it
	parent int32
}

const noScope = -1

// open adds a namespace or type.
func (s *scopes) open(off uint64, parent int32) int32 {
	s.types = append(s.types, scope{off, parent})
	return int32(len(s.types) - 1)
}

// function adds a function entry and returns the scope that it is for the entries
// inside.
func (s *scopes) function(off uint64, parent int32) int32 {
	s.offs, s.parent = append(s.offs, off), append(s.parent, parent)
	return functionScope(len(s.offs) - 1)
}

// functionScope numbers the scope of function entry i; it is its own inverse.
func functionScope[T int | int32](i T) int32 { return int32(-2 - i) }

// get returns the entry that names a scope, and the scope around it.
func (s *scopes) get(id int32) (off uint64, parent int32) {
	if id >= 0 {
		return s.types[id].off, s.types[id].parent
	}
	i := functionScope(id)
	return s.offs[i], s.parent[i]
}

// scopeOf returns the names of what the function entry at off is in, joined by
// "::".
func (u *unit) scopeOf(off uint64) string {
	s := &u.functions().scopes
	i, ok := slices.BinarySearch(s.offs, off)
	if !ok {
		return ""
	}
	out := ""
	for id, n := s.parent[i], 0; id != noScope && n < maxChain; n++ {
		at, parent := u.functions().scopes.get(id)
		var f facts
		end, endOff := u.chain(at, &f)
		if f.name == "" {
			f.name = u.unnamedScope(at)
		}
		if out != "" {
			f.name += "::"
		}
		out = f.name + out
		// A function is in the scope that it was declared in, whatever the entry
		// with its code stands in.
		if id < noScope && endOff != at {
			ends := &end.functions().scopes
			if i, ok := slices.BinarySearch(ends.offs, endOff); ok {
				parent = ends.parent[i]
			}
			u = end
		}
		id = parent
	}
	return out
}

// chain collects what the entry at off and those that it refers to say, and
// returns the last of them.
func (u *unit) chain(off uint64, f *facts) (*unit, uint64) {
	for range maxChain {
		next, nextUnit := u.collect(off, f)
		if nextUnit == nil {
			break
		}
		u, off = nextUnit, next
	}
	return u, off
}

// unnamedType stands for a type without a name.
const unnamedType = "{unnamed}"

// unnamedScope is what stands for an entry without a name.
func (u *unit) unnamedScope(off uint64) string {
	table, err := u.abbrevs()
	if err != nil {
		return ""
	}
	c := u.cursor(off)
	switch ab := table.get(c.ULEB()); {
	case ab == nil:
		return ""
	case ab.tag == tagNamespace:
		return "(anonymous namespace)"
	default:
		return unnamedType
	}
}
