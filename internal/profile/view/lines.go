package view

import (
	"cmp"
	"slices"

	"whyhot/internal/profile"
)

// LineRow is one source line of a function, or one address where the line is
// not known.
type LineRow struct {
	File    string
	Line    int32             // 0 when not known
	Mapping profile.MappingID // of Offset
	Offset  uint64            // file offset of the instruction; only when Line is 0
	Self    int64             // the line was executing, in this function's own code
	Total   int64             // the line was executing or had called what was
}

// LineTable is a function line by line, in source order. The selves of the
// rows add up to Self; a sample in which the function recurs counts in Total
// once, and once for each of the lines it was on.
type LineTable struct {
	Self  int64
	Total int64
	Rows  []LineRow
}

type lineKey struct {
	file    string
	line    int32
	mapping profile.MappingID
	offset  uint64
}

// Lines spreads the cost of the functions fn, taken as one, over their lines.
func Lines(p *profile.Profile, fn []profile.FunctionID) *LineTable {
	same := Identity(p)
	c := lineCounter{p: p, same: same, wanted: make([]bool, len(same)), rowOf: map[lineKey]int{}, table: &LineTable{}}
	for _, id := range fn {
		c.wanted[same[id]] = true
	}
	for _, w := range stackWeights(p) {
		c.add(w)
	}
	slices.SortFunc(c.table.Rows, func(a, b LineRow) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(p.Mapping(a.Mapping).Path, p.Mapping(b.Mapping).Path), cmp.Compare(a.Offset, b.Offset),
		)
	})
	c.table.Rows = slices.DeleteFunc(c.table.Rows, func(r LineRow) bool { return r.Self == 0 && r.Total == 0 })
	return c.table
}

type lineCounter struct {
	p      *profile.Profile
	same   []profile.FunctionID
	wanted []bool
	rowOf  map[lineKey]int
	seen   []uint32 // by row: the weight that counted it last
	epoch  uint32
	table  *LineTable
}

func (c *lineCounter) add(w weight) {
	c.epoch++
	hit, leaf := false, true
	for _, loc := range c.p.Stack(w.stack) {
		for _, l := range c.p.Lines(loc) {
			if c.wanted[c.same[l.Function]] {
				c.count(c.row(c.key(loc, l)), w.value, leaf)
				hit = true
			}
			leaf = false
		}
	}
	if leaf && c.wanted[0] { // a sample without a stack belongs to the unknown function
		c.count(c.row(lineKey{}), w.value, true)
		hit = true
	}
	if hit {
		c.table.Total += w.value
	}
}

func (c *lineCounter) count(row int, value int64, leaf bool) {
	r := &c.table.Rows[row]
	if leaf {
		r.Self += value
		c.table.Self += value
	}
	if c.seen[row] != c.epoch {
		c.seen[row] = c.epoch
		r.Total += value
	}
}

func (c *lineCounter) key(loc profile.LocationID, l profile.Line) lineKey {
	key := lineKey{file: c.p.Function(l.Function).File, line: l.Line}
	if at := c.p.Location(loc); l.Line == 0 && at.Address != 0 {
		m := c.p.Mapping(at.Mapping)
		key.mapping, key.offset = at.Mapping, at.Address-m.Start+m.Offset
	}
	return key
}

func (c *lineCounter) row(key lineKey) int {
	row, ok := c.rowOf[key]
	if !ok {
		row = len(c.table.Rows)
		c.rowOf[key] = row
		c.table.Rows = append(c.table.Rows, LineRow{File: key.file, Line: key.line, Mapping: key.mapping, Offset: key.offset})
		c.seen = append(c.seen, 0)
	}
	return row
}
