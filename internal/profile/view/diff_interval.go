package view

import "math"

// Change is what became of one function, or of the whole, between two profiles: the
// interval of its change, as a share of all that the first profile has.
type Change struct {
	Name, Binary   string // "" and "" of the whole
	Delta          float64
	Low, High      float64
	Before, After  float64 // of the column compared, as shares in the same sense
	Grows, Shrinks bool    // the whole interval is on one side of 0
}

// Changes gives the change of each function with intervals that hold for all of them
// together at a level such as 0.95 (Bonferroni). With absolute values the whole comes
// first: it is one more that is compared.
//
// Shares have the interval of A. Agresti and B. Caffo (2000), values that of two Poisson
// counts; both are wider than the usual ones where a function has few events.
func (d *DiffTable) Changes(sort Sort, level float64) []Change {
	n := len(d.Rows)
	if d.Absolute {
		n++
	}
	if n == 0 || d.TotalA <= 0 || d.TotalB <= 0 {
		return nil
	}
	z := math.Sqrt2 * math.Erfinv(1-(1-level)/float64(n))
	out := make([]Change, 0, n)
	if d.Absolute {
		out = append(out, d.values("", "", d.TotalA, d.TotalB, z))
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		a, b := r.A.Self, r.B.Self
		if sort == SortTotal {
			a, b = r.A.Total, r.B.Total
		}
		if d.Absolute {
			out = append(out, d.values(r.Name, r.Binary, a, b, z))
			continue
		}
		out = append(out, shares(r, ratio(a, d.TotalA), ratio(b, d.TotalB), z))
	}
	return out
}

func shares(r *DiffRow, a, b, z float64) Change {
	n, m := float64(max(1, r.EventsA)), float64(max(1, r.EventsB))
	// One event more of either kind on both sides.
	x, y := (a*n+1)/(n+2), (b*m+1)/(m+2)
	half := z * math.Sqrt(x*(1-x)/(n+2)+y*(1-y)/(m+2))
	return change(r.Name, r.Binary, a, b, half)
}

func (d *DiffTable) values(name, binary string, a, b int64, z float64) Change {
	total := float64(d.TotalA)
	// What one event is worth on either side.
	worthA, worthB := total/float64(max(1, d.EventsA)), float64(d.TotalB)/float64(max(1, d.EventsB))
	variance := worthA*worthA*(float64(a)/worthA+1) + worthB*worthB*(float64(b)/worthB+1)
	return change(name, binary, float64(a)/total, float64(b)/total, z*math.Sqrt(variance)/total)
}

func change(name, binary string, before, after, half float64) Change {
	delta := after - before
	c := Change{Name: name, Binary: binary, Delta: delta, Low: delta - half, High: delta + half, Before: before, After: after}
	c.Grows, c.Shrinks = c.Low > 0, c.High < 0
	return c
}
