package watch

import (
	"context"
	"math/rand/v2"
	"time"

	"whyhot/internal/server/project"
)

// A server that starts has names to look up and agents that send what they kept meanwhile:
// the rules come after that, and never have the machine for themselves.
const (
	restFor   = 3 // times as long as a service took
	restShare = 2 // of the interval at most: its half, for all services together
)

// firstLook is how long after a start the rules look for the first time: a twentieth to a
// quarter of the interval, so that servers that start together do not look together.
func firstLook(every time.Duration) time.Duration {
	return every/20 + rand.N(every/5+1)
}

// rest is the pause after a service.
func (w *Watcher) rest(ctx context.Context, took time.Duration, of int) error {
	return w.sleep(ctx, min(restFor*took, w.o.Every/restShare/time.Duration(of)))
}

// ready waits until what a project's journal held when it was opened can be asked for.
func (w *Watcher) ready(ctx context.Context, p *project.Project) error {
	ctx, cancel := context.WithTimeout(ctx, w.o.Time)
	defer cancel()
	return p.Flush(ctx)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
