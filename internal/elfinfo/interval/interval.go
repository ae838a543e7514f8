// Package interval answers "which span holds this address" for spans that nest.
//
// It owns the flattening of spans into a sorted list of disjoint pieces, so that
// a look-up is one binary search. It takes spans with an identifier and gives an
// immutable Map; it imports nothing of this module.
package interval

import (
	"cmp"
	"slices"
)

// Span is the half-open range [Low, High) that belongs to ID. ID must not be
// negative.
type Span struct {
	Low, High uint64
	ID        int32
}

// none marks the gap between spans.
const none = -1

// Map finds the innermost span at an address.
type Map struct {
	start []uint64
	id    []int32
}

// ranked is a span with its place in the input.
type ranked struct {
	Span

	rank int32
}

// Build flattens spans. Of two that hold an address the one that begins later
// wins, then the shorter one, then the one that comes later in the input; so an
// inner span hides the outer one and the outer one goes on behind it. Empty spans
// are passed over.
func Build(spans []Span) Map {
	sorted := make([]ranked, 0, len(spans))
	for i, s := range spans {
		if s.Low < s.High {
			sorted = append(sorted, ranked{s, int32(i)})
		}
	}
	slices.SortFunc(sorted, func(a, b ranked) int {
		switch {
		case a.Low != b.Low:
			return cmp.Compare(a.Low, b.Low)
		case a.High != b.High:
			return cmp.Compare(b.High, a.High)
		default:
			return cmp.Compare(a.rank, b.rank)
		}
	})
	m := Map{start: make([]uint64, 0, 2*len(sorted)), id: make([]int32, 0, 2*len(sorted))}
	var open []Span
	for i := range sorted {
		s := sorted[i].Span
		open = m.close(open, s.Low)
		m.put(s.Low, s.ID)
		open = append(open, s)
	}
	m.close(open, ^uint64(0))
	return m
}

// close ends every open span up to limit and lets what lies under it go on.
func (m *Map) close(open []Span, limit uint64) []Span {
	for len(open) > 0 && open[len(open)-1].High <= limit {
		end := open[len(open)-1].High
		for len(open) > 0 && open[len(open)-1].High <= end {
			open = open[:len(open)-1]
		}
		under := int32(none)
		if len(open) > 0 {
			under = open[len(open)-1].ID
		}
		m.put(end, under)
	}
	return open
}

func (m *Map) put(at uint64, id int32) {
	n := len(m.start)
	if n > 0 && m.start[n-1] == at {
		m.id[n-1] = id
		return
	}
	if n > 0 && m.id[n-1] == id {
		return
	}
	m.start = append(m.start, at)
	m.id = append(m.id, id)
}

// Find returns the ID of the innermost span that holds addr.
func (m *Map) Find(addr uint64) (int32, bool) {
	i, exact := slices.BinarySearch(m.start, addr)
	if !exact {
		i--
	}
	if i < 0 || m.id[i] == none {
		return 0, false
	}
	return m.id[i], true
}

// Len is the number of disjoint pieces, gaps included.
func (m *Map) Len() int { return len(m.start) }
