// Package merge makes one list of what several judges found: where two of them found the
// same, it is one finding with the evidence of both.
//
// It owns the question whether two findings are one (the table of tests below, and in
// related.go which rules are about the same), and what becomes of both. It takes the
// findings so far and those of one more judge and gives the list. It imports the shapes
// of findings and profiles and must never import a judge: what a judge knows that tells
// findings apart is in judge.Found.
//
// The tests, the first that holds deciding; f is known, m is new:
//
//	same cause       an entry of the catalogue and a rule of the source name one cause
//	same lines       related rules, and the code of m is on the lines of f
//	same samples     related rules, and at least half of the samples of m are of f
//	same binary      related rules about how one binary is built
//	contained in     m is in a library that f replaces: m is left out
//	cause of it      one tells what happens at a line, the other why: that one leads, with the evidence of both
//	said by name     m is told by behaviour, and f takes the same samples away: f has what was counted
//	one for a binary what is left of m and others of its rule is mended by one change
//
// Example. The source of deflate.c has a loop at lines 262 to 290 that reloads a pointer
// (alias-char-write); the machine code of the same loop loads the same bytes again in
// each iteration (machine-reload), with lines 263 to 289. The rules are related, the
// lines meet: one finding, confirmed, with the instructions in its evidence.
package merge

import (
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

// test says whether a new finding is one that is known: its index, or -1.
type test struct {
	same func(known []judge.Found, m *judge.Found) int
	join func(f, m *judge.Found)
}

var tests = []test{
	{sameCause, place},
	{sameLines, support},
	{sameSamples, support},
	{sameBinary, build},
}

// Options of a merge.
type Options struct {
	// All keeps what is contained in another finding.
	All bool
	// Samples are the events of the profile, for the error of a sum.
	Samples int64
}

// Add gives the known findings with those of one more judge. Advice that holds for
// nearly every program meets only such advice about the same binary.
func Add(known, more []judge.Found, o Options) []judge.Found {
	out := slices.Clone(known)
	var alone []judge.Found
	for i := range more {
		m := &more[i]
		symptom, cause := symptomOf(out, m), causeOf(out, m)
		switch at, t := find(out, m); {
		case symptom >= 0:
			lead := *m
			support(&lead, &out[symptom])
			out[symptom] = lead
		case cause >= 0:
			support(&out[cause], m)
		case at >= 0:
			t.join(&out[at], m)
		case m.Yields && said(out, m) >= 0:
			if m.Certainty == finding.Confirmed { // it was counted
				support(&out[said(out, m)], m)
			}
		case o.All || !isContained(out, m):
			alone = append(alone, *m)
		}
	}
	return append(out, whole(alone, o.Samples)...)
}

func find(known []judge.Found, m *judge.Found) (int, *test) {
	for i := range tests {
		if at := tests[i].same(known, m); at >= 0 {
			return at, &tests[i]
		}
	}
	return -1, nil
}

// place joins an entry of the catalogue with what the source says of its cause. The entry
// has judged the lines of the source too, so the share and the estimate are the entry's;
// the places are the source's. The identity is the same with and without a build. Both
// agree: it is confirmed. As an entry is judged in each program of a profile, the source
// is of the one with most of it.
func place(f, s *judge.Found) {
	binary, build := f.Place.Binary, f.Place.BuildID
	f.ID, f.Certainty = s.ID, finding.Confirmed
	f.Place = s.Place
	f.Place.Binary, f.Place.BuildID = binary, build
	f.Sites, f.Source, f.Accesses = s.Sites, s.Source, s.Accesses
	f.Evidence = append(slices.Clip(f.Evidence), s.Evidence...)
	f.See, f.Next = s.See, s.Next
}

// support adds to a finding what another judge says of the same.
func support(f, m *judge.Found) {
	f.SameAs = append(slices.Clip(f.SameAs), m.ID)
	f.Evidence = append(slices.Clip(f.Evidence), m.Evidence...)
	if f.Certainty == finding.Suspected {
		f.Certainty = finding.Confirmed
	}
}

// build is support by what is known of a whole binary: all that runs in it is built so, not only
// the functions by which an entry knows it.
func build(f, m *judge.Found) {
	support(f, m)
	if m.Gain != nil && (f.Gain == nil || f.Gain.NoEstimate) && m.Share.Main() > f.Share.Main() {
		f.Share, f.Gain = m.Share, m.Gain
	}
}

// isContained says whether a finding is about a library that another finding wants
// another one for: whoever exchanges the reference BLAS has no use for flags that make its
// loops faster.
func isContained(known []judge.Found, m *judge.Found) bool {
	return strings.Contains(filepath.Base(m.Place.Binary), ".so") && slices.ContainsFunc(known, func(f judge.Found) bool {
		return !f.General && f.Place.Function == "" && f.Place.File == "" && f.Place.Binary == m.Place.Binary && areMostly(m.Samples, f.Samples)
	})
}

// isAtItsLine says whether m is about a line of a library that f is about: that is the program's own
// code then, as where a library is developed, and m says what to change in it.
//
// Example. Excelize's benchmark is profiled, where trimRow moves all rows for each that it takes out:
// to write by its StreamWriter is not what its developers ask for.
func isAtItsLine(f, m *judge.Found) bool {
	return (m.Yields || m.Removes) && m.Place.Line > 0 && slices.Contains(f.Directories, filepath.Dir(m.Place.File))
}

// said is the finding that knows the cause of m by name, or -1: most of the samples of m are
// of one that takes its work away or has hardly any others.
func said(known []judge.Found, m *judge.Found) int {
	return slices.IndexFunc(known, func(f judge.Found) bool {
		if isAtItsLine(&f, m) {
			return false
		}
		if m.Takes {
			return f.Removes && !f.Aside && areNearly(m.Samples, f.Samples) && areNearly(f.Samples, m.Samples)
		}
		return !f.General && !f.Aside && !f.Service && !f.Basic && areMostly(m.Samples, f.Samples) && (f.Removes || areMostly(f.Samples, m.Samples))
	})
}
