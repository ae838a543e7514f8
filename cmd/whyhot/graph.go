package main

import (
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"whyhot/internal/profile"
	"whyhot/internal/profile/lookup"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/tablejson"
	"whyhot/internal/report/term"
)

type graphFlags struct {
	load      loadFlags
	prices    priceFlags
	filter    filterFlags
	depth     int
	least     float64
	all       bool
	json      bool
	fullNames bool
}

func newGraphCmd() *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use:   "graph FILE|--from URL FUNCTION",
		Short: "Show callers and callees of a function, with shares",
		Long: `Shows the callers and the callees of a function, each as a tree.
"of all" is the share of the whole profile, "of it" that of the function.

FUNCTION is a name as the tables print it, with or without its package, or a
regular expression. A
recursive function counts once per sample: its callers are those of the outermost
call, its callees those of the innermost one.`,
		Example: `  whyhot graph cpu.pb.gz malloc
  whyhot graph perf.data 'json_parse.*' --all --depth 6
  whyhot graph --from http://localhost:7878 --service nginx malloc`,
		Args: f.load.args(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, rest := f.load.source(args)
			return runGraph(cmd, path, rest[0], f)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.depth, "depth", 3, "levels of callers and of callees")
	flags.Float64Var(&f.least, "min", 2, "prune branches below this percentage of the function")
	flags.BoolVar(&f.all, "all", false, "merge all functions that FUNCTION matches")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.fullNames, "full-names", false, "do not shorten names")
	f.prices.add(cmd)
	f.load.add(cmd)
	f.load.addRemote(cmd)
	f.filter.add(cmd)
	f.filter.addOwn(cmd)
	return cmd
}

func runGraph(cmd *cobra.Command, path, function string, f graphFlags) error {
	switch {
	case f.depth < 1:
		return fmt.Errorf("--depth %d: must be at least 1", f.depth)
	case f.least < 0 || f.least > 100:
		return fmt.Errorf("--min %g: must be a percentage from 0 to 100", f.least)
	}
	prices, err := f.prices.read(cmd)
	if err != nil {
		return err
	}
	if !f.load.remote.on() {
		if err := swapped(cmd, path, function); err != nil {
			return err
		}
	}
	all, p, err := loadSamples(cmd, path, f.load, f.filter)
	if err != nil {
		return err
	}
	found, err := lookup.Functions(p, function, f.all)
	if err != nil {
		return err
	}
	whole := term.WholeOf(all)
	rate, err := f.prices.rate(cmd, prices, all)
	if err != nil {
		return err
	}
	least := int64(math.Ceil(f.least / 100 * float64(view.Lines(p, found).Total)))
	s := view.Callgraph(p, found, view.CallgraphOptions{Depth: f.depth, MinWeight: least})
	if f.json {
		return tablejson.Graph(cmd.OutOrStdout(), p, s, whole.Total, rate)
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	printHeader(out, path, all, p, &f.filter, false)
	if text := term.CutText(all); text != "" {
		out.Notef("%s", text)
	}
	out.Bill(rate)
	out.Line()
	out.Graph(term.GraphInput{
		Profile: p, Name: functionTitle(p, found), Sandwich: s, Whole: whole,
		Least: least, FullNames: f.fullNames, Rate: rate,
	})
	if words, ok := f.load.again(path); ok {
		out.Hint("line by line", whyhot("lines", words, []string{function})...)
	}
	return out.Err()
}

// functionTitle names one function, or says of how many the numbers are.
func functionTitle(p *profile.Profile, found []profile.FunctionID) string {
	name := view.Name(p, found[0])
	if len(found) == 1 {
		return name
	}
	if lookup.SameName(p, found) {
		return fmt.Sprintf("%s (%d functions of this name)", name, len(found))
	}
	return fmt.Sprintf("%s and %d more functions", name, len(found)-1)
}
