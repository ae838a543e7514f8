package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/trial/run"
)

// stage is the one place in which all sides are built and run: a path's length, the paths
// in a program and the time stamps in its caches are the same of each. The side that runs
// next is moved there, which is a change of two names.
type stage struct {
	dir   string // of the sides
	place string
	in    int // the side that is there, none where negative
}

const none = -1

// newStage makes a stage whose place is called name.
func newStage(dir, name string) (*stage, error) {
	s := &stage{dir: filepath.Join(dir, "sides"), place: filepath.Join(dir, "tree", name), in: none}
	for _, d := range []string{s.dir, filepath.Dir(s.place)} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, fmt.Errorf("a directory for the builds: %w", err)
		}
	}
	return s, nil
}

// side is where side n is while another one is in the place.
func (s *stage) side(n int) string { return filepath.Join(s.dir, fmt.Sprintf("%03d", n)) }

// at is the directory of side n that a run names; the runner knows where it is.
func (s *stage) at(n int, rel string) string { return filepath.Join(s.side(n), rel) }

// path is a path of a side, wherever the side is now.
func (s *stage) path(n int, rel string) string {
	if s.in == n {
		return filepath.Join(s.place, rel)
	}
	return filepath.Join(s.side(n), rel)
}

// put moves a side into the place.
func (s *stage) put(n int) error {
	if s.in == n {
		return nil
	}
	if s.in != none {
		if err := os.Rename(s.place, s.side(s.in)); err != nil {
			return fmt.Errorf("moving a build out: %w", err)
		}
		s.in = none
	}
	if err := os.Rename(s.side(n), s.place); err != nil {
		return fmt.Errorf("moving a build in: %w", err)
	}
	s.in = n
	return nil
}

// wrap has runs that name a side's directory run in the place, with that side in it.
func (s *stage) wrap(r run.Runner) run.Runner { return staged{r, s} }

type staged struct {
	inner run.Runner
	stage *stage
}

// Run implements run.Runner.
func (r staged) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	rest, ok := strings.CutPrefix(spec.Dir, r.stage.dir+"/")
	if !ok {
		return r.inner.Run(ctx, spec)
	}
	name, rel, _ := strings.Cut(rest, "/")
	var n int
	if _, err := fmt.Sscanf(name, "%03d", &n); err != nil {
		return nil, fmt.Errorf("no side %s", spec.Dir)
	}
	if err := r.stage.put(n); err != nil {
		return nil, err
	}
	spec.Dir = filepath.Join(r.stage.place, rel)
	return r.inner.Run(ctx, spec)
}
