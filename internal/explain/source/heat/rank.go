package heat

import (
	"cmp"
	"math"
	"slices"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// Options says what Rank keeps.
type Options struct {
	All bool // keep what shows in the profile and is too small to pay
	// Own says which findings are about a loop without the loops inside it, and
	// Loops are the loops that there are. Own may be nil.
	Own   func(f finding.Finding) bool
	Loops []Range
}

// least is the best case below which a finding is not worth reading, a fraction
// of all CPU; fewest the samples below which a share is chance. They are those
// of the catalogue's rules.
const (
	least  = 0.01
	fewest = 10
)

// shown is the least share that is not printed as 0.0 %: below it a finding is cold,
// whoever asks.
const shown = 0.0005

// Ranked is what Rank made of findings in the source.
type Ranked struct {
	Findings []finding.Finding
	Cold     int // left out: their lines never show in the profile
	Small    int // left out: they show, but too little to pay
	Fine     int // left out: what is hot of them are copies that the edit does not help
}

// Rank gives findings in the source their share of the CPU and an estimate of
// what the fix may give back, and keeps those that can pay. A share is that of
// the samples that ran on the finding's lines or in what was inlined there; calls
// out of the loop are not in it, for no edit of the loop makes them faster. Nor
// is what ran in copies of the loop, by inlining, in which the compiler does as
// well without the edit, unless it was called by a function whose own copy the edit
// helps. What is said of a loop itself (Options.Own) does not count the loops inside
// it; a finding with a Cost has what is called there too.
//
// Example. A loop has 60 of 100 samples: share 0.6, sampling error ±0.09. As
// written an iteration takes 4 cycles of the model, edited 1: at most ¾ of its
// time goes. The estimate is 0 to (0.6 + 0.09) × ¾, which is 52 % of the CPU.
func (h *Heat) Rank(findings []finding.Finding, o Options) Ranked {
	var out Ranked
	own := h.nest(o.Loops)
	for _, f := range findings {
		if len(f.Sites) > 0 {
			h.rankSites(&f, o)
		}
		r := h.rangeOf(f.Place)
		r.Except, r.Callers = exonerated(f), copiesIn(f, finding.CopyConfirmed)
		ranges := append(h.Sites(f), r)
		value, count := h.Self(ranges...)
		if o.Own != nil && o.Own(f) {
			value, count = own.self(r)
		}
		if f.Cost != nil {
			value, count = h.cost(f.Cost)
		}
		share := h.share(value)
		margin := finding.ShareError(share, h.p.Count())
		f.Share = finding.Share{Exclusive: &share, Error: &margin}
		f.Gain = estimate(f.Worlds, share, margin)
		if f.Cost != nil {
			f.Share = finding.Share{Inclusive: &share, Error: &margin}
			f.Gain = costGain(share, margin)
		}
		f.Minor = "" // the profile knows better what pays
		small := count < fewest || share+margin < least || (f.Gain != nil && f.Gain.High < least)
		switch {
		case !small || o.All && share >= shown:
			out.Findings = append(out.Findings, f)
		case len(r.Except) > 0 && h.shows(r):
			out.Fine++
		case count == 0 || o.All:
			out.Cold++
		default:
			out.Small++
		}
	}
	return out
}

// exonerated are the functions whose copies of the loop are no reason to edit it:
// the copy is fine, or the finding is confirmed by another copy while the edit
// changes nothing in this one. Where nothing confirms the finding, suspected
// copies are all it has, and they count.
func exonerated(f finding.Finding) []string {
	out := copiesIn(f, finding.CopyFine)
	if len(copiesIn(f, finding.CopyConfirmed)) > 0 {
		out = append(out, copiesIn(f, finding.CopySuspected)...)
	}
	return out
}

// copiesIn are the functions whose copy of the loop is in a state.
func copiesIn(f finding.Finding, state string) []string {
	var out []string
	for _, c := range f.Copies {
		if c.State == state {
			out = append(out, c.Function)
		}
	}
	return out
}

// shows says whether the lines of a range are hot where the excepted functions
// are counted too.
func (h *Heat) shows(r Range) bool {
	r.Except = nil
	value, count := h.Self(r)
	return count >= fewest && h.share(value) >= least
}

// Sites are the ranges of a finding's loops, none where it has a place alone.
func (h *Heat) Sites(f finding.Finding) []Range {
	var out []Range
	for _, s := range f.Sites {
		if s.Kind == finding.SiteLoop {
			out = append(out, h.rangeOf(s.Place))
		}
	}
	return out
}

// rankSites gives every loop of a finding its own share, puts the hottest first
// and makes it the finding's place. What never shows is left out, and so are the
// declarations that none of the other loops is about, unless all are asked for or
// nothing shows.
func (h *Heat) rankSites(f *finding.Finding, o Options) {
	var loops, declarations []finding.Site
	for _, s := range f.Sites {
		if s.Kind != finding.SiteLoop {
			declarations = append(declarations, s)
			continue
		}
		value, _ := h.Self(h.rangeOf(s.Place))
		share := h.share(value)
		s.Share = &share
		loops = append(loops, s)
	}
	slices.SortStableFunc(loops, func(a, b finding.Site) int { return -cmp.Compare(*a.Share, *b.Share) })
	if !o.All && len(loops) > 0 && *loops[0].Share > 0 {
		loops = slices.DeleteFunc(loops, func(s finding.Site) bool { return *s.Share == 0 })
		declarations = slices.DeleteFunc(declarations, func(d finding.Site) bool {
			return !slices.ContainsFunc(loops, func(l finding.Site) bool { return slices.Contains(l.Of, d.Text) })
		})
	}
	if len(loops) > 0 {
		f.Place = loops[0].Place
	}
	f.Sites = slices.Concat(loops, declarations)
}

func (h *Heat) rangeOf(p finding.Place) Range {
	r := Range{File: p.File, Line: p.Line, End: p.EndLine}
	if m := h.tree.resolve(p.File); m.file != "" {
		r.File = m.file
	}
	return r
}

// estimate is Amdahl's law (AFIPS 1967) on the loop's share: at best the edit
// takes away the part of the loop's time that reduction gives, of a share at the
// upper end of its sampling error; at worst it changes nothing.
func estimate(worlds []finding.World, share, margin float64) *finding.Gain {
	r, basis := reduction(worlds)
	if r <= 0 {
		return nil
	}
	high := math.Min(1, share+margin) * r
	return &finding.Gain{
		Low: 0, High: round(high),
		Basis: percent.Text(share) + " of the CPU × up to " + percent.Text(r) + " of it saved: " + basis + ". This is a model's upper bound; the lower bound is no gain: measure",
	}
}

// costGain is for what need not be made at all: on the pairs of bench/analyzer/rules
// a third to nine tenths of the whole went, so at least half of the cost itself.
func costGain(share, margin float64) *finding.Gain {
	const least = 0.5
	return &finding.Gain{
		Low: round(least * math.Max(0, share-margin)), High: round(math.Min(1, share+margin)),
		Basis: percent.Text(share) + " of the CPU makes, fills and destroys it × 50% to 100% of it saved: it can be left out. Not measured on your program",
	}
}

// round keeps four digits behind the point: more would claim a precision that
// no sample has.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
