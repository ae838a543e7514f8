package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/host/version"
	"whyhot/internal/report/term"
	"whyhot/internal/report/trials"
	"whyhot/internal/trial/archive"
)

// archived is what is kept of a trial beside its result.
type archived struct {
	arguments []string        // behind "try", as they were typed
	repeats   *archive.Record // the trial that this one repeats
	more      time.Duration   // to add to it, 0 to make it anew
}

// typed are the arguments of this process behind the command's name.
func typed() []string {
	i := slices.Index(os.Args, "try")
	return slices.Clone(os.Args[i+1:])
}

// listTrials prints the archive.
func (f *tryFlags) listTrials(cmd *cobra.Command) error {
	a, err := archive.Open(os.Getenv)
	if err != nil {
		return err
	}
	records, damaged, err := a.List()
	if err != nil {
		return err
	}
	records = archive.WithoutSums(records)
	for _, e := range damaged {
		sayLine(cmd.ErrOrStderr(), e.Error())
	}
	if f.json {
		for _, r := range records {
			r.Outcome = nil // every sample of every trial would be megabytes
		}
		return writeJSON(cmd.OutOrStdout(), records)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	if len(records) == 0 {
		p.Line("no trials are kept yet")
		return p.Err()
	}
	trials.PrintList(p, records)
	p.Hint("repeat one", "whyhot", "try", "again", records[0].ID)
	return p.Err()
}

// repeat makes a trial again with the flags it was made with.
func (f *tryFlags) repeat(cmd *cobra.Command, id string) error {
	a, err := archive.Open(os.Getenv)
	if err != nil {
		return err
	}
	r, err := a.Find(id)
	if err != nil {
		return err
	}
	if err := os.Chdir(r.Directory); err != nil {
		return fmt.Errorf("the directory in which trial %s was made: %w", r.ID, err)
	}
	if cmd.Flags().Changed("more") && f.more <= 0 {
		return errors.New("--more is a time above 0, for example 2m")
	}
	what := "again"
	if f.more > 0 {
		what = fmt.Sprintf("%s more", f.more)
	}
	sayLine(cmd.ErrOrStderr(), fmt.Sprintf("%s, in %s: whyhot try %s", what, r.Directory, term.CommandLine(r.Arguments)))
	if _, changed := archive.Restore(os.Environ(), r.Environment); len(changed) > 0 {
		sayLine(cmd.ErrOrStderr(), "with the environment of then: "+strings.Join(changed, ", "))
	}
	family := &tryFamily{lookup: f.family.lookup, kept: archived{arguments: r.Arguments, repeats: r, more: f.more}}
	words := []string{"try"}
	if f.json {
		words = append(words, "--json")
	}
	inner := newRoot()
	inner.ResetCommands()
	inner.AddCommand(family.command())
	inner.SetArgs(append(words, r.Arguments...))
	inner.SetIn(cmd.InOrStdin())
	inner.SetOut(cmd.OutOrStdout())
	inner.SetErr(cmd.ErrOrStderr())
	return inner.ExecuteContext(cmd.Context())
}

// keep puts a trial into the archive and, where it repeats one, says whether the
// result holds. What was measured is worth more than its record: a failure to
// keep it is told and no more.
func (f *tryFlags) keep(r *archive.Record, errOut io.Writer) {
	r.Whyhot, r.Arguments = version.String(), f.family.kept.arguments
	if was := f.family.kept.repeats; was != nil && f.family.kept.more == 0 {
		for _, line := range trials.Repetition(was, r) {
			sayLine(errOut, line)
		}
	}
	a, err := archive.Open(os.Getenv)
	if err == nil {
		err = a.Add(r)
	}
	if err != nil {
		sayLine(errOut, fmt.Sprintf("not kept, so `whyhot try again` will not know this trial: %v", err))
		return
	}
	sayLine(errOut, fmt.Sprintf("kept as %s (whyhot try again %s repeats it, with --more 2m it goes on)", r.ID, r.ID))
}
