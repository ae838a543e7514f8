package machine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
	"whyhot/internal/profile/origin"
)

const (
	branchRule = "machine-branch"
	sparseRule = "machine-sparse"
	searchRule = "machine-search"
	walkRule   = "machine-walk"
	// Of a jump this part is missed at least, in so many executions. With fewer they say little.
	leastMissed = 0.06
	fewestSeen  = 60
	// leastInMisses is the part of the code's time that goes into misses at least, by the higher
	// estimate.
	leastInMisses = 0.1
	mostOutcomes  = 4 // jumps that are listed
	// likelyPart is how far from the lower end of its range the likely saving is: of the changes
	// that judges of blind sets tried, those that promised least gave the lower end or less
	// (bench/catalog-reach.md, thirty-second set), since other work goes on behind a wrong guess.
	likelyPart = 0.25
)

// What a wrong guess costs, in cycles, and how many instructions a cycle such code has otherwise
// (Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2023; measured: bench/machine.md).
const (
	cheapestMiss, dearestMiss = 12, 30
	fewestACycle, mostACycle  = 1.5, 4
)

// Guesses are findings about jumps whose outcomes the recording has followed, and no processor
// foresees: one for each loop, and for what a function has outside of loops.
func Guesses(p *profile.Profile, a Answer) []Found {
	var out []Found
	for _, g := range guessing(p, a) {
		l := g.code
		share := float64(l.Self) / float64(max(p.Total(), 1))
		low, high := g.inMisses()
		if share < least || l.Count < fewest || high < leastInMisses || isLibc(l.Mapping.Path) || l.breaks(searchRule) || l.waitsForMemory(p, a) {
			continue
		}
		worst, own := g.own()
		if !own {
			continue
		}
		margin := finding.ShareError(share, p.Count())
		place := finding.Place{Binary: l.Mapping.Path, BuildID: l.Mapping.BuildID, Function: l.Function, File: l.File, Line: l.Line, EndLine: l.EndLine}
		if at, ok := l.lineOf(worst.Address); ok {
			place.File, place.Line = at.Function.File, int(at.Line)
			place.EndLine = place.Line
			l.Inlined = ""
			if at.Function.Name != l.Function {
				l.Inlined = at.Function.Name
			}
		}
		whole := "" // of a function that is inlined in several places, or called besides: one change
		if !g.isLoop || l.Inlined != "" {
			whole = finding.ID(branchRule, finding.Place{Binary: l.Mapping.Path}, cmp.Or(l.Inlined, l.Function))
		}
		out = append(out, Found{Loop: l, whole: whole, Finding: finding.Finding{
			Rule: branchRule, Title: titleOfGuesses(g), Certainty: finding.Confirmed, Place: place,
			ID:       identity(branchRule, l.Mapping, l.function, g.which),
			Share:    finding.Share{Exclusive: &share, Error: &margin},
			Gain:     &finding.Gain{Low: low * share, Likely: (low + likelyPart*(high-low)) * share, High: high * share, Basis: "the outcomes that were followed, at 12 to 30 cycles for each that is missed"},
			Evidence: g.evidence(p),
			Fix:      finding.Fix{Kind: inCode, Steps: rules[branchRule].steps, Caveats: rules[branchRule].caveats},
		}})
	}
	return out
}

func titleOfGuesses(g guessed) string {
	where := "Loop's branch"
	if !g.isLoop {
		where = "Branch of " + codename.Display(g.code.Function)
	}
	return where + " is mispredicted; compute both ways"
}

// guessed are the jumps of a loop, or of what a function has outside of loops.
type guessed struct {
	code   *Loop
	isLoop bool
	which  string // tells it apart in its function
	all    []profile.Branch
	missed []profile.Branch // those that can be done without, and are missed; most first
}

// guessing puts the jumps of a recording to the code that they are in.
func guessing(p *profile.Profile, a Answer) []guessed {
	var out []guessed
	type code struct {
		path   string
		start  uint64
		isLoop bool
	}
	at := map[code]int{}
	for _, b := range p.Meta.Branches {
		g := codeOf(a, b)
		if g.code == nil || b.Judged == 0 { // or it closes a loop
			continue
		}
		key := code{b.Path, g.code.Start, g.isLoop}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, g)
		}
		out[i].all = append(out[i].all, b)
	}
	for i := range out {
		g := &out[i]
		for _, b := range g.all {
			if b.Both > 0 && b.Seen >= fewestSeen && float64(b.Missed) >= leastMissed*float64(b.Judged) {
				g.missed = append(g.missed, b)
			}
		}
		slices.SortFunc(g.missed, func(a, b profile.Branch) int {
			return cmp.Or(cmp.Compare(misses(b), misses(a)), cmp.Compare(a.Address, b.Address))
		})
	}
	return slices.DeleteFunc(out, func(g guessed) bool { return len(g.missed) == 0 })
}

// own is the jump that is missed most of those in code that somebody edits; ok is false where
// all are in a library's, or the standard library's.
func (g *guessed) own() (worst profile.Branch, ok bool) {
	for _, b := range g.missed {
		at, known := g.code.lineOf(b.Address)
		if !known && g.code.File == "" {
			return b, true // nobody knows
		}
		f := profile.Function{Name: at.Function.Name, File: at.Function.File, Kind: profile.KindNative}
		if known && !finding.IsInstalled(f.File, "") && origin.OfFunction(&f, g.code.Mapping.Path) == origin.Own {
			return b, true
		}
	}
	return profile.Branch{}, false
}

// misses is how many of a jump's executions were missed, those for learning as well.
func misses(b profile.Branch) float64 {
	return float64(b.Missed) / float64(max(b.Judged, 1)) * float64(b.Seen)
}

// codeOf is the innermost loop that a jump is in, or else what its function has outside of
// loops.
func codeOf(a Answer, b profile.Branch) (g guessed) {
	for i := range a.Loops {
		l := &a.Loops[i]
		if l.Mapping.Path == b.Path && l.holds(b.Address) {
			number := 0
			for _, other := range a.Loops {
				if other.function == l.function && other.Start < l.Start {
					number++
				}
			}
			g = guessed{code: l, isLoop: true, which: fmt.Sprint(number)}
		}
	}
	if g.code != nil {
		return g
	}
	for _, f := range a.Functions {
		if f.Mapping.Path != b.Path || b.Address < f.Start || b.Address >= f.End {
			continue
		}
		l := &Loop{Function: f.Name, Mapping: f.Mapping, Start: f.Start, End: f.End, Instructions: f.Outside, function: &function{name: f.Name, low: f.Start, high: f.End}}
		for _, in := range f.Outside {
			l.Ranges = append(l.Ranges, [2]uint64{in.Address, in.Address + 1})
			l.Self += in.Self
			l.Count += in.Count
		}
		l.place()
		return guessed{code: l, which: "outside"}
	}
	return guessed{}
}

// inMisses says which part of the code's time goes into what can be done without: cycles that
// misses cost, of these and what the instructions take. A jump that is executed most often
// stands for a pass, in which half of the instructions are executed at least: ways exclude each
// other. Example: of 20 instructions and half a miss, which take 2.5 to 13 cycles and 6 to 15,
// these are 31 to 86 in a hundred.
func (g *guessed) inMisses() (low, high float64) {
	var missed, passes float64
	for _, b := range g.missed {
		missed += misses(b)
	}
	for _, b := range g.all {
		passes = max(passes, float64(b.Seen))
	}
	missed /= passes
	part := func(cycles, others float64) float64 { return missed * cycles / (missed*cycles + others) }
	all := float64(len(g.code.Instructions))
	return part(cheapestMiss, all/fewestACycle), part(dearestMiss, all/2/mostACycle) //nolint:mnd // half of them
}

func (g *guessed) evidence(p *profile.Profile) []finding.Evidence {
	var out []finding.Evidence
	for i, b := range g.missed {
		if i == mostOutcomes {
			out = append(out, finding.Evidence{Kind: evidenceKind, Text: fmt.Sprintf("and %d more jumps that are missed", len(g.missed)-i)})
			break
		}
		at := ""
		if f, ok := g.code.lineOf(b.Address); ok {
			at = fmt.Sprintf(" (%s:%d)", filepath.Base(f.Function.File), f.Line)
		}
		out = append(out, finding.Evidence{Kind: evidenceKind, Text: fmt.Sprintf("jump at %x%s: taken in %s of %d executions that were followed; a predictor with a long history misses %s",
			b.Address, at, percent.Column(float64(b.Taken)/float64(b.Seen)), b.Seen, percent.Column(float64(b.Missed)/float64(b.Judged)))})
	}
	share := float64(g.code.Self) / float64(max(p.Total(), 1))
	what := "loop"
	if !g.isLoop {
		what = "code outside of loops"
	}
	return append(out, finding.Evidence{Kind: evidenceKind, Text: fmt.Sprintf("%s, %d instructions", g.code.where(what), len(g.code.Instructions)), Share: &share})
}

// holds says whether an instruction is the loop's own, and not of a loop in it.
func (l *Loop) holds(address uint64) bool {
	return slices.ContainsFunc(l.Instructions, func(in Instruction) bool { return in.Address == address })
}

// lineOf is the source line of an instruction.
func (l *Loop) lineOf(address uint64) (profile.Frame, bool) {
	return Edited(l.linesAt(address))
}

// linesAt are the frames of an instruction, the innermost inlined one first.
func (l *Loop) linesAt(address uint64) []profile.Frame {
	for _, in := range l.Instructions {
		if in.Address == address {
			return in.Lines
		}
	}
	return nil
}

// breaks says whether a rule of its own says what a loop does: a binary search, a walk along a
// list.
func (l *Loop) breaks(rule string) bool {
	return slices.ContainsFunc(l.Matches, func(m analyzer.MachineMatch) bool { return m.Rule == rule })
}

// waitsForMemory: where loads are waited for, what is done meanwhile costs little, and a wrong
// guess is seen late only since what it asks comes late.
func (l *Loop) waitsForMemory(p *profile.Profile, a Answer) bool {
	const part = 0.2
	var waited int64
	for i := range a.Stalls {
		s := &a.Stalls[i]
		if s.Mapping.Path != l.Mapping.Path || !l.covers(s.Load.Address) || !s.isEnough(p) {
			continue
		}
		if s.Kind == "chase" {
			return true
		}
		waited += s.Self
	}
	return l.breaks(walkRule) || float64(waited) >= part*float64(l.Self)
}

// isFollowed says whether the recording has outcomes of a loop's jumps: then samples are not
// asked which are missed.
func (l *Loop) isFollowed(p *profile.Profile) bool {
	return slices.ContainsFunc(p.Meta.Branches, func(b profile.Branch) bool { return b.Path == l.Mapping.Path && b.Leaves == "" && l.covers(b.Address) })
}
