package html

import (
	"fmt"
	"path/filepath"

	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
)

// What of the loops a page shows: it is about reasons, and `whyhot loops` has all.
const (
	mostLoops  = 8
	leastLoop  = 0.01
	loopName   = 80
	markedPart = 0.1 // of its loop: an instruction that is marked
)

// loopView is a loop of machine code.
type loopView struct {
	Share, Function, Binary, Place string
	Facts                          []string
	Rows                           []loopRow
}

// loopRow is an instruction, or how many are left out.
type loopRow struct {
	Left             int
	Share, Address   string
	Text, Note, Line string
	Bar              int // of the hottest of the loop, in percent
	Hot              bool
	Edge             string // of the bracket
}

func newLoops(p *profile.Profile, loops []machine.Loop) []loopView {
	var out []loopView
	for i := range loops {
		l := &loops[i]
		share := shareIn(p, l.Self)
		if len(out) == mostLoops || share < leastLoop {
			break // the hottest come first
		}
		v := loopView{
			Share: percent.Column(share), Function: symname.Shorten(l.Function, loopName), Binary: filepath.Base(l.Mapping.Path),
			Facts: []string{fmt.Sprintf("%#x-%#x", l.Start, l.End), fmt.Sprintf("%d instructions", len(l.Instructions))},
		}
		if l.File != "" {
			v.Place = finding.Line{File: l.File, Line: l.Line}.String()
			if l.EndLine > l.Line {
				v.Place += fmt.Sprintf("-%d", l.EndLine)
			}
			if l.Inlined != "" {
				v.Place += " in " + symname.Shorten(l.Inlined, loopName)
			}
		}
		if !l.Innermost {
			v.Facts = append(v.Facts, percent.Column(shareIn(p, l.Total))+" with the loops in it")
		}
		if l.Unresolved > 0 {
			v.Facts = append(v.Facts, "not all jumps of the function could be followed")
		}
		v.Rows = loopRows(p, l)
		out = append(out, v)
	}
	return out
}

func loopRows(p *profile.Profile, l *machine.Loop) []loopRow {
	hottest := int64(1)
	for _, i := range l.Instructions {
		hottest = max(hottest, i.Self)
	}
	var out []loopRow
	for _, i := range l.Rows(false) {
		if i.Left > 0 {
			out = append(out, loopRow{Left: i.Left})
		}
		row := loopRow{
			Address: fmt.Sprintf("%#x", i.Address), Text: i.Text, Bar: int(100 * i.Self / hottest), Line: i.At,
			Hot: float64(i.Self) >= markedPart*float64(max(l.Self, 1)), Edge: edgeOf(i.First, i.Last),
		}
		if i.Self > 0 {
			row.Share = percent.Column(shareIn(p, i.Self))
		}
		switch {
		case i.For != 0:
			row.Note = fmt.Sprintf("↑ for %#x", i.For)
		case i.Meant != 0:
			row.Note = "← " + percent.Column(shareIn(p, i.Meant))
		}
		out = append(out, row)
	}
	return out
}

func edgeOf(first, last bool) string {
	switch {
	case first && last:
		return "only"
	case first:
		return "first"
	case last:
		return "last"
	}
	return "inside"
}

func shareIn(p *profile.Profile, value int64) float64 {
	if p.Total() == 0 {
		return 0
	}
	return float64(value) / float64(p.Total())
}
