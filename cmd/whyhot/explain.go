package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain"
	"whyhot/internal/explain/machine"
	"whyhot/internal/fetch"
	"whyhot/internal/finding"
	"whyhot/internal/finding/price"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/html"
	"whyhot/internal/report/term"
)

const explainName = "explain"

type explainFlags struct {
	load   loadFlags
	filter filterFlags
	prices priceFlags
	source analyseFlags
	shown  shownFlags
	html   string
	rules  []string
	report []string
	past   baselineFlags
	all    bool
	send   bool
	number int
}

func newExplainCmd() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain FILE|--from URL [-p BUILD_DIR]",
		Short: "Explain why code is hot, with findings ranked by savings",
		Long: `Checks a profile against the catalogue of known slow libraries, functions and
patterns, and prints a short list of findings: what is slow, how much CPU it
takes (± sampling error), what a fix may save, the evidence, what to change, and
the command that proves it. Trials that were run with
"whyhot try --profile FILE" are shown with the finding they prove or refute.

With -p BUILD_DIR it also analyses the program's own source: the hot functions
are compiled as they are and as they could be, and what is found is ranked in the
same list by the CPU that its lines take.

A fast program gets no finding; that is an answer too.`,
		Example: `  whyhot explain cpu.pb.gz
  whyhot explain cpu.pb.gz --html report.html
  whyhot explain perf.data --process nginx --json
  whyhot explain cpu.pb.gz -p build
  whyhot explain --from http://localhost:7878 --service nginx --last 24h -p build`,
		Args: f.load.args(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := f.load.source(args)
			return runExplain(cmd, path, f)
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.number, "number", "n", 0, "findings to show at most, 0 for all")
	f.shown.add(cmd)
	flags.StringVar(&f.html, "html", "", "write a self-contained HTML report to `OUT`")
	flags.StringArrayVar(&f.rules, "rules", nil, "also apply the catalogue entries and source rules in `DIR` (repeatable)")
	flags.StringArrayVar(&f.report, "report", nil, "also judge what compilers wrote to `REPORT`, a file or directory (repeatable; docs/guide/remarks.md)")
	flags.BoolVar(&f.all, "all", false, "also apply the entries that hold for nearly every program (PGO, LTO); with -p also scan what is cold")
	flags.BoolVar(&f.send, "send", false, "with --from and --service: also send the findings there, for everybody to see")
	f.past.add(cmd)
	f.load.add(cmd)
	f.load.addRemote(cmd)
	f.filter.add(cmd)
	f.prices.add(cmd)
	f.source.add(cmd, "also judge the program's source: build `DIR` with a compile_commands.json")
	f.source.addCoverage(cmd)
	return cmd
}

func runExplain(cmd *cobra.Command, path string, f explainFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	x := explaining{explainFlags: f, path: path}
	answer, err := x.explain(cmd)
	if err != nil {
		return err
	}
	if err := x.complete(cmd, &answer); err != nil {
		return err
	}
	return x.show(cmd, answer)
}

func (f *explainFlags) check() error {
	if f.number < 0 {
		return fmt.Errorf("-n %d: must not be negative", f.number)
	}
	if err := f.checkSend(); err != nil {
		return err
	}
	return f.past.check(&f.load)
}

// explaining is one run of the command.
type explaining struct {
	explainFlags

	path  string
	whole fetch.Fetched
	part  *profile.Profile // what the filter leaves of it
	known explain.Rules
	rate  *price.Rate
	loops []machine.Loop // for a page
}

// explain reads what is asked about, and asks.
func (x *explaining) explain(cmd *cobra.Command) (finding.Report, error) {
	prices, err := x.prices.read(cmd)
	if err != nil {
		return finding.Report{}, err
	}
	if x.known, err = explain.LoadRules(x.rules...); err != nil {
		return finding.Report{}, err
	}
	r := explain.Request{Path: x.path, Rules: x.known, DebugDirs: x.load.debugDirs, All: x.all, Machine: true}
	if r.Remarks, err = explain.ReadReports(cmd.Context(), x.report...); err != nil {
		return finding.Report{}, fmt.Errorf("--report: %w", err)
	}
	var done func()
	if r.Source, done, err = x.source.request(cmd); err != nil {
		return finding.Report{}, err
	}
	defer done()
	if x.whole, err = readProfile(cmd, x.path, x.load.chosenBy(x.filter)); err != nil {
		return finding.Report{}, err
	}
	if x.part, err = x.filter.apply(x.whole.Profile); err != nil {
		return finding.Report{}, err
	}
	r.Profile = x.part
	if x.rate, err = x.prices.rate(cmd, prices, x.part); err != nil {
		return finding.Report{}, err
	}
	if x.load.remote.on() {
		r.Path = ""
		if r.Trials, err = trialsOf(cmd, &x.load.remote); err != nil {
			return finding.Report{}, err
		}
	} else {
		r.Trials = learnt(x.part)
	}
	if x.html != "" {
		r.Loops = func(found []machine.Loop) { x.loops = found }
	}
	busy := func() {}
	if r.Source == nil { // else the analysis says how far it is
		busy = showBusy(cmd.ErrOrStderr(), "checking the rules")
	}
	answer, err := explain.Explain(cmd.Context(), r)
	busy()
	return answer, stopped(err)
}

// complete adds to the answer what the rules do not give, and sends it where it belongs.
func (x *explaining) complete(cmd *cobra.Command, answer *finding.Report) (err error) {
	bill(x.rate, answer)
	if x.shown.finding == "" && !answer.Unjudged {
		if answer.Surprises, _, err = x.past.surprises(cmd, x.part, x.known, &x.load, x.filter, fewSurprises); err != nil {
			return err
		}
	}
	if x.load.remote.on() {
		nameServer(answer, &x.load.remote)
	}
	if x.send {
		if err := sendFindings(cmd, &x.load.remote, *answer); err != nil {
			return err
		}
	}
	// What is missing bounds what the rules could see: it belongs to the answer.
	answer.Notes = append(answer.Notes, x.whole.Hints()...)
	if text := term.StartupText(x.part); text != "" && x.shown.json { // else it is in the header
		answer.Notes = append(answer.Notes, text)
	}
	if x.shown.finding == "" {
		answer.Keep(x.number)
	}
	return nil
}

// show writes the page that was asked for, and prints.
func (x *explaining) show(cmd *cobra.Command, answer finding.Report) error {
	if x.html != "" {
		done := showBusy(cmd.ErrOrStderr(), "writing "+x.html)
		err := writeHTMLReport(x.html, x.path, x.part, answer, x.rate, x.loops)
		if done(); err != nil {
			return err
		}
		if !x.shown.json {
			if _, err := fmt.Fprintln(cmd.ErrOrStderr(), "report:", x.html); err != nil {
				return err
			}
		}
	}
	if !x.shown.json {
		out := term.New(cmd.OutOrStdout(), os.Environ())
		printHeader(out, x.path, x.whole.Profile, x.part, &x.filter, true)
		out.Bill(x.rate)
		if err := out.Err(); err != nil {
			return err
		}
	}
	return x.shown.printReport(cmd, answer, func(p *term.Printer, r finding.Report) { p.Brief(r, moreOf(x.path, x.explainFlags)) })
}

// moreOf is the command that shows all of the finding ID, "" where the profile cannot
// be read again.
func moreOf(path string, f explainFlags) string {
	words, ok := f.load.again(path)
	if !ok {
		return ""
	}
	words = whyhot(explainName, words)
	if f.source.buildDir != "" {
		words = append(words, "-p", f.source.buildDir)
	}
	if f.all {
		words = append(words, "--all")
	}
	for _, dir := range f.rules {
		words = append(words, "--rules", dir)
	}
	for _, report := range f.report {
		words = append(words, "--report", report)
	}
	return term.CommandLine(append(words, "--finding", "ID"))
}

// writeHTMLReport writes beside the target and renames.
func writeHTMLReport(out, path string, p *profile.Profile, r finding.Report, rate *price.Rate, loops []machine.Loop) error {
	return wholefile.Write(out, 0o644, func(w *os.File) error {
		return html.Report(w, html.ReportInput{
			Flame: html.FlameInput{
				Title:   profileTitle(p, path),
				Profile: p,
				Rate:    rate,
				Tree:    view.BuildTree(p, view.TreeOptions{MinWeight: leastShown(p)}),
			},
			Report:  r,
			Checked: []string{r.Looked},
			Loops:   loops,
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
	if strings.Contains(path, "://") {
		return path // a server's
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

// trialsOf are the trials that were sent to a server.
func trialsOf(cmd *cobra.Command, remote *remoteFlags) (map[string][]finding.Trial, error) {
	c, err := remote.client()
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	return c.Trials(cmd.Context())
}

// nameServer has the next commands send their trials to where the profile is from.
func nameServer(r *finding.Report, remote *remoteFlags) {
	to := append([]string{"--to", remote.url}, remote.serverFlags.words()...)
	for i := range r.Findings {
		if next := &r.Findings[i].Next; next.Tries() && next.Has("--profile") {
			*next = next.Without("--profile")
			next.Args = slices.Concat(to, next.Args)
		}
	}
}
