package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/merge"
	"whyhot/internal/finding"
)

// heard is what judges said, their findings as one list.
type heard struct {
	found  []judge.Found
	notes  []string
	looked []string // sentences
	waits  *finding.Waits
}

// hear asks judges one after the other, and makes one list of what they find.
func (r Request) hear(ctx context.Context, facts judge.Facts, judges func(context.Context, *judge.Subject) ([]judge.Judge, error)) (heard, error) {
	s := judge.Subject{
		Profile: r.Profile, Facts: facts, Remarks: r.Remarks,
		Options: judge.Options{Path: fileName(r.Path), DebugDirs: r.DebugDirs, All: r.All},
	}
	asked, err := judges(ctx, &s)
	if err != nil {
		return heard{}, err
	}
	h := heard{found: []judge.Found{}}
	for _, ask := range asked {
		var a judge.Answer
		judge.Guard("some of what could have been found", &h.notes, func() { a, err = ask(ctx, s) })
		if err != nil {
			return heard{}, err
		}
		separate(a.Found)
		h.found = merge.Add(h.found, a.Found, merge.Options{All: r.All, Samples: r.Profile.Count()})
		h.notes = append(h.notes, a.Notes...)
		if a.Waits != nil {
			h.waits = a.Waits
		}
		if a.Looked != "" {
			h.looked = append(h.looked, a.Looked)
		}
	}
	return h, nil
}

// separate gives what a judge found ids of their own: two lines of a function are two findings.
func separate(found []judge.Found) {
	each := make([]*finding.Finding, len(found))
	for i := range found {
		each[i] = &found[i].Finding
	}
	finding.SeparateEach(each)
}

func (h heard) findings() []finding.Finding {
	out := make([]finding.Finding, len(h.found))
	for i := range h.found {
		out[i] = h.found[i].Finding
	}
	return out
}

// What is worth an edit: two judges each of 28 and 36 findings called useless what promised
// less, or promised nothing and has little of the CPU (bench/catalog-reach.md, sixteenth and
// seventeenth set).
const (
	leastGain   = 0.03 // at best
	leastLikely = 0.03
	leastUsed   = 0.10 // of the CPU, where there is no estimate
)

// setSmallMinor makes findings minor that can give back little by their own estimate, or by
// the little that they are about.
func (h *heard) setSmallMinor() {
	for i := range h.found {
		f := &h.found[i].Finding
		if f.Minor != "" || f.Foremost {
			continue
		}
		switch e := f.Estimate(); {
		case e != nil && (e.High < leastGain || e.Middle() < leastLikely):
			f.Minor = "it may save less than 3% of the CPU"
		case e == nil && f.Share.Main() > 0 && f.Share.Main() < leastGain:
			f.Minor = "it has less than 3% of the CPU"
		case e == nil && f.Share.Main() > 0 && f.Share.Main() < leastUsed && f.Certainty == finding.Suspected:
			f.Minor = "it is only suspected, has less than 10% of the CPU, and no estimate"
		}
	}
}

// setWaitingMinor makes findings minor that shorten a command by little because it mostly waits. One
// that may wait for what others ask of it, a server, is left out of that unless it hardly does anything:
// its CPU may count elsewhere.
func (h *heard) setWaitingMinor() {
	w := h.waits
	if w == nil || !w.WaitsItself() && (!w.Mostly || w.Busy >= leastGain) {
		return
	}
	for i := range h.found {
		f := &h.found[i].Finding
		most := f.Share.Main()
		if e := f.Estimate(); e != nil {
			most = e.High
		}
		if f.Minor == "" && !f.Foremost && most*w.Busy < leastGain {
			f.Minor = "the command mostly waits: it may shorten that by less than 3%"
		}
	}
}

// plainBuilds are the rules about binaries that were built without optimisation.
var plainBuilds = []string{build.RuleUnoptimised, unoptimised, "rust-debug-build"}

// setAfterOptimising puts what the machine code of a binary shows after its being built
// without optimisation: with it, there is other code.
func (h *heard) setAfterOptimising() {
	plain := map[string]string{} // by binary
	for _, f := range h.found {
		if slices.Contains(plainBuilds, f.Rule) && f.Minor == "" && f.Place.Binary != "" {
			plain[f.Place.Binary] = f.ID
		}
	}
	for i := range h.found {
		f := &h.found[i].Finding
		if of := plain[f.Place.Binary]; of != "" && strings.HasPrefix(f.Rule, "machine-") && f.Minor == "" {
			f.Minor, f.After = "the compiler makes other code of it with optimisation: look again after "+of, of
		}
	}
}

// setTwiceMinor makes a finding minor that gives the same advice as a larger one, without a
// line of the program to apply it at: what a second process does of the same work.
func (h *heard) setTwiceMinor() {
	for i := range h.found {
		f := &h.found[i].Finding
		for j := range h.found {
			o := &h.found[j].Finding
			if i == j || f.Minor != "" || o.Minor != "" || f.Rule != o.Rule || f.Title != o.Title || len(f.PaidBy) > 0 || len(o.PaidBy) == 0 {
				continue
			}
			if f.Share.Main() < o.Share.Main() {
				f.Minor, f.After = "the same advice as "+o.ID, o.ID
			}
		}
	}
}

// setGeneralAside leaves advice that holds for nearly every program out, unless all is
// asked for; where nothing else is worth much, a note speaks of it.
func (h *heard) setGeneralAside(all bool) {
	if all {
		return
	}
	var general []judge.Found
	h.found = slices.DeleteFunc(h.found, func(f judge.Found) bool {
		if f.General {
			general = append(general, f)
		}
		return f.General
	})
	if slices.ContainsFunc(h.found, worthwhile) {
		return
	}
	for i := range general {
		g := &general[i]
		shown := "--all shows it"
		if e := g.Estimate(); e != nil {
			shown = finding.SpeedUps(e.Low, e.High) + " as fast; " + shown
		}
		note := fmt.Sprintf("Not shown, because it holds for nearly every program: %s (%s)", g.Title, shown)
		if !slices.Contains(h.notes, note) { // of several binaries
			h.notes = append(h.notes, note)
		}
	}
}

// worthwhileGain is what a finding must be able to save for general advice,
// such as PGO, not to be mentioned beside it.
const worthwhileGain = 0.05

func worthwhile(f judge.Found) bool {
	if e := f.Estimate(); e != nil {
		return e.High >= worthwhileGain
	}
	return f.Gain != nil && !f.Aside && f.Share.Main() >= worthwhileGain
}
