package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/ebpf"
	"whyhot/internal/collect/scripts"
	"whyhot/internal/collect/scripts/moments"
	"whyhot/internal/profile"
)

// recordScripts is what a sampler records of a command, with what its interpreters execute,
// where the sampler's samples have times for that.
func recordScripts(ctx context.Context, o *Options, r *collect.Request, s collect.Sampler, tracks *moments.Tracks, sink collect.Sink) (collect.Outcome, error) {
	if o.Plain || o.NoSymbols || len(o.Target.Command) == 0 || s.Name() != ebpf.Name {
		return s.Record(ctx, *r, sink) //nolint:wrapcheck // the sampler's own
	}
	dir := filepath.Join(r.TempDir, "scripts")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return collect.Outcome{}, fmt.Errorf("making a directory for the recording: %w", err)
	}
	watch, set, err := scripts.Begin(os.Environ(), dir)
	if err != nil {
		return collect.Outcome{}, err
	}
	request := *r
	request.Env, request.Exact = slices.Concat(r.Env, set), watch.Follows
	var taken []*profile.Profile
	outcome, err := s.Record(ctx, request, func(p *profile.Profile) error {
		taken = append(taken, p)
		return nil
	})
	followed, notes := watch.End()
	outcome.Notes = append(outcome.Notes, notes...)
	from, rough := outcome.From, ebpf.RoughTime
	switch precision := o.Settings.Times; {
	case precision == 0:
		rough = func(time.Duration) int64 { return 0 }
	case precision > 0:
		from = time.Unix(0, 0)
		rough = func(at time.Duration) int64 { return time.Unix(0, int64(at)).Truncate(precision).UnixNano() }
	}
	for _, p := range taken {
		if err := sink(tracks.Mark(p, from, followed, rough)); err != nil {
			return outcome, err
		}
	}
	return outcome, err
}
