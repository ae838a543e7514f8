package statement

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// IsRule says whether findings of a rule are made here.
func IsRule(id string) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.id == id })
}

const (
	// leastShare is the part of the CPU from which a statement is a finding.
	leastShare = 0.05
	// leastCount is how many samples it has at least.
	leastCount = 10
	// mostText bounds a statement in a title or a line, in characters.
	mostText = 300
)

// Judge is the judge of statements.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	var out judge.Answer
	all := views(s.Profile)
	told := map[*view]*rule{}
	var repeated, inner []*view
	for _, v := range all {
		r := v.first()
		if r == nil {
			continue
		}
		if r.below && v.belowShare > v.share {
			v.share, v.rows = v.belowShare, v.below
			v.margin = finding.ShareError(v.share, s.Profile.Count())
		}
		told[v] = r
		switch r.id {
		case perRow:
			repeated = append(repeated, v)
		case rowByRow:
			inner = append(inner, v)
		}
	}
	for _, o := range outersOf(inner) {
		out.Found = append(out.Found, o.finding(s, told[o.views[0]]))
		for _, v := range o.views {
			delete(told, v)
		}
	}
	for _, l := range loopsOf(s.Profile, repeated) {
		out.Found = append(out.Found, l.finding(s, told[l.views[0]]))
		for _, v := range l.views {
			delete(told, v)
		}
	}
	for _, v := range all {
		if r := told[v]; r != nil {
			out.Found = append(out.Found, v.finding(s, r))
		}
	}
	switch len(all) {
	case 0:
	case 1:
		out.Looked = "1 SQL statement with samples."
	default:
		out.Looked = fmt.Sprintf("%d SQL statements with samples.", len(all))
	}
	return out, nil
}

// first is the rule that a statement breaks for enough of the CPU, nil for none.
func (v *view) first() *rule {
	for i := range rules {
		r := &rules[i]
		share, count := v.share, v.count
		if r.below {
			share, count = max(share, v.belowShare), max(count, int64(v.belowCount))
		}
		if share >= leastShare && count >= leastCount && r.is(v) {
			return r
		}
	}
	return nil
}

// titled is the title, with the table where there is room.
func (r *rule) titled(v *view) string {
	const most = 60
	out := r.title
	if r.id == "statement-computed-column" {
		if one := fmt.Sprintf("Condition on %s without an index", v.q.Computed[0]); len(one) <= most {
			out = one
		}
	}
	if len(v.q.Tables) > 0 && !r.any {
		if with := out + " (" + v.table() + ")"; len(with) <= most {
			return with
		}
	}
	return out
}

func (v *view) finding(s judge.Subject, r *rule) judge.Found {
	p := s.Profile
	own := float64(v.value) / float64(max(p.Total(), 1)) // without what is below its lines
	place := finding.Place{Binary: server(p, v.rows)}
	if len(v.paid) > 0 && v.paid[0].Line > 0 {
		place = v.paid[0].Place
	}
	f := finding.Finding{
		Rule: r.id, Certainty: finding.Confirmed, Place: place, Title: r.titled(v),
		ID:    finding.ID(r.id, finding.Place{}, v.System, v.Text),
		Share: finding.Share{Inclusive: &v.share, Error: &v.margin},
		Gain:  v.gain(r),
		Fix:   finding.Fix{Kind: "code", Steps: r.steps(v), Caveats: r.caveats},
		Evidence: []finding.Evidence{
			{Kind: "statement", Text: short(v.Text), Share: &own},
			{Kind: "executions", Text: v.executions()},
			{Kind: "executor", Text: r.why(v)},
		},
	}
	for i, paid := range v.paid {
		const listed = 3
		if i == listed || paid.Line == 0 {
			break
		}
		share := float64(paid.Value) / float64(p.Total())
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "caller", Text: fmt.Sprintf("executed by %s (%s:%d)", paid.Function, paid.File, paid.Line), Share: &share})
	}
	for i := range rules {
		if more := &rules[i]; more != r && more.is(v) {
			f.Evidence = append(f.Evidence, finding.Evidence{Kind: "also", Text: fmt.Sprintf("also %s: %s", more.id, more.why(v))})
			f.Fix.Steps = append(f.Fix.Steps, more.steps(v)[0])
		}
	}
	f.Next = s.Versus(f.ID)
	return judge.Found{Finding: f, Samples: v.rows, Removes: true}
}

// gain is what the change takes away of the statement's share. It was not measured.
func (v *view) gain(r *rule) *finding.Gain {
	reach, text := v.share, fmt.Sprintf("the statement takes %s of the CPU", percent.Text(v.share))
	if r.below {
		text = fmt.Sprintf("what executes the statement takes %s of the CPU", percent.Text(v.share))
	}
	if r.only != "" {
		reach *= v.part(r.only)
		text += fmt.Sprintf(", and %s %s of that", r.only, percent.Text(v.part(r.only)))
	}
	return &finding.Gain{Low: r.least * reach, Likely: r.likely * reach, High: reach, Reach: reach, Basis: text + ", of which the change leaves little; not measured on your program"}
}

// executions says how often it was executed, and what one takes.
func (v *view) executions() string {
	if v.Runs == 0 {
		return fmt.Sprintf("%s; it began before the recording, or its executions were not seen", v.System)
	}
	text := fmt.Sprintf("%s: executed %s times, %s of CPU each", v.System, judge.Times(v.Runs), duration(v.each()))
	if v.Watched < 0.95 { //nolint:mnd // else nothing was left out
		text = fmt.Sprintf("%s: executed at least %s times, roughly %s of CPU each (counted in %.0f%% of the time)", v.System, judge.Times(v.Runs), duration(v.each()), 100*v.Watched)
	}
	if v.Inner > 0 && v.Within != "" {
		text += fmt.Sprintf(", within %s", short(v.Within))
	}
	if rows, ok := v.perRun(); ok {
		text += fmt.Sprintf(", %.3g rows each", rows)
	}
	return text
}

// server is the binary in which most of a statement runs.
func server(p *profile.Profile, rows []int32) string {
	weights := map[string]int64{}
	best := ""
	for _, row := range rows {
		s := &p.Samples()[row]
		seen := map[string]bool{}
		for _, loc := range p.Stack(s.Stack) {
			path := p.Mapping(p.Location(loc).Mapping).Path
			if !strings.HasPrefix(path, "/") || seen[path] || strings.Contains(path, "/libc.so") {
				continue
			}
			seen[path] = true
			weights[path] += s.Value
			if weights[path] > weights[best] || weights[path] == weights[best] && path < best {
				best = path
			}
		}
	}
	return best
}

func short(text string) string {
	runes := []rune(text)
	if len(runes) <= mostText {
		return text
	}
	return string(runes[:mostText]) + "…"
}
