package mcp

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// ownLine is a line of the program's own code with what it pays for: itself, and the
// libraries, the runtime and the kernel beneath it.
type ownLine struct {
	File     string  `json:"file,omitempty"`
	Line     int32   `json:"line,omitempty"`
	Function string  `json:"function"`
	Pays     float64 `json:"pays" jsonschema:"share of all samples whose innermost line of the program's own code it is"`
	Error    float64 `json:"error" jsonschema:"half of the 95% interval of pays"`
	Into     string  `json:"into,omitempty" jsonschema:"function of others that it calls for most of that"`
	Text     string  `json:"text,omitempty"`
}

// leaf is a line of a library, a runtime or the kernel, on which samples were.
type leaf struct {
	Function string  `json:"function"`
	File     string  `json:"file,omitempty"`
	Line     int32   `json:"line,omitempty"`
	Self     float64 `json:"self"`
	Error    float64 `json:"error"`
}

const (
	mostLines  = 15 // of the program's own code
	mostLeaves = 5
	leastPays  = 0.002 // below it, a line is noise in the usual thousand samples
)

// payer adds up what one line pays for.
type payer struct {
	line  profile.Line // that of it which came first: inlined copies and instances differ
	value int64
	into  map[profile.FunctionID]int64
}

// sourceLine is what makes lines one, though they be of several copies of a function.
type sourceLine struct {
	file, function string
	line           int32
}

// payers gives the program's own lines that samples pay for, the dearest first, and the
// sum of what they pay.
func payers(p *profile.Profile, lines *ownline.Lines) (all []*payer, sum int64) {
	found := map[sourceLine]*payer{}
	for i := range p.Samples() {
		sample := &p.Samples()[i]
		line, at, ok := lines.Innermost(sample.Stack)
		if !ok {
			continue
		}
		f := p.Function(line.Function)
		key := sourceLine{file: f.File, line: line.Line}
		if f.File == "" || line.Line == 0 {
			key.function = view.Name(p, line.Function)
		}
		of := found[key]
		if of == nil {
			of = &payer{line: line, into: map[profile.FunctionID]int64{}}
			found[key] = of
			all = append(all, of)
		}
		of.value += sample.Value
		sum += sample.Value
		if id, ok := calledBy(p, sample.Stack, at, line); ok {
			of.into[id] += sample.Value
		}
	}
	slices.SortStableFunc(all, func(a, b *payer) int { return cmp.Compare(b.value, a.value) })
	return all, sum
}

// calledBy is the function that a line in the location at an index of a stack called; false
// where the line itself was executing.
func calledBy(p *profile.Profile, id profile.StackID, at int, line profile.Line) (profile.FunctionID, bool) {
	stack := p.Stack(id)
	within := p.Lines(stack[at])
	if i := slices.Index(within, line); i > 0 {
		return within[i-1].Function, true
	}
	if at == 0 {
		return 0, false
	}
	if above := p.Lines(stack[at-1]); len(above) > 0 {
		return above[len(above)-1].Function, true
	}
	return 0, false
}

// mostlyInto is the function that takes the larger part of what a line pays.
func (l *payer) mostlyInto(p *profile.Profile) string {
	for id, v := range l.into {
		if 2*v > l.value {
			return clip(view.Name(p, id), 100)
		}
	}
	return ""
}

// own lists the program's own lines, and the share of the samples that they pay for.
func (s *Server) own(p *profile.Profile, lines *ownline.Lines) (own []ownLine, covered float64) {
	total, text := float64(p.Total()), s.within(p)
	all, sum := payers(p, lines)
	for _, l := range all {
		pays := float64(l.value) / total
		margin := finding.ShareError(pays, view.Events(p))
		if len(own) == mostLines || pays < leastPays || len(own) > 0 && pays <= margin {
			break // from here on, lines are as hot as chance has them
		}
		f := p.Function(l.line.Function)
		o := ownLine{
			File: s.shown(f.File), Line: l.line.Line, Function: clip(view.Name(p, l.line.Function), 120),
			Pays: rounded(pays), Error: rounded(margin), Into: l.mostlyInto(p),
		}
		if of, ok := text(f.File); ok && 0 < o.Line && int(o.Line) <= len(of) {
			o.Text = clip(of[o.Line-1], 100)
		}
		own = append(own, o)
	}
	return own, float64(sum) / total
}

// leaves lists the hottest lines of others, which a program can spare only by calling them
// less.
func (s *Server) leaves(p *profile.Profile, lines *ownline.Lines) (out []leaf) {
	total := float64(p.Total())
	for _, r := range view.Top(p, view.TopOptions{By: view.ByLine}).Rows {
		if len(out) == mostLeaves || r.Self == 0 {
			break
		}
		if lines.IsOwn(r.Function) || p.Function(r.Function).Name == profile.TruncatedStack {
			continue
		}
		self := float64(r.Self) / total
		out = append(out, leaf{
			Function: clip(view.Name(p, r.Function), 120), File: s.shown(p.Function(r.Function).File), Line: r.Line,
			Self: rounded(self), Error: rounded(finding.ShareError(self, view.Events(p))),
		})
	}
	return out
}
