package passes

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// rule is a rule of the package.
type rule struct {
	id string
	// tell adds what it finds, where most of the samples belong to no finding yet.
	tell func(r *reader, s judge.Subject, t *told)
}

// told is what was found so far, and the samples that it is about.
type told struct {
	judge.Answer

	said map[int32]bool
}

// of is a rule that looks for spots and tells each.
func of[T spotted](id string, find func(*reader) []T, finding func(*reader, judge.Subject, T) judge.Found) rule {
	return rule{id, func(r *reader, s judge.Subject, t *told) {
		tell(&t.Answer, t.said, find(r), func(x T) judge.Found { return finding(r, s, x) })
	}}
}

// rules are all of them, in the order in which they are asked: a rule that knows more about a
// line stands before one that knows less.
var rules = []rule{
	of(RuleSort, (*reader).sortKeys, (*reader).keyFinding),
	of(RuleRecursion, (*reader).recursions, (*reader).recursionFinding),
	of(RuleElements, (*reader).copiedElements, (*reader).elementFinding),
	of(RuleReturned, (*reader).returnedCopies, (*reader).returnedFinding),
	of(RuleReturned, (*reader).boundCopies, (*reader).boundFinding),
	of(RuleAssigned, (*reader).assignedCopies, (*reader).assignedFinding),
	of(RuleValue, (*reader).byValues, (*reader).byValueFinding),
	of(RuleByText, (*reader).byText, (*reader).byTextFinding),
	of(RuleParsed, (*reader).parsedFiles, (*reader).parsedFinding),
	of(RuleMisses, (*reader).cachedFunctions, (*reader).cachedFinding),
	of(RuleOfByte, (*reader).bytewise, (*reader).ofByteFinding),
	of(RulePower, (*reader).powersIn, (*reader).powerFinding),
	of(RuleCopied, (*reader).copies, (*reader).copiedFinding),
	{RuleSame, (*reader).tellSame},
	of(RuleConstKey, (*reader).constKeys, (*reader).constKeyFinding),
	of(RuleByHand, (*reader).sortsByHand, (*reader).byHandFinding),
	of(RuleSorted, (*reader).sortedAgains, (*reader).sortedAgainFinding),
	of(RuleCompared, (*reader).comparisons, (*reader).comparedFinding),
	of(RuleTextKey, (*reader).textKeys, (*reader).textKeyFinding),
	of(RuleTried, (*reader).tried, (*reader).triedFinding),
	of(RuleReplaced, (*reader).replacements, (*reader).replacedFinding),
	of(RuleCleared, (*reader).clearedArrays, (*reader).clearedFinding),
	of(RuleBits, (*reader).bitByBit, (*reader).bitsFinding),
	of(RulePattern, (*reader).backtracks, (*reader).backtracksFinding),
	of(RulePosition, (*reader).positions, (*reader).positionFinding),
	of(RuleChain, (*reader).chains, (*reader).chainFinding),
	of(RuleProbes, (*reader).probings, (*reader).probingFinding),
	of(RuleScan, (*reader).scans, (*reader).scanFinding),
	of(RuleByChar, (*reader).byChars, (*reader).byCharFinding),
	of(RuleSelection, (*reader).selections, (*reader).selectionFinding),
	of(RuleForOne, (*reader).madeForOne, (*reader).wholeForOneFinding),
	of(RuleBound, (*reader).sumsPastBound, (*reader).boundedFinding),
	of(RuleWindow, (*reader).windows, (*reader).windowFinding),
	of(RuleColumn, (*reader).columns, (*reader).columnFinding),
	of(RuleMisses, (*reader).misses, (*reader).missesFinding),
	of(RuleSummed, (*reader).sums, (*reader).summedFinding),
	of(RuleSortedAccess, (*reader).sortedAccesses, (*reader).sortedAccessFinding),
	of(RuleNumbered, (*reader).numberedTables, (*reader).numberedFinding),
	of(RuleTwice, (*reader).lookedUpTwice, (*reader).twiceFinding),
	of(RuleCalledTwice, (*reader).callsTwice, (*reader).calledTwiceFinding),
	{RuleWait, (*reader).tellWaits},
}

// IsRule says whether findings of a rule are made here.
func IsRule(id string) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.id == id })
}

// Judge is the judge of what is done again on each pass of a loop.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	t := told{said: map[int32]bool{}}
	if s.Facts == nil || s.Profile.Total() <= 0 {
		return t.Answer, nil
	}
	r := newReader(s)
	for _, rule := range rules {
		judge.Guard("the rule "+rule.id, &t.Notes, func() { rule.tell(r, s, &t) })
	}
	r.addLesser(s, &t)
	return t.Answer, nil
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
