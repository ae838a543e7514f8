package watch

import (
	"context"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// silence writes down which services have nothing in the time that is looked at, and
// that what was found of them is not found any more: neither what the rules found nor
// what was sent.
func silence(ctx context.Context, p *project.Project, there []store.LabelValue, to time.Time) error {
	p.Changing.Lock()
	defer p.Changing.Unlock()
	present := make(map[string]bool, len(there))
	for _, s := range there {
		present[s.Value] = true
	}
	runs, err := project.Read[Run](p, kindRun)
	if err != nil {
		return err
	}
	for service, run := range runs {
		if present[service] || !run.SilentSince.IsZero() {
			continue
		}
		run.SilentSince = run.To
		if !run.Last.IsZero() {
			run.SilentSince = run.Last
		}
		runs[service] = run
		if err := p.Put(ctx, kindRun, service, run); err != nil {
			return err
		}
	}
	records, err := project.Read[Record](p, kindFinding)
	if err != nil {
		return err
	}
	for at, r := range records {
		run, known := runs[r.Service]
		// A report may be of a service that no agent sends, or be newer than what was sent.
		if present[r.Service] || !r.Active || !known || r.Sent && r.Last.After(run.SilentSince) {
			continue
		}
		r.Active, r.SilentSince = false, run.SilentSince
		r.add(Point{Time: to.UTC()})
		if err := p.Put(ctx, kindFinding, at, r); err != nil {
			return err
		}
	}
	return nil
}
