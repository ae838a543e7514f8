package api

import (
	"context"
	"errors"
	"time"

	"whyhot/internal/explain/rule"
	"whyhot/internal/explain/surprise"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

const (
	// pastWindows is how many windows before the selection are asked for, as long as it,
	// and pastDays how many days back the same time of the day, where it is shorter.
	pastWindows = 6
	pastDays    = 7
	// maxPeers bounds the other services, those with most of the CPU.
	maxPeers = 40
	day      = 24 * time.Hour
)

type surprisesForm struct {
	Basis basisForm `json:"basis"`
	// Windows and Services are how many it was held against.
	Windows   int                `json:"windows"`
	Services  int                `json:"services"`
	Profiles  int                `json:"profiles"` // behind the priors
	Surprises []finding.Surprise `json:"surprises"`
}

// surprises holds a selection against its own past, other services and the priors.
func (s *Server) surprises(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	limit, err := r.number("limit", surprise.Most, 1, 100)
	if err != nil {
		return nil, err
	}
	now, basis, err := r.project.Profile(ctx, sel)
	if err != nil {
		return nil, err
	}
	if len(now.Samples()) == 0 {
		return nil, nothing(r, sel)
	}
	cat, err := builtinRules()
	if err != nil {
		return nil, err
	}
	priors, err := surprise.Builtin()
	if err != nil {
		return nil, err
	}
	families := rule.NewFamilies(cat)
	q := surprise.Request{Now: surprise.Measure("now", now, families), Priors: priors, Most: limit}
	before, err := pastOf(ctx, r.project, sel, &q)
	if err != nil {
		return nil, err
	}
	if len(sel.Service) == 1 {
		if q.Peers, err = peersOf(ctx, r.project, sel); err != nil {
			return nil, err
		}
	}
	out := surprisesForm{Basis: formOf(basis), Windows: len(q.Past), Services: len(q.Peers), Profiles: priors.Profiles}
	out.Surprises = list(surprise.Find(q))
	return out, reasons(ctx, r.project, sel, before, now, out.Surprises, families)
}

// pastOf adds the windows of the past that have samples, and gives the time they span.
func pastOf(ctx context.Context, p *project.Project, sel store.Selection, q *surprise.Request) (span store.Selection, err error) {
	span = sel
	span.To = sel.From
	length := sel.To.Sub(sel.From)
	backs := make([]time.Duration, 0, pastWindows+pastDays)
	for i := range pastWindows {
		backs = append(backs, time.Duration(i+1)*length)
	}
	for i := range pastDays {
		if back := time.Duration(i+1) * day; back > pastWindows*length {
			backs = append(backs, back)
		}
	}
	for _, back := range backs {
		one := sel
		one.From, one.To = sel.From.Add(-back), sel.To.Add(-back)
		w, err := windowOf(ctx, p, one, one.From.UTC().Format("2 Jan 15:04"))
		if err != nil {
			return span, err
		}
		if w.Total == 0 {
			continue
		}
		q.Past = append(q.Past, w)
		if one.From.Before(span.From) {
			span.From = one.From
		}
	}
	return span, nil
}

// peersOf are the windows of the other services at the same time.
func peersOf(ctx context.Context, p *project.Project, sel store.Selection) ([]surprise.Window, error) {
	services, err := p.Labels(ctx, store.Selection{From: sel.From, To: sel.To}, store.ByService)
	if err != nil {
		return nil, err
	}
	var out []surprise.Window
	for _, s := range services {
		if s.Value == sel.Service[0] || len(out) == maxPeers {
			continue
		}
		w, err := windowOf(ctx, p, store.Selection{From: sel.From, To: sel.To, Service: []string{s.Value}}, s.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

func windowOf(ctx context.Context, p *project.Project, sel store.Selection, name string) (surprise.Window, error) {
	w := surprise.Window{Name: name}
	classes, err := allClasses()
	if err != nil {
		return w, err
	}
	top, err := p.Top(ctx, sel, store.TopOptions{})
	if err != nil {
		return w, err
	}
	w.Events = top.Basis.Read
	for _, row := range top.Rows {
		family := ""
		if surprise.Grouped(row.Self, top.Basis.Value) {
			family = classes.of(&row.Function).family
		}
		w.Add(row.Function.Name, row.Function.Binary, family, row.Self)
	}
	if err := ctx.Err(); err != nil {
		return w, err
	}
	return w, nil
}

// reasons says who brings each surprise, and which version is new.
func reasons(ctx context.Context, p *project.Project, sel, span store.Selection, now *profile.Profile, found []finding.Surprise, families *rule.Families) error {
	if len(found) == 0 {
		return nil
	}
	var before *profile.Profile
	newer := ""
	if span.From.Before(span.To) {
		var err error
		if before, _, err = p.Profile(ctx, span); err != nil {
			return err
		}
		if newer, err = newVersion(ctx, p, sel, span); err != nil {
			return err
		}
	}
	for i := range found {
		f := &found[i]
		if surprise.Explain(f, now, before, families); f.Against != finding.AgainstPast || newer == "" {
			continue
		}
		if f.Why != "" {
			f.Why += "; "
		}
		f.Why += "version " + newer + " is new"
	}
	return nil
}

// newVersion is the version of a selection that was not there before, "" where there is
// none or several.
func newVersion(ctx context.Context, p *project.Project, sel, span store.Selection) (string, error) {
	is, err := p.Labels(ctx, sel, store.ByVersion)
	// The labels of a long range are those of its whole hours: the last one may reach into
	// what is asked about. A past within one hour is no long range.
	if whole := span.To.Truncate(time.Hour); whole.After(span.From) {
		span.To = whole
	}
	was, err2 := p.Labels(ctx, span, store.ByVersion)
	if err := errors.Join(err, err2); err != nil {
		return "", err
	}
	old := map[string]bool{}
	for _, v := range was {
		old[v.Value] = true
	}
	newer := ""
	for _, v := range is {
		if v.Value == "" || old[v.Value] {
			continue
		}
		if newer != "" {
			return "", nil
		}
		newer = v.Value
	}
	return newer, nil
}
