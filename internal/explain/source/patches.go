package source

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/native"
	"whyhot/internal/explain/source/loopfinding"
	"whyhot/internal/finding"
)

// patches writes the patch of every loop that listed names, and compiles it in the unit
// that the loop is from, so that what a finding says is what its patch gives
// (docs/decisions/0182). Answers are cached: whoever asks for the patch next has it at
// once.
func (o Options) patches(ctx context.Context, outcomes []analyzer.Outcome, suspected, profiled bool, listed func(finding.Finding) bool) (map[string]loopfinding.Patch, []string, error) {
	r, err := o.request()
	if err != nil {
		return nil, nil, err
	}
	var subjects []loopfinding.Subject
	for _, s := range loopfinding.Subjects(outcomes, loopfinding.Options{Suspected: suspected}) {
		if s.Finding.Certainty == finding.Confirmed && len(fix.KindsFor(s.Finding.Rule)) > 0 && listed(s.Finding) {
			subjects = append(subjects, s)
		}
	}
	var (
		mu        sync.Mutex
		out       = map[string]loopfinding.Patch{}
		proposals = map[string]*fix.Proposal{}
		failed    error
		tried     int // all that are through
		count     int // that failed
	)
	o.report(Progress{Of: len(subjects), What: "patches"}) // the first takes longest
	o.each(subjects, func(s loopfinding.Subject) {
		f := fix.Options{Binary: r.Binary, Units: []compdb.Unit{s.Unit}, Workers: 1, Cache: r.Cache, Cycles: profiled}
		p, err := fix.Propose(ctx, f, fix.PlaceOf(s.Finding), kindsFor(s))
		mu.Lock()
		defer mu.Unlock()
		tried++
		switch {
		case err == nil:
			out[s.Key], proposals[s.Key] = patchOf(p), &p
		case !errors.Is(err, fix.ErrNothingThere):
			count, failed = count+1, err
		}
		o.report(Progress{Done: tried, Of: len(subjects), File: shortFile(s.Unit.File), What: "patches"})
	})
	// The build's compiler takes as long again: only what is still worth a look is put to it.
	var left []loopfinding.Subject
	for _, s := range loopfinding.Subjects(outcomes, loopfinding.Options{Suspected: suspected, Patches: out}) {
		if p := proposals[s.Key]; p != nil && p.Sound() && native.Asked(p.Unit) && (profiled || s.Finding.Minor == "") {
			left = append(left, s)
		}
	}
	tried = 0
	o.each(left, func(s loopfinding.Subject) {
		p := proposals[s.Key]
		AskBuild(ctx, p, r.Cache, nil)
		mu.Lock()
		defer mu.Unlock()
		tried++
		out[s.Key] = patchOf(*p)
		o.report(Progress{Done: tried, Of: len(left), File: shortFile(s.Unit.File), What: "patches compiled by the build's compiler"})
	})
	if ctx.Err() != nil {
		return nil, nil, &StoppedError{Done: len(outcomes), Of: len(outcomes)}
	}
	if failed != nil {
		return out, []string{counted(count, "patch", "patches") + " could not be tried: " + failed.Error()}, nil
	}
	return out, nil, nil
}

// each does something for every loop, as many at once as there are workers.
func (o Options) each(subjects []loopfinding.Subject, do func(loopfinding.Subject)) {
	next := make(chan loopfinding.Subject)
	var workers sync.WaitGroup
	for range cmp.Or(o.Workers, runtime.NumCPU()) {
		workers.Go(func() {
			for s := range next {
				do(s)
			}
		})
	}
	for _, s := range subjects {
		next <- s
	}
	close(next)
	workers.Wait()
}

// kindsFor are the kinds of fixes that can have an effect, by what the worlds say: to ask
// for the others would cost a reading of the unit each.
func kindsFor(s loopfinding.Subject) []string {
	world := map[string]string{fix.Hoist: analyzer.WorldHoisted, fix.Retype: analyzer.WorldRetyped, fix.BitField: analyzer.WorldRetyped}
	all := fix.KindsFor(s.Finding.Rule)
	kinds := slices.DeleteFunc(slices.Clone(all), func(kind string) bool {
		if kind == fix.WideStore {
			return s.Stores < 2
		}
		return !slices.Contains(s.Reach, world[kind])
	})
	if len(kinds) == 0 {
		return all
	}
	return kinds
}

func patchOf(p fix.Proposal) loopfinding.Patch {
	out := loopfinding.Patch{What: p.What, Useless: p.Useless}
	switch p.Kind {
	case fix.Hoist:
		out.World = analyzer.WorldHoisted
	case fix.Retype, fix.BitField:
		out.World = analyzer.WorldRetyped
	}
	if !p.Sound() && len(p.Refusals) > 0 {
		out.Refusal = p.Refusals[0].Text
	}
	for _, l := range p.Loops {
		out.Loops = append(out.Loops, loopfinding.PatchState(l))
	}
	return out
}
