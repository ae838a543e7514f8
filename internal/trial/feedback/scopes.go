package feedback

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"io"
	"slices"
)

// attrDiscriminator is DW_AT_GNU_discriminator, of a call that was inlined.
const attrDiscriminator = dwarf.Attr(0x2136)

// scope is a function's code, or a call that was inlined into it.
type scope struct {
	parent   *scope
	name     string // linkage name
	start    int    // line on which the function begins
	callLine int
	callDisc uint32
	depth    int
}

// piece is contiguous code of a scope.
type piece struct {
	low, high uint64
	of        *scope
}

// code is the machine code of one compilation unit.
type code struct {
	pieces []piece // by address, what is inlined behind what it is inlined into
	rows   []lineRow
}

// lineRow is contiguous code of one source line.
type lineRow struct {
	low, high uint64
	line      int
	disc      uint32
}

// reader reads the units that have samples.
type reader struct {
	d     *dwarf.Data
	names map[dwarf.Offset]*function
}

// function is what the definition says.
type function struct {
	name  string
	start int
}

// units gives the code of the units that hold one of the addresses, which are sorted.
func (r *reader) units(addresses []uint64, use func(code)) error {
	entries := r.d.Reader()
	for {
		unit, err := entries.Next()
		if err != nil || unit == nil {
			return err
		}
		if unit.Tag != dwarf.TagCompileUnit {
			entries.SkipChildren()
			continue
		}
		ranges, err := r.d.Ranges(unit)
		if err != nil || !slices.ContainsFunc(ranges, func(x [2]uint64) bool { return within(addresses, x[0], x[1]) }) {
			entries.SkipChildren()
			continue
		}
		var c code
		if err := r.scopes(entries, unit, &c); err != nil {
			return err
		}
		if err := r.lines(unit, &c); err != nil {
			return err
		}
		use(c)
	}
}

// within says whether one of sorted addresses is in [low, high).
func within(addresses []uint64, low, high uint64) bool {
	i, _ := slices.BinarySearch(addresses, low)
	return i < len(addresses) && addresses[i] < high
}

// scopes walks over the children of a unit.
func (r *reader) scopes(entries *dwarf.Reader, unit *dwarf.Entry, c *code) error {
	if !unit.Children {
		return nil
	}
	open := []*scope{nil}
	for len(open) > 0 {
		e, err := entries.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			open = open[:len(open)-1]
			continue
		}
		here := open[len(open)-1]
		inner := here
		if e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagInlinedSubroutine && here != nil {
			s, err := r.scope(e, here)
			if err != nil {
				return err
			}
			ranges, err := r.d.Ranges(e)
			if err == nil && len(ranges) > 0 {
				for _, x := range ranges {
					c.pieces = append(c.pieces, piece{x[0], x[1], s})
				}
				inner = s
			}
		}
		if e.Children {
			open = append(open, inner)
		}
	}
	return nil
}

func (r *reader) scope(e *dwarf.Entry, parent *scope) (*scope, error) {
	f, err := r.function(e.Offset)
	if err != nil {
		return nil, err
	}
	s := &scope{name: f.name, start: f.start}
	if e.Tag == dwarf.TagInlinedSubroutine {
		s.parent, s.depth = parent, parent.depth+1
		s.callLine, s.callDisc = integer(e, dwarf.AttrCallLine), uint32(integer(e, attrDiscriminator))
	}
	return s, nil
}

// function follows an entry to what it is a copy of, and to its declaration.
func (r *reader) function(at dwarf.Offset) (*function, error) {
	if f, ok := r.names[at]; ok {
		return f, nil
	}
	f := &function{}
	r.names[at] = f
	entries, plain := r.d.Reader(), ""
	const longest = 4 // a copy of a definition of a declaration
	for range longest {
		entries.Seek(at)
		e, err := entries.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			return nil, errors.New("a reference in the debug information leads nowhere")
		}
		f.start = cmp.Or(f.start, integer(e, dwarf.AttrDeclLine))
		f.name = cmp.Or(f.name, text(e, dwarf.AttrLinkageName))
		plain = cmp.Or(plain, text(e, dwarf.AttrName))
		next, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			next, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok {
			break
		}
		at = next
	}
	f.name = cmp.Or(f.name, plain)
	return f, nil
}

func integer(e *dwarf.Entry, a dwarf.Attr) int {
	n, _ := e.Val(a).(int64)
	return int(n)
}

func text(e *dwarf.Entry, a dwarf.Attr) string {
	s, _ := e.Val(a).(string)
	return s
}

// lines reads the unit's line table.
func (r *reader) lines(unit *dwarf.Entry, c *code) error {
	table, err := r.d.LineReader(unit)
	if err != nil || table == nil {
		return err
	}
	var at dwarf.LineEntry
	open := false
	for {
		var next dwarf.LineEntry
		err := table.Next(&next)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if open && next.Address > at.Address {
			c.rows = append(c.rows, lineRow{at.Address, next.Address, at.Line, uint32(at.Discriminator)})
		}
		at, open = next, !next.EndSequence
	}
	slices.SortFunc(c.rows, func(a, b lineRow) int { return cmp.Compare(a.low, b.low) })
	return nil
}

// innermost is the scope of an address: the deepest of those that hold it.
func (c *code) innermost(at uint64) *scope {
	var best *scope
	for i := range c.pieces {
		p := &c.pieces[i]
		if p.low <= at && at < p.high && (best == nil || p.of.depth > best.depth) {
			best = p.of
		}
	}
	return best
}
