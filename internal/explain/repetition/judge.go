package repetition

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/tenths"
)

// RulePerCall is the rule about tools that are made on each call.
const RulePerCall = "made-per-call"

// IsRule says whether findings of a rule are made here.
func IsRule(rule string) bool {
	return rule == RulePerCall || rule == RuleSameResult || rule == RuleSlower
}

// Judge is the judge of what is made repeatedly.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	var out judge.Answer
	all := countedFunctions(s.Profile)
	tools := find(s.Profile)
	for _, m := range append(tools, remade(s.Profile, all, tools)...) {
		out.Found = append(out.Found, m.finding(s))
	}
	for _, h := range sameResults(s.Profile, all) {
		out.Found = append(out.Found, h.same(s))
	}
	slower, growing := slowing(s.Profile, all)
	for _, h := range slower {
		out.Found = append(out.Found, h.slower(s, growing))
	}
	return out, nil
}

func (m *made) finding(s judge.Subject) judge.Found {
	p := s.Profile
	place := ownline.Place(p, m.line)
	maker := p.Function(m.maker).Name
	margin := finding.ShareError(m.share, p.Count())
	x := catalog.Removed(m.share, margin)
	f := finding.Finding{
		ID: finding.ID(RulePerCall, place, maker), Rule: RulePerCall, Certainty: finding.Suspected, Place: place,
		Title: fmt.Sprintf("%s on each call in %s; keep what it makes", short(maker), judge.Where(place)),
		Share: finding.Share{Inclusive: &m.share, Error: &margin},
		Gain: &finding.Gain{Low: x.Low, Likely: x.Likely, High: x.High, Reach: m.share,
			Basis: percent.Text(m.share) + " of the CPU, where what is made is kept; whyhot count tells how many different ones are needed"},
		Fix: finding.Fix{Kind: "code", Steps: []string{
			fmt.Sprintf("Call %s once, outside of the loop or at start, and keep what it gives; where there are several, keep them in a map by their argument", short(maker)),
		}, Caveats: []string{"Where each call makes a different one, nothing can be kept"}},
		Evidence: []finding.Evidence{{Kind: "repetition", Text: m.why(p), Share: &m.share}},
	}
	m.addCounted(&f, p)
	if m.isObject {
		f.Certainty = finding.Suspected
		f.Fix.Caveats = append(f.Fix.Caveats, "An object that is changed while it is used has to be put back before it is used again")
	}
	f.Next = s.Versus(f.ID)
	if m.counted == nil && canCount(p.Function(m.maker)) {
		// Whether it is the same comes before any change.
		f.See = append(f.See, f.Next)
		f.Next = finding.Command{Verb: "count", Args: []string{"--calls", "--profile", s.File()}, Program: s.Program()}
	}
	return judge.Found{Finding: f, Samples: m.samples, Removes: true, Yields: true}
}

func canCount(fn *profile.Function) bool {
	return fn.Kind == profile.KindNative || fn.Kind == profile.KindGo || isCountable(fn)
}

// addCounted adds what was counted, and the estimate that follows from it.
func (m *made) addCounted(f *finding.Finding, p *profile.Profile) {
	c := m.counted
	if c == nil {
		return
	}
	each := timeOf(p, m.value, m.events) / time.Duration(c.Count) //nolint:gosec // a count
	text := fmt.Sprintf("counted: called %s times", judge.Times(c.Count))
	if _, sure, _ := m.repeats(); sure {
		f.Certainty = finding.Confirmed
		text += fmt.Sprintf(" with %s different arguments", judge.Times(c.Different))
		const least, likely = 0.6, 0.9
		gone := m.share * (1 - float64(c.Different)/float64(c.Count))
		if all := c.FirstTime + c.AgainTime; all > 0 {
			gone = min(gone, m.share*float64(c.AgainTime)/float64(all))
		}
		f.Gain = &finding.Gain{Low: least * gone, Likely: likely * gone, High: m.share, Reach: m.share,
			Basis: percent.Text(m.share) + " of the CPU, of which one call for each of the different arguments stays"}
	}
	f.Evidence = append(f.Evidence, finding.Evidence{Kind: "counted", Text: fmt.Sprintf("%s; %s each", text, each.Round(time.Microsecond/10))})
}

func (m *made) why(p *profile.Profile) string {
	text := fmt.Sprintf("%s below this line takes %.1f s of CPU", p.Function(m.maker).Name, timeOf(p, m.value, m.events).Seconds())
	if m.function > m.events {
		text += fmt.Sprintf("; its function spends %d samples on other work", m.function-m.events)
	}
	if m.spread >= 0 {
		return text + fmt.Sprintf("; it goes on in %d of %d parts of the run", m.spread, tenths.Of)
	}
	if m.counted != nil {
		return text
	}
	return text + "; one takes milliseconds"
}

// short is a function as its caller names it: Environment.from_string, validator.New.
func short(name string) string {
	owner, own := ownline.Parts(name)
	switch {
	case own == "<init>" || own == "__init__" || own == "__new__" || own == "__construct" || owner == own:
		return "new " + cmp.Or(owner, own)
	case owner == "":
		return own
	}
	return owner + "." + own
}
