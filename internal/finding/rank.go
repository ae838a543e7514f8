package finding

import (
	"cmp"
	"slices"
)

// unknownPart is the part of its share that a finding without an estimate counts with. Such
// a share may all go away, or none of it: at a quarter, half of the CPU that nobody can
// judge comes after a promise of 13%, and before one of 12%.
const unknownPart = 0.25

// Worth is what findings are ranked by, a fraction of the profile's CPU: the saving that
// is printed, or a quarter of the share that is printed where no saving is.
func (f *Finding) Worth() float64 {
	if g := f.Estimate(); g != nil {
		return g.Middle()
	}
	return unknownPart * f.Share.Main()
}

// Measured is what the best trial of a finding gave back, a fraction of the CPU; 0 without
// a trial.
func (f *Finding) Measured() float64 {
	best := 0.0
	for _, t := range f.Trials {
		if t.SpeedUp.Low > 0 {
			best = max(best, 1-1/t.SpeedUp.Low)
		}
	}
	return best
}

// classOf orders findings before their numbers do.
func classOf(f *Finding) int {
	switch {
	case f.Certainty == Refuted:
		return classRefuted
	case f.Foremost:
		return classForemost
	case f.isAside():
		return classAside
	case f.Minor != "":
		return classMinor
	case f.Certainty == Proved:
		return classProved
	}
	return classOpen
}

// The classes, in the order of a report.
const (
	classForemost = iota
	classProved
	classOpen
	classMinor
	classAside
	classRefuted
)

// Rank sorts findings by what is printed of them: what has to be mended first, what is
// proved, by the low end of the measured gain, then the others by Worth, what can give back
// little, asides, and refuted ones last. Ties go by share, then by ID, so the order is
// stable.
func Rank(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		class := classOf(&a)
		if c := cmp.Compare(class, classOf(&b)); c != 0 {
			return c
		}
		measured := 0
		if class == classProved {
			measured = -cmp.Compare(a.Measured(), b.Measured())
		}
		return cmp.Or(measured, -cmp.Compare(a.Worth(), b.Worth()), -cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.ID, b.ID))
	})
}

func (f *Finding) isAside() bool { return f.Aside || f.General }

// Worked are the findings that are worth work: asides are left out, unless nothing else is
// said. Refuted ones say nothing.
func Worked(fs []Finding) []Finding {
	if !slices.ContainsFunc(fs, func(f Finding) bool { return !f.isAside() && f.Certainty != Refuted }) {
		return fs
	}
	return slices.DeleteFunc(slices.Clone(fs), func(f Finding) bool { return f.isAside() })
}

// SortOut divides findings into what a report leads with, what a trial refuted, and what can
// give little back; each keeps its order.
func SortOut(all []Finding) (open, refuted, minor []Finding) {
	for _, f := range all {
		switch {
		case f.Certainty == Refuted:
			refuted = append(refuted, f)
		case f.Minor != "":
			minor = append(minor, f)
		default:
			open = append(open, f)
		}
	}
	return open, refuted, minor
}
