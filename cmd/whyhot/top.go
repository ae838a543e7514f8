package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/lookup"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/tablejson"
	"whyhot/internal/report/term"
)

type topFlags struct {
	load      loadFlags
	filter    filterFlags
	prices    priceFlags
	by, sort  string
	library   string
	family    string
	match     string
	rows      int
	relative  bool
	json      bool
	fullNames bool
}

func newTopCmd() *cobra.Command {
	var f topFlags
	cmd := &cobra.Command{
		Use:   "top FILE | --from URL",
		Short: "List the hottest functions by self or total time",
		Long: `Lists what is hot in a profile. "self" is the share of samples in which the
function itself was executing, "total" that in which it was anywhere on the
stack; a recursive function counts once per sample. "±" is the sampling error of
the share that the rows are sorted by (half of the 95% interval).

--process, --thread, --focus, --ignore and --leaf select samples; --library,
--match and --family select the functions that are listed and counted. Shares
stay fractions of the whole profile unless --relative is given.`,
		Example: `  whyhot top perf.data
  whyhot top cpu.pb.gz --by library
  whyhot top cpu.pb.gz --sort total --process nginx
  whyhot top - < stacks.folded --json
  whyhot top --from http://localhost:7878 --service nginx --last 24h
  whyhot top --from http://localhost:7878 --where 'pod=~"web-.*" and not thread="gc"' --by pod`,
		Args: f.load.args(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := f.load.source(args)
			return runTop(cmd, path, f)
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.rows, "number", "n", 20, "rows to show, 0 for all (--json gives all unless this is set)")
	flags.StringVar(&f.by, "by", string(view.ByFunction), "group by: "+groupingList()+"; or the key of a label, such as pod or host")
	flags.StringVar(&f.sort, "sort", string(view.SortSelf), "sort by self or total")
	flags.StringVar(&f.library, "library", "", "only functions of binaries whose path matches `REGEX`")
	flags.StringVar(&f.match, "match", "", "only functions whose name matches `REGEX`")
	flags.StringVar(&f.family, "family", "", "only functions of families that match `REGEX` (see --by family)")
	flags.BoolVar(&f.relative, "relative", false, "shares of the selected samples, not of all")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.fullNames, "full-names", false, "do not shorten names")
	f.load.add(cmd)
	f.load.addRemote(cmd)
	f.load.completeBy(cmd, groupings()...)
	f.filter.add(cmd)
	f.filter.addOwn(cmd)
	f.prices.add(cmd)
	return cmd
}

func groupings() (names []string) {
	for _, g := range view.Groupings() {
		names = append(names, string(g))
	}
	return names
}

func groupingList() string {
	return strings.Join(groupings(), ", ")
}

// options checks the flags that choose rows.
func (f *topFlags) options() (view.TopOptions, error) {
	opt := view.TopOptions{By: view.By(f.by), Sort: view.Sort(f.sort)}
	if !slices.Contains(view.Groupings(), opt.By) {
		if !label.Valid(f.by) {
			return opt, fmt.Errorf("invalid --by %q: must be one of %s, or the key of a label", f.by, groupingList())
		}
		opt.By = view.By(label.Name(f.by))
	}
	if err := checkSort(f.sort); err != nil {
		return opt, err
	}
	if f.rows < 0 {
		return opt, fmt.Errorf("-n %d: must not be negative", f.rows)
	}
	var err error
	if opt.Library, err = pattern("library", f.library); err != nil {
		return opt, err
	}
	if opt.Match, err = pattern("match", f.match); err != nil {
		return opt, err
	}
	if opt.Family, err = pattern("family", f.family); err != nil {
		return opt, err
	}
	if opt.Family != nil || opt.By == view.ByFamily {
		cat, err := catalog.Builtin()
		if err != nil {
			return opt, err
		}
		opt.Grouper = rule.NewFamilies(cat)
	}
	return opt, nil
}

func checkSort(s string) error {
	if s != string(view.SortSelf) && s != string(view.SortTotal) {
		return fmt.Errorf("--sort %s: must be self or total", s)
	}
	return nil
}

func runTop(cmd *cobra.Command, path string, f topFlags) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	prices, err := f.prices.read(cmd)
	if err != nil {
		return err
	}
	if by := f.by; opt.By == view.ByThread || !slices.Contains(view.Groupings(), opt.By) {
		f.load.by = by
	}
	all, p, err := loadSamples(cmd, path, f.load, f.filter)
	if err != nil {
		return err
	}
	if key := string(opt.By); !slices.Contains(view.Groupings(), opt.By) && !slices.Contains(labelKeys(all), key) {
		also := "; the samples have no labels"
		if keys := labelKeys(all); len(keys) > 0 {
			also = ", or a label of the samples: " + strings.Join(keys, ", ")
		}
		return fmt.Errorf("invalid --by %q: must be one of %s%s", f.by, groupingList(), also)
	}
	of := all
	if f.relative {
		of = p
	}
	whole := term.WholeOf(of)
	rate, err := f.prices.rate(cmd, prices, of)
	if err != nil {
		return err
	}
	table := view.Top(p, opt)
	if len(table.Rows) == 0 {
		return fmt.Errorf("no functions match%s%s%s",
			flagText(" --library ", f.library), flagText(" --match ", f.match), flagText(" --family ", f.family))
	}
	if f.json {
		rows := 0
		if cmd.Flags().Changed("number") {
			rows = f.rows
		}
		return tablejson.Top(cmd.OutOrStdout(), p, table, whole.Total, rows, rate)
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	printHeader(out, path, all, p, &f.filter, f.relative)
	if text := term.CutText(all); text != "" {
		out.Notef("%s", text)
	}
	if (opt.By == view.ByFunction || opt.By == view.ByLine) && !f.filter.own {
		if text := belowOwnText(p); text != "" {
			out.Notef("%s", text)
		}
	}
	if f.filter.own && isAllOutside(p, table) {
		out.Notef("no function of the samples is the program's own: a shell's script leaves none, and code of the system is nobody's")
	}
	out.Bill(rate)
	out.Line()
	out.Top(term.TopInput{Profile: p, Table: table, Whole: whole, Rows: f.rows, Sort: opt.Sort, FullNames: f.fullNames, Rate: rate})
	if opt.By == view.ByLine && all.Meta.Recorded && len(table.Rows) > 0 && p.Function(table.Rows[0].Function).Kind == profile.KindJS {
		printOnce(cmd.ErrOrStderr(), []string{linesOfV8})
	}
	hintAfterTop(out, &f.load, path, p, table)
	return out.Err()
}

func flagText(name, value string) string {
	if value == "" {
		return ""
	}
	return name + value
}

// printHeader says what was profiled, and what of it the filters left.
func printHeader(out *term.Printer, path string, all, p *profile.Profile, filter *filterFlags, relative bool) {
	out.Header(path, all)
	on := filter.String()
	if !filter.withoutStartup {
		if text := term.StartupText(p); text != "" {
			out.Notef("%s", text)
		}
	}
	if filter.own {
		out.Notef("%s", ownText)
	}
	if on == "" {
		return
	}
	of := "shares are of the whole profile"
	if relative {
		of = "shares are of these"
	}
	kept := percent.Column(term.WholeOf(all).Share(p.Total()))
	out.Notef("%s: %s of the samples (%s); %s", on, quantity.Count(p.Count()), kept, of)
}

// hintAfterTop names the next step: who calls the hottest function that has a
// name, and why it is hot.
func hintAfterTop(out *term.Printer, load *loadFlags, path string, p *profile.Profile, table *view.TopTable) {
	words, ok := load.again(path)
	if !ok || !out.TTY {
		return
	}
	if table.By == view.ByFunction || table.By == view.ByLine {
		for _, r := range table.Rows {
			if p.Function(r.Function).Name != "" {
				out.Hint("callers", whyhot("graph", words, []string{lookup.Handle(p, r.Function)})...)
				break
			}
		}
	}
	out.Hint("why it is hot", whyhot(explainName, words)...)
}
