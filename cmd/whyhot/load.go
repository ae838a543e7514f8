package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/fetch"
	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/view"
	"whyhot/internal/profile/where"
	report "whyhot/internal/report/term"
)

// loadFlags say how to read a profile.
type loadFlags struct {
	debugDirs  []string
	noSymbols  bool
	sampleType string
	namesOnly  bool
	remote     remoteFlags
	where      string
	by         string // a label that samples are grouped by, of those that a server has
	threads    bool   // samples are chosen by their thread
}

// chosenBy has a server tell apart what a filter needs.
func (f loadFlags) chosenBy(filter filterFlags) loadFlags {
	f.threads = filter.thread != ""
	return f
}

// labels are what samples of a server have beside what all have.
func (f *loadFlags) labels() (list []string) {
	if f.by != "" {
		list = append(list, f.by)
	}
	if f.threads && f.by != profile.LabelThread {
		list = append(list, profile.LabelThread)
	}
	return list
}

func (f *loadFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.debugDirs, "debug-dir", nil, "also look for debug files in `DIR` (repeatable)")
	flags.BoolVar(&f.noSymbols, "no-symbols", false, "show what the file itself names, resolve nothing")
	flags.StringVar(&f.sampleType, "sample-type", "", "which `VALUE` to show of a pprof file that has several, or event of a perf.data file")
}

// addRemote has a command take the profiles of a server, too.
func (f *loadFlags) addRemote(cmd *cobra.Command) {
	f.remote.add(cmd.Flags())
	cmd.Flags().StringVar(&f.where, "where", "", `only samples whose labels meet a `+"`CONDITION`"+`: service="web" and pod=~"web-.*" and not thread="gc"`)
	f.complete(cmd)
}

// args checks that there are a FILE and n other arguments, or with --from the others
// alone.
func (f *loadFlags) args(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := f.remote.check(cmd); err != nil {
			return err
		}
		if f.where != "" {
			if _, err := where.Parse(f.where); err != nil {
				return fmt.Errorf("invalid --where: %w", err)
			}
		}
		if f.remote.on() {
			if len(args) == n+1 {
				return fmt.Errorf("with --from there is no FILE: leave out %s", report.Quote(args[0]))
			}
			return cobra.ExactArgs(n)(cmd, args)
		}
		return cobra.ExactArgs(n+1)(cmd, args)
	}
}

// source says what is read, and gives the arguments behind it. The path is the name of
// the samples where a server has them.
func (f *loadFlags) source(args []string) (path string, rest []string) {
	if f.remote.on() {
		return f.remote.name(), args
	}
	return args[0], args[1:]
}

// again are the words that have a command read the same; ok is false where nothing can.
func (f *loadFlags) again(path string) (words []string, ok bool) {
	if f.where != "" {
		words = []string{"--where", f.where}
	}
	if f.remote.on() {
		return append(f.remote.words(), words...), true
	}
	return append([]string{path}, words...), path != "-"
}

// whyhot is a command line of this program.
func whyhot(command string, words ...[]string) []string {
	return append([]string{programName, command}, slices.Concat(words...)...)
}

// loadProfile reads the profile at path ("-" is the standard input) and names
// its addresses. What the user should know of the reading goes to stderr, save
// what whyhot record has already told of the file.
func loadProfile(cmd *cobra.Command, path string, f loadFlags) (*profile.Profile, error) {
	p, err := readProfile(cmd, path, f)
	if err != nil {
		return nil, err
	}
	if !p.Meta.Recorded {
		printOnce(cmd.ErrOrStderr(), p.Hints())
	}
	return p.Profile, nil
}

// loadSamples is loadProfile, and which of its samples match the filter.
func loadSamples(cmd *cobra.Command, path string, f loadFlags, filter filterFlags) (all, passed *profile.Profile, err error) {
	if all, err = loadProfile(cmd, path, f.chosenBy(filter)); err != nil {
		return nil, nil, err
	}
	passed, err = filter.apply(all)
	return all, passed, err
}

// readProfile is loadProfile without a word on missing names.
func readProfile(cmd *cobra.Command, path string, f loadFlags) (fetch.Fetched, error) {
	o := fetch.Options{
		SampleType: f.sampleType, DebugDirs: f.debugDirs, NoSymbols: f.noSymbols, NamesOnly: f.namesOnly,
		Stdin: cmd.InOrStdin(),
		Doing: func(what string) func() { return showBusy(cmd.ErrOrStderr(), what) },
	}
	if f.remote.on() {
		done := o.Doing("asking " + f.remote.url)
		body, err := f.remote.open(cmd.Context(), f.where, f.labels())
		done()
		if err != nil {
			return fetch.Fetched{}, err
		}
		defer body.Close() //nolint:errcheck // only read from
		o.From = body
	}
	p, err := fetch.Profile(cmd.Context(), path, o)
	if err == nil && !p.Meta.Recorded {
		printOnce(cmd.ErrOrStderr(), p.Meta.Warnings)
	}
	if err == nil && f.where != "" && !f.remote.on() { // a server has chosen already
		p.Profile, err = whereOf(p.Profile, f.where)
	}
	return p, err
}

// whereOf are the samples of a file whose labels meet a condition.
func whereOf(p *profile.Profile, condition string) (*profile.Profile, error) {
	e, err := where.Parse(condition)
	if err != nil {
		return nil, fmt.Errorf("invalid --where: %w", err)
	}
	kept := view.Filter{Where: e}.Apply(p)
	if len(kept.Samples()) > 0 {
		return kept, nil
	}
	keys := labelKeys(p)
	if len(keys) == 0 {
		return nil, fmt.Errorf("no sample meets --where %s: the samples of this file have no labels", condition)
	}
	return nil, fmt.Errorf("no sample meets --where %s; the labels are %s", condition, strings.Join(keys, ", "))
}

// labelKeys are the keys of the labels that samples of a profile have, sorted.
func labelKeys(p *profile.Profile) []string {
	keys := map[string]bool{}
	for i := range p.NumLabelSets() {
		for _, l := range p.Labels(profile.LabelSetID(i)) {
			keys[label.Name(l.Key)] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// printOnce prints remarks, each once.
func printOnce(w io.Writer, notes []string) {
	for i, n := range notes {
		if !slices.Contains(notes[:i], n) {
			_, _ = fmt.Fprintln(w, "whyhot: note:", report.Clean(n)) // nothing to do about a closed stderr
		}
	}
}
