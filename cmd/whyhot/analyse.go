package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/source/userrule"
)

// analyseFlags say how units are analysed, in every command that does so.
type analyseFlags struct {
	build      string
	jobs       int
	noCache    bool
	predicates []string
	accessors  []string
	remarks    bool
	timeout    time.Duration
}

// usualStores are the stores that are blamed where nobody asks for others.
const usualStores = "char"

func (f *analyseFlags) add(cmd *cobra.Command, buildHelp string) {
	fl := cmd.Flags()
	fl.StringVarP(&f.build, "build", "p", "", buildHelp)
	fl.IntVarP(&f.jobs, "jobs", "j", 0, "analyser processes at a time (default: one per core)")
	fl.BoolVar(&f.noCache, "no-cache", false, "neither read nor write cached answers of the analyser")
	fl.StringSliceVar(&f.predicates, "stores", []string{usualStores}, "which stores to blame: char, bitfield, pointer, size, volatile")
	fl.DurationVar(&f.timeout, "unit-timeout", 5*time.Minute, "give up on a unit of the source after this time")
	fl.BoolVar(&f.remarks, "remarks", false, "also list the loops in which the compiler says that it missed an optimisation, by loop and cause")
	fl.StringSliceVar(&f.accessors, "accessors", nil, "names that alias-loop-condition-name looks for (default: size, length, count, begin, end and the like)")
}

// options are both layers on everything; own are the user's rules.
func (f *analyseFlags) options(own []userrule.Rule) (analyzer.Options, error) {
	binary, err := analyzer.Find()
	if err != nil {
		return analyzer.Options{}, err
	}
	opts := analyzer.Options{
		Binary: binary, Workers: f.jobs, Timeout: f.timeout, Predicates: f.predicates, Blame: true, Remarks: f.remarks,
		AST: analyzer.ASTRequest{
			Layers: []string{analyzer.LayerAST, analyzer.LayerIR}, Accessors: f.accessors, UserRules: userrule.ForAnalyzer(own),
		},
	}
	if !f.noCache {
		opts.Cache, err = analyzer.OpenCache("", binary)
	}
	return opts, err
}

// analyse asks for all units, with a bar where a person is looking. The outcomes
// come in the order of the units, so that a second run prints the same.
func analyse(cmd *cobra.Command, units []compdb.Unit, opts analyzer.Options) ([]analyzer.Outcome, error) {
	bar := newUnitProgress(cmd.ErrOrStderr(), len(units))
	defer bar.line.Clear()
	order := map[string]int{}
	for i, u := range units {
		order[unitKey(u)] = i
	}
	var outcomes []analyzer.Outcome
	err := analyzer.Run(cmd.Context(), units, opts, func(o analyzer.Outcome) {
		outcomes = append(outcomes, o)
		bar.report(o)
	})
	slices.SortStableFunc(outcomes, func(a, b analyzer.Outcome) int {
		return cmp.Compare(order[unitKey(a.Unit)], order[unitKey(b.Unit)])
	})
	return outcomes, err
}

func unitKey(u compdb.Unit) string { return u.File + "\x00" + strings.Join(u.Arguments, "\x00") }

// outcomeNotes says what the reader should know of the units that have no
// answer: units that lack the same thing are one note.
func outcomeNotes(outcomes []analyzer.Outcome) []string {
	var texts []string
	files := map[string][]string{}
	add := func(o analyzer.Outcome, text string) {
		if _, known := files[text]; !known {
			texts = append(texts, text)
		}
		files[text] = append(files[text], o.Unit.File)
	}
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			add(o, o.Err.Error())
		case len(o.Reply.Errors) > 0:
			add(o, "does not compile: "+withoutPlace(o.Reply.Errors[0]))
		}
	}
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		if of := files[text]; len(of) == 1 {
			sep := " "
			if !strings.HasPrefix(text, "does not") {
				sep = ": "
			}
			out = append(out, shortFile(of[0])+sep+text)
		} else {
			out = append(out, fmt.Sprintf("%d units, %s and others: %s", len(of), shortFile(of[0]), text))
		}
	}
	return out
}

// withoutPlace cuts "file:line:column: " off a diagnostic, so that the same
// complaint of many units is one.
func withoutPlace(diagnostic string) string {
	for _, kind := range []string{": fatal error: ", ": error: "} {
		if _, text, ok := strings.Cut(diagnostic, kind); ok {
			return text
		}
	}
	return diagnostic
}

// shortFile is a file's name with the directory it is in.
func shortFile(path string) string {
	return filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
}
