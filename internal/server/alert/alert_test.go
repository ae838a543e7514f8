package alert

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/server/servertest"
	"whyhot/internal/store/batch"
)

func checked(t *testing.T, r Rule) *Rule {
	t.Helper()
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestCheck(t *testing.T) {
	for says, r := range map[string]Rule{
		"invalid name":        {Name: "A b", CoresAbove: 1},
		"has 0 of":            {Name: "a"},
		"has 2 of":            {Name: "a", CoresAbove: 1, CoresChanged: 1},
		"negative":            {Name: "a", CoresAbove: -1},
		"must be a fraction":  {Name: "a", ShareAbove: 20, Function: "f"},
		"always 100%":         {Name: "a", ShareAbove: 0.2},
		"function:":           {Name: "a", ShareAbove: 0.2, Function: "("},
		"where: at character": {Name: "a", CoresAbove: 1, Where: "pod"},
		`invalid over "5"`:    {Name: "a", CoresAbove: 1, Over: "5"},
		"against is for":      {Name: "a", CoresAbove: 1, Against: "1h"},
		"would overlap":       {Name: "a", CoresChanged: 1, Against: "1h", Over: "2h"},
		`invalid for "-1m"`:   {Name: "a", CoresAbove: 1, For: "-1m"},
		"projects:":           {Name: "a", CoresAbove: 1, Projects: []string{"A B"}},
	} {
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	r := checked(t, Rule{Name: "a", ShareChanged: 0.2, Services: []string{"web"}, For: "30m"})
	if got := r.Limit(); got != "share changed by more than 20% of what it was 24h before for 30m" {
		t.Error(got)
	}
}

// A limit is passed when the lower end of the interval is above it, and what fires ends when
// the value itself is within.
func TestJudge(t *testing.T) {
	above := checked(t, Rule{Name: "a", ShareAbove: 0.2, Services: []string{"web"}})
	cores := checked(t, Rule{Name: "a", CoresAbove: 2})
	changed := checked(t, Rule{Name: "a", ShareChanged: 0.2, Services: []string{"web"}})
	at := func(share, err, cores float64) Cost {
		return Cost{Share: share, Error: err, Cores: cores, CoresError: 0.1, Samples: 1000}
	}
	was := at(0.10, 0.01, 1)
	for _, c := range []struct {
		r              *Rule
		now            Cost
		before         *Cost
		beyond, within bool
	}{
		{above, at(0.25, 0.02, 0), nil, true, false},
		{above, at(0.21, 0.02, 0), nil, false, false},
		{above, at(0.20, 0.02, 0), nil, false, true},
		{cores, at(0.9, 0.01, 2.2), nil, true, false},
		{cores, at(0.9, 0.01, 2.05), nil, false, false},
		{cores, at(0.9, 0.01, 1.9), nil, false, true},
		{changed, at(0.14, 0.01, 0), &was, true, false},
		{changed, at(0.06, 0.01, 0), &was, true, false},
		{changed, at(0.123, 0.01, 0), &was, false, false}, // by more than a fifth, and within the error
		{changed, at(0.11, 0.001, 0), &was, false, true},
		{changed, at(0.5, 0.01, 0), &Cost{}, false, true}, // nothing to compare with
	} {
		if beyond, within := c.r.judge(c.now, c.before); beyond != c.beyond || within != c.within {
			t.Errorf("%s: %+v: %v %v", c.r.Limit(), c.now, beyond, within)
		}
	}
}

func open(t *testing.T) *project.Project {
	t.Helper()
	projects, err := project.Open(t.Context(), t.TempDir(), project.Options{Open: servertest.Open})
	if err != nil {
		t.Fatal(err)
	}
	p, done, err := projects.Get(t.Context(), "default", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		done()
		if err := projects.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func send(t *testing.T, p *project.Project, service string, at time.Time, parse, idle int64) {
	t.Helper()
	b, err := batch.FromProfile(servertest.Profile(at, parse, idle), batch.Options{Labels: batch.Labels{Service: service}, ID: fmt.Sprint(service, at), Now: at})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A rule fires once when its limit has been passed for long enough, and ends once.
func TestRulesFireAndEnd(t *testing.T) {
	p := open(t)
	now := time.Now().Truncate(time.Minute)
	rules := []Rule{
		*checked(t, Rule{Name: "parse", Services: []string{"web"}, Function: `parse\(.*`, ShareAbove: 0.5, For: "10m", Over: "5m"}),
		*checked(t, Rule{Name: "web", Services: []string{"web"}, ShareAbove: 0.9, Over: "5m"}),
		*checked(t, Rule{Name: "elsewhere", Projects: []string{"other"}, CoresAbove: 0.001}),
	}
	judge := func(at time.Time, want string) {
		t.Helper()
		events, err := Judge(t.Context(), p, rules, at)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events {
			got = append(got, fmt.Sprint(e.Rule.Name, " ", e.State.Firing))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("at %s: %v, not %s", at.Sub(now), got, want)
		}
	}
	send(t, p, "web", now.Add(-30*time.Minute), 8000, 2000)
	send(t, p, "batch", now.Add(-30*time.Minute), 8000, 2000)
	judge(now.Add(-28*time.Minute), "[]")
	send(t, p, "web", now.Add(-20*time.Minute), 8000, 2000)
	judge(now.Add(-18*time.Minute), "[parse true web true]")
	judge(now.Add(-17*time.Minute), "[]")
	states, err := States(p)
	if err != nil || len(states) != 2 || !states[0].Firing || states[0].Now.Share < 0.79 || states[0].Now.Share > 0.81 || states[0].Now.Cores == 0 || states[0].Limit != "share above 50% for 10m" {
		t.Errorf("%+v, %v", states, err)
	}
	send(t, p, "web", now.Add(-10*time.Minute), 1000, 9000)
	judge(now.Add(-8*time.Minute), "[parse false]")
	send(t, p, "web", now.Add(-5*time.Minute), 8000, 2000)
	judge(now.Add(-4*time.Minute), "[]") // it has to last again
	rules = rules[:1]
	judge(now, "[]")
	if states, err := States(p); err != nil || len(states) != 1 {
		t.Errorf("a rule that is gone stays: %+v, %v", states, err)
	}
}

// What changed is compared with the same time before.
func TestChanges(t *testing.T) {
	p := open(t)
	now := time.Now().Truncate(time.Minute)
	send(t, p, "web", now.Add(-62*time.Minute), 3000, 7000)
	send(t, p, "web", now.Add(-2*time.Minute), 5000, 5000)
	rules := []Rule{*checked(t, Rule{Name: "parse", Function: `parse\(.*`, ShareChanged: 0.5, Against: "1h", Over: "5m"})}
	events, err := Judge(t.Context(), p, rules, now)
	if err != nil || len(events) != 1 || events[0].State.Before.Share > 0.31 || events[0].State.Now.Share < 0.49 {
		t.Errorf("%+v, %v", events, err)
	}
}

// What cannot be measured stays as it was.
func TestFailure(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	p := open(t)
	cancel(errors.New("gone"))
	r := checked(t, Rule{Name: "a", CoresAbove: 1})
	if s := r.next(ctx, p, State{Firing: true}, time.Now()); !s.Firing || s.Failed == "" {
		t.Errorf("%+v", s)
	}
}

// A rule on a service that sends nothing measures none of its samples, whatever others send.
func TestNothingIsChosen(t *testing.T) {
	p := open(t)
	now := time.Now().Truncate(time.Minute)
	send(t, p, "web", now.Add(-2*time.Minute), 600, 400)
	for service, chosen := range map[string]bool{"web": true, "wbe": false} {
		for _, function := range []string{"", "main"} {
			c, err := checked(t, Rule{Name: "a", Services: []string{service}, Function: function, ShareAbove: 0.2}).measure(t.Context(), p, now)
			if err != nil || (c.Chosen > 0) != chosen {
				t.Errorf("%s %q: %+v %v", service, function, c, err)
			}
		}
	}
}
