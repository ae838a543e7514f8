package explain

import (
	"fmt"
	"path/filepath"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

const (
	mostPaying  = 3    // lines of the program that a finding names
	leastPaying = 0.05 // of the finding's samples
)

// setPaidBy names the lines of the program's own code that pay for each finding, where
// another place than the dearest of them is the finding's: a library, a runtime, a binary.
func setPaidBy(p *profile.Profile, found []judge.Found, text func(string) ([]string, bool)) {
	lines := ownline.Reading(p, text)
	for i := range found {
		f := &found[i]
		if f.General || f.Aside || f.Takes || len(f.Samples) == 0 {
			continue
		}
		if isOwnPlace(p, lines, f) {
			continue
		}
		whole := p.Weight(f.Samples)
		for n, paid := range lines.Pay(f.Samples) {
			if n == mostPaying || paid.File == "" || paid.Line == 0 || float64(paid.Value) < leastPaying*float64(whole) {
				break
			}
			if n == 0 && isIts(f, paid.File, paid.Line) {
				break
			}
			line := finding.HotLine{File: paid.File, Line: paid.Line, Function: paid.Function, Share: float64(paid.Value) / float64(p.Total())}
			if of, ok := text(paid.File); ok && paid.Line <= len(of) {
				line.Text = of[paid.Line-1]
			}
			f.PaidBy = append(f.PaidBy, line)
		}
		if f.Rule == allocatorRule {
			keepObjects(f)
		}
	}
}

// isOwnPlace says whether a finding's place is in a function of the program's own script, below which
// most of its samples are: it pays itself, whatever other lines it leads to.
//
// Example. groupby(...).apply(hour_stats): the lines of hour_stats are called, and do not call.
func isOwnPlace(p *profile.Profile, lines *ownline.Lines, f *judge.Found) bool {
	at := f.Place
	if at.File == "" || at.Function == "" {
		return false
	}
	its := map[profile.FunctionID]bool{}
	for i := range p.NumFunctions() {
		id := profile.FunctionID(i) //nolint:gosec // functions are numbered so
		if fn := p.Function(id); fn.Kind.IsScript() && fn.Name == at.Function && fn.File == at.File && lines.IsOwn(id) {
			its[id] = true
		}
	}
	if len(its) == 0 {
		return false
	}
	below := int64(0)
	for _, row := range f.Samples {
		s := &p.Samples()[row]
		if slices.ContainsFunc(p.Stack(s.Stack), func(loc profile.LocationID) bool {
			return slices.ContainsFunc(p.Lines(loc), func(l profile.Line) bool { return its[l.Function] })
		}) {
			below += s.Value
		}
	}
	return 2*below > p.Weight(f.Samples)
}

const (
	allocatorRule = "glibc-malloc"
	// ofFewPlaces is the part of what an allocator takes that two lines have at least for these
	// to be where to begin.
	ofFewPlaces = 0.5
)

// keepObjects puts first, where one or two lines ask for most of what an allocator does, that
// these keep their objects: no other allocator is as quick as none.
//
// Example. A compiler's register states: 47% of malloc's time is at the line that makes one for
// each instruction, 47% at the one that frees them before each pass.
func keepObjects(f *judge.Found) {
	sum, at := 0.0, ""
	for i, line := range f.PaidBy[:min(len(f.PaidBy), 2)] { //nolint:mnd // one that allocates, one that frees
		if sum >= ofFewPlaces*f.Share.Main() {
			break
		}
		sum += line.Share
		if i > 0 {
			at += " and "
		}
		at += fmt.Sprintf("%s:%d", filepath.Base(line.File), line.Line)
	}
	if sum >= ofFewPlaces*f.Share.Main() {
		step := "Most is asked for at " + at + ": keep those objects for the next use (a list of free ones, an arena, one block for all) instead of allocating each"
		f.Fix.Steps = append([]string{step}, f.Fix.Steps...)
	}
}

// isIts says whether a line is of the finding's own place, or of its code in that file.
func isIts(f *judge.Found, file string, line int) bool {
	if file != f.Place.File {
		return false
	}
	return line >= f.Place.Line && line <= max(f.Place.Line, f.Place.EndLine) ||
		slices.ContainsFunc(f.Code, func(at []finding.Line) bool { return slices.Contains(at, finding.Line{File: file, Line: line}) })
}
