package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"whyhot/internal/store/dict"
)

// Lines is a function line by line, in source order; see view.Lines for how recursion is
// counted.
type Lines struct {
	Basis       Basis
	Function    Function
	Self, Total int64
	Rows        []LineRow
}

// LineRow is one source line of a function, or one address where the line is not known.
type LineRow struct {
	File        string
	Line        int32  // 0 when not known
	Binary      string // of Offset
	Offset      uint64 // in the binary's file; only when Line is 0
	Self, Total int64
}

// Lines spreads the weight of a function over its lines.
//
// Method. The weights of stacks are put on the tree of addresses, and one sweep from the
// last node to the first adds them up. A node of the function counts for its line with
// all that is below it, unless a node above is of the same line.
func (s *Store) Lines(ctx context.Context, sel Selection, id FunctionID) (*Lines, error) {
	q, err := s.question(ctx, &sel)
	if err != nil {
		return nil, err
	}
	q.tree.Release()
	function, ok := q.tables.Numbered(uint32(id))
	if !ok {
		return nil, fmt.Errorf("%w: %d", ErrUnknownFunction, id)
	}
	c := lineCounter{t: &q.tables, out: &Lines{Basis: q.basis, Function: q.function(function)}, rowOf: map[lineKey]int32{}}
	c.find(q.tables.Same[function])
	c.spread(q.w)
	c.count()
	slices.SortFunc(c.out.Rows, func(a, b LineRow) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Binary, b.Binary), cmp.Compare(a.Offset, b.Offset),
		)
	})
	return c.out, nil
}

type lineKey struct {
	file    string
	line    uint32
	mapping uint32
	offset  uint64
}

type lineCounter struct {
	t          *dict.Snapshot
	rows       [][]int32 // by location: the function's rows, each once; nil for none
	leaf       []int32   // by location: the row of its innermost frame + 1
	rowOf      map[lineKey]int32
	own, total []int64 // by node
	out        *Lines
}

// find has the rows of each location.
func (c *lineCounter) find(function uint32) {
	c.rows, c.leaf = make([][]int32, len(c.t.Locations)), make([]int32, len(c.t.Locations))
	for l := range c.t.Locations {
		for i, frame := range c.t.Lines(uint32(l)) {
			if c.t.Same[frame.Function] != function {
				continue
			}
			key := lineKey{file: c.t.Functions[frame.Function].File, line: frame.Line}
			if at := &c.t.Locations[l]; frame.Line == 0 && at.Address != 0 {
				key.mapping, key.offset = at.Mapping, at.Address
			}
			row := c.row(key)
			if i == 0 {
				c.leaf[l] = row + 1
			}
			if !slices.Contains(c.rows[l], row) {
				c.rows[l] = append(c.rows[l], row)
			}
		}
	}
}

func (c *lineCounter) row(key lineKey) int32 {
	row, ok := c.rowOf[key]
	if !ok {
		row = int32(len(c.out.Rows))
		c.rowOf[key] = row
		c.out.Rows = append(c.out.Rows, LineRow{File: key.file, Line: int32(key.line), Binary: c.t.Mappings[key.mapping].Path, Offset: key.offset})
	}
	return row
}

// spread puts the weights of stacks on the tree.
func (c *lineCounter) spread(w *weights) {
	c.own = make([]int64, len(c.t.Parent))
	for _, p := range w.pieces {
		for i, s := range p.Keys[0] {
			c.own[c.t.Stacks[s]] += p.Values[i] * p.scale
		}
	}
	c.total = slices.Clone(c.own)
	for n := len(c.total) - 1; n > 0; n-- {
		c.total[c.t.Parent[n]] += c.total[n]
	}
}

// count adds up the rows. A stack without frames is a node of its own, the root, whose
// location is the unknown function's.
func (c *lineCounter) count() {
	// last[n] is the nearest node of the function from n on upwards + 1.
	last := make([]uint32, len(c.total))
	for n := range c.total {
		above := uint32(0)
		if n > 0 {
			above = last[c.t.Parent[n]]
		}
		last[n] = above
		location := c.t.Location[n]
		rows := c.rows[location]
		weight := c.total[n]
		if n == 0 {
			weight, above = c.own[0], 0
		}
		if rows == nil || weight == 0 {
			continue
		}
		if leaf := c.leaf[location]; leaf > 0 {
			c.out.Rows[leaf-1].Self += c.own[n]
			c.out.Self += c.own[n]
		}
		if above == 0 {
			c.out.Total += weight
		}
		for _, row := range rows {
			if !c.holds(last, above, row) {
				c.out.Rows[row].Total += weight
			}
		}
		if n > 0 {
			last[n] = uint32(n) + 1
		}
	}
	c.out.Rows = slices.DeleteFunc(c.out.Rows, func(r LineRow) bool { return r.Self == 0 && r.Total == 0 })
}

// holds says whether a node of the function, or one of those above it, is of a row.
func (c *lineCounter) holds(last []uint32, at uint32, row int32) bool {
	for at > 0 {
		n := at - 1
		if slices.Contains(c.rows[c.t.Location[n]], row) {
			return true
		}
		at = last[c.t.Parent[n]]
	}
	return false
}
