package message

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/server/access"
	"whyhot/internal/server/alert"
	"whyhot/internal/server/project"
	"whyhot/internal/server/watch"
)

// burst is how many messages a look may make for a receiver: more become one, so that a
// first look at a large fleet does not bury people.
const burst = 10

// stale is how old a finding of a service that sends no more may be and still be told.
const stale = 24 * time.Hour

// Looked puts into the outboxes what a look at a project found that receivers have not
// been told. It sends nothing itself.
func (m *Messenger) Looked(ctx context.Context, p *project.Project) error {
	c := m.reload()
	events, alertErr := alert.Judge(ctx, p, c.Alerts, m.o.Now())
	records, err := watch.Findings(p, "", false)
	if err != nil {
		return errors.Join(alertErr, err)
	}
	runs, err := watch.Runs(p, "")
	if err != nil {
		return errors.Join(alertErr, err)
	}
	spans := make(map[string]watch.Run, len(runs))
	for _, r := range runs {
		spans[r.Service] = r
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	errs := []error{alertErr}
	for i := range c.Receivers {
		pl := &plan{m: m, c: c, r: &c.Receivers[i], p: p, now: m.o.Now().UTC(), spans: spans}
		if err := pl.run(ctx, records); err != nil {
			errs = append(errs, err)
		}
		if err := pl.alerts(ctx, events); err != nil {
			errs = append(errs, err)
		}
	}
	m.wake()
	return errors.Join(errs...)
}

// plan is the look of one receiver at a project's findings.
type plan struct {
	m     *Messenger
	c     *Config
	r     *Receiver
	p     *project.Project
	now   time.Time
	spans map[string]watch.Run

	told map[string]told
	outs map[string]out
}

func (pl *plan) run(ctx context.Context, records []watch.Record) (err error) {
	if pl.told, err = project.Read[told](pl.p, kindTold); err != nil {
		return err
	}
	if pl.outs, err = project.Read[out](pl.p, kindOut); err != nil {
		return err
	}
	receivers, err := project.Read[known](pl.p, kindReceiver)
	if err != nil {
		return err
	}
	_, met := receivers[pl.r.Name]
	var fresh, standing []Item
	points := map[string]watch.Point{}
	for i := range records {
		r := &records[i]
		why, before := pl.news(r, met)
		if why == "" {
			continue
		}
		item := pl.item(r, why, before)
		if pl.c.muted(pl.r.Name, pl.p.Name, &item, pl.now) {
			continue
		}
		points[toldKey(pl.r.Name, item.Finding, item.Service)] = last(r)
		if why == WhyKnown {
			standing = append(standing, item)
		} else {
			fresh = append(fresh, item)
		}
	}
	if err := pl.write(ctx, fresh, standing); err != nil {
		return err
	}
	for key, point := range points {
		_, rest, _ := strings.Cut(key, "\n")
		id, service, _ := strings.Cut(rest, "\n")
		if err := pl.p.Put(ctx, kindTold, key, told{pl.r.Name, service, id, point}); err != nil {
			return err
		}
	}
	if met {
		return nil
	}
	return pl.p.Put(ctx, kindReceiver, pl.r.Name, known{Receiver: pl.r.Name, Since: pl.now})
}

// last is what a finding costs now.
func last(r *watch.Record) watch.Point {
	if n := len(r.History); n > 0 {
		return r.History[n-1]
	}
	return watch.Point{}
}

// news says why a receiver is to be told of a finding, "" where it is not.
func (pl *plan) news(r *watch.Record, met bool) (why string, before *watch.Point) {
	now := last(r)
	switch {
	case pl.now.Sub(r.Last) > stale:
		return "", nil
	case r.Finding.Certainty == finding.Refuted || r.Finding.Minor != "" || r.Finding.General || r.Finding.Aside:
		return "", nil
	case !pl.r.wants(pl.p.Name, r.Service) || now.Cores < pl.r.MinCores || now.Share < pl.r.MinShare:
		return "", nil
	}
	key := toldKey(pl.r.Name, r.Finding.ID, r.Service)
	was, tellable := pl.told[key]
	if !tellable {
		if !met && len(r.History) > 1 {
			return WhyKnown, nil
		}
		return WhyNew, nil
	}
	if back(r, was.Point.Time) {
		return WhyBack, &was.Point
	}
	if _, waits := pl.outs[key]; waits {
		return "", nil // it is told with what it cost when that was written
	}
	if worse(was.Point, now) {
		return WhyWorse, &was.Point
	}
	return "", nil
}

// write puts items into the outbox.
func (pl *plan) write(ctx context.Context, fresh, standing []Item) error {
	var many []Item
	if len(fresh) > burst {
		many, fresh = fresh, nil
	}
	many = append(many, standing...)
	for _, i := range fresh {
		was := ""
		if i.Before != nil {
			was = i.Before.Time.Format(time.RFC3339)
		}
		msg := pl.message(KindFinding, []Item{i}, i.Link, i.Service, i.Finding, i.Why, was)
		if err := pl.put(ctx, toldKey(pl.r.Name, i.Finding, i.Service), msg); err != nil {
			return err
		}
	}
	if len(many) == 0 {
		return nil
	}
	at := pl.now.Format(time.RFC3339)
	msg := pl.message(KindSummary, many, pageLink(pl.c.Page, pl.p.Name, "", "", time.Time{}, time.Time{}), at)
	return pl.put(ctx, toldKey(pl.r.Name, KindSummary, at), msg)
}

func (pl *plan) message(kind string, items []Item, link string, identity ...string) Message {
	id := messageID(append([]string{pl.r.Name, pl.p.Name, kind}, identity...)...)
	return Message{Version: version, ID: id, Kind: kind, Time: pl.now, Project: pl.p.Name, Link: link, Items: items}
}

func (pl *plan) put(ctx context.Context, key string, msg Message) error {
	return pl.p.Put(ctx, kindOut, key, out{Receiver: pl.r.Name, Message: msg, Created: pl.now})
}

func (pl *plan) item(r *watch.Record, why string, before *watch.Point) Item {
	f, now := &r.Finding, last(r)
	span := pl.spans[r.Service]
	i := Item{
		Why: why, Service: r.Service, Finding: f.ID, Rule: f.Rule, Title: f.Title, Certainty: string(f.Certainty),
		Now: Cost(now), Link: pageLink(pl.c.Page, pl.p.Name, r.Service, f.ID, span.From, span.To),
		Command: look(f, pl.c.Page), Links: f.Links,
	}
	if before != nil {
		was := Cost(*before)
		i.Before = &was
	}
	if g := f.Estimate(); g != nil {
		i.Gain = &Gain{g.Low, g.High}
	}
	if pl.c.Prices != nil {
		b := pl.c.Prices.Of(now.Cores)
		i.Money = &Money{b.Currency, b.Money, b.CO2}
	}
	return i
}

// look is the command that shows all that is known of a finding.
func look(f *finding.Finding, page string) string {
	for _, c := range append([]finding.Command{f.Next}, f.See...) {
		if (c.Verb == "explain" || c.Verb == "diff") && c.Has("--from") {
			return c.At(page).String()
		}
	}
	return ""
}

// pageLink is the address of the page's findings, as web/src/fleet/state/address.ts
// reads it: of a service in the time that was looked at, with one of them unfolded.
func pageLink(page, project, service, id string, from, to time.Time) string {
	q := url.Values{}
	if project != access.DefaultProject {
		q.Set("project", project)
	}
	if service != "" {
		q.Set("service", service)
	}
	if id != "" {
		q.Set("findings.open", id+"@"+service)
	}
	if !to.IsZero() {
		q.Set("from", from.UTC().Format(time.RFC3339))
		q.Set("to", to.UTC().Format(time.RFC3339))
	}
	link := page + "/findings"
	if len(q) > 0 {
		link += "?" + q.Encode()
	}
	return link
}

// forget drops items that somebody muted since they were written, or that are gone, so
// that they are told when they are there again.
func (m *Messenger) forget(ctx context.Context, p *project.Project, receiver string, items []Item) error {
	for _, i := range items {
		if err := p.Remove(ctx, kindTold, toldKey(receiver, i.Finding, i.Service)); err != nil {
			return err
		}
	}
	return nil
}

// active are the findings that stand, by ID and service.
func active(p *project.Project) (map[[2]string]bool, error) {
	records, err := watch.Findings(p, "", false)
	if err != nil {
		return nil, err
	}
	here := make(map[[2]string]bool, len(records))
	for _, r := range records {
		here[[2]string{r.Finding.ID, r.Service}] = true
	}
	return here, nil
}
