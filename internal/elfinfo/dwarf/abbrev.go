package dwarf

import (
	"errors"
	"fmt"
)

// attr is one attribute of an abbreviation.
type attr struct {
	name, form uint16
	implicit   int64 // the value of a DW_FORM_implicit_const
}

// step is a stretch of values to get past; neighbours of fixed size are one.
type step struct {
	kind stepKind
	n    uint32
}

// abbrev is the shape of one kind of entry (§7.5.3).
type abbrev struct {
	tag      uint16
	children bool
	attrs    []attr
	steps    []step
}

// abbrevs is one table: dense by code, as every known producer numbers them,
// with a map for those that do not.
type abbrevs struct {
	dense  []abbrev // code-1
	sparse map[uint64]*abbrev
}

func (a *abbrevs) get(code uint64) *abbrev {
	if code-1 < uint64(len(a.dense)) {
		return &a.dense[code-1]
	}
	return a.sparse[code]
}

var errAbbrev = errors.New("damaged abbreviation table")

// parseAbbrevs reads the table at off. With only != 0 it stops after the entry of
// that code.
func (d *Info) parseAbbrevs(off uint64, s sizes, only uint64) (*abbrevs, error) {
	c := at(d.sec.abbrev, off, d.sec.big)
	t := &abbrevs{}
	for {
		start := c.Pos
		code := c.ULEB()
		if c.Bad {
			return nil, fmt.Errorf("%w at %#x", errAbbrev, off)
		}
		if code == 0 {
			return t, nil
		}
		a := abbrev{tag: uint16(c.ULEB()), children: c.U8() != 0}
		for {
			name, form := c.ULEB(), c.ULEB()
			if name == 0 && form == 0 || c.Bad {
				break
			}
			spec := attr{name: uint16(name), form: uint16(form)}
			if form > formGNUStrpAlt {
				spec.form = 0 // unknown: entries of this shape cannot be read
			}
			if form == formImplicit {
				spec.implicit = c.SLEB()
			}
			a.attrs = append(a.attrs, spec)
			a.addStep(spec.form, s)
		}
		if c.Bad {
			return nil, fmt.Errorf("%w at %#x", errAbbrev, off)
		}
		t.add(code, a)
		if !spend(&d.budget.abbrev, c.Pos-start) {
			return nil, errBudget
		}
		if code == only {
			return t, nil
		}
	}
}

func (a *abbrev) addStep(form uint16, s sizes) {
	kind, n := stepOf(form, s)
	if last := len(a.steps) - 1; kind == stepFixed && last >= 0 && a.steps[last].kind == stepFixed {
		a.steps[last].n += n
		return
	}
	if kind != stepFixed || n > 0 {
		a.steps = append(a.steps, step{kind, n})
	}
}

func (a *abbrevs) add(code uint64, ab abbrev) {
	if code == uint64(len(a.dense))+1 {
		a.dense = append(a.dense, ab)
		return
	}
	if a.sparse == nil {
		a.sparse = map[uint64]*abbrev{}
	}
	if _, seen := a.sparse[code]; !seen {
		a.sparse[code] = &ab
	}
}

// skipEntry moves past all values of an entry of this shape.
func (a *abbrev) skipEntry(c *cursor, s sizes) {
	for i := range a.steps {
		switch st := &a.steps[i]; st.kind { //nolint:exhaustive // the frequent ones are written out, for speed
		case stepFixed:
			c.Skip(uint64(st.n))
		case stepBlockLEB:
			c.Skip(c.ULEB())
		case stepLEB:
			c.SkipLEB()
		default:
			c.step(st.kind, st.n, s)
		}
	}
}
