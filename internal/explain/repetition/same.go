package repetition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// RuleSameResult is the rule about functions that compute what they have given before.
const RuleSameResult = "same-result"

// What a function must show to be told, besides what candidates show.
const (
	sameShare    = 0.05
	sameSure     = 0.035
	sameLooked   = 50                   // calls
	sameRepeats  = 5                    // calls for each of different arguments
	sameTime     = 2 * time.Microsecond // of a call: to look something up takes a part of that
	within       = 0.8                  // of the samples of a function: they are within another one
	fewNothing   = 0.01                 // of the calls may give nothing
	fromOnce     = 0.8                  // of the samples: a function that runs once calls it
	mostlyCyclic = 0.4                  // of the calls that can be
)

// outputs are verbs of functions that are called for what they do elsewhere: to give the same as
// before says nothing of these. Of those that change something of their own (effects) it says
// nothing where they give the same always.
var (
	outputs = words("write emit print puts send log store save close flush read recv accept run main wait sleep lock unlock acquire release start stop draw notify fire trigger dispatch")
	effects = words("append add push put set insert update visit delete remove clear reset next advance skip consume shift pop")
	// keys are words in names of functions of machine code that a map of results would call itself.
	keys = words("hash hashcode equal equals compare cmp less")
	// others are words in names of functions that give another result with each call, which is not
	// seen where results are not looked at.
	others = words("rand random uniform gauss gaussian normal noise sample next read recv now clock time tick seed")
)

// sameResults are the functions that give the same again for the same arguments: each with
// the largest part of the CPU that keeping their results removes. Of two that run within
// each other the one with more is told.
func sameResults(p *profile.Profile, all []*hot) []*hot {
	var out []*hot
	for _, h := range all {
		if h.isSame(p) && !h.isOfJob(all) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b *hot) int {
		return cmp.Or(cmp.Compare(b.saved(), a.saved()), cmp.Compare(a.function, b.function))
	})
	told := map[int32]bool{}
	return slices.DeleteFunc(out, func(h *hot) bool { return h.isWithin(told) })
}

// isWithin says whether half of a function's samples are told already; else they are from now on.
func (h *hot) isWithin(told map[int32]bool) bool {
	inside := 0
	for _, row := range h.samples {
		if told[row] {
			inside++
		}
	}
	if 2*inside >= len(h.samples) { //nolint:mnd // half
		return true
	}
	for _, row := range h.samples {
		told[row] = true
	}
	return false
}

// saved is the weight of the calls that are not needed.
func (h *hot) saved() float64 { return float64(h.value) * h.needless() }

// needless is the part of a function's time that goes into calls with arguments that were there
// before. By the clock, where that was seen: a function that keeps its results itself is quick when it
// is asked again. The time of a call of a recursion has that of others in it.
func (h *hot) needless() float64 {
	c := h.counted
	calls := 1 - float64(c.Different)/float64(max(c.Looked, 1))
	if all := c.FirstTime + c.AgainTime; all > 0 && !h.isRecursive() {
		return min(calls, float64(c.AgainTime)/float64(all))
	}
	return calls
}

// isSame says whether the function only ever gave for the same arguments what it gave before,
// often enough, and enough to be worth keeping.
func (h *hot) isSame(p *profile.Profile) bool {
	c := h.counted
	fn := p.Function(h.function)
	_, own := ownline.Parts(fn.Name)
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(tokens(own), func(word string) bool { return set[word] })
	}
	switch verb := tokens(own); {
	case isConstructor(fn): // each object is another one
		return false
	case !isCountable(fn) && has(keys), h.isUnseen() && has(others):
		return false
	case len(verb) > 0 && (outputs[verb[0]] || effects[verb[0]] && c.Results < 2): //nolint:mnd // as below
		return false
	case !isRepeated(c) || c.Same != c.Repeated && !h.isUnseen():
		return false
	case float64(c.Nothing) > fewNothing*float64(c.Looked):
		return false
	case c.Plain > 0 && (c.Results < 2 || 2*c.Results < c.Different && !h.isRecursive()): //nolint:mnd // true each time, or a status: nothing was computed
		return false
	case h.events < leastEvents || h.each(p) < sameTime && !h.isRecursive(): // what keeping the result of a small problem saves is all that is below it
		return false
	}
	return sure(p, int64(h.saved()), sameShare, sameSure)
}

// isUnseen says whether a function of machine code gives what cannot be looked at (floating point,
// objects), for arguments of which all was.
func (h *hot) isUnseen() bool {
	c := h.counted
	return c.Contents && c.Looked > 0 && c.Results == 0 && c.Nothing == 0
}

// isRepeated says whether arguments come back, often enough to speak of it.
func isRepeated(c *profile.FunctionCalls) bool {
	return c.Looked >= sameLooked && c.Different > 0 && c.Looked >= sameRepeats*c.Different
}

// isOfJob says whether the calls are repeated because the program does its whole job
// repeatedly, as a benchmark does: within one job the repetition has to be there, too.
//
// Example. 50 × convert(document), with 3,000 calls of tokenize(line) for 1,000 lines in each:
// 150 calls a line, of which all but three are the benchmark's.
func (h *hot) isOfJob(all []*hot) bool {
	if h.isJob() {
		return true
	}
	return slices.ContainsFunc(all, func(j *hot) bool {
		return j != h && j.isJob() && j.value >= h.value && encloses(j, h) && h.counted.Count < sameRepeats*h.counted.Different*j.counted.Count
	})
}

// isJob says whether a function that runs once does this one over and over, with the same
// arguments in the same order: every call comes as many calls after the one that it repeats
// as that one after its own.
func (h *hot) isJob() bool {
	c := h.counted
	can := c.Repeated - min(c.Repeated, c.Different) // the first distance is none that repeats
	return c.Looked > 1 && can > 0 && float64(h.top) >= fromOnce*float64(h.value) && float64(c.Cyclic) >= mostlyCyclic*float64(can)
}

// encloses says whether a function's samples are within another one's.
func encloses(outer, inner *hot) bool {
	both, n := 0, 0
	for _, row := range inner.samples {
		for n < len(outer.samples) && outer.samples[n] < row {
			n++
		}
		if n < len(outer.samples) && outer.samples[n] == row {
			both++
		}
	}
	return float64(both) >= within*float64(len(inner.samples))
}

func (h *hot) same(s judge.Subject) judge.Found {
	p, c := s.Profile, h.counted
	fn := p.Function(h.function)
	place := finding.Place{Binary: p.Mapping(fn.Mapping).Path, Function: fn.Name, File: fn.File, Line: int(fn.StartLine)}
	if origin.Own != ownline.Origin(p, h.function) {
		if paid := ownline.Of(p).Pay(h.samples); len(paid) > 0 { // what can be changed is the program's
			place = paid[0].Place
		}
	}
	share := h.share(p)
	margin := finding.ShareError(share, p.Count())
	gone := share * h.needless()
	x := catalog.Removed(gone, margin)
	with := " with " + judge.Times(c.Different)
	if c.Looked < c.Count {
		with = fmt.Sprintf(", %s of them looked at: %s", judge.Times(c.Looked), judge.Times(c.Different))
	}
	certainty, gave := finding.Confirmed, "and the same ones gave the same result each time"
	if h.isUnseen() {
		certainty, gave = finding.Suspected, "all of them known by what is in them; what it gave was not looked at"
	}
	evidence := fmt.Sprintf("counted: %s calls%s different arguments, %s", judge.CallsOf(c), with, gave)
	if len(c.Times) > 0 || !c.Stopped {
		evidence += fmt.Sprintf("; %s a call", h.each(p).Round(time.Microsecond/10))
	}
	title := short(fn.Name) + " computes the same results repeatedly; keep them"
	steps := []string{"Keep what it gives, in its object or a map by its arguments; or call it before the loop"}
	if h.isRecursive() {
		title = short(fn.Name) + " solves the same subproblems repeatedly; keep their results"
		steps = []string{"Keep what it gives in a table by its arguments (memoisation), or fill that table from the small ones on (dynamic programming)"}
	}
	chain := places(p, h.chain(p))
	if len(chain) > 0 {
		steps = append(steps, "Called by "+strings.Join(chain[:min(len(chain), fewCalls)], " ← "))
	}
	f := finding.Finding{
		ID: finding.ID(RuleSameResult, place, fn.Name), Rule: RuleSameResult, Certainty: certainty, Place: place,
		Title: title,
		Share: finding.Share{Inclusive: &share, Error: &margin},
		Gain: &finding.Gain{Low: x.Low, Likely: x.Likely, High: x.High, Reach: share,
			Basis: percent.Text(gone) + " of the CPU, in calls with arguments that were there before"},
		Fix:      finding.Fix{Kind: "code", Steps: steps, Caveats: []string{"What it reads besides its arguments must stay the same, or what is kept is dropped when that changes"}},
		Evidence: []finding.Evidence{{Kind: "counted", Text: evidence, Share: &share}},
	}
	if len(chain) > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "callers", Text: "called in " + strings.Join(chain, " ← ")})
	}
	f.Next = s.Versus(f.ID)
	return judge.Found{Finding: f, Samples: h.samples, Removes: true}
}
