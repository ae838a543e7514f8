package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule"
	"whyhot/internal/finding"
	"whyhot/internal/finding/ledger"
	"whyhot/internal/finding/percent"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/html"
	"whyhot/internal/report/term"
)

type explainFlags struct {
	load   loadFlags
	filter filterFlags
	source sourceFlags
	json   bool
	html   string
	rules  []string
	all    bool
	number int
}

func newExplainCmd() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain FILE [-p BUILD_DIR]",
		Short: "Why it is hot: findings ranked by the CPU they could give back",
		Long: `Judges a profile against the catalogue of known slow libraries, functions and
patterns, and prints a short list of findings: what is slow, how much CPU it
touches (± sampling error), what may come back, what speaks for it, what to
change, and the command that proves it. Trials that were run with
"whyhot try --profile FILE" are shown with the finding they prove or refute.

With -p BUILD_DIR it also judges the program's own source: the hot functions are
compiled as they are and as they could be, and the findings stand in the same
list by the CPU that their lines take.

Many fast programs get no finding; that is an answer too.`,
		Example: `  whyhot explain cpu.pb.gz
  whyhot explain cpu.pb.gz --html report.html
  whyhot explain perf.data --process nginx --json
  whyhot explain cpu.pb.gz -p build`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplain(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.number, "number", "n", 0, "findings to show at most, 0 for all")
	flags.BoolVar(&f.json, "json", false, "write the findings as JSON (docs/finding.schema.json)")
	flags.StringVar(&f.html, "html", "", "write a self-contained HTML report to `OUT`")
	flags.StringArrayVar(&f.rules, "rules", nil, "also apply the catalogue entries in `DIR` (repeatable)")
	flags.BoolVar(&f.all, "all", false, "also apply the entries that hold for nearly every program (PGO, LTO); with -p also scan what is cold")
	f.load.add(cmd)
	f.filter.add(cmd)
	f.source.add(cmd)
	return cmd
}

func runExplain(cmd *cobra.Command, path string, f explainFlags) error {
	if f.number < 0 {
		return fmt.Errorf("-n %d: must not be negative", f.number)
	}
	if err := f.source.check(cmd); err != nil {
		return err
	}
	cat, err := loadCatalog(f.rules)
	if err != nil {
		return err
	}
	all, summary, err := readProfile(cmd, path, f.load)
	if err != nil {
		return err
	}
	p, err := f.filter.apply(all)
	if err != nil {
		return err
	}
	report, looked, err := explain(cmd, p, path, cat, f)
	if err != nil {
		return err
	}
	// What is missing bounds what the rules could see: it belongs to the answer.
	report.Notes = append(report.Notes, summary.Hints(worthSaying, false)...)
	if f.number > 0 && len(report.Findings) > f.number {
		report.Notes = append(report.Notes, fmt.Sprintf("%d more findings (-n 0 shows all)", len(report.Findings)-f.number))
		report.Findings = report.Findings[:f.number]
	}
	if f.html != "" {
		if err := writeHTMLReport(f.html, path, p, report, looked); err != nil {
			return err
		}
		if !f.json {
			_, err := fmt.Fprintln(cmd.ErrOrStderr(), "report:", f.html)
			if err != nil {
				return err
			}
		}
	}
	if !f.json {
		out := term.New(cmd.OutOrStdout(), os.Environ())
		printHeader(out, path, all, p, &f.filter, true)
		if err := out.Err(); err != nil {
			return err
		}
	}
	return printReport(cmd, report, f.json, looked)
}

func countText(p *profile.Profile) string {
	if p.Count() == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", p.Count())
}

// explain makes the report of a profile: what the rules and the source say, with
// the trials that lie beside the file; and what was looked at.
func explain(cmd *cobra.Command, p *profile.Profile, path string, cat *catalog.Catalog, f explainFlags) (r finding.Report, looked string, err error) {
	facts := binfacts.New(f.load.debugDirs...)
	options := rule.Options{ProfilePath: pathForNext(path), Rules: f.rules, Fallback: f.all}
	findings, notes, err := rule.Run(cmd.Context(), p, cat, facts, options)
	if err != nil {
		return r, "", err
	}
	notes = append(notes, counterfactual(p, facts)...)
	looked = fmt.Sprintf("%d catalogue entries were held against %s.", len(cat.Entries), countText(p))
	if f.source.analyse.build != "" && rule.Judges(p) {
		source, err := explainSource(cmd, p, pathForNext(path), f.source, f.all)
		if err != nil {
			return r, "", err
		}
		findings, notes = append(findings, source.findings...), append(notes, source.notes...)
		looked += " In the source: " + source.looked + "."
	}
	if !slices.ContainsFunc(findings, worthwhile) && !f.all {
		options.Fallback = true
		general, _, err := rule.Run(cmd.Context(), p, cat, facts, options)
		if err != nil {
			return r, "", err
		}
		for _, g := range withGeneral(findings, general)[len(findings):] {
			notes = append(notes, fmt.Sprintf("Left out, because it holds for nearly every program: %s (up to %s of the CPU; --all shows it)", g.Title, percent.Text(g.Gain.High)))
		}
	}
	if path != "-" {
		trials, err := ledger.Load(path)
		if err != nil {
			return r, "", err
		}
		attachTrials(findings, trials)
	}
	finding.Rank(findings)
	return finding.Report{
		Version:  finding.SchemaVersion,
		Profile:  sourceOf(p, path),
		Findings: findings,
		Notes:    notes,
		Unjudged: !rule.Judges(p),
	}, looked, nil
}

// worthwhileGain is what a finding must be able to give back for general advice, such
// as PGO, not to be mentioned beside it.
const worthwhileGain = 0.05

func worthwhile(f finding.Finding) bool { return f.Gain != nil && f.Gain.High >= worthwhileGain }

// withGeneral adds to findings what is only in general.
func withGeneral(findings, general []finding.Finding) []finding.Finding {
	for _, g := range general {
		if !slices.ContainsFunc(findings, func(f finding.Finding) bool { return f.ID == g.ID }) {
			findings = append(findings, g)
		}
	}
	return findings
}

// attachTrials lifts findings to proved or refuted where a trial says so.
func attachTrials(findings []finding.Finding, trials map[string][]finding.Trial) {
	for i := range findings {
		f := &findings[i]
		f.Trials = trials[f.ID]
		if c := ledger.Certainty(f.Trials); c != "" {
			f.Certainty = c
		}
	}
}

// pathForNext is how the next command names the profile.
func pathForNext(path string) string {
	if path == "-" {
		return ""
	}
	return path
}

func sourceOf(p *profile.Profile, path string) *finding.Source {
	s := &finding.Source{
		Path: path, Format: p.Meta.Source,
		Type: p.Meta.ValueType.Type, Unit: p.Meta.ValueType.Unit,
		Total: p.Total(), Samples: p.Count(), Lost: p.Meta.Lost,
		Duration: p.Meta.Duration.Seconds(),
	}
	if path == "-" {
		s.Path = ""
	}
	return s
}

// loadCatalog reads the built-in catalogue and the user's own entries.
func loadCatalog(dirs []string) (*catalog.Catalog, error) {
	cat, err := catalog.Builtin()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("--rules: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("--rules %s: not a directory; give the directory that holds the entries", dir)
		}
		if cat, err = cat.With(os.DirFS(dir), "."); err != nil {
			return nil, fmt.Errorf("--rules %s:\n%w", dir, err)
		}
	}
	return cat, nil
}

// writeHTMLReport writes beside the target and renames.
func writeHTMLReport(out, path string, p *profile.Profile, r finding.Report, looked string) error {
	return wholefile.Write(out, 0o644, func(w *os.File) error {
		return html.Report(w, html.ReportInput{
			Flame: html.FlameInput{
				Title:   profileTitle(p, path),
				Profile: p,
				Tree:    view.BuildTree(p, view.TreeOptions{MinWeight: leastShown(p)}),
			},
			Report:  r,
			Checked: []string{looked},
		})
	})
}

// profileTitle is the profiled command where it is known, else the file.
func profileTitle(p *profile.Profile, path string) string {
	if len(p.Meta.Command) > 0 {
		return strings.Join(p.Meta.Command, " ")
	}
	if path == "-" {
		return "standard input"
	}
	return filepath.Base(path)
}

// leastShown is the weight below which branches of a call tree are folded into
// one. A page of a small profile shows everything; in one of a million stacks
// nobody looks for what takes less than a hundred-thousandth.
func leastShown(p *profile.Profile) int64 {
	const many = 100_000
	if p.NumStacks() < many {
		return 0
	}
	return p.Total() / many
}
