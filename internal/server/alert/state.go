package alert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"whyhot/internal/server/project"
)

// kindAlert is the kind of the documents.
const kindAlert = "alert"

// State is where a rule stands in a project.
type State struct {
	Name     string   `json:"name"`
	Limit    string   `json:"limit"`
	Services []string `json:"services,omitempty"`
	Function string   `json:"function,omitempty"`
	Where    string   `json:"where,omitempty"`
	Firing   bool     `json:"firing"`
	// Beyond is since when it has been beyond its limit, Since when it began to fire.
	Beyond time.Time `json:"beyond_since,omitzero"`
	Since  time.Time `json:"firing_since,omitzero"`
	Now    Cost      `json:"now"`
	Before *Cost     `json:"before,omitempty"` // of what changed
	Failed string    `json:"failed,omitempty"` // why it could not be measured the last time
}

// Event says that a rule began to fire, or ended.
type Event struct {
	Rule  *Rule
	State State
}

// time for one rule.
const limit = time.Minute

// Judge measures each rule for a project, keeps where it stands, and gives those that began
// to fire or ended. What rules are not there any more say is removed.
func Judge(ctx context.Context, p *project.Project, rules []Rule, now time.Time) ([]Event, error) {
	states, err := project.Read[State](p, kindAlert)
	if err != nil {
		return nil, err
	}
	var events []Event
	var errs []error
	for i := range rules {
		r := &rules[i]
		if len(r.Projects) > 0 && !slices.Contains(r.Projects, p.Name) {
			continue
		}
		before := states[r.Name]
		delete(states, r.Name)
		after := r.next(ctx, p, before, now)
		if ctx.Err() != nil {
			return events, errors.Join(append(errs, ctx.Err())...)
		}
		if after.Failed != "" {
			errs = append(errs, fmt.Errorf("alert %s: %s", r.Name, after.Failed))
		}
		if err := p.Put(ctx, kindAlert, r.Name, after); err != nil {
			errs = append(errs, err)
			continue
		}
		if after.Firing != before.Firing {
			events = append(events, Event{r, after})
		}
	}
	for name := range states {
		errs = append(errs, p.Remove(ctx, kindAlert, name))
	}
	return events, errors.Join(errs...)
}

// next is where a rule stands after one more measurement.
func (r *Rule) next(ctx context.Context, s Store, before State, now time.Time) State {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	after := before
	after.Name, after.Limit, after.Services, after.Function, after.Where = r.Name, r.Limit(), r.Services, r.Function, r.Where
	after.Failed, after.Before = "", nil
	to := now.UTC().Truncate(time.Minute)
	var err error
	if after.Now, err = r.measure(ctx, s, to); err == nil && r.changes() {
		var was Cost
		was, err = r.measure(ctx, s, to.Add(-r.against))
		after.Before = &was
	}
	if err != nil { // it stays as it is
		after.Failed = err.Error()
		return after
	}
	beyond, within := r.judge(after.Now, after.Before)
	switch {
	case beyond && after.Beyond.IsZero():
		after.Beyond = to
	case within, !beyond && !after.Firing: // what has not lasted yet begins again
		after.Beyond, after.Since, after.Firing = time.Time{}, time.Time{}, false
	}
	if beyond && !after.Firing && to.Sub(after.Beyond) >= r.lasts {
		after.Firing, after.Since = true, to
	}
	return after
}

// States gives where the rules of a project stand, those that fire first.
func States(p *project.Project) ([]State, error) {
	all, err := project.Read[State](p, kindAlert)
	if err != nil {
		return nil, err
	}
	out := make([]State, 0, len(all))
	for _, s := range all {
		out = append(out, s)
	}
	first := func(s State) int {
		if s.Firing {
			return 0
		}
		return 1
	}
	slices.SortFunc(out, func(a, b State) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}
