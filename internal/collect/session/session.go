package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/scripts/moments"
	"whyhot/internal/profile"
	"whyhot/internal/symbol"
)

// Options are the user's wishes.
type Options struct {
	Target   collect.Target
	Settings collect.Settings
	Dir      string // where a command runs, "" for this process's
	Sampler  string // Auto or a sampler's name
	// Repeat is how often a command is run, all runs into one profile: 0 is once,
	// RepeatAuto until there are enough samples.
	Repeat int
	// Ran may be nil. It is told of each run that another one follows.
	Ran    func(runs int, samples int64)
	Output string // "" names the file after the target, Stdout is the standard output
	// Deliver may be nil. Where there is no Output it takes the place of the file,
	// which is then written only when Deliver fails: what was recorded is not lost.
	Deliver   func(context.Context, *profile.Profile) error
	NoSymbols bool // leave addresses without names
	// Plain leaves a command's environment as it is. Otherwise runtimes are asked by it for
	// names; see packages namemap and scripts.
	Plain     bool
	DebugDirs []string
	Streams   command.Streams
	// Chosen is told which sampler records, and why, before it begins. It may
	// be nil, like Progress.
	Chosen   func(s collect.Sampler, why string)
	Progress func(collect.Progress)
}

// Result is what came of it.
type Result struct {
	Path      string // "" where no file was written
	Size      int64
	Sampler   string
	Samples   int64
	Runs      int // of the command
	Profile   *profile.Profile
	Lost      uint64
	Duration  time.Duration
	Exit      *command.Exit // nil where no command was started
	EndedByUs bool          // the command was told to end at the recording's end
	Notes     []string      // how it was recorded
	Warnings  []string      // what is missing from the profile
	Unnamed   []string      // which code has no names, and what would help
}

// Record makes one recording. When ctx is done, the recording ends and what
// there is gets written; a second interrupt gives that up too.
//
// The result is not nil when the command was run, whether or not a profile came
// of it.
func Record(ctx context.Context, o Options) (*Result, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	samplers, refusals := suited(Samplers(), o.Sampler, o.Settings)
	chosen, err := choose(ctx, samplers, o.Sampler, o.Target, refusals...)
	if err != nil {
		return nil, err
	}
	path := o.Output
	if path == "" {
		path = defaultOutput(o.Target)
	}
	out, err := openOutput(path)
	if err != nil {
		return nil, err
	}
	defer out.abandon()
	temp, err := os.MkdirTemp("", "whyhot-record-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the recording: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }() // nothing better can be done
	request := collect.Request{
		Target: o.Target, Settings: o.Settings, Dir: o.Dir, Streams: o.Streams, Progress: o.Progress, CacheDir: collect.CacheDir(),
	}
	maps := o.nameMaps()
	request.Env = maps.env
	runs := recordings{o: &o, request: &request, samplers: samplers, chosen: &chosen, refusals: refusals, temp: temp}
	started, idleBefore := time.Now(), idle()
	outcome, err := runs.all(ctx)
	result := &Result{
		Path: path, Sampler: chosen.sampler.Name(), Exit: outcome.Exit, EndedByUs: outcome.EndedByUs,
		Notes: slices.Concat(outcome.Notes, maps.notes), Runs: runs.runs, Duration: time.Since(started),
	}
	if err != nil {
		return result, err
	}
	recorded := runs.sum()
	recorded.Meta.Command, recorded.Meta.Directory = o.Target.Command, o.directory()
	recorded.Meta.Calls = runs.calls()
	recorded.Meta.Idle = idle() - idleBefore
	if c := recorded.Meta.Coverage; c.Low() {
		recorded.Meta.Warnings = append(slices.Clip(recorded.Meta.Warnings), c.Text())
	}
	o.DebugDirs = slices.Concat(o.DebugDirs, runs.binaries)
	err = result.finish(ctx, &o, &request, recorded, &runs.tracks, out)
	if !o.NoSymbols {
		maps.remove(recorded, started)
	}
	return result, err
}

// directory is where a command runs, "" where that is not known or no command is recorded.
func (o *Options) directory() string {
	if len(o.Target.Command) == 0 {
		return ""
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "" // it is gone
	}
	return dir
}

// attempt records with the chosen sampler. One that turns out not to work, before
// the command has run, gives way to the next unless the user named it.
func attempt(
	ctx context.Context, o *Options, r *collect.Request, samplers []collect.Sampler, chosen *choice,
	refusals []error, temp string, tracks *moments.Tracks, sink collect.Sink,
) (collect.Outcome, error) {
	for {
		if o.Chosen != nil {
			o.Chosen(chosen.sampler, chosen.why)
		}
		r.TempDir = filepath.Join(temp, chosen.sampler.Name())
		if err := os.Mkdir(r.TempDir, 0o700); err != nil {
			return collect.Outcome{}, fmt.Errorf("making a directory for the recording: %w", err)
		}
		outcome, err := recordScripts(ctx, o, r, chosen.sampler, tracks, sink)
		un := (*collect.UnavailableError)(nil)
		if !errors.As(err, &un) || outcome.Exit != nil || o.Sampler != "" && o.Sampler != Auto {
			return outcome, err
		}
		refusals = append(refusals, err)
		samplers = after(samplers, chosen.sampler)
		next, err := choose(ctx, samplers, o.Sampler, o.Target, refusals...)
		if err != nil {
			return outcome, err
		}
		*chosen = next
	}
}

func (o *Options) validate() error {
	if err := o.Target.Validate(); err != nil {
		return err
	}
	if err := collect.CheckPIDs(o.Target.PIDs); err != nil {
		return err
	}
	if o.Repeat != 0 && len(o.Target.Command) == 0 {
		return errors.New("only a command can be run several times: give it after --, or leave out --repeat")
	}
	if len(o.Target.Command) > 0 {
		if o.Output == Stdout {
			return errors.New("the profile cannot go to standard output: the command's own output goes there; give -o FILE")
		}
		if _, err := command.FindIn(o.Dir, nil, o.Target.Command[0]); err != nil {
			return err
		}
	}
	return nil
}

// interruptedNaming warns of a profile whose naming was cut short. Every command that
// reads it names what it can, as for a profile that came without names.
const interruptedNaming = "interrupted while functions were named: some have addresses only"

// finish names the functions, while processes and kernel are still those that
// were recorded, and writes the file. An interrupt ends the naming; a recording is
// never lost by one.
func (r *Result) finish(ctx context.Context, o *Options, request *collect.Request, p *profile.Profile, tracks *moments.Tracks, out *output) error {
	work, cancel := untilInterruptedAgain(ctx)
	defer cancel()
	if !o.NoSymbols {
		request.Report(collect.Progress{Phase: collect.PhaseNaming})
		named, summary := symbol.New(symbol.Options{DebugDirs: o.DebugDirs}).Symbolize(work, p)
		p = named
		r.Unnamed = summary.Hints(minUnnamed, false)
		if work.Err() != nil {
			p.Meta.Warnings = append(slices.Clip(p.Meta.Warnings), interruptedNaming)
			cancel()
			work, cancel = untilInterruptedAgain(ctx)
			defer cancel()
		}
	}
	p = tracks.Splice(p)
	r.Profile = p
	r.Samples, r.Lost, r.Warnings = p.Count(), p.Meta.Lost, p.Meta.Warnings
	if p.Meta.Duration > 0 {
		r.Duration = p.Meta.Duration
	}
	var undelivered error
	if o.Deliver != nil {
		request.Report(collect.Progress{Phase: collect.PhaseSending})
		undelivered = o.Deliver(work, p)
		if undelivered == nil && o.Output == "" {
			r.Path = ""
			return nil
		}
	}
	request.Report(collect.Progress{Phase: collect.PhaseWriting})
	size, err := out.commit(p)
	if err == nil && undelivered != nil {
		err = fmt.Errorf("the profile was not sent; it is in %s: %w", r.Path, undelivered)
	}
	r.Size = size
	return err
}

// minUnnamed is the share of a profile without names from which a binary is
// worth a line to the user.
const minUnnamed = 0.02

// untilInterruptedAgain gives a context that survives the interrupt that ended
// the recording and is cancelled by the next one.
func untilInterruptedAgain(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
}
