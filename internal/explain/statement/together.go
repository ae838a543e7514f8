package statement

import (
	"cmp"
	"fmt"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// perRow is the rule of which several findings may have one cause: a loop over rows of which
// each asks for what belongs to it, one table after the other.
const perRow = "statement-per-row"

// loop is the function of the program that executes several statements for each row.
type loop struct {
	in    profile.FunctionID
	views []*view // the dearest first
}

// loopsOf puts statements together that one function of the program executes, itself or in what
// it calls; those that are alone in theirs are left out.
//
// Example. row(loan) reads loan.member and loan.copy, and calls citation(book), which reads
// book.author: all three are row's.
func loopsOf(p *profile.Profile, views []*view) []loop {
	if len(views) < 2 { //nolint:mnd // one is alone
		return nil
	}
	lines := ownline.Of(p)
	paths := make([][]profile.FunctionID, len(views)) // own functions on the way to a statement, innermost first
	executing := map[profile.FunctionID]bool{}
	for i, v := range views {
		if paths[i] = wayTo(p, lines, v); len(paths[i]) > 0 {
			executing[paths[i][0]] = true
		}
	}
	byFunction := map[profile.FunctionID][]*view{}
	for i, v := range views {
		for _, f := range slices.Backward(paths[i]) {
			if executing[f] {
				byFunction[f] = append(byFunction[f], v)
				break
			}
		}
	}
	var out []loop
	for f, of := range byFunction {
		if len(of) > 1 {
			slices.SortStableFunc(of, func(a, b *view) int { return cmp.Compare(b.share, a.share) })
			out = append(out, loop{f, of})
		}
	}
	slices.SortFunc(out, func(a, b loop) int { return cmp.Compare(a.in, b.in) })
	return out
}

// wayTo are the program's functions on the stacks of the line that executes most of a statement.
func wayTo(p *profile.Profile, lines *ownline.Lines, v *view) []profile.FunctionID {
	for _, row := range v.rows {
		stack := p.Samples()[row].Stack
		line, _, ok := lines.Innermost(stack)
		if !ok || len(v.paid) == 0 || ownline.Place(p, line) != v.paid[0].Place {
			continue
		}
		var out []profile.FunctionID
		for _, loc := range p.Stack(stack) {
			for _, l := range p.Lines(loc) {
				if lines.IsOwn(l.Function) && !slices.Contains(out, l.Function) {
					out = append(out, l.Function)
				}
			}
		}
		return out
	}
	return nil
}

// finding is one about all statements of a loop.
func (l *loop) finding(s judge.Subject, r *rule) judge.Found {
	first := l.views[0]
	out := first.finding(s, r)
	var share float64
	var rows []int32
	var evidence []finding.Evidence
	for _, v := range l.views {
		share += v.share
		rows = append(rows, v.rows...)
		one := v.share
		evidence = append(evidence, finding.Evidence{Kind: "statement", Share: &one, Text: fmt.Sprintf("%s: %s; %s", placeOf(v), short(v.Text), v.executions())})
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	share = min(share, 1)
	margin := finding.ShareError(share, s.Profile.Count())
	fn := s.Profile.Function(l.in)
	out.ID = finding.ID(r.id, finding.Place{Function: fn.Name, File: fn.File}, first.System)
	out.Title = fmt.Sprintf("One query for each row, of %d tables; ask for many at once", len(l.views))
	out.Share = finding.Share{Inclusive: &share, Error: &margin}
	out.Gain = &finding.Gain{
		Low: r.least * share, Likely: r.likely * share, High: share, Reach: share,
		Basis: fmt.Sprintf("what executes these statements takes %s of the CPU, of which the change leaves little; not measured on your program", percent.Text(share)),
	}
	steps := r.steps(first)
	out.Fix.Steps = append([]string{steps[len(steps)-1]}, steps[:len(steps)-1]...) // an ORM is the usual reason
	out.Evidence = append(evidence, finding.Evidence{Kind: "executor", Text: fmt.Sprintf("%s executes them, itself or in what it calls: each line at least %s times, for a few rows each", fn.Name, judge.Times(eachRow))})
	out.Next = s.Versus(out.ID)
	out.Samples = rows
	return out
}

func placeOf(v *view) string {
	if len(v.paid) == 0 || v.paid[0].Line == 0 {
		return v.table()
	}
	return fmt.Sprintf("%s:%d", v.paid[0].File, v.paid[0].Line)
}
