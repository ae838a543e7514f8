package merge

import (
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// sameCause is the largest finding of the cause that has no places in the source yet.
func sameCause(known []judge.Found, m *judge.Found) int {
	best := -1
	for i := range known {
		f := &known[i]
		if m.Cause != "" && f.Cause == m.Cause && !f.General && len(f.Sites) == 0 && (best < 0 || f.Share.Main() > known[best].Share.Main()) {
			best = i
		}
	}
	return best
}

// symptomOf is the finding that tells what happens at the line of m where m knows why.
func symptomOf(known []judge.Found, m *judge.Found) int {
	return slices.IndexFunc(known, func(f judge.Found) bool { return knowsWhy(m, &f) })
}

// causeOf is the finding that knows why what m tells happens at its line, where a judge before
// has said it.
func causeOf(known []judge.Found, m *judge.Found) int {
	return slices.IndexFunc(known, func(f judge.Found) bool { return isCause(&f) && !f.Basic && knowsWhy(&f, m) })
}

// knowsWhy says whether one finding knows why what another tells happens at its line: they are
// about the same samples, or the one is mostly within the other and their rules are related. Of
// what has no line, as in a process of a runtime, a related rule that has one knows more.
func knowsWhy(m, symptom *judge.Found) bool {
	if !symptom.Symptom || m.Symptom || m.General || m.Place.Line == 0 || !areMostly(m.Samples, symptom.Samples) {
		return false
	}
	if m.Certainty == finding.Confirmed && m.Removes && !m.Yields && areMostly(symptom.Samples, m.Samples) {
		return true // it was counted, wherever it is
	}
	if symptom.Place.Line == 0 && symptom.Place.File == "" {
		return related(symptom.Rule, m.Rule)
	}
	atIt := symptom.Place.Line == m.Place.Line || symptom.Place.Line == 0 && symptom.Place.Function == m.Place.Function
	return (!m.Yields || m.Takes || related(symptom.Rule, m.Rule)) && atIt && profile.SameFile(symptom.Place.File, m.Place.File) &&
		(areMostly(symptom.Samples, m.Samples) || related(symptom.Rule, m.Rule))
}

// sameLines is the related finding that the code of m is on the lines of. Of loops inside
// each other, it is the one that has most of m's instructions, and of these the innermost.
func sameLines(known []judge.Found, m *judge.Found) int {
	best, most, least := -1, 0.0, 0
	for i := range known {
		f := &known[i]
		if f.General || !related(f.Rule, m.Rule) {
			continue
		}
		places := []finding.Place{f.Place}
		for _, s := range f.Sites {
			if s.Kind != finding.SiteDeclaration {
				places = append(places, s.Place)
			}
		}
		for _, p := range places {
			of := linesMeet(p, m)
			lines := max(p.EndLine, p.Line) - p.Line
			if of > most || of > 0 && of == most && lines < least {
				best, most, least = i, of, lines
			}
		}
	}
	return best
}

// linesMeet says how much of the code of m is of a place in the source, 0 for none of it
// or less than half. Where code is mostly what was inlined into it, its own place is
// there: the calls count. Where the lines of its instructions are not known, or the place
// is one line of a loop alone, it is whether they have lines in common.
//
// Example. A loop from line 262 to 290 has one inside it from 273 to 276. Of the code of
// the outer one, only the entry to the inner one is of its lines: it is another loop.
func linesMeet(p finding.Place, m *judge.Found) float64 {
	if p.Line == 0 {
		return 0
	}
	lined, within := 0, 0
	for _, lines := range m.Code {
		if len(lines) == 0 {
			continue
		}
		lined++
		if slices.ContainsFunc(lines, func(l finding.Line) bool {
			return l.Line >= p.Line && l.Line <= max(p.EndLine, p.Line) && profile.SameFile(p.File, l.File)
		}) {
			within++
		}
	}
	if within > 0 && 2*within >= lined {
		return float64(within) / float64(lined)
	}
	if lined > 0 && p.EndLine > p.Line {
		return 0
	}
	at := m.Place
	if at.Line > 0 && profile.SameFile(p.File, at.File) && p.Line <= max(at.EndLine, at.Line) && max(p.EndLine, p.Line) >= at.Line {
		const least = 0.5 // there is no telling
		return least
	}
	return 0
}

// sameSamples is the first related finding that has at least half of the samples of m.
func sameSamples(known []judge.Found, m *judge.Found) int {
	return slices.IndexFunc(known, func(f judge.Found) bool {
		return !f.General && related(f.Rule, m.Rule) && areMostly(m.Samples, f.Samples)
	})
}

// areMostly says whether half of the rows of a profile or more are among others.
func areMostly(rows, others []int32) bool {
	const half = 0.5
	return len(rows) > 0 && part(rows, others) >= half
}

// areNearly says whether nearly all of the rows of a profile are among others.
func areNearly(rows, others []int32) bool {
	const nearly = 0.8
	return len(rows) > 0 && part(rows, others) >= nearly
}

// sameBinary is the related finding about how the binary was built that m is about as a
// whole, or about a build of which the binary is not known.
func sameBinary(known []judge.Found, m *judge.Found) int {
	if m.Place.Function != "" || m.Place.File != "" || m.Place.Binary == "" {
		return -1
	}
	return slices.IndexFunc(known, func(f judge.Found) bool {
		return f.General == m.General && related(f.Rule, m.Rule) && (f.Place.Binary == "" || f.Place.Binary == m.Place.Binary)
	})
}
