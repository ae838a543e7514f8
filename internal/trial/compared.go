package trial

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"whyhot/internal/trial/digest"
	"whyhot/internal/trial/run"
)

// Compared says how far it is known that a variant does the baseline's work.
type Compared string

// The answers. Whole is the only one that needs no mark.
const (
	ComparedWhole Compared = "whole"
	ComparedPart  Compared = "in part"      // the output varies: its size and what is stable in it
	NotCompared   Compared = "not compared" // nothing of it says anything
)

// Mark is what stands beside a verdict, "" where everything was compared or
// nothing is known, as of trials made by older versions.
func (c Compared) Mark() string {
	switch c {
	case ComparedPart:
		return "compared in part"
	case NotCompared:
		return string(NotCompared)
	case ComparedWhole:
	}
	return ""
}

// mostDigests is how many runs of an arm are digested where outputs vary. They
// are enough to tell what varies, and each takes memory.
const mostDigests = 20

// written is what an arm wrote under one name.
type written struct {
	runs    int
	differ  int         // runs in which it was not the reference
	first   *run.Output // of those
	digests []*digest.Digest
	lost    bool // a run could not be digested
}

// record adds what one run wrote.
func (t *trial) record(a *arm, want, got run.Output) {
	w := a.wrote[want.Name]
	if w == nil {
		w = &written{}
		a.wrote[want.Name] = w
	}
	w.runs++
	if got.Reference != nil {
		t.reference[want.Name] = got.Reference
	}
	differs := !want.Equal(got)
	if differs {
		if w.differ++; w.first == nil {
			w.first = &got
		}
	}
	if w.runs <= mostDigests {
		w.digests = append(w.digests, got.Digest) // nil is the reference
		w.lost = w.lost || differs && got.Digest == nil
	}
}

// comparison is what the outputs of a variant say beside the baseline's.
type comparison struct {
	how        Compared
	why        string // it is not whole, or cannot be told
	doubt      bool   // whether it is the same work cannot be told: no verdict
	difference *Difference
}

// compareOutputs looks at each output. The first that differs counts, else the one
// that is known least.
func (t *trial) compareOutputs(a *arm) comparison {
	all := comparison{how: ComparedWhole}
	length := int64(0)
	var reasons []string
	for _, name := range slices.Sorted(maps.Keys(a.wrote)) {
		base, wrote := t.base().wrote[name], a.wrote[name]
		if base == nil {
			continue
		}
		c := t.compareOutput(name, base, wrote)
		if c.difference != nil {
			return c
		}
		all.doubt = all.doubt || c.doubt
		if c.why != "" {
			reasons = append(reasons, name+": "+c.why)
		}
		if c.how == NotCompared || all.how == ComparedWhole {
			all.how = c.how
		}
	}
	if a.first != nil {
		for _, p := range prints(a.first) {
			length += p.Length
		}
		if length == 0 && all.how == ComparedWhole {
			all.how = NotCompared
			reasons = append(reasons, "the command writes nothing to standard output (--output FILE compares a file that it writes)")
		}
	}
	all.why = strings.Join(reasons, "; ")
	return all
}

func (t *trial) compareOutput(name string, base, wrote *written) comparison {
	switch {
	case base.differ > 0:
		return t.compareVarying(name, base, wrote)
	case wrote.differ == 0:
		return comparison{how: ComparedWhole}
	case wrote.differ == wrote.runs || oddRuns(base.runs, wrote.runs, wrote.differ) <= mostOdd:
		return comparison{how: ComparedWhole, difference: differenceOf(name, wrote)}
	}
	return comparison{
		how: ComparedPart, doubt: true,
		why: fmt.Sprintf("in %d of %d runs it is not as in the %d runs of the baseline, which chance may do (%s)", wrote.differ, wrote.runs, base.runs, differenceOf(name, wrote).text()),
	}
}

// compareVarying compares an output that varies in the baseline already.
func (t *trial) compareVarying(name string, base, wrote *written) comparison {
	if name == exitStatus {
		return comparison{how: NotCompared, why: "it varies between runs of the baseline"}
	}
	ref := t.reference[name]
	if ref == nil || base.lost || wrote.lost {
		return comparison{how: NotCompared, why: "it varies between runs of the baseline, and could not be kept to be compared"}
	}
	filled := func(w *written) []*digest.Digest {
		out := slices.Clone(w.digests)
		for i := range out {
			if out[i] == nil {
				out[i] = ref
			}
		}
		return out
	}
	r := digest.Compare(filled(base), filled(wrote))
	switch r.Answer {
	case digest.Unlike:
		return comparison{how: ComparedPart, difference: &Difference{
			Output: name, Line: r.Line, Baseline: r.Baseline, Variant: r.Variant, Varies: r.Why,
		}}
	case digest.Alike:
		return comparison{how: ComparedPart, why: fmt.Sprintf("it varies between runs of the baseline, so its size and what all runs have in common are compared (%s of it)", shareText(r.Stable))}
	case digest.Unknown:
	}
	return comparison{how: NotCompared, why: "it varies between runs of the baseline: " + r.Why}
}

// shareText rounds down: what is not the whole is never called 100%.
func shareText(share float64) string { return fmt.Sprintf("%.0f%%", math.Floor(100*share)) }

// mostOdd is the chance below which runs that are odd on one side only are not
// taken for chance.
const mostOdd = 0.01

// oddRuns is the chance that so many odd runs among base+variant all fall to the
// variant, if it does what the baseline does (hypergeometric).
func oddRuns(base, variant, odd int) float64 {
	p := 1.0
	for i := range odd {
		p *= float64(variant-i) / float64(base+variant-i)
	}
	return p
}

func differenceOf(name string, w *written) *Difference {
	d := &Difference{Output: name}
	if w.first == nil {
		return d
	}
	d.Line, d.Baseline, d.Variant = w.first.Lines.Number, w.first.Lines.Reference, w.first.Lines.Run
	if at := w.first.FirstDifference; at >= 0 {
		d.Offset = &at
	}
	d.missing = !w.first.Written
	return d
}

// Difference is where an output differs from the baseline's.
type Difference struct {
	Output string `json:"output"`
	Offset *int64 `json:"offset,omitempty"` // of the first byte that differs; nil where the output varies
	// Line is the first that differs, from 1, 0 where it is not known; Baseline and
	// Variant are the texts there, "" behind the end.
	Line     int64  `json:"line,omitempty"`
	Baseline string `json:"baseline,omitempty"`
	Variant  string `json:"variant,omitempty"`
	// Varies says of an output that varies between runs of the baseline what differs
	// all the same.
	Varies string `json:"varies,omitempty"`

	missing bool
}

// text is the difference in words.
func (d *Difference) text() string {
	shown := func(line string) string {
		if line == "" {
			return "nothing"
		}
		return fmt.Sprintf("“%s”", line)
	}
	switch {
	case d.missing:
		return d.Output + " is not written"
	case d.Varies != "" && d.Baseline != "" && d.Variant != "":
		return fmt.Sprintf("%s varies between runs, but not so: line %d is %s in the baseline, %s here", d.Output, d.Line, shown(d.Baseline), shown(d.Variant))
	case d.Varies != "" && d.Baseline+d.Variant != "":
		return fmt.Sprintf("%s varies between runs, but not so: %s, line %d, is there %s", d.Output, shown(d.Baseline+d.Variant), d.Line, d.Varies)
	case d.Varies != "":
		return fmt.Sprintf("%s varies between runs, but not so: %s", d.Output, d.Varies)
	case d.Line > 0 && d.Baseline != d.Variant:
		return fmt.Sprintf("line %d of %s is %s, the baseline's is %s", d.Line, d.Output, shown(d.Variant), shown(d.Baseline))
	case d.Offset != nil:
		return fmt.Sprintf("%s differs from byte %d on", d.Output, *d.Offset)
	}
	return d.Output + " differs"
}

// noteOutputs says once for all variants what was not compared.
func (t *trial) noteOutputs(o *Outcome) {
	for i := range o.Variants {
		v := &o.Variants[i]
		if why := v.ComparedWhy; why != "" && v.Verdict != Failed && v.Verdict != NoEffect {
			t.notef("%s: %s", v.Compared.Mark(), why)
		}
	}
}
