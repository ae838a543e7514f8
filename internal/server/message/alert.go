package message

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"whyhot/internal/host/shellwords"
	"whyhot/internal/server/access"
	"whyhot/internal/server/alert"
)

// ruleAlert is what messages have as the rule of an alert, so that mutes can name it.
const ruleAlert = "alert"

// everything is the service of an alert that is about all of them.
const everything = "all services"

// alerts puts into the outbox which alerts began to fire and which ended. Unlike findings
// they wait for no digest's contents to be ranked: each is a message of its own.
func (pl *plan) alerts(ctx context.Context, events []alert.Event) error {
	for _, e := range events {
		if !pl.hears(e.Rule) {
			continue
		}
		item := pl.alertItem(e)
		if pl.c.muted(pl.r.Name, pl.p.Name, &item, pl.now) {
			continue
		}
		at := e.State.Now.Time.Format(time.RFC3339)
		msg := pl.message(KindAlert, []Item{item}, item.Link, item.Finding, item.Why, at)
		if err := pl.put(ctx, toldKey(pl.r.Name, item.Finding, item.Why+" "+at), msg); err != nil {
			return err
		}
	}
	return nil
}

// hears says whether a receiver is told of an alert: one that the alert names, else one that
// wants a service of it.
func (pl *plan) hears(r *alert.Rule) bool {
	if len(r.Receivers) > 0 {
		return slices.Contains(r.Receivers, pl.r.Name)
	}
	if len(r.Services) == 0 {
		return len(pl.r.Projects) == 0 || slices.Contains(pl.r.Projects, pl.p.Name)
	}
	return slices.ContainsFunc(r.Services, func(service string) bool { return pl.r.wants(pl.p.Name, service) })
}

func (pl *plan) alertItem(e alert.Event) Item {
	r, s := e.Rule, e.State
	i := Item{
		Why: WhyEnded, Service: cmp.Or(strings.Join(r.Services, ", "), everything), Finding: ruleAlert + "-" + r.Name, Rule: ruleAlert,
		Title: r.Name, Now: costOf(s.Now), Limit: s.Limit,
	}
	if s.Firing {
		i.Why = WhyFiring
	}
	if s.Before != nil {
		was := costOf(*s.Before)
		i.Before = &was
	}
	if pl.c.Prices != nil {
		b := pl.c.Prices.Of(s.Now.Cores)
		i.Money = &Money{b.Currency, b.Money, b.CO2}
	}
	from := s.Now.Time.Add(-r.Window())
	q := url.Values{"from": {from.Format(time.RFC3339)}, "to": {s.Now.Time.Format(time.RFC3339)}}
	command := []string{"whyhot", "top", "--from", pl.c.Page, "--since", from.Format(time.RFC3339), "--until", s.Now.Time.Format(time.RFC3339)}
	if pl.p.Name != access.DefaultProject {
		q.Set("project", pl.p.Name)
		command = append(command, "--project", pl.p.Name)
	}
	for _, service := range r.Services {
		q.Add("service", service)
		command = append(command, "--service", service)
	}
	if r.Where != "" {
		q.Set("where", r.Where)
		command = append(command, "--where", r.Where)
	}
	if r.Function != "" {
		q.Set("q", r.Function)
		command = append(command, r.Function)
	}
	i.Link = pl.c.Page + "/top?" + q.Encode()
	i.Command = shellwords.Join(command)
	return i
}

func costOf(c alert.Cost) Cost {
	return Cost{Time: c.Time, Share: c.Share, Error: c.Error, Cores: c.Cores}
}
