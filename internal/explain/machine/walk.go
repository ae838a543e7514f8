package machine

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// inLongWalks costs what the loop takes, where little else of its function runs: where the
// walks are short, what leads to them and back shows as well.
func inLongWalks(l *Loop, _ analyzer.MachineMatch) (value, events int64) {
	const long = 0.8
	if l.function == nil || float64(l.Self) < long*float64(l.function.value) {
		return 0, 0
	}
	return l.Self, l.Count
}

const (
	mostAsking  = 3    // lines that are named
	leastAsking = 0.05 // of the samples
)

// askedBy says which lines ask for what a function does, dearest first. The function's
// caller is often a door to it (find calls search): the line is that of its caller's caller,
// where there is one.
func askedBy(p *profile.Profile, rows []int32, function string, text func(string) ([]string, bool)) []finding.HotLine {
	values := map[asking]int64{}
	var all int64
	for _, row := range rows {
		s := &p.Samples()[row]
		all += s.Value
		if at := callerOf(p, s.Stack, function); at.line > 0 {
			values[at] += s.Value
		}
	}
	return hotLines(p, values, all, text)
}

// hotLines are the lines that ask for what costs all, dearest first; values are their parts.
func hotLines(p *profile.Profile, values map[asking]int64, all int64, text func(string) ([]string, bool)) []finding.HotLine {
	var out []finding.HotLine
	for at, value := range values {
		if float64(value) >= leastAsking*float64(all) {
			line := finding.HotLine{File: at.file, Line: at.line, Function: at.function, Share: float64(value) / float64(max(p.Total(), 1))}
			if lines, ok := text(at.file); ok && at.line <= len(lines) {
				line.Text = lines[at.line-1]
			}
			out = append(out, line)
		}
	}
	slices.SortFunc(out, func(a, b finding.HotLine) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out[:min(len(out), mostAsking)]
}

// asking is a line that asks for a function.
type asking struct {
	function, file string
	line           int
}

// callerOf is the line of a stack from which a function is asked for, of its outermost call.
func callerOf(p *profile.Profile, stack profile.StackID, function string) asking {
	const farthest = 2
	at, calls := asking{}, farthest
	for _, loc := range p.Stack(stack) {
		for _, line := range p.Lines(loc) {
			f := p.Function(line.Function)
			switch {
			case f.Name == function:
				at, calls = asking{}, 0
			case calls < farthest:
				calls++
				if f.File != "" && line.Line > 0 && !finding.IsInstalled(f.File, "") {
					at = asking{codename.Display(f.Name), f.File, int(line.Line)}
				}
			}
		}
	}
	return at
}

// asked are the rows whose innermost code is called by a loop: a walk whose step is a call.
func (l *Loop) asked(p *profile.Profile, code func(m *profile.Mapping, address uint64) (vaddr uint64, ok bool)) []int32 {
	var out []int32
	for i := range p.Samples() {
		stack := p.Stack(p.Samples()[i].Stack)
		if len(stack) < 2 {
			continue
		}
		loc := p.Location(stack[1])
		m := p.Mapping(loc.Mapping)
		if m.Path != l.Mapping.Path || loc.Address == 0 {
			continue
		}
		vaddr, ok := code(m, loc.Address)
		if ok && l.covers(vaddr) {
			out = append(out, int32(i)) //nolint:gosec // rows are int32
		}
	}
	return out
}

// withCalls adds what a loop's calls take to a finding about the loop alone.
func withCalls(f *judge.Found, p *profile.Profile, rows []int32) {
	if len(rows) == 0 {
		return
	}
	f.Samples = slices.Concat(f.Samples, rows)
	slices.Sort(f.Samples)
	share := p.Share(f.Samples)
	margin := finding.ShareError(share, p.Count())
	f.Share.Inclusive, f.Share.Error = &share, &margin
	f.Gain.High = share
}
