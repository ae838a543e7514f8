package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"whyhot/internal/check"
	"whyhot/internal/check/known"
	"whyhot/internal/host/version"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/report/gate"
)

// checkReports are the files that a check writes beside what it prints: one run, all
// forms.
type checkReports struct {
	markdown, sarif, gitlab, junit string
	results                        int
	known                          string
	accept                         bool
}

func (c *checkReports) add(fl *pflag.FlagSet) {
	fl.StringVar(&c.markdown, "markdown", "", "also write a comment for the change request to `FILE`")
	fl.StringVar(&c.sarif, "sarif", "", "also write SARIF 2.1.0 to `FILE`")
	fl.StringVar(&c.gitlab, "gitlab", "", "also write GitLab's code quality report to `FILE`")
	fl.StringVar(&c.junit, "junit", "", "also write JUnit to `FILE`")
	fl.IntVar(&c.results, "results", gate.DefaultResults, "at most `N` results in SARIF and the code quality report, 0 for all")
	fl.StringVar(&c.known, "known", "", "omit the findings listed in `FILE`")
	fl.BoolVar(&c.accept, "accept", false, "add this check's findings to the file of --known")
}

// withoutReports is a command line without what writes files or another form: who repeats a
// check at a terminal wants to read it there.
func withoutReports(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		switch name, _, joined := strings.Cut(args[i], "="); name {
		case "--json", "--accept":
		case "--markdown", "--sarif", "--gitlab", "--junit":
			if !joined {
				i++
			}
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// check finds what is wrong before anything is built.
func (c *checkReports) check() (map[string]string, error) {
	switch {
	case c.results < 0:
		return nil, fmt.Errorf("--results %d: must not be negative", c.results)
	case c.accept && c.known == "":
		return nil, errors.New("--accept adds to a file: name it with --known")
	case c.known == "":
		return nil, nil //nolint:nilnil // nothing is known
	}
	return known.Read(c.known)
}

// write leaves out what is known, and writes the files.
func (c *checkReports) write(r *check.Result) error {
	ids, err := c.check()
	if err != nil {
		return err
	}
	if c.accept {
		if err := c.acceptAll(ids, r.Findings); err != nil {
			return err
		}
	}
	var silent int
	r.Findings, silent = without(r.Findings, ids)
	if silent > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d findings are known (%s)", silent, c.known))
	}
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{c.markdown, func(w io.Writer) error { return gate.Markdown(w, r) }},
		{c.sarif, func(w io.Writer) error { return gate.SARIF(w, version.String(), r, c.results) }},
		{c.gitlab, func(w io.Writer) error { return gate.GitLab(w, r, c.results) }},
		{c.junit, func(w io.Writer) error { return gate.JUnit(w, r) }},
	} {
		if file.path == "" {
			continue
		}
		if err := wholefile.Write(file.path, 0o644, func(f *os.File) error { return file.write(f) }); err != nil {
			return fmt.Errorf("writing %s: %w", file.path, err)
		}
	}
	return nil
}

// acceptAll adds findings to those that are known; identities whose finding this check
// does not have stay.
func (c *checkReports) acceptAll(ids map[string]string, findings []check.Finding) error {
	for i := range findings {
		f := &findings[i]
		ids[f.ID] = fmt.Sprintf("%s in %s of %s", f.Title, f.Place.Function, f.Place.File)
	}
	entries := make([]known.Entry, 0, len(ids))
	for id, words := range ids {
		entries = append(entries, known.Entry{ID: id, Words: words})
	}
	return known.Write(c.known, entries)
}

// without are the findings that are not known, and how many are.
func without(list []check.Finding, ids map[string]string) (rest []check.Finding, silent int) {
	for i := range list {
		if _, is := ids[list[i].ID]; is {
			silent++
			continue
		}
		rest = append(rest, list[i])
	}
	return rest, silent
}
