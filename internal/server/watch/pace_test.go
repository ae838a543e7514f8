package watch

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/server/servertest"
	"whyhot/internal/store"
)

// unapplied is a store that has a full journal until it was waited for.
type unapplied struct {
	project.Store

	waited atomic.Bool
	early  atomic.Int64 // questions before that
}

func (u *unapplied) Flush(ctx context.Context) error {
	u.waited.Store(true)
	return u.Store.Flush(ctx)
}

func (u *unapplied) Labels(ctx context.Context, s store.Selection, by store.Dimension) ([]store.LabelValue, error) {
	if !u.waited.Load() {
		u.early.Add(1)
	}
	return u.Store.Labels(ctx, s, by)
}

// The rules do not look when the server starts, but a while later, when what the journal
// held can be asked for, and with a rest after each service.
func TestTheFirstLookIsSpread(t *testing.T) {
	var under *unapplied
	projects, err := project.Open(t.Context(), t.TempDir(), project.Options{Open: func(ctx context.Context, dir, debug string) (project.Store, error) {
		s, err := servertest.Open(ctx, dir, debug)
		under = &unapplied{Store: s}
		return under, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = projects.Close() }()
	w := newWorld(t)
	p, done, err := projects.Get(t.Context(), "default", false)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	w.project = p
	for _, service := range []string{"a", "b", "c", "d"} {
		w.php(service, 300, 700)
	}
	under.waited.Store(false)
	w.watcher.o.Every = 80 * time.Minute
	var slept []time.Duration
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.watcher.sleep = func(ctx context.Context, d time.Duration) error {
		if slept = append(slept, d); len(slept) == 6 {
			cancel()
		}
		return ctx.Err()
	}
	w.watcher.Run(ctx, projects)
	if len(slept) != 6 { // before the first look, after each of four services, until the next look
		t.Fatalf("it rested %d times: %v", len(slept), slept)
	}
	if slept[0] < 4*time.Minute || slept[0] > 20*time.Minute {
		t.Errorf("the first look is %s after the start, of an interval of 80 minutes", slept[0])
	}
	for _, d := range slept[1:5] {
		if d <= 0 || d > 10*time.Minute {
			t.Errorf("a rest of %s between four services", d)
		}
	}
	if slept[5] < 79*time.Minute || slept[5] > 80*time.Minute {
		t.Errorf("the next look is %s later", slept[5])
	}
	if !under.waited.Load() || under.early.Load() > 0 {
		t.Errorf("asked %d times before the journal was applied", under.early.Load())
	}
	if found := w.findings(false); len(found) != 4 {
		t.Errorf("%d findings", len(found))
	}
}
