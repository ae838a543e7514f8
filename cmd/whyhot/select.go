package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/startup"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/term"
)

// filterFlags choose the samples that a command looks at.
type filterFlags struct {
	process, thread, focus, ignore, leaf string

	withoutStartup bool
	own            bool // what is shown of the samples; it chooses none
}

func (f *filterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.process, "process", "", "only samples of processes whose name matches `REGEX`, or of this PID")
	flags.StringVar(&f.thread, "thread", "", "only samples of threads whose name matches `REGEX`, or of this TID")
	flags.StringVar(&f.focus, "focus", "", "only samples with a function that matches `REGEX` anywhere in the stack")
	flags.StringVar(&f.ignore, "ignore", "", "no samples with a function that matches `REGEX` anywhere in the stack")
	flags.StringVar(&f.leaf, "leaf", "", "only samples whose innermost function matches `REGEX`")
	flags.BoolVar(&f.withoutStartup, term.WithoutStartup, false, "no samples of the start of a runtime: imports, class loading, JIT compilation")
}

// apply returns the samples of p that pass. None at all is an error that says
// what there is.
func (f *filterFlags) apply(p *profile.Profile) (*profile.Profile, error) {
	var filter view.Filter
	for _, flag := range []struct {
		name, pattern string
		to            **regexp.Regexp
	}{
		{"process", f.process, &filter.Process},
		{"thread", f.thread, &filter.Thread},
		{"focus", f.focus, &filter.Focus},
		{"ignore", f.ignore, &filter.Ignore},
		{"leaf", f.leaf, &filter.Leaf},
	} {
		re, err := pattern(flag.name, flag.pattern)
		if err != nil {
			return nil, err
		}
		*flag.to = re
	}
	kept := filter.Apply(p)
	if f.withoutStartup {
		kept = startup.Without(kept)
	}
	if len(kept.Samples()) == 0 {
		return nil, fmt.Errorf("no sample passes %s%s", f, f.known(p))
	}
	if f.own {
		kept = ownline.Only(kept)
	}
	return kept, nil
}

// pattern compiles the regular expression of a flag; nil where it is not given.
func pattern(flag, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no pattern is no error
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w (write \\ before ( ) [ ] * + ? . to mean the character itself)", flag, err)
	}
	return re, nil
}

// String says which filters are on: "--process z3 --ignore main".
func (f *filterFlags) String() string {
	var on []string
	for _, flag := range [][2]string{{"process", f.process}, {"thread", f.thread}, {"focus", f.focus}, {"ignore", f.ignore}, {"leaf", f.leaf}} {
		if flag[1] != "" {
			on = append(on, "--"+flag[0]+" "+flag[1])
		}
	}
	if f.withoutStartup {
		on = append(on, "--"+term.WithoutStartup)
	}
	return strings.Join(on, " ")
}

// known lists the processes or threads there are, where one was asked for.
func (f *filterFlags) known(p *profile.Profile) string {
	by, kind := view.ByProcess, "processes"
	switch {
	case f.process != "":
	case f.thread != "":
		by, kind = view.ByThread, "threads"
	default:
		return ""
	}
	const most = 8
	var names []string
	for _, r := range view.Top(p, view.TopOptions{By: by}).Rows {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		names = append(names, r.Label)
	}
	return fmt.Sprintf("; the %s are %s", kind, strings.Join(names, ", "))
}

// swapped says so when the file and the function were given the wrong way round.
func swapped(cmd *cobra.Command, path, function string) error {
	if path == "-" || isFile(path) || !isFile(function) {
		return nil // a file that is missing is told by whoever opens it
	}
	return fmt.Errorf("there is no file %s; the file comes first: %s %s %s", path, cmd.CommandPath(), term.Quote(function), term.Quote(path))
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
