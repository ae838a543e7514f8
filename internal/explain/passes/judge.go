package passes

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// The rules.
const (
	RuleSame = "same-per-pass"
	RuleScan = "scan-per-pass"
	RuleWait = "busy-wait"
	RuleSort = "sort-key-again"
	// RuleRecursion is of functions that solve the same parts of a problem again.
	RuleRecursion = "recursion-again"
	// RuleWindow is of sums over ranges that overlap.
	RuleWindow = "window-per-pass"
	// RuleColumn is of inner loops that go down the columns of an array.
	RuleColumn = "column-per-pass"
	// RuleSelection is of searches for the first in an order, again on each pass.
	RuleSelection = "selection-per-pass"
	// RuleCopied is of collections that are copied to add to them.
	RuleCopied = "copied-per-pass"
	// RuleElements is of loops of C++ and Go that copy each element.
	RuleElements = "element-copied"
	// RuleReturned is of functions that give a copy of what is kept.
	RuleReturned = "copy-returned"
	// RuleByText is of copies by way of text.
	RuleByText = "copy-by-text"
	// RuleParsed is of files that are read and parsed on each call.
	RuleParsed = "file-parsed-per-call"
	// RuleBound is of sums that go on past what they are compared with.
	RuleBound = "sum-past-bound"
	// RuleForOne is of collections that are made whole to use one element.
	RuleForOne = "all-for-one"
	// RuleTwice is of keys that are looked up again after a question whether they are there.
	RuleTwice = "looked-up-twice"
	// RuleCalledTwice is of calls that are made again at once, with the same arguments.
	RuleCalledTwice = "called-twice"
	// RulePosition is of elements that are found by walking to their number, and of lengths that
	// are measured on each pass.
	RulePosition = "position-per-pass"
	// RulePattern is of regular expressions that backtrack.
	RulePattern = "pattern-backtracks"
	// RuleSorted is of lists that are sorted whole for each element added.
	RuleSorted = "sorted-per-add"
	// RuleCompared is of objects that are compared by way of text.
	RuleCompared = "compared-by-text"
	// RuleBits is of checksums that take one bit at a time.
	RuleBits = "crc-bitwise"
	// RuleValue is of arguments that a function of C++ takes by value.
	RuleValue = "argument-copied"
	// RuleNumbered is of hash tables whose keys are whole numbers.
	RuleNumbered = "numbers-as-keys"
	// RuleTextKey is of texts that are made to be keys.
	RuleTextKey = "text-as-key"
	// RuleSummed is of methods that go through all that an object keeps whenever they are asked.
	RuleSummed = "summed-per-access"
	// RulePower is of powers with constants.
	RulePower = "power-constant"
)

// rules are all of them.
var rules = []string{RuleSame, RuleScan, RuleWait, RuleSort, RuleRecursion, RuleWindow, RuleColumn, RuleSelection, RuleCopied, RuleElements, RuleReturned, RuleByText, RuleParsed, RulePower, RuleBound, RuleForOne, RuleTwice, RuleCalledTwice, RulePosition, RulePattern, RuleSorted, RuleCompared, RuleBits, RuleValue, RuleNumbered, RuleTextKey, RuleSummed}

// IsRule says whether findings of a rule are made here.
func IsRule(rule string) bool { return slices.Contains(rules, rule) }

// Judge is the judge of what is done again on each pass of a loop.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	var out judge.Answer
	if s.Facts == nil || s.Profile.Total() <= 0 {
		return out, nil
	}
	r := newReader(s)
	said := map[int32]bool{}
	hottest := r.hottest()
	tell(&out, said, r.sortKeys(hottest), func(x keyed) judge.Found { return r.keyFinding(s, x) })
	tell(&out, said, r.recursions(), func(x recursion) judge.Found { return r.recursionFinding(s, x) })
	loops, given := r.withWholes(r.elements(hottest), r.returned(hottest))
	tell(&out, said, append(loops, r.goElements()...), func(x element) judge.Found { return r.elementFinding(s, x) })
	tell(&out, said, given, func(x returned) judge.Found { return r.returnedFinding(s, x) })
	tell(&out, said, r.byValues(hottest), func(x byValue) judge.Found { return r.byValueFinding(s, x) })
	tell(&out, said, r.byText(hottest), func(x byText) judge.Found { return r.byTextFinding(s, x) })
	tell(&out, said, r.parsedFiles(hottest), func(x parsed) judge.Found { return r.parsedFinding(s, x) })
	tell(&out, said, r.powersIn(hottest), func(x power) judge.Found { return r.powerFinding(s, x) })
	tell(&out, said, r.copies(), func(x copied) judge.Found { return r.copiedFinding(s, x) })
	var repeats []*repeated
	add := func(h *hot, same func(*hot) (repeated, bool)) {
		if isSaid(said, h.rows) {
			return
		}
		x, ok := same(h)
		if !ok {
			return
		}
		if n, known := turns(s.Profile, h.rows); known && n < leastTurns {
			return
		}
		say(said, h.rows)
		for _, known := range repeats {
			if known.line == x.line && known.call.Name == x.call.Name {
				known.join(x.hot)
				return
			}
		}
		own := *x.hot // another step may join it
		x.hot = &own
		for _, o := range hottest {
			if o.line == x.line && o.step != x.step && r.restsOn(o, &x) {
				x.join(o)
				say(said, o.rows)
			}
		}
		repeats = append(repeats, &x)
	}
	for _, h := range hottest {
		add(h, r.same)
	}
	for _, h := range r.lonely() {
		add(h, r.sameLonely)
	}
	for _, x := range repeats {
		out.Found = append(out.Found, r.repeatedFinding(s, x))
	}
	tell(&out, said, r.sortedAgains(hottest), func(x sortedAgain) judge.Found { return r.sortedAgainFinding(s, x) })
	tell(&out, said, r.comparisons(hottest), func(x comparedByText) judge.Found { return r.comparedFinding(s, x) })
	tell(&out, said, r.textKeys(), func(x textKey) judge.Found { return r.textKeyFinding(s, x) })
	tell(&out, said, r.bitByBit(), func(x bits) judge.Found { return r.bitsFinding(s, x) })
	tell(&out, said, r.backtracks(hottest), func(x backtracking) judge.Found { return r.backtracksFinding(s, x) })
	tell(&out, said, r.positions(), func(x countedOut) judge.Found { return r.positionFinding(s, x) })
	tell(&out, said, r.scans(hottest), func(x scan) judge.Found { return r.scanFinding(s, x) })
	tell(&out, said, r.selections(), func(x selection) judge.Found { return r.selectionFinding(s, x) })
	tell(&out, said, append(r.wholesForOne(hottest), r.madeToFind(hottest)...), func(x wholeForOne) judge.Found { return r.wholeForOneFinding(s, x) })
	tell(&out, said, r.sumsPastBound(), func(x bounded) judge.Found { return r.boundedFinding(s, x) })
	tell(&out, said, r.windows(), func(x window) judge.Found { return r.windowFinding(s, x) })
	tell(&out, said, r.columns(hottest), func(x column) judge.Found { return r.columnFinding(s, x) })
	tell(&out, said, r.sums(), func(x total) judge.Found { return r.summedFinding(s, x) })
	tell(&out, said, r.numberedTables(), func(x numbered) judge.Found { return r.numberedFinding(s, x) })
	tell(&out, said, r.lookedUpTwice(), func(x twice) judge.Found { return r.twiceFinding(s, x) })
	tell(&out, said, r.callsTwice(hottest), func(x calledTwice) judge.Found { return r.calledTwiceFinding(s, x) })
	for _, x := range r.waits() {
		out.Found = append(out.Found, r.waitFinding(s, x))
	}
	return out, nil
}

func say(said map[int32]bool, rows []int32) {
	for _, row := range rows {
		said[row] = true
	}
}

// isSaid says whether most of some rows belong to a finding: the outermost call that is made
// again takes along what it calls.
func isSaid(said map[int32]bool, rows []int32) bool {
	n := 0
	for _, row := range rows {
		if said[row] {
			n++
		}
	}
	return 2*n > len(rows)
}

// excerpt is a line of source as it is written.
func (r *reader) excerpt(file string, line int) string {
	const most = 100
	lines, ok := r.facts.Source(file)
	if !ok || line < 1 || line > len(lines) {
		return ""
	}
	t := strings.TrimSpace(lines[line-1])
	if len(t) > most {
		t = strings.ToValidUTF8(t[:most], "") + "…"
	}
	return t
}

func (r *reader) repeatedFinding(s judge.Subject, x *repeated) judge.Found {
	place := ownline.Place(r.p, x.line)
	name := strings.TrimSuffix(x.call.Name, "!")
	loopAt := at(x.loopIn, x.loop.First)
	why := "nothing in the loop at " + loopAt + " changes what it is called with"
	first := fmt.Sprintf("Call it once before the loop at %s, and use what it gave", loopAt)
	switch {
	case x.byCall:
		why = fmt.Sprintf("%s goes through the same each time, and is called for each pass of the loop at %s", place.Function, loopAt)
		first = "Keep what it gives beside each of them: made when the element comes, or in a table before the loop at " + loopAt
	case x.again && x.caller != (profile.Line{}):
		caller := ownline.Place(r.p, x.caller)
		why = fmt.Sprintf("the loop at %s goes through the same on each pass of the loop at %s, and gives %s each of it", at(caller.File, caller.Line), loopAt, place.Function)
		first = fmt.Sprintf("Keep what it gives for each of them, before the loop at %s", loopAt)
	case x.caller != (profile.Line{}):
		why = fmt.Sprintf("it is called with nothing of its function's own, and %s is called for each pass of the loop at %s", place.Function, loopAt)
		if len(x.given) > 0 {
			why = fmt.Sprintf("the loop at %s gives %s the same %s on each pass", loopAt, place.Function, strings.Join(x.given, " and "))
		}
		first = fmt.Sprintf("Call it once before the loop at %s, or keep what it gave beside %s", loopAt, place.Function)
	case x.again:
		why = "the loop inside of the one at " + loopAt + " goes through the same each time"
		first = fmt.Sprintf("Keep what it gives for each of them, before the loop at %s", loopAt)
	}
	gain := saving{share: x.share, least: 0.5, likely: 0.9, why: "is in the call, of which one stays"}
	if x.part > 0 {
		gain.least, gain.likely = gain.least*x.part, gain.likely*x.part
	}
	f := r.suspected(s, RuleSame, place, x.rows, gain, name)
	f.Title = fmt.Sprintf("Each pass calls %s for the same result (%s)", name, at(place.File, place.Line))
	f.Fix.Steps = []string{first}
	if x.part > 0 {
		f.Gain.High = min(f.Gain.High, x.part*x.share+*f.Share.Error)
		why += fmt.Sprintf("; %s of the calls of that name in the line are so", percent.Text(x.part))
	}
	f.Fix.Caveats = []string{"This is read from the text: a call that changes something or reads what others change has to stay"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Text: why, Share: &x.share},
		{Kind: "source", Text: fmt.Sprintf("%s: %s", loopAt, r.excerpt(x.loopIn, x.loop.First))},
	}
	if x.loop.Within && x.loop.Has(place.Line) && x.loopIn == place.File {
		f.Evidence = f.Evidence[:2]
	}
	return f
}

// saving is what a change may give back: of the share so much at least, and most likely.
type saving struct {
	share, least, likely float64
	why                  string // what the share of the CPU does
}

// suspected is what all findings of the package have in common: a place in the program's text,
// what it takes, and that nothing but the text says so. key tells it apart in its place.
func (r *reader) suspected(s judge.Subject, rule string, place finding.Place, rows []int32, x saving, key ...string) judge.Found {
	margin := finding.ShareError(x.share, r.p.Count())
	id := finding.ID(rule, place, key...)
	return judge.Found{Samples: slices.Clone(rows), Removes: true, Yields: true, Takes: true, Finding: finding.Finding{
		ID: id, Rule: rule, Certainty: finding.Suspected, Place: place,
		Share: finding.Share{Inclusive: &x.share, Error: &margin},
		Gain: &finding.Gain{Low: x.least * x.share, Likely: x.likely * x.share, High: min(1, x.share+margin), Reach: x.share,
			Basis: percent.Text(x.share) + " of the CPU " + x.why},
		Fix:  finding.Fix{Kind: "code"},
		Next: s.Versus(id),
	}}
}

// quoted is the line of a place, as it is written.
func (r *reader) quoted(p finding.Place) finding.Evidence {
	return finding.Evidence{Kind: "source", Text: fmt.Sprintf("Line %d: %s", p.Line, r.excerpt(p.File, p.Line))}
}

// at is a line of a file, for a sentence.
func at(file string, line int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line) }
