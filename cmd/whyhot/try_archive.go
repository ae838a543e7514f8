package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/report/term"
	"whyhot/internal/report/trials"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/suite"
)

// archiveFlags are about trials that were made before.
type archiveFlags struct {
	again string
	list  bool

	arguments []string        // behind "try", as they were typed
	repeats   *archive.Record // the trial that this one repeats
	stdin     *archive.File
}

func (a *archiveFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&a.again, "again", "", "repeat a trial by its id, the end of it, or \"last\", and say whether the result holds")
	flags.BoolVar(&a.list, "list", false, "list the trials that were made, the newest first")
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
	for _, e := range damaged {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), e)
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
	p.Hint("repeat one", "whyhot", "try", "--again", records[0].ID)
	return p.Err()
}

// repeat makes a trial again with the flags it was made with.
func (f *tryFlags) repeat(ctx context.Context, cmd *cobra.Command, args []string, lookup tryLookup) error {
	if cmd.Flags().NFlag() > 1 || len(args) > 0 {
		return errors.New("--again takes command and flags of the trial that it repeats: give it alone")
	}
	a, err := archive.Open(os.Getenv)
	if err != nil {
		return err
	}
	r, err := a.Find(f.archive.again)
	if err != nil {
		return err
	}
	if err := os.Chdir(r.Directory); err != nil {
		return fmt.Errorf("the directory in which trial %s was made: %w", r.ID, err)
	}
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "again, in %s: whyhot try %s\n", r.Directory, term.CommandLine(r.Arguments))
	inner := newTryCmdOf(lookup, &archiveFlags{arguments: r.Arguments, repeats: r}) //nolint:contextcheck // the command gets it when it is executed
	inner.SilenceErrors, inner.SilenceUsage = true, true
	inner.SetArgs(r.Arguments)
	inner.SetIn(cmd.InOrStdin())
	inner.SetOut(cmd.OutOrStdout())
	inner.SetErr(cmd.ErrOrStderr())
	return inner.ExecuteContext(ctx)
}

// standardInput gives a repeated trial the input of the first, and remembers
// what the input was.
func (a *archiveFlags) standardInput(path string) (string, error) {
	role := "standard input"
	var was *archive.File
	if a.repeats != nil {
		if i := slices.IndexFunc(a.repeats.Files, func(f archive.File) bool { return f.Role == role }); i >= 0 {
			was = &a.repeats.Files[i]
		}
	}
	if info, err := os.Stat(path); path != "" && err == nil && info.Size() == 0 && was != nil {
		path = "" // an empty pipe, as jobs without a terminal have it, gives nothing
	}
	if path == "" && was != nil && was.Size > 0 {
		if was.Path == "" {
			return "", fmt.Errorf("the trial read %d bytes from a pipe, which are not kept: give them again, as in: ... | whyhot try --again %s", was.Size, a.repeats.ID)
		}
		path = was.Path
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("standard input of the trial: %w", err)
		}
	}
	if path == "" {
		return "", nil
	}
	if file, ok := archive.Fingerprint(role, path); ok && file.Size > 0 {
		file.Path = ""
		// The name of what was redirected; what was spooled has none any more.
		if name, err := os.Readlink(path); err == nil && !strings.HasSuffix(name, "(deleted)") {
			file.Path = name
		} else if err != nil {
			file.Path = path
		}
		a.stdin = &file
	}
	return path, nil
}

// keep puts a trial into the archive and, where it repeats one, says whether the
// result holds. What was measured is worth more than its record: a failure to
// keep it is told and no more.
func (f *tryFlags) keep(r *archive.Record, errOut io.Writer) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(errOut, format+"\n", args...) }
	r.Time, r.Whyhot, r.Arguments, r.Environment = time.Now(), version(), f.archive.arguments, archive.Environment(os.Environ())
	r.Profile, r.Finding = f.profile, f.finding
	if f.archive.stdin != nil {
		r.Files = append(r.Files, *f.archive.stdin)
	}
	var err error
	if r.Directory, err = os.Getwd(); err != nil {
		say("not kept: %v", err)
		return
	}
	if was := f.archive.repeats; was != nil {
		r.Repeats = was.ID
		f.tellRepetition(was, r, say)
	}
	a, err := archive.Open(os.Getenv)
	if err == nil {
		err = a.Add(r)
	}
	if err != nil {
		say("not kept, so --again will not know this trial: %v", err)
		return
	}
	say("kept as %s (whyhot try --again %s repeats it)", r.ID, r.ID)
}

func (f *tryFlags) tellRepetition(was, now *archive.Record, say func(string, ...any)) {
	for _, c := range archive.Changes(was, now) {
		say("changed since: %s", c)
	}
	when := was.Time.Local().Format("2006-01-02 15:04") //nolint:gosmopolitan // people read their own clock
	for _, rep := range archive.Compare(was, now) {
		say("%s: the result of %s %s: %s then, %s now", rep.Variant, when, rep.Answer, resultText(rep.Was), resultText(rep.Now))
	}
}

func resultText(r *archive.Result) string {
	switch {
	case r == nil:
		return "not tried"
	case r.Ratio == nil:
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s (%.3f×, %.3f to %.3f)", r.Verdict, r.Ratio.Estimate, r.Ratio.Low, r.Ratio.High)
}

// recordOf is the record of a trial of one command.
func (f *tryFlags) recordOf(o *trial.Outcome) *archive.Record {
	r := &archive.Record{
		Command: o.Command, Machine: o.Machine, Metric: o.Metric, Stopped: o.Stopped, Seed: o.Seed,
		Results: archive.Results(o), Outcome: o,
	}
	r.Files = archive.Command("baseline", f.plan.Command, f.plan.Env, f.plan.Dir)
	for i := range f.plan.Variants {
		v := &f.plan.Variants[i]
		switch {
		case v.Built != nil:
			r.Files = append(r.Files, archive.Command(v.Name, f.plan.Command[:1], v.Environ(f.plan.Env), v.Built.Dir)...)
		case v.Command != nil:
			r.Files = append(r.Files, archive.Command(v.Name, v.Command, v.Environ(f.plan.Env), f.plan.Dir)...)
		}
		if v.Preload != nil {
			if file, ok := archive.Fingerprint("library "+v.Preload.Name, v.Preload.Path); ok {
				r.Files = append(r.Files, file)
			}
		}
	}
	return r
}

// recordOfSuite is the record of a suite.
func (f *tryFlags) recordOfSuite(s *suite.Result) *archive.Record {
	r := &archive.Record{Command: []string{s.Name}, Machine: s.Machine, Stopped: s.Stopped, Seed: s.Seed, Outcome: s}
	if file, ok := archive.Fingerprint("suite", f.suite.file); ok {
		r.Files = append(r.Files, file)
	}
	for i := range s.Benchmarks {
		if o := s.Benchmarks[i].Outcome; o != nil {
			r.Files = append(r.Files, archive.Command(s.Benchmarks[i].Name, o.Command, f.plan.Env, o.Directory)...)
		}
	}
	for i := range s.Summary {
		sum := &s.Summary[i]
		result := archive.Result{Variant: sum.Variant, Verdict: sum.Verdict}
		if sum.GeoMean.Known() {
			result.Ratio = sum.GeoMean.Interval()
		}
		r.Results = append(r.Results, result)
	}
	return r
}
