package passes

import (
	"fmt"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// tellSame tells calls that give the same on each pass; several steps of one line are one.
func (r *reader) tellSame(s judge.Subject, t *told) {
	var repeats []*repeated
	add := func(h *hot, same func(*hot) (repeated, bool)) {
		if isSaid(t.said, h.rows) {
			return
		}
		x, ok := same(h)
		if !ok {
			return
		}
		if n, known := turns(s.Profile, h.rows); known && n < leastTurns {
			return
		}
		say(t.said, h.rows)
		for _, known := range repeats {
			if known.line == x.line && known.call.Name == x.call.Name {
				known.join(x.hot)
				return
			}
		}
		own := *x.hot // another step may join it
		x.hot = &own
		for _, o := range r.hottest {
			if o.line == x.line && o.step != x.step && r.restsOn(o, &x) {
				x.join(o)
				say(t.said, o.rows)
			}
		}
		repeats = append(repeats, &x)
	}
	for _, h := range r.hottest {
		add(h, r.same)
	}
	for _, h := range r.lonely() {
		add(h, r.sameLonely)
	}
	for _, x := range repeats {
		t.Found = append(t.Found, r.repeatedFinding(s, x))
	}
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
