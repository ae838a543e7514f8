package machine

import (
	"fmt"
	"path/filepath"
)

// What of a loop is worth a look where there is no room for all of it.
const (
	hot = 0.02 // of the loop
	few = 12   // instructions of a loop that is shown as it is
)

// Row is an instruction of a loop as a listing shows it.
type Row struct {
	*Instruction

	Left        int    // instructions before it that the listing leaves out
	First, Last bool   // of the loop
	For         uint64 // the instruction that its samples are meant for, if they count in the loop; else 0
	Meant       int64  // samples behind it that are meant for it, if they count in the loop; else 0
	At          string // the line that one would edit, as FILE:LINE; "" if not known
}

// Rows are the notable instructions, or all of them.
func (l *Loop) Rows(all bool) []Row {
	notable, meant := l.notable(), l.meant()
	var out []Row
	left := 0
	for n := range l.Instructions {
		if !all && !notable[n] {
			left++
			continue
		}
		in := &l.Instructions[n]
		row := Row{Instruction: in, Left: left, First: n == 0, Last: n == len(l.Instructions)-1}
		if l.IsHot(in.Self) {
			row.For = in.For
		}
		if m := meant[in.Address]; l.IsHot(m) {
			row.Meant = m
		}
		if f, ok := Edited(in.Lines); ok {
			row.At = fmt.Sprintf("%s:%d", filepath.Base(f.Function.File), f.Line)
		}
		out, left = append(out, row), 0
	}
	return out
}

// notable says which instructions are worth a look: the hot ones, those that their
// samples are meant for, and the two ends of the loop.
func (l *Loop) notable() []bool {
	out := make([]bool, len(l.Instructions))
	meant := map[uint64]bool{}
	for n, i := range l.Instructions {
		out[n] = len(out) <= few || n == 0 || n == len(out)-1
		if l.IsHot(i.Self) {
			out[n] = true
			meant[i.For] = true
		}
	}
	for n, i := range l.Instructions {
		out[n] = out[n] || meant[i.Address]
	}
	return out
}

// IsHot says whether a value of samples counts in the loop.
func (l *Loop) IsHot(value int64) bool { return value > 0 && float64(value) >= hot*float64(l.Self) }

// meant is the value of samples behind an instruction that are meant for it, by address.
func (l *Loop) meant() map[uint64]int64 {
	out := map[uint64]int64{}
	for _, i := range l.Instructions {
		if i.For != 0 {
			out[i.For] += i.Self
		}
	}
	return out
}
