// Package watch applies the rules to what a project holds, service by service and again
// and again, and keeps what they find with its history.
//
// It owns the documents of findings, looks and trials, and when the rules run. It takes
// a project and the rules, and gives Records. It must never judge: internal/explain
// does, and internal/finding/ledger says what trials make of a finding.
//
// A finding is known by its ID and its service. It is first seen once; each look adds a
// point of what it costs, and one that is not found any more stays, inactive, with a
// last point of nothing. Trials are kept by finding, whether it was seen yet or not.
package watch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"whyhot/internal/explain"
	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

type storeDocument = store.Document

// Options say when and how far back the rules look. Zero values are the defaults.
type Options struct {
	Every time.Duration // 15 min
	Over  time.Duration // the time that is looked at; 6 h
	Time  time.Duration // for one service; 2 min
	// Services is how many are looked at, those with most of the CPU; 200.
	Services int
	Rules    explain.Rules
	// Looked is told when a look at a project is done; it may be nil.
	Looked func(ctx context.Context, p *project.Project) error
	Log    *slog.Logger
	Now    func() time.Time
}

func (o Options) withDefaults() Options {
	o.Every = cmp.Or(o.Every, 15*time.Minute)
	o.Over = cmp.Or(o.Over, 6*time.Hour)
	o.Time = cmp.Or(o.Time, 2*time.Minute)
	o.Services = cmp.Or(o.Services, 200)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Watcher runs the rules.
type Watcher struct{ o Options }

// New makes a watcher.
func New(o Options) *Watcher { return &Watcher{o: o.withDefaults()} }

// Run looks at all projects now and then every so often, until ctx is done.
func (w *Watcher) Run(ctx context.Context, projects *project.Projects) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		names, err := projects.Names()
		if err != nil {
			w.o.Log.Error("the rules cannot run", "error", err)
		}
		for _, name := range names {
			p, err := projects.Get(ctx, name, false)
			if err == nil {
				err = w.Look(ctx, p)
			}
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				w.o.Log.Error("the rules failed", "project", name, "error", err)
			}
		}
		timer.Reset(w.o.Every)
	}
}

// Look applies the rules to every service of a project.
func (w *Watcher) Look(ctx context.Context, p *project.Project) error {
	to := w.o.Now().Truncate(time.Minute)
	span := store.Selection{From: to.Add(-w.o.Over), To: to}
	services, err := p.Labels(ctx, span, store.ByService)
	if err != nil {
		return err
	}
	if len(services) > w.o.Services {
		w.o.Log.Warn("the rules look at some services only", "project", p.Name, "services", len(services), "looked_at", w.o.Services)
		services = services[:w.o.Services]
	}
	var errs []error
	for _, s := range services {
		sel := span
		sel.Service = []string{s.Value}
		begin := time.Now()
		run, found, err := w.service(ctx, p, sel)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.o.Log.Error("the rules failed", "project", p.Name, "service", s.Value, "error", err)
		}
		if err := w.keep(ctx, p, run, found); err != nil {
			errs = append(errs, err)
			continue
		}
		w.o.Log.Debug("the rules looked", "project", p.Name, "service", s.Value, "findings", len(found), "samples", run.Samples, "took", time.Since(begin))
	}
	if w.o.Looked != nil {
		errs = append(errs, w.o.Looked(ctx, p))
	}
	return errors.Join(errs...)
}

// seen is a finding and what it costs now.
type seen struct {
	finding finding.Finding
	point   Point
}

// service looks at one service.
func (w *Watcher) service(ctx context.Context, p *project.Project, sel store.Selection) (Run, []seen, error) {
	run := Run{Service: sel.Service[0], Time: w.o.Now().UTC(), From: sel.From.UTC(), To: sel.To.UTC(), Failed: true}
	limited, cancel := context.WithTimeout(ctx, w.o.Time)
	defer cancel()
	prof, basis, err := p.Profile(limited, sel)
	if err != nil {
		return run, nil, err
	}
	run.Samples = basis.Count
	report, err := explain.Explain(limited, explain.Request{Profile: prof, Rules: w.o.Rules, ByBuildID: true})
	if err != nil {
		return run, nil, err
	}
	run.Failed, run.Looked, run.Notes = false, report.Looked, report.Notes
	cores := 0.0
	if took := sel.To.Sub(sel.From); basis.Unit == "nanoseconds" && took > 0 {
		cores = float64(basis.Value) / float64(took)
	}
	out := make([]seen, 0, len(report.Findings))
	for _, f := range report.Findings {
		here(&f, sel.Service[0])
		share := f.Share.Main()
		point := Point{Time: sel.To.UTC(), Share: share, Cores: share * cores}
		if f.Share.Error != nil {
			point.Error = *f.Share.Error
		}
		out = append(out, seen{f, point})
	}
	return run, out, nil
}

// here has the commands of a finding speak of the server and the service, as there is no
// file: a trial sends its result there. Who shows them puts its address in the place of URL.
func here(f *finding.Finding, service string) {
	next := f.Next
	f.Trials, f.See, f.Next = nil, nil, ""
	if strings.Contains(service, "\n") {
		return
	}
	look := "whyhot explain --from URL --service " + shellwords.Quote(service) + " --finding " + f.ID
	// What is said of the file, and of directories of this machine, is left out.
	before, after, found := strings.Cut(next, " --finding ")
	if !found || !strings.HasPrefix(before, "whyhot try ") {
		f.Next = look
		return
	}
	f.Next, f.See = "whyhot try --to URL --finding "+after, []string{look}
}

// keep writes down what a look at a service found.
func (w *Watcher) keep(ctx context.Context, p *project.Project, run Run, found []seen) error {
	p.Changing.Lock()
	defer p.Changing.Unlock()
	if err := p.Put(ctx, kindRun, run.Service, run); err != nil {
		return err
	}
	if run.Failed {
		return nil
	}
	records, err := project.Read[Record](p, kindFinding)
	if err != nil {
		return err
	}
	for _, s := range found {
		at := key(run.Service, s.finding.ID)
		r, known := records[at]
		delete(records, at)
		if !known {
			r = Record{Service: run.Service, First: run.To}
		}
		r.Last, r.Active = run.To, true
		if !r.Sent { // what was sent knows the source, too
			r.Finding = s.finding
		}
		r.add(s.point)
		if err := p.Put(ctx, kindFinding, at, r); err != nil {
			return err
		}
	}
	for at, r := range records {
		if r.Service != run.Service || !r.Active || r.Sent {
			continue
		}
		r.Active = false
		r.add(Point{Time: run.To})
		if err := p.Put(ctx, kindFinding, at, r); err != nil {
			return err
		}
	}
	return nil
}
