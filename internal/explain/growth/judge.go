package growth

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/growth/primitive"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// The rules that are told from one recording.
const (
	RuleAccumulation = "growth-accumulation"
	RuleListSearch   = "growth-list-search"
	RuleListWalk     = "growth-list-walk"
	RuleWholeCopy    = "growth-whole-copy"
)

// IsRule says whether findings of a rule are made here.
func IsRule(rule string) bool {
	return rule == RuleAccumulation || rule == RuleListSearch || rule == RuleListWalk || rule == RuleWholeCopy
}

// Judge is the judge of what grows faster than its input, as far as one recording tells: a
// line that copies more and more, one under which an operation goes through a whole container
// each time, and one that takes longer each time round.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	var out judge.Answer
	growing := map[Place]bool{}
	f := newFrames(s.Profile)
	for _, a := range accumulationsIn(f) {
		if standsForOthers(s, a.Place) || runsOnce(s, a.Place) {
			continue
		}
		growing[a.Place] = true
		x := told(s.Profile, RuleAccumulation, a.Place, a.Share, a.Cure)
		x.Symptom = true
		x.Title = fmt.Sprintf("%s slows down as it runs", where(a.Place))
		x.Evidence = append(x.Evidence,
			finding.Evidence{Kind: "growth", Text: fmt.Sprintf("what it causes in %s grows with the work done so far like n^%.1f in the recording; steady work is n^1", a.Name, a.Exponent), Share: &a.Share})
		out.Found = append(out.Found, x)
	}
	table, err := primitive.Load()
	if err != nil {
		return out, err
	}
	of := sourcesOf(s)
	throughs := throughsIn(f, table)
	for _, w := range throughs {
		if !growing[w.Place] && w.placed(of) {
			out.Found = append(out.Found, w.found(f))
		}
	}
	for _, t := range tightsIn(f) {
		if found := written(t, table, of); len(found) > 0 {
			found[0].OrElse = found[1:]
			out.Found = append(out.Found, found[0].found(f))
		}
	}
	setSamples(f, out.Found)
	if s.Facts != nil {
		for _, w := range stubs(f, table, s.Facts.Source) {
			out.Found = append(out.Found, w.found(f))
		}
	}
	for _, w := range resorts(f) {
		w.setSorter(of)
		out.Found = append(out.Found, w.found(f))
	}
	var source func(string) ([]string, bool)
	if s.Facts != nil {
		source = s.Facts.Source
	}
	for _, a := range slowings(f, source) {
		if isSaid(a, out.Found) || runsOnce(s, a.Place) {
			continue
		}
		if s.Facts != nil {
			a.Cure = cmp.Or(paging(f, a.Samples, s.Facts.Source), a.Cure)
		}
		out.Found = append(out.Found, slowing(s.Profile, a))
	}
	return out, nil
}

// beginning are names of what a program begins with, in the languages that package text reads.
var beginning = regexp.MustCompile(`^(?:main\.main|(?:.*(?:\.|::))?[mM]ain|<module>|<main>|\{main\}|main::(?:RUNTIME|BEGIN)|top level)(?:\(|$)`)

// runsOnce says whether a line is of what the program begins with, and no loop is around it: there
// is no next time. Of several processes each has its own.
//
// Example. main calls the parser and then the code generator, which allocates more and more.
func runsOnce(s judge.Subject, at Place) bool {
	if at.Line < 1 || !beginning.MatchString(at.Function) {
		return false
	}
	f, ok := textOf(s, at)
	return ok && len(f.LoopsFrom(int(at.Line))) == 0
}

// textOf is the source that a place is in; ok is false where it cannot be read.
func textOf(s judge.Subject, at Place) (f *text.File, ok bool) {
	if s.Facts == nil {
		return nil, false
	}
	lines, ok := s.Facts.Source(at.File)
	if !ok {
		return nil, false
	}
	return text.Read(at.File, lines)
}

// standsForOthers says whether a line of JavaScript does nothing that could grow: of code that
// a JIT compiler has optimised a recording knows no line but that of the function or loop, and
// the lines that ran before, interpreted, look like progress.
func standsForOthers(s judge.Subject, at Place) bool {
	f, ok := textOf(s, at)
	if !ok || f.Language() != "JavaScript" {
		return false
	}
	statement, _ := f.Statement(int(at.Line))
	_, isLoop := f.Begins(int(at.Line))
	return statement == "" || (isLoop || len(f.Calls(statement)) == 0) && !strings.Contains(statement, "...") && !strings.Contains(statement, "+=") && !strings.Contains(statement, " + ")
}

// isSaid tells whether most of what slows down is of a finding that names an operation.
func isSaid(a Accumulation, found []judge.Found) bool {
	const most = 0.6
	for i := range found {
		n := 0
		for _, row := range a.Samples {
			if _, is := slices.BinarySearch(found[i].Samples, row); is {
				n++
			}
		}
		if float64(n) >= most*float64(len(a.Samples)) {
			return true
		}
	}
	return false
}

func slowing(p *profile.Profile, a Accumulation) judge.Found {
	f := told(p, RuleAccumulation, a.Place, a.Share, a.Cure)
	f.Samples, f.Yields, f.Symptom = a.Samples, true, true
	f.Title = fmt.Sprintf("%s takes longer each time round", where(a.Place))
	f.Evidence = append(f.Evidence, finding.Evidence{Kind: "growth", Share: &a.Share,
		Text: fmt.Sprintf("its cost grows with the other work of its function like n^%.1f in the recording; steady work is n^1", a.Exponent)})
	return f
}

// setSamples gives findings all that happens below their lines: what a line allocates and
// has collected goes with what it copies.
func setSamples(f *frames, found []judge.Found) {
	if len(found) == 0 {
		return
	}
	at := map[Place][]int{}
	for i := range found {
		place := Place{Function: found[i].Place.Function, File: found[i].Place.File, Line: int32(found[i].Place.Line)} //nolint:gosec // it was one
		at[place] = append(at[place], i)
	}
	p := f.p
	below := make([][]int32, len(found))
	for row, s := range p.Samples() {
		path := f.path(s.Stack)
		if path.kind == "" || len(path.steps) == 0 {
			continue
		}
		for _, i := range at[f.place(path.steps[len(path.steps)-1])] {
			below[i] = append(below[i], int32(row)) //nolint:gosec // rows are int32
		}
	}
	for i, rows := range below {
		rows = append(rows, found[i].Samples...)
		slices.Sort(rows)
		found[i].Samples = slices.Compact(rows)
	}
}

func told(p *profile.Profile, rule string, at Place, share float64, cure string) judge.Found {
	place := finding.Place{Function: at.Function, File: at.File, Line: int(at.Line)}
	margin := finding.ShareError(share, p.Count())
	x := catalog.Removed(share, margin)
	var next finding.Command
	if len(p.Meta.Command) > 0 {
		next = finding.Command{Verb: "grow", Args: []string{"--sizes", "N,2N,4N"}, Program: []string{"<your command with {n} for the size>"}}
	}
	return judge.Found{Removes: true, Finding: finding.Finding{
		ID: finding.ID(rule, place), Rule: rule, Certainty: finding.Suspected, Place: place,
		Share: finding.Share{Inclusive: &share, Error: &margin},
		Gain: &finding.Gain{Low: x.Low, Likely: x.Likely, High: x.High, Reach: share,
			Basis: percent.Text(share) + " of the CPU, for this size of the input: work of this kind goes away but for a remainder; whyhot grow tells what larger inputs cost"},
		Fix:  finding.Fix{Kind: "code", Steps: []string{strings.TrimSuffix(cure, ".")}},
		Next: next,
	}}
}

// where names a place in a title.
func where(p Place) string {
	if p.File == "" || p.Line == 0 {
		return p.Function
	}
	at := fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line)
	if p.Function == "<anonymous>" { // of JavaScript
		return "Code at " + at
	}
	return fmt.Sprintf("%s (%s)", p.Function, at)
}
