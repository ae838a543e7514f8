package main

import (
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"whyhot/internal/profile"
	"whyhot/internal/profile/lookup"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/tablejson"
	"whyhot/internal/report/term"
	"whyhot/internal/trial"
)

type diffFlags struct {
	load      loadFlags
	filter    filterFlags
	prices    priceFlags
	sort      string
	rows      int
	absolute  bool
	all       bool
	json      bool
	fullNames bool
	failIf    string
}

func newDiffCmd() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff BEFORE AFTER [--from URL]",
		Short: "Compare two profiles beyond sampling error",
		Long: `Compares two profiles function by function. Functions are matched by name and
binary, without directories and version suffixes, nor those that compilers give to
copies and parts of a function (.constprop.0, .isra.0, .part.0, .cold, [clone …]). A
function that only BEFORE has and one that only AFTER has are taken for one that was
renamed where they are of the same source file (or binary, if no file is known), cost
as much within sampling error, alone and with what they call, and no other one does.

Shares are compared, so a saving in one place makes all others look more
expensive. Give --absolute if both profiles measured the same work at the same
sample rate: then values are compared. Differences that are not significant are
hidden unless --all is given, which marks them with "?".

With --fail-if 'slower>3%' the exit status is 1 where a function grew by more than 3%
of all that BEFORE has: the whole of its interval, at 95% confidence for all functions
together, has to be beyond that. With --absolute the program as a whole is one of
them. Exit status 2 says that this cannot be told.

With --from, BEFORE and AFTER are two choices of a server's samples: ranges such as
48h..24h, or version=1.4 (also service, host, container, process); several are
separated by commas. Ranges that touch share no minute.`,
		Example: `  whyhot diff before.pb.gz after.pb.gz
  whyhot diff before.pb.gz after.pb.gz --absolute --sort total
  whyhot diff before.pb.gz after.pb.gz --fail-if 'slower>2%'
  whyhot diff --from http://localhost:7878 --service web version=1.4 version=1.5
  whyhot diff --from http://localhost:7878 --service web 48h..24h 24h..now`,
		Args: func(cmd *cobra.Command, args []string) error {
			return errors.Join(f.load.remote.check(cmd), cobra.ExactArgs(2)(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return gatedBy(f.failIf, func(gate *trial.FailIf) error { return runDiff(cmd, args[0], args[1], f, gate) })
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.rows, "number", "n", 20, "rows to show, 0 for all (--json gives all unless this is set)")
	flags.StringVar(&f.sort, "sort", string(view.SortSelf), "compare self or total")
	flags.BoolVar(&f.absolute, "absolute", false, "compare values, not shares")
	flags.BoolVar(&f.all, "all", false, "also show differences that are not significant")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.failIf, "fail-if", "", "exit with 1 where `CONDITION` holds of a function: slower>3%, faster or both")
	flags.BoolVar(&f.fullNames, "full-names", false, "do not shorten names")
	f.load.add(cmd)
	f.load.addRemote(cmd)
	f.filter.add(cmd)
	f.filter.addOwn(cmd)
	f.prices.add(cmd)
	return cmd
}

func runDiff(cmd *cobra.Command, before, after string, f diffFlags, gate *trial.FailIf) error {
	if gate != nil {
		if err := gate.ChangesOnly(); err != nil {
			return err
		}
	}
	if err := checkSort(f.sort); err != nil {
		return err
	}
	if f.rows < 0 {
		return fmt.Errorf("-n %d: must not be negative", f.rows)
	}
	if before == "-" && after == "-" {
		return errors.New("only one of the profiles can be standard input")
	}
	prices, err := f.prices.read(cmd)
	if err != nil {
		return err
	}
	a, err := f.one(cmd, &before)
	if err != nil {
		return err
	}
	b, err := f.one(cmd, &after)
	if err != nil {
		return err
	}
	if x, y := a.Meta.ValueType, b.Meta.ValueType; f.absolute && x.Unit != y.Unit {
		return fmt.Errorf("--absolute: %s counts %s and %s counts %s; compare shares, without --absolute", before, x.Unit, after, y.Unit)
	}
	rate, err := f.prices.rate(cmd, prices, b)
	if err != nil {
		return err
	}
	sort := view.Sort(f.sort)
	table := view.Diff(a, b, view.DiffOptions{Sort: sort, Absolute: f.absolute})
	var failing any // of the JSON form
	if gate != nil {
		if a.Count() == 0 || b.Count() == 0 {
			return errors.New("--fail-if: a profile without samples tells nothing")
		}
		gateDiff(gate, table, sort)
		failing = gate
	}
	if f.json {
		rows := 0
		if cmd.Flags().Changed("number") {
			rows = f.rows
		}
		return tablejson.Diff(cmd.OutOrStdout(), a, b, table, sort, rows, rate, failing)
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	out.Header(before, a)
	out.Header(after, b)
	if f.filter.own {
		out.Notef("%s", ownText)
	}
	if !f.absolute && a.Meta.ValueType.Unit == b.Meta.ValueType.Unit && differ(a.Total(), b.Total()) {
		out.Notef("shares are of each profile's own total: of the same work, what grows here may have become cheaper; --absolute compares the values")
	}
	out.Bill(rate)
	out.Line()
	out.Diff(term.DiffInput{A: a, B: b, Table: table, Sort: sort, Rows: f.rows, All: f.all, FullNames: f.fullNames, Rate: rate})
	if !f.load.remote.on() {
		hintAfterDiff(out, after, b, table)
	}
	return out.Err()
}

// differ says whether two totals are so far apart that shares of them mislead.
func differ(a, b int64) bool {
	const much = 0.1
	return math.Abs(float64(a-b)) > much*float64(max(a, b))
}

// gateDiff holds a condition against every change.
func gateDiff(gate *trial.FailIf, table *view.DiffTable, sort view.Sort) {
	const level = 0.95 // of all together
	for _, c := range table.Changes(sort, level) {
		name := c.Name
		if name == "" && c.Binary == "" {
			name = "the whole program"
		}
		const percent = 100
		gate.CheckChange(fmt.Sprintf("%s %+.1f%% (%+.1f to %+.1f)", term.Clean(name), c.Delta*percent, c.Low*percent, c.High*percent), c.Low, c.High)
	}
}

// one reads one side. What a server has is called by its whole name from then on.
func (f *diffFlags) one(cmd *cobra.Command, path *string) (*profile.Profile, error) {
	load := f.load
	if load.remote.on() {
		var err error
		if load.remote.half, err = parseHalf(*path); err != nil {
			return nil, err
		}
		*path = load.remote.name()
	}
	p, err := loadProfile(cmd, *path, load.chosenBy(f.filter))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", *path, err)
	}
	if p, err = f.filter.apply(p); err != nil {
		return nil, fmt.Errorf("%s: %w", *path, err)
	}
	return p, nil
}

// hintAfterDiff points at the function that grew most.
func hintAfterDiff(out *term.Printer, after string, b *profile.Profile, table *view.DiffTable) {
	if after == "-" || !out.TTY {
		return
	}
	for _, r := range table.Rows {
		if r.Significant && r.Delta > 0 && r.B != (view.Side{}) {
			out.Hint("who calls what grew", "whyhot", "graph", after, lookup.Handle(b, r.B.Function))
			return
		}
	}
}
