package dwarf

import (
	"slices"
	"sort"
)

// Function is what DWARF says of one function.
type Function struct {
	// Symbol is the mangled name, or the plain one in languages that do not
	// mangle. For a C++ function without linkage (static, in an unnamed
	// namespace, a lambda) it is Name.
	Symbol string
	// Name is the name in the source, without scope or parameters.
	Name string
	// Scope is the namespaces, classes and functions that a function without
	// a mangled name is in, joined by "::".
	Scope string
	// File and Line are where it is declared, "" and 0 when not known.
	File string
	Line int32
}

// maxChain bounds how many entries one name may be spread over: a call refers to
// an abstract function, that to a declaration.
const maxChain = 16

// function names the entry at off of .debug_info.
func (d *Info) function(off uint64) *Function {
	u := d.unitAt(off)
	if u == nil {
		return &Function{}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if f, ok := u.funcs[off]; ok {
		return f
	}
	f := u.describe(off)
	if u.funcs == nil {
		u.funcs = map[uint64]*Function{}
	}
	u.funcs[off] = f
	return f
}

// facts are the attributes of a function found so far on its chain.
type facts struct {
	linkage, name string
	file          string
	line          int32
	scopeUnit     *unit
	scopeOff      uint64
}

func (u *unit) describe(off uint64) *Function {
	var f facts
	for range maxChain {
		next, nextUnit := u.collect(off, &f)
		if nextUnit == nil {
			break
		}
		u, off = nextUnit, next
	}
	fn := &Function{Symbol: f.linkage, Name: f.name, File: f.file, Line: f.line}
	if fn.Symbol == "" {
		fn.Symbol = f.name
		if f.scopeUnit != nil && f.scopeUnit.hasScopes() {
			fn.Scope = f.scopeUnit.scopeOf(f.scopeOff)
		}
	}
	return fn
}

// collect adds what the entry at off says and returns the entry that it refers
// to for the rest.
func (u *unit) collect(off uint64, f *facts) (uint64, *unit) {
	table, err := u.abbrevs()
	if err != nil {
		return 0, nil
	}
	c := u.cursor(off)
	ab := table.get(c.uleb())
	if ab == nil || c.bad {
		return 0, nil
	}
	var next uint64
	var nextUnit *unit
	var declFile value
	for i := range ab.attrs {
		a := &ab.attrs[i]
		v := c.read(a.form, a.implicit, u.sizes, u.off)
		switch a.name {
		case atLinkageName, atMIPSLinkage:
			if f.linkage == "" {
				f.linkage = u.text(v)
			}
		case atName:
			if f.name == "" {
				f.name = u.text(v)
			}
		case atDeclFile:
			declFile = v
		case atDeclLine:
			if f.line == 0 {
				f.line = int32(v.u)
			}
		case atAbstractOrigin, atSpecification:
			next, nextUnit = v.u, u.info.follow(v)
		}
	}
	if c.bad {
		return 0, nil
	}
	if f.file == "" && declFile.class == classConst {
		f.file = u.lineHeader().path(declFile.u)
	}
	f.scopeUnit, f.scopeOff = u, off
	return next, nextUnit
}

// follow returns the unit that a reference points into.
func (d *Info) follow(v value) *unit {
	switch v.class {
	case classRef:
		return d.unitAt(v.u)
	case classRefAlt:
		if d.alt != nil {
			return d.alt.unitAt(v.u)
		}
	}
	return nil
}

// unitAt finds the unit that holds an offset in .debug_info.
func (d *Info) unitAt(off uint64) *unit {
	i := sort.Search(len(d.units), func(i int) bool { return d.units[i].end > off })
	if i == len(d.units) || off < d.units[i].first {
		return nil
	}
	return d.units[i]
}

// Languages (§7.12) in which functions without a mangled name live in scopes.
const (
	langCpp     = 0x04
	langD       = 0x13
	langCpp03   = 0x19
	langCpp11   = 0x1a
	langCpp14   = 0x21
	langCpp17   = 0x2b
	langCpp20   = 0x2c
	langFortran = 0x0e
)

func (u *unit) hasScopes() bool {
	switch u.root.language {
	case langCpp, langCpp03, langCpp11, langCpp14, langCpp17, langCpp20, langD, langFortran:
		return true
	}
	return false
}

// scopes tells for each function entry of a unit which entries it is in. It is
// made when the first name needs it: most names are mangled and say it all.
type scopes struct {
	done   bool
	offs   []uint64 // of function entries, ascending
	parent []int32  // index in names of the innermost scope, -1 for none
	names  []scopeName
}

type scopeName struct {
	name   string
	parent int32
}

// scopeOf returns the scope of the function entry at off.
func (u *unit) scopeOf(off uint64) string {
	u.info.scopeMu.Lock()
	defer u.info.scopeMu.Unlock()
	s := &u.scope
	if !s.done {
		s.done = true
		u.readScopes()
	}
	i, ok := slices.BinarySearch(s.offs, off)
	if !ok {
		return ""
	}
	out := ""
	for p, n := s.parent[i], 0; p >= 0 && n < maxChain; p, n = s.names[p].parent, n+1 {
		if out != "" {
			out = "::" + out
		}
		out = s.names[p].name + out
	}
	return out
}

// readScopes reads the unit once more, for the nesting of its entries.
func (u *unit) readScopes() {
	table, err := u.abbrevs()
	if err != nil {
		return
	}
	s := &u.scope
	c := u.cursor(u.first)
	var outer []int32
	current := int32(-1)
	for c.pos < len(c.data) && !c.bad {
		off := uint64(c.pos)
		code := c.uleb()
		if code == 0 {
			if len(outer) <= 1 {
				return
			}
			current = outer[len(outer)-1]
			outer = outer[:len(outer)-1]
			continue
		}
		ab := table.get(code)
		if ab == nil {
			return
		}
		inside := current
		switch ab.tag {
		case tagSubprogram, tagNamespace, tagClass, tagStructure, tagUnion, tagModule, tagInterface:
			if ab.tag == tagSubprogram {
				s.offs, s.parent = append(s.offs, off), append(s.parent, current)
			}
			if name := u.scopeName(&c, ab); ab.children && name != "" {
				inside = int32(len(s.names))
				s.names = append(s.names, scopeName{name, current})
			}
		default:
			ab.skipEntry(&c, u.sizes)
		}
		if ab.children {
			outer = append(outer, current)
			current = inside
		}
	}
}

// scopeName reads the name that an entry lends to what is in it.
func (u *unit) scopeName(c *cursor, ab *abbrev) string {
	name := ""
	for i := range ab.attrs {
		a := &ab.attrs[i]
		if a.name == atName {
			name = u.text(c.read(a.form, a.implicit, u.sizes, u.off))
			continue
		}
		kind, n := stepOf(a.form, u.sizes)
		c.step(kind, n, u.sizes)
	}
	if name == "" && ab.tag == tagNamespace {
		return "(anonymous namespace)"
	}
	return name
}
