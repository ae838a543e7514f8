package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/term"
)

// filterFlags choose the samples that a command looks at.
type filterFlags struct {
	process, thread, focus, ignore, leaf string
}

func (f *filterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.process, "process", "", "only samples of processes whose name matches `REGEX`, or of this PID")
	flags.StringVar(&f.thread, "thread", "", "only samples of threads whose name matches `REGEX`, or of this TID")
	flags.StringVar(&f.focus, "focus", "", "only samples with a function that matches `REGEX` anywhere in the stack")
	flags.StringVar(&f.ignore, "ignore", "", "no samples with a function that matches `REGEX` anywhere in the stack")
	flags.StringVar(&f.leaf, "leaf", "", "only samples whose innermost function matches `REGEX`")
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
	if len(kept.Samples()) == 0 {
		return nil, fmt.Errorf("no sample passes %s%s", f, f.known(p))
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

// findFunction resolves what the user calls a function: its exact name, the
// name as the tables shorten it, or a regular expression that matches one
// function, or with all any number.
func findFunction(p *profile.Profile, name string, all bool) ([]profile.FunctionID, error) {
	found, reErr := lookUp(p, name)
	switch {
	case len(found) == 0:
		return nil, notFound(p, name, reErr)
	case all || sameName(p, found):
		return found, nil
	}
	return nil, ambiguous(p, name, found)
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

// lookUp finds all functions that name can mean; reErr says why it is no
// regular expression.
func lookUp(p *profile.Profile, name string) (found []profile.FunctionID, reErr error) {
	tests := []func(string) bool{
		func(s string) bool { return s == name },
		symname.Expand(name).MatchString,
	}
	re, reErr := regexp.Compile(name)
	if reErr == nil {
		tests = append(tests, re.MatchString)
	}
	return view.Find(p, tests...), reErr
}

// handle is a short text that findFunction takes for the function, for commands
// that people may copy.
func handle(p *profile.Profile, fn profile.FunctionID) string {
	const width = 48
	name := view.Name(p, fn)
	short := symname.Shorten(name, width)
	if short == name {
		return name
	}
	if found, _ := lookUp(p, short); len(found) > 0 && sameName(p, found) && view.Name(p, found[0]) == name {
		return short
	}
	return name
}

// sameName says that the functions differ in their binary or file only, so that
// the name says well enough which are meant.
func sameName(p *profile.Profile, ids []profile.FunctionID) bool {
	first := view.Name(p, ids[0])
	return !slices.ContainsFunc(ids, func(id profile.FunctionID) bool { return view.Name(p, id) != first })
}

func notFound(p *profile.Profile, name string, reErr error) error {
	if reErr != nil {
		return fmt.Errorf("no function is called %q, and it is no regular expression either: %w", name, reErr)
	}
	if re, err := regexp.Compile("(?i)" + name); err == nil {
		if near := view.Find(p, re.MatchString); len(near) > 0 {
			return fmt.Errorf("no function matches %q; with other capitals there is %s", name, term.Clean(view.Name(p, near[0])))
		}
	}
	if len(p.Samples()) > 0 && view.Unnamed(p) == p.Total() {
		return fmt.Errorf("no function matches %q: the profile names no function at all", name)
	}
	return fmt.Errorf("no function matches %q; whyhot top FILE -n 0 lists them all", name)
}

func ambiguous(p *profile.Profile, name string, found []profile.FunctionID) error {
	const most, width = 10, 70
	var b strings.Builder
	fmt.Fprintf(&b, "%q matches %d functions; give one of these, a narrower pattern, or --all to take them as one:", name, len(found))
	short := map[string]int{} // how many of the names become this when shortened
	for _, id := range found {
		short[symname.Shorten(view.Name(p, id), width)]++
	}
	whole := term.WholeOf(p)
	shown := 0
	for _, r := range view.Top(p, view.TopOptions{Sort: view.SortTotal}).Rows {
		if !slices.Contains(found, r.Function) {
			continue
		}
		if shown++; shown > most {
			fmt.Fprintf(&b, "\n  … and %d more", len(found)-most)
			break
		}
		text := view.Name(p, r.Function)
		if s := symname.Shorten(text, width); short[s] == 1 {
			text = s
		}
		fmt.Fprintf(&b, "\n  %6s  %s", percent.Column(whole.Share(r.Total)), term.Clean(text))
	}
	return errors.New(b.String())
}
