package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/ingest"
	"whyhot/internal/ingest/perfdata"
	"whyhot/internal/profile"
	"whyhot/internal/report/progress"
	report "whyhot/internal/report/term"
	"whyhot/internal/symbol"
)

// loadFlags say how to read a profile.
type loadFlags struct {
	debugDirs  []string
	noSymbols  bool
	sampleType string
	namesOnly  bool
}

func (f *loadFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.debugDirs, "debug-dir", nil, "also look for debug files in `DIR` (repeatable)")
	flags.BoolVar(&f.noSymbols, "no-symbols", false, "show what the file itself names, resolve nothing")
	flags.StringVar(&f.sampleType, "sample-type", "", "which `VALUE` to show of a pprof file that has several, or event of a perf.data file")
}

// loadProfile reads the profile at path ("-" is the standard input) and names
// its addresses. What the user should know of the reading goes to stderr, save
// what whyhot record has already told of the file.
func loadProfile(cmd *cobra.Command, path string, f loadFlags) (*profile.Profile, error) {
	p, summary, err := readProfile(cmd, path, f)
	if err != nil {
		return nil, err
	}
	if !p.Meta.Recorded {
		printOnce(cmd.ErrOrStderr(), summary.Hints(worthSaying, false))
	}
	return p, nil
}

// loadSamples is loadProfile, and which of its samples pass the filter.
func loadSamples(cmd *cobra.Command, path string, f loadFlags, filter filterFlags) (all, passed *profile.Profile, err error) {
	if all, err = loadProfile(cmd, path, f); err != nil {
		return nil, nil, err
	}
	passed, err = filter.apply(all)
	return all, passed, err
}

// worthSaying is the share of a profile that must lack names before the user
// hears of it: less changes no conclusion.
const worthSaying = 0.02

// readProfile is loadProfile without a word on missing names.
func readProfile(cmd *cobra.Command, path string, f loadFlags) (*profile.Profile, symbol.Summary, error) {
	done := showBusy(cmd.ErrOrStderr(), "reading "+path)
	p, err := ingest.Open(cmd.Context(), path, ingest.Options{
		SampleType: f.sampleType,
		Perf:       perfdata.Options{Event: f.sampleType, DebugDirs: f.debugDirs},
		Stdin:      cmd.InOrStdin(),
	})
	done()
	if err != nil {
		return nil, symbol.Summary{}, err
	}
	if !p.Meta.Recorded {
		printOnce(cmd.ErrOrStderr(), p.Meta.Warnings)
	}
	if f.noSymbols || allNamed(p) {
		return p, symbol.Summary{}, nil
	}
	done = showBusy(cmd.ErrOrStderr(), "looking up symbols")
	defer done()
	return symbolize(cmd.Context(), p, f)
}

// symbolize names the addresses of p. The summary says what is missing and what
// would help.
func symbolize(ctx context.Context, p *profile.Profile, f loadFlags) (*profile.Profile, symbol.Summary, error) {
	opts := symbol.Options{DebugDirs: f.debugDirs, NamesOnly: f.namesOnly}
	if dir, err := os.UserCacheDir(); err == nil {
		opts.CacheDir = filepath.Join(dir, "whyhot")
	}
	named, summary := symbol.New(opts).Symbolize(ctx, p)
	return named, summary, ctx.Err()
}

// allNamed says that no location with an address lacks a name.
func allNamed(p *profile.Profile) bool {
	for i := range p.NumLocations() {
		id := profile.LocationID(i)
		if p.Location(id).Address == 0 {
			continue
		}
		for _, l := range p.Lines(id) {
			if p.Function(l.Function).Name == "" {
				return false
			}
		}
	}
	return true
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
