package main

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/fetch"
	"whyhot/internal/profile"
	"whyhot/internal/report/progress"
	report "whyhot/internal/report/term"
)

// loadFlags say how to read a profile.
type loadFlags struct {
	debugDirs  []string
	noSymbols  bool
	sampleType string
	namesOnly  bool
	remote     remoteFlags
}

func (f *loadFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.debugDirs, "debug-dir", nil, "also look for debug files in `DIR` (repeatable)")
	flags.BoolVar(&f.noSymbols, "no-symbols", false, "show what the file itself names, resolve nothing")
	flags.StringVar(&f.sampleType, "sample-type", "", "which `VALUE` to show of a pprof file that has several, or event of a perf.data file")
}

// addRemote has a command take the profiles of a server, too.
func (f *loadFlags) addRemote(cmd *cobra.Command) { f.remote.add(cmd.Flags()) }

// args checks that there are a FILE and n other arguments, or with --from the others
// alone.
func (f *loadFlags) args(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := f.remote.check(cmd); err != nil {
			return err
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
	if f.remote.on() {
		return f.remote.words(), true
	}
	return []string{path}, path != "-"
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
	if all, err = loadProfile(cmd, path, f); err != nil {
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
		body, err := f.remote.open(cmd.Context())
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
	return p, err
}

// printOnce prints remarks, each once.
func printOnce(w io.Writer, notes []string) {
	for i, n := range notes {
		if !slices.Contains(notes[:i], n) {
			_, _ = fmt.Fprintln(w, "whyhot: note:", report.Clean(n)) // nothing to do about a closed stderr
		}
	}
}

// showBusy shows a spinner on a terminal when the work takes more than a
// second. The function it returns ends that.
func showBusy(w io.Writer, what string) (done func()) {
	var (
		mu       sync.Mutex
		finished bool
		line     *progress.Line
	)
	begin := time.Now()
	timer := time.AfterFunc(time.Second, func() {
		mu.Lock()
		defer mu.Unlock()
		if finished {
			return
		}
		line = progress.On(w)
		line.Spin(func() string { return what + " " + sinceText(begin) })
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		finished = true
		line.Clear()
	}
}

// sinceText is the time that has gone by, for a person who waits.
func sinceText(begin time.Time) string {
	return time.Since(begin).Truncate(time.Second).String()
}
