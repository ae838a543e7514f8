package dwarf

import (
	"sort"
	"strings"
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

// isLambda tells the functions of a closure's type: compilers leave it unnamed.
func isLambda(name string) bool {
	return name == "operator()" || strings.HasSuffix(name, "<lambda>") || strings.HasPrefix(name, "operator()<")
}

// facts are the attributes of a function found so far on its chain.
type facts struct {
	linkage, name string
	file          string
	line          int32
}

func (u *unit) describe(off uint64) *Function {
	var f facts
	end, endOff := u.chain(off, &f)
	fn := &Function{Symbol: f.linkage, Name: f.name, File: f.file, Line: f.line}
	if fn.Symbol == "" {
		fn.Symbol = f.name
		if end.hasScopes() {
			fn.Scope = end.scopeOf(endOff)
			if head, ok := strings.CutSuffix(fn.Scope, unnamedType); ok && isLambda(fn.Name) {
				fn.Scope = head + "{lambda}"
			}
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
	ab := table.get(c.ULEB())
	if ab == nil || c.Bad {
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
	if c.Bad {
		return 0, nil
	}
	if f.file == "" && declFile.class == classConst {
		f.file = u.lineHeader().path(declFile.u)
	}
	return next, nextUnit
}

// follow returns the unit that a reference points into.
func (d *Info) follow(v value) *unit {
	switch v.class { //nolint:exhaustive // only references point anywhere
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
