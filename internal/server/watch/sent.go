package watch

import (
	"context"
	"errors"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/server/project"
)

// maxSent bounds the findings of a report.
const maxSent = 1000

// ErrManyFindings says that a report has too many.
var ErrManyFindings = errors.New("the report has more than 1000 findings")

// Take keeps the findings of a report that was made elsewhere, where the source of a
// service is: the analyser's findings with their loops. They stay until the next report
// of the service, which takes the place of this one.
func Take(ctx context.Context, p *project.Project, service string, r *finding.Report, now time.Time) error {
	if len(r.Findings) > maxSent {
		return ErrManyFindings
	}
	p.Changing.Lock()
	defer p.Changing.Unlock()
	records, err := project.Read[Record](p, kindFinding)
	if err != nil {
		return err
	}
	now = now.UTC().Truncate(time.Second)
	for i := range r.Findings {
		f := r.Findings[i]
		at := key(service, f.ID)
		one, known := records[at]
		delete(records, at)
		if !known {
			one = Record{Service: service, First: now}
		}
		f.Trials = nil // they are kept beside
		one.Last, one.Active, one.Sent, one.Finding = now, true, true, f
		one.SilentSince = time.Time{}
		if share := f.Share.Main(); share > 0 {
			one.add(pointOf(&f, share, r.Profile, now))
		}
		if err := p.Put(ctx, kindFinding, at, one); err != nil {
			return err
		}
	}
	for at, one := range records {
		if one.Service != service || !one.Sent || !one.Active {
			continue
		}
		one.Active = false
		one.add(Point{Time: now})
		if err := p.Put(ctx, kindFinding, at, one); err != nil {
			return err
		}
	}
	return nil
}

// pointOf is what a finding cost in the profile of its report.
func pointOf(f *finding.Finding, share float64, of *finding.Source, now time.Time) Point {
	out := Point{Time: now, Share: share}
	if f.Share.Error != nil {
		out.Error = *f.Share.Error
	}
	if of != nil && of.Unit == "nanoseconds" && of.Duration > 0 {
		out.Cores = share * float64(of.Total) / 1e9 / of.Duration
	}
	return out
}
