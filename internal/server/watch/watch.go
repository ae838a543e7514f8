// Package watch applies the rules to what a project holds, service by service and again
// and again, and keeps what they find with its history.
//
// It owns the documents of findings, looks and trials, and when the rules run. It takes
// a project and the rules, and gives Records. It must never judge: internal/explain
// does, and internal/finding/ledger says what trials make of a finding.
//
// A finding is known by its ID and its service. It is first seen once; each look adds a
// point of what it costs, and one that is not found any more stays, inactive, with a
// last point of nothing. So do those of a service that is silent: that sent nothing in
// the time that is looked at. Trials are kept by finding, whether it was seen yet or not.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain"
	"whyhot/internal/explain/rule"
	"whyhot/internal/finding"
	"whyhot/internal/server/deployment"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/gap"
)

type storeDocument = store.Document

// Options say when and how far back the rules look. Zero values are the defaults.
type Options struct {
	Every time.Duration // 15 min
	Over  time.Duration // the time that is looked at; 6 h
	Time  time.Duration // for one service; 2 min
	// Services is how many are looked at at a time; 200. Where there are more, half of
	// them are those with most of the CPU, and the others take turns.
	Services int
	Rules    explain.Rules
	// Deployments says how versions of a service are compared.
	Deployments *deployment.Config
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
	if o.Deployments == nil {
		o.Deployments = &deployment.Config{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Watcher runs the rules.
type Watcher struct {
	o     Options
	sleep func(ctx context.Context, d time.Duration) error
}

// New makes a watcher.
func New(o Options) *Watcher { return &Watcher{o: o.withDefaults(), sleep: sleep} }

// looked is the last look at a project.
type looked struct {
	at      time.Time
	nothing bool // was in the time that it was about
}

// Run looks at all projects every so often, until ctx is done. The first time is a while
// after the start: who looks at the page then is not to wait for the rules.
func (w *Watcher) Run(ctx context.Context, projects *project.Projects) {
	before := map[string]looked{}
	for wait := firstLook(w.o.Every); w.sleep(ctx, wait) == nil; {
		begin := time.Now()
		names, err := projects.Names()
		if err != nil {
			w.o.Log.Error("the rules cannot run", "error", err)
		}
		for _, name := range names {
			last, err := w.lookAt(ctx, projects, name, before[name])
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				w.o.Log.Error("the rules failed", "project", name, "error", err)
			}
			before[name] = last
		}
		wait = max(w.o.Every-time.Since(begin), w.o.Every/10)
	}
}

// lookAt looks at a project. One that was closed, since nothing came, is opened when
// all that it had is out of the time that is looked at, and not again after that.
func (w *Watcher) lookAt(ctx context.Context, projects *project.Projects, name string, before looked) (looked, error) {
	p, done := projects.IfOpen(name)
	opened := p == nil || before.at.IsZero()
	if p == nil {
		if !before.at.IsZero() && (before.nothing || time.Since(before.at) < w.o.Over) {
			return before, nil
		}
		var err error
		if p, done, err = projects.Get(ctx, name, false); err != nil {
			return before, err
		}
	}
	defer done()
	if shared, writes := p.Shared(); shared && !writes { // that server does it
		return before, nil
	}
	if opened {
		if err := w.ready(ctx, p); err != nil {
			return before, err
		}
	}
	services, err := w.look(ctx, p, w.rest)
	return looked{time.Now(), err == nil && services == 0}, err
}

// Look applies the rules to the services of a project.
func (w *Watcher) Look(ctx context.Context, p *project.Project) error {
	_, err := w.look(ctx, p, func(context.Context, time.Duration, int) error { return ctx.Err() })
	return err
}

// look also tells how many services sent something in the time that it is about. After
// each of them it rests, by how long that one took and how many there are.
func (w *Watcher) look(ctx context.Context, p *project.Project, rest func(ctx context.Context, took time.Duration, of int) error) (services int, err error) {
	to := w.o.Now().Truncate(time.Minute)
	span := store.Selection{From: to.Add(-w.o.Over), To: to}
	watched, missing := gap.Watch(ctx)
	there, err := p.Labels(watched, span, store.ByService)
	if err = cmp.Or(err, whole(missing)); err != nil {
		return 0, err
	}
	enough, err := w.enough(ctx, p, there, to)
	if err != nil {
		return 0, err
	}
	turn, err := w.turn(p, enough)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, s := range turn {
		sel := span
		sel.Service = []string{s.Value}
		begin := time.Now()
		run, found, err := w.service(watched, p, sel)
		took := time.Since(begin)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err := whole(missing); err != nil {
			return 0, err
		}
		if err != nil {
			w.o.Log.Error("the rules failed", "project", p.Name, "service", s.Value, "error", err)
		}
		run.Last = s.Last.UTC()
		if err := w.keep(ctx, p, run, found); err != nil {
			errs = append(errs, err)
			continue
		}
		if err := rest(ctx, took, len(turn)); err != nil {
			return 0, err
		}
		w.o.Log.Debug("analysed", "project", p.Name, "service", s.Value, "findings", len(found), "samples", run.Samples, "took", took)
	}
	errs = append(errs, silence(ctx, p, there, to))
	if w.o.Looked != nil {
		errs = append(errs, w.o.Looked(ctx, p))
	}
	return len(there), errors.Join(errs...)
}

// whole is an error where a part of the samples could not be reached: a finding that has its
// samples there would be gone, and another one's share too large.
func whole(missing *gap.Gap) error {
	if parts := missing.Parts(); len(parts) > 0 {
		return fmt.Errorf("%w: %s; the rules wait until it can", store.ErrAway, strings.Join(parts, ", "))
	}
	return nil
}

// enough leaves out the services of which nothing can be found: on a machine that builds, every
// as, ld and cut is one. How many they are is written down. One whose finding is active is looked
// at once more, which ends it.
func (w *Watcher) enough(ctx context.Context, p *project.Project, there []store.LabelValue, to time.Time) ([]store.LabelValue, error) {
	records, err := project.Read[Record](p, kindFinding)
	if err != nil {
		return nil, err
	}
	active := map[string]bool{}
	for _, r := range records {
		active[r.Service] = active[r.Service] || r.Active
	}
	few := func(s store.LabelValue) bool { return s.Count < rule.LeastSamples && !active[s.Value] }
	kept := slices.DeleteFunc(slices.Clone(there), few)
	if err := p.Put(ctx, kindLook, lookKey, Look{Time: to.UTC(), Few: len(there) - len(kept)}); err != nil {
		return nil, err
	}
	runs, err := project.Read[Run](p, kindRun)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, s := range there {
		if _, known := runs[s.Value]; known && few(s) {
			errs = append(errs, p.Remove(ctx, kindRun, s.Value))
		}
	}
	return kept, errors.Join(errs...)
}

// turn chooses the services that are looked at, of those that are there by falling CPU:
// all of them; of too many the first half each time, and of the others those that were
// looked at longest ago.
func (w *Watcher) turn(p *project.Project, there []store.LabelValue) ([]store.LabelValue, error) {
	most := w.o.Services
	if len(there) <= most {
		return there, nil
	}
	runs, err := project.Read[Run](p, kindRun)
	if err != nil {
		return nil, err
	}
	w.o.Log.Info("analysing a part of the services at a time", "project", p.Name, "services", len(there), "looked_at", most)
	always, others := there[:most/2], slices.Clone(there[most/2:])
	slices.SortStableFunc(others, func(a, b store.LabelValue) int { return runs[a.Value].Time.Compare(runs[b.Value].Time) })
	return append(slices.Clone(always), others[:most-most/2]...), nil
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
	if basis.Unit == "nanoseconds" && basis.Covered > 0 {
		cores = float64(basis.Value) / float64(basis.Covered)
	}
	out := make([]seen, 0, len(report.Findings))
	for _, f := range finding.Worked(report.Findings) {
		here(&f, sel.Service[0])
		share := f.Share.Main()
		point := Point{Time: sel.To.UTC(), Share: share, Cores: share * cores}
		if f.Share.Error != nil {
			point.Error = *f.Share.Error
		}
		out = append(out, seen{f, point})
	}
	f, err := w.deployed(limited, p, sel)
	switch {
	case ctx.Err() != nil:
		return run, nil, ctx.Err()
	case err != nil: // what the rules found counts
		w.o.Log.Warn("versions could not be compared", "project", p.Name, "service", run.Service, "error", err)
		run.Notes = append(run.Notes, "its versions could not be compared: "+err.Error())
	case f != nil:
		out = append(out, seen{*f, Point{Time: sel.To.UTC(), Share: f.Share.Main(), Error: *f.Share.Error, Cores: f.Share.Main() * cores}})
	}
	return run, out, nil
}

// deployed is what is to be said of the service's newest version, nil where it is nothing.
func (w *Watcher) deployed(ctx context.Context, p *project.Project, sel store.Selection) (*finding.Finding, error) {
	x, err := w.o.Deployments.Compare(ctx, p, sel.Service[0], sel.To, w.o.Over)
	if err != nil || x == nil {
		return nil, err
	}
	return w.o.Deployments.Finding(x), nil
}

// here has the commands of a finding speak of the server and the service, as there is no
// file: a trial sends its result there.
func here(f *finding.Finding, service string) {
	next := f.Next
	f.Trials, f.See, f.Next = nil, nil, finding.Command{}
	if strings.Contains(service, "\n") {
		return
	}
	look := finding.Command{Verb: "explain", Args: []string{"--from", finding.URL, "--service", service, "--finding", f.ID}}
	if !next.Tries() || !next.Has("--finding") {
		f.Next = look
		return
	}
	// What is said of the file, and of directories of this machine, is left out.
	next = next.Without("--profile", "--rules", "-p")
	next.Args = slices.Concat([]string{"--to", finding.URL}, next.Args)
	f.Next, f.See = next, []finding.Command{look}
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
		r.Last, r.Active, r.SilentSince = run.To, true, time.Time{}
		if !r.Sent { // what was sent knows the source, too
			r.Finding = s.finding
		}
		r.add(s.point)
		if err := p.Put(ctx, kindFinding, at, r); err != nil {
			return err
		}
	}
	for at, r := range records {
		if r.Service != run.Service || r.SilentSince.IsZero() && (!r.Active || r.Sent) {
			continue
		}
		if !r.Sent && r.Active {
			r.add(Point{Time: run.To})
		}
		r.Active, r.SilentSince = r.Sent, time.Time{} // a report holds until the next one
		if err := p.Put(ctx, kindFinding, at, r); err != nil {
			return err
		}
	}
	return nil
}
