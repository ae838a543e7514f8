package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/scripts/moments"
	"whyhot/internal/profile"
	"whyhot/internal/profile/merge"
)

// RepeatAuto runs a command until there are enough samples.
const RepeatAuto = -1

const (
	// enoughSamples are those from which RepeatAuto runs the command no more: a share of
	// 10% is then known to 1.9 points.
	enoughSamples = 1000
	// mostRuns and longest bound it for a command that hardly uses the CPU.
	mostRuns = 100
	longest  = 2 * time.Minute
)

// enough tells whether the command is to run no more.
func (o *Options) enough(runs int, samples int64, elapsed time.Duration) bool {
	if o.Repeat == RepeatAuto {
		return samples >= enoughSamples || runs >= mostRuns || elapsed >= longest
	}
	return runs >= o.Repeat
}

// recordings are the runs of a command, or one of something else.
type recordings struct {
	o        *Options
	request  *collect.Request
	samplers []collect.Sampler
	chosen   *choice
	refusals []error
	temp     string

	taken    []*profile.Profile
	runs     int
	counted  command.IO
	tracks   moments.Tracks // what interpreters executed
	binaries []string       // the directories in which samplers left copies of binaries
}

// all makes them. The outcome is that of the last; a run that fails is the last.
func (r *recordings) all(ctx context.Context) (collect.Outcome, error) {
	begin := time.Now()
	var samples int64
	for {
		dir := filepath.Join(r.temp, fmt.Sprintf("run%d", r.runs))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return collect.Outcome{}, fmt.Errorf("making a directory for the recording: %w", err)
		}
		before := len(r.taken)
		outcome, err := attempt(ctx, r.o, r.request, r.samplers, r.chosen, r.refusals, dir, &r.tracks, func(p *profile.Profile) error {
			if len(r.taken) > before {
				return errors.New("the sampler gave more than one profile for one file")
			}
			r.taken = append(r.taken, p)
			samples += p.Count()
			return nil
		})
		r.runs++
		if outcome.Exit != nil && outcome.Exit.IO != nil {
			r.counted.Reads += outcome.Exit.IO.Reads
			r.counted.ReadBytes += outcome.Exit.IO.ReadBytes
			r.counted.Writes += outcome.Exit.IO.Writes
			r.counted.WriteBytes += outcome.Exit.IO.WriteBytes
		}
		r.o.Chosen = nil // it is told once
		r.binaries = append(r.binaries, r.request.BinariesDir())
		if errors.Is(err, collect.ErrNoSamples) && (len(r.taken) > 0 || !r.o.enough(r.runs, samples, time.Since(begin))) {
			err = nil // another run has some, or may have
		}
		if err != nil && ctx.Err() != nil && len(r.taken) > 0 {
			err = nil // interrupted: what was recorded is kept
		}
		failed := outcome.Exit != nil && outcome.Exit.Failed()
		if err != nil || failed || ctx.Err() != nil || r.o.enough(r.runs, samples, time.Since(begin)) {
			if err == nil && len(r.taken) == 0 {
				err = collect.ErrNoSamples
			}
			return outcome, err
		}
		if r.o.Ran != nil {
			r.o.Ran(r.runs, samples)
		}
	}
}

// sum is the profile of all of them.
func (r *recordings) sum() *profile.Profile { return merge.All(r.taken) }

// calls are the system calls that were counted, none where the kernel did not tell.
func (r *recordings) calls() []profile.Calls {
	var out []profile.Calls
	for _, c := range []profile.Calls{
		{Name: "read", Count: r.counted.Reads, Bytes: r.counted.ReadBytes},
		{Name: "write", Count: r.counted.Writes, Bytes: r.counted.WriteBytes},
	} {
		if c.Count > 0 {
			out = append(out, c)
		}
	}
	return out
}
