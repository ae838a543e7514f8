package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/source/heat"
	"whyhot/internal/explain/source/remarks"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// sourceFlags say what explain does with the source of the profiled program.
type sourceFlags struct {
	analyse  analyseFlags
	coverage float64
}

func (f *sourceFlags) add(cmd *cobra.Command) {
	f.analyse.add(cmd, "also judge the program's source: build `DIR` with a compile_commands.json")
	cmd.Flags().Float64Var(&f.coverage, "coverage", 0.9, "with -p: analyse the hottest functions until they hold this fraction of the CPU spent in the build's source")
}

func (f *sourceFlags) check(cmd *cobra.Command) error {
	if f.coverage <= 0 || f.coverage > 1 {
		return fmt.Errorf("--coverage %v: a fraction above 0 and up to 1", f.coverage)
	}
	if f.analyse.build == "" {
		for _, name := range []string{"coverage", "stores", "accessors", "jobs", "no-cache", "remarks", "unit-timeout"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is about the program's source: give its build with -p BUILD_DIR", name)
			}
		}
	}
	return nil
}

// sourceJoin is what the source of the build says of a profile.
type sourceJoin struct {
	findings []finding.Finding
	notes    []string
	looked   string // what was looked at, for the reader of an empty list
}

// explainSource analyses the units of the build that hold hot code, both layers
// on the hot functions; with all the whole build.
func explainSource(cmd *cobra.Command, p *profile.Profile, path string, f sourceFlags, all bool) (sourceJoin, error) {
	units, err := compdb.Load(f.analyse.build)
	if err != nil {
		return sourceJoin{}, err
	}
	opts, err := f.analyse.options(nil)
	if err != nil {
		return sourceJoin{}, err
	}
	opts.Cycles = true
	hot := heat.NewHeat(p, heat.NewTree(units))
	out := sourceJoin{notes: hot.Notes()}
	var outcomes []analyzer.Outcome
	if all {
		if outcomes, err = analyse(cmd, units, opts); err != nil {
			return out, stopped(err, len(outcomes), len(units))
		}
		out.looked = counted(len(outcomes), "unit", "units") + " of the build"
	} else {
		plan := hot.Cover(f.coverage)
		if outcomes, err = analyseHot(cmd, plan, opts); err != nil {
			return out, err
		}
		out.notes = append(out.notes, heat.MissingNote(plan.Missing(lackOf(outcomes)))...)
		out.looked = fmt.Sprintf("%s in %s of the build, which hold %s of the CPU spent in its source",
			counted(plan.Functions(), "hot function", "hot functions"), counted(len(outcomes), "unit", "units"), percent.Text(plan.Covered()))
	}
	out.notes = slices.Concat(out.notes, outcomeNotes(outcomes), analyzer.Notes(outcomes))
	findings := sourceFindings(outcomes, all, nil)
	if f.analyse.remarks {
		findings = append(findings, remarks.Findings(outcomes)...)
	}
	ranked := hot.Rank(findings, heat.Options{All: all})
	out.findings = ranked.Findings
	addExcerpts(out.findings, hot)
	nameCommands(out.findings, f.analyse.build, path)
	out.notes = append(out.notes, leftOut(ranked, "with --all")...)
	return out, nil
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

// analyseHot asks the units of the plan, and further ones where a function of a
// header was not where it was looked for first.
func analyseHot(cmd *cobra.Command, plan *heat.Plan, opts analyzer.Options) ([]analyzer.Outcome, error) {
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
		opts.FunctionsOf = func(u compdb.Unit) []string { return functions[unitKey(u)] }
		more, err := analyse(cmd, units, opts)
		outcomes = append(outcomes, more...)
		if err != nil {
			return outcomes, stopped(err, len(more), len(units))
		}
	}
}

// lackOf knows which units were asked for a function and do not define it. A
// unit without an answer lacks everything.
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
