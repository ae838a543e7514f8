package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stage"
)

// sides are the trees of a check, which take turns at one path.
type sides struct {
	*stage.Stage

	dir string // of the sides that are not there
}

const none = -1

// newSides makes a place that is called name.
func newSides(dir, name string) (*sides, error) {
	s := &sides{stage.New(filepath.Join(dir, "tree", name)), filepath.Join(dir, "sides")}
	for _, d := range []string{s.dir, filepath.Dir(s.Place())} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, fmt.Errorf("a directory for the builds: %w", err)
		}
	}
	return s, nil
}

// side is where side n is while another one is in the place.
func (s *sides) side(n int) string { return filepath.Join(s.dir, fmt.Sprintf("%03d", n)) }

// at is the directory of side n that a run names; the runner knows where it is.
func (s *sides) at(n int, rel string) string { return filepath.Join(s.side(n), rel) }

// path is a path of a side, wherever the side is now.
func (s *sides) path(n int, rel string) string { return s.Path(s.side(n), rel) }

// put moves a side into the place.
func (s *sides) put(n int) error { return s.Put(s.side(n)) }

// wrap has runs that name a side's directory run in the place, with that side in it.
func (s *sides) wrap(r run.Runner) run.Runner { return staged{r, s} }

type staged struct {
	inner run.Runner
	sides *sides
}

// Run implements run.Runner.
func (r staged) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	n, rel, err := r.sides.named(spec.Dir)
	if err != nil {
		return nil, err
	}
	if n != none {
		if err := r.sides.put(n); err != nil {
			return nil, err
		}
		spec.Dir = filepath.Join(r.sides.Place(), rel)
	}
	return r.inner.Run(ctx, spec)
}

// Together implements run.Interleaver: each run sees its own side in the place.
func (r staged) Together(ctx context.Context, specs []run.Spec, slice time.Duration) ([]*run.Result, error) {
	place := r.sides.Place()
	if err := r.sides.Clear(); err != nil {
		return nil, err
	}
	if err := os.Mkdir(place, 0o755); err != nil {
		return nil, fmt.Errorf("a place for the sides: %w", err)
	}
	defer func() { _ = os.Remove(place) }() // a side is moved there, to run alone
	specs = slices.Clone(specs)
	for i := range specs {
		n, rel, err := r.sides.named(specs[i].Dir)
		if err != nil {
			return nil, err
		}
		if n == none {
			return nil, fmt.Errorf("%w: %s is no side", run.ErrAlone, specs[i].Dir)
		}
		specs[i].Bind = &run.Bind{From: r.sides.side(n), At: place}
		specs[i].Dir = filepath.Join(place, rel)
	}
	return run.Together(ctx, r.inner, specs, slice)
}

// named is the side whose directory this is, and the path in it; none where it is elsewhere.
func (s *sides) named(dir string) (side int, rel string, err error) {
	rest, ok := strings.CutPrefix(dir, s.dir+"/")
	if !ok {
		return none, "", nil
	}
	name, rel, _ := strings.Cut(rest, "/")
	if _, err := fmt.Sscanf(name, "%03d", &side); err != nil {
		return none, "", fmt.Errorf("no side %s", dir)
	}
	return side, rel, nil
}
