package source

import (
	"context"
	"fmt"
	"slices"
	"time"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/remarks"
	"whyhot/internal/explain/source/astfinding"
	"whyhot/internal/explain/source/excerpt"
	"whyhot/internal/explain/source/heat"
	"whyhot/internal/explain/source/loopfinding"
	"whyhot/internal/explain/source/userrule"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/symbol/sourcetext"
)

// Answer is what the source of a build says.
type Answer struct {
	Findings []finding.Finding
	Notes    []string
	Looked   string // what was looked at, for the reader of an empty list
	// Unanswered is how many units have no answer: they do not compile, or the analyser
	// failed.
	Unanswered int
	// Lines says, by rule, whether a location of the profile is on a line of a
	// finding that is one for the whole program, listed or not.
	Lines map[string]judge.Lines
}

// Scan analyses every unit of the build. With suspected it also gives the
// candidates that no counterfactual confirmed. A profile ranks what is found and
// leaves out what it never shows; it may be nil.
func (b *Build) Scan(ctx context.Context, p *profile.Profile, suspected bool, o Options) (Answer, error) {
	start := time.Now()
	outcomes, err := b.askAll(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{
		Notes:      notes(outcomes),
		Unanswered: unansweredIn(outcomes),
		Looked:     counted(b.Len(), "unit was", "units were") + " analysed; no loop gains from a counterfactual.",
	}
	var h *heat.Heat
	if p != nil {
		h = heat.NewHeat(p, heat.NewTree(b.units))
	}
	var untried []string
	if a.Findings, untried, err = o.findings(ctx, outcomes, suspected, h, rankOptions(outcomes, false)); err != nil {
		return Answer{}, err
	}
	a.Notes = append(a.Notes, untried...)
	a.Notes = append(a.Notes, b.keep(start, a.Findings, o)...)
	if h == nil {
		addSites(a.Findings)
		addExcerpts(a.Findings, nil)
		a.Notes = append(a.Notes, "no profile ranked these findings: confirmed ones, loops without calls and deep loops come first (whyhot explain PROFILE -p BUILD_DIR ranks by CPU)")
		return a, nil
	}
	ranked := h.Rank(a.Findings, rankOptions(outcomes, false))
	a.Findings = ranked.Findings
	finding.Rank(a.Findings)
	addSites(a.Findings)
	addExcerpts(a.Findings, h)
	a.Notes = slices.Concat(a.Notes, h.Notes(), leftOut(ranked, "without --profile"))
	return a, nil
}

func (b *Build) askAll(ctx context.Context, o Options) ([]analyzer.Outcome, error) {
	r, err := o.request()
	if err != nil {
		return nil, err
	}
	return o.ask(ctx, b.units, r)
}

// Hot analyses the units that hold hot code, on the hottest functions until they
// hold the fraction coverage of the CPU spent in the build's source, and ranks what
// it finds by the profile. With all it analyses the whole build.
func (b *Build) Hot(ctx context.Context, p *profile.Profile, coverage float64, all bool, o Options) (Answer, error) {
	r, err := o.request()
	if err != nil {
		return Answer{}, err
	}
	r.Cycles = true
	start := time.Now()
	h := heat.NewHeat(p, heat.NewTree(b.units))
	a := Answer{Notes: h.Notes()}
	var outcomes []analyzer.Outcome
	if all {
		if outcomes, err = o.ask(ctx, b.units, r); err != nil {
			return a, err
		}
		a.Looked = counted(len(outcomes), "unit", "units") + " of the build"
	} else {
		plan := h.Cover(coverage)
		if outcomes, err = o.askHot(ctx, plan, r); err != nil {
			return a, err
		}
		a.Notes = append(a.Notes, heat.MissingNote(plan.Missing(lackOf(outcomes)))...)
		a.Looked = fmt.Sprintf("%s in %s of the build, which hold %.0f%% of the CPU spent in its source",
			counted(plan.Functions(), "hot function", "hot functions"), counted(len(outcomes), "unit", "units"), 100*plan.Covered())
	}
	a.Notes = append(a.Notes, notes(outcomes)...)
	found, untried, err := o.findings(ctx, outcomes, all, h, rankOptions(outcomes, all))
	if err != nil {
		return a, err
	}
	a.Notes = append(a.Notes, untried...)
	a.Lines = linesOf(h, found)
	a.Notes = append(a.Notes, b.keep(start, found, o)...)
	ranked := h.Rank(found, rankOptions(outcomes, all))
	a.Findings = ranked.Findings
	addSites(a.Findings)
	addExcerpts(a.Findings, h)
	way := "with --all"
	if all {
		way = "by whyhot scan"
	}
	a.Notes = append(a.Notes, leftOut(ranked, way)...)
	return a, nil
}

// askHot asks the units of the plan, and further ones where a function of a header
// was not where it was looked for first.
func (o Options) askHot(ctx context.Context, plan *heat.Plan, r analyzer.Options) ([]analyzer.Outcome, error) {
	var outcomes []analyzer.Outcome
	for {
		work := plan.Next(lackOf(outcomes))
		if len(work) == 0 {
			return outcomes, nil
		}
		functions := map[string][]string{}
		units := make([]compdb.Unit, len(work))
		for i, w := range work {
			units[i], functions[unitKey(w.Unit)] = w.Unit, w.Functions
		}
		r.FunctionsOf = func(u compdb.Unit) []string { return functions[unitKey(u)] }
		more, err := o.ask(ctx, units, r)
		outcomes = append(outcomes, more...)
		if err != nil {
			return outcomes, err
		}
	}
}

// lackOf knows which units were asked for a function and do not define it. A unit
// without an answer lacks everything.
func lackOf(outcomes []analyzer.Outcome) heat.Lacks {
	type ask struct{ unit, name string }
	lacks := map[ask]bool{}
	answered := map[string]bool{}
	for _, o := range outcomes {
		if o.Err == nil && len(o.Reply.Errors) == 0 {
			answered[unitKey(o.Unit)] = true
		}
		for _, n := range o.Reply.Undefined {
			lacks[ask{unitKey(o.Unit), n}] = true
		}
	}
	return func(u compdb.Unit, name string) bool {
		key := unitKey(u)
		return !answered[key] || lacks[ask{key, name}]
	}
}

// findings are what all layers say, joined, with the patches of what is listed: what h
// shows hot, or without a profile, h being nil, what may give back much.
func (o Options) findings(ctx context.Context, outcomes []analyzer.Outcome, suspected bool, h *heat.Heat, rank heat.Options) (found []finding.Finding, notes []string, err error) {
	found = o.joined(outcomes, suspected, h != nil, nil)
	if o.NoPatches {
		return found, nil, nil
	}
	shown := found
	if h != nil {
		shown = h.Rank(found, rank).Findings
	}
	listed := map[string]bool{}
	for _, f := range shown {
		listed[f.ID] = f.Minor == ""
	}
	patches, notes, err := o.patches(ctx, outcomes, suspected, h != nil, func(f finding.Finding) bool { return listed[f.ID] })
	if err != nil || len(patches) == 0 {
		return found, notes, err
	}
	return o.joined(outcomes, suspected, h != nil, patches), notes, nil
}

func (o Options) joined(outcomes []analyzer.Outcome, suspected, profiled bool, patches map[string]loopfinding.Patch) []finding.Finding {
	ir := loopfinding.Findings(outcomes, loopfinding.Options{Suspected: suspected, Patches: patches})
	out := astfinding.Join(ir, outcomes, astfinding.Options{Suspected: suspected, Profiled: profiled, UserRules: userrule.ForReport(o.Rules)})
	if o.Remarks {
		out = append(out, remarks.Missed(outcomes)...)
	}
	return out
}

// rankOptions tell the ranking which loops there are: what the compiler missed in
// one is not missed in those inside it, and a flag that is tested once before each of
// them costs nothing in them.
func rankOptions(outcomes []analyzer.Outcome, all bool) heat.Options {
	o := heat.Options{All: all, Own: func(f finding.Finding) bool { return remarks.IsMissed(f) || astfinding.IsOwn(f) }}
	for _, l := range remarks.Loops(outcomes) {
		o.Loops = append(o.Loops, heat.Range{File: l.File, Line: l.Line, End: l.EndLine})
	}
	return o
}

func notes(outcomes []analyzer.Outcome) []string {
	return slices.Concat(unanswered(outcomes), analyzer.Notes(outcomes), astfinding.Errors(outcomes))
}

// leftOut counts what is not listed; way is how to see it.
func leftOut(r heat.Ranked, way string) []string {
	var out []string
	if r.Cold > 0 {
		out = append(out, counted(r.Cold, "finding in the source is", "findings in the source are")+" cold: the profile never shows their lines (listed "+way+")")
	}
	if r.Fine > 0 {
		out = append(out, counted(r.Fine, "finding in the source is", "findings in the source are")+" about copies of a loop that are not hot: in the hot ones, inlined elsewhere, the compiler does as well without the edit (listed "+way+")")
	}
	if r.Small > 0 {
		out = append(out, counted(r.Small, "finding in the source takes", "findings in the source take")+" too little CPU to pay (listed "+way+")")
	}
	return out
}

// addExcerpts cuts out the source of each finding. h gives lines their shares and
// may be nil.
func addExcerpts(findings []finding.Finding, h *heat.Heat) {
	var files sourcetext.Finder
	in := excerpt.Input{Text: files.Lines}
	if h != nil {
		in.Shares = h.Lines
	}
	for i := range findings {
		excerpt.Add(&findings[i], in)
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
