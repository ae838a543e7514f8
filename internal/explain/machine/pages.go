package machine

import (
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// waitsForPages says whether the page faults that a loop's instructions raise take more CPU
// than the loop itself: whatever its instructions are, it waits for memory that is touched
// for the first time.
func (l *Loop) waitsForPages(p *profile.Profile, facts judge.Facts) bool {
	var value int64
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		at := slices.IndexFunc(stack, func(loc profile.LocationID) bool { return !inKernel(p, loc) })
		if at <= 0 || !slices.ContainsFunc(stack[:at], func(loc profile.LocationID) bool { return isFault(p, loc) }) {
			continue
		}
		from := p.Location(stack[at])
		m := p.Mapping(from.Mapping)
		if m.Path != l.Mapping.Path {
			continue
		}
		if _, vaddr, ok := facts.Code(m, from.Address); ok && l.has(vaddr) {
			value += s.Value
		}
	}
	return value > l.Self
}

// has says whether a loop has the instruction at an address, or ends before it: the return
// address of a fault is that of the instruction itself, of a call the one behind.
func (l *Loop) has(vaddr uint64) bool {
	return slices.ContainsFunc(l.Ranges, func(r [2]uint64) bool { return vaddr >= r[0] && vaddr < r[1] })
}

func inKernel(p *profile.Profile, loc profile.LocationID) bool {
	lines := p.Lines(loc)
	return p.Function(lines[len(lines)-1].Function).Kind == profile.KindKernel
}

func isFault(p *profile.Profile, loc profile.LocationID) bool {
	return slices.ContainsFunc(p.Lines(loc), func(l profile.Line) bool {
		return strings.Contains(p.Function(l.Function).Name, "page_fault")
	})
}
