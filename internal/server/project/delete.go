package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/server/access"
)

var (
	// ErrUsed says that somebody uses a project all the time.
	ErrUsed = errors.New("the project is in use")
	// ErrFiles says that its files in the object store could not be removed.
	ErrFiles = errors.New("the project's debug information cannot be removed from the object store now")
	// ErrElsewhere says that a project's rows are in a database that is not its directory's.
	ErrElsewhere = errors.New("the project's rows are in ClickHouse")
)

// gone begins the names of directories that are being removed; no project has a dot in its name.
const gone = ".gone-"

// Delete removes a project with all that it has. It waits for those who use it, as long as ctx
// lasts. What is sent to it afterwards begins a new one, which must not find files of this one: where
// the object store does not answer, the project stays.
func (p *Projects) Delete(ctx context.Context, name string) error {
	if err := access.CheckProject(name); err != nil {
		return err
	}
	if p.o.Elsewhere {
		return ErrElsewhere
	}
	if p.isRestored(name) {
		return ErrUsed
	}
	s, err := p.alone(ctx, name)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.project != nil {
		// A store that is not closed in order is removed all the same.
		if err := s.project.close(); err != nil {
			p.o.Log.Warn("closing a project that is deleted", "project", name, "error", err)
		}
		s.project = nil
	}
	if err := p.clear(ctx, name); err != nil {
		return err
	}
	old := goneDir(p.dir, name)
	if err := os.Rename(Dir(p.dir, name), old); err != nil {
		return fmt.Errorf("deleting the project: %w", err)
	}
	p.drop(s, name)
	p.o.Log.Info("deleted a project", "project", name)
	if err := os.RemoveAll(old); err != nil { // the next start tries again
		p.o.Log.Warn("removing the files of a project that was deleted", "project", name, "error", err)
	}
	return nil
}

// alone gives the slot of a project that nobody uses, locked: who comes waits. It waits for those
// who use it, as long as ctx lasts.
func (p *Projects) alone(ctx context.Context, name string) (*slot, error) {
	for {
		s, err := p.slot(name, false)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		if s.users == 0 && !s.removed {
			return s, nil
		}
		removed := s.removed
		s.mu.Unlock()
		if removed {
			return nil, ErrUnknown
		}
		select {
		case <-ctx.Done():
			return nil, ErrUsed
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// drop has the next who asks for a project begin with a new slot. It is called with s locked.
func (p *Projects) drop(s *slot, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.removed = true
	delete(p.slots, name)
}

// goneDir is a name for the directory of a project until all of it is removed.
func goneDir(data, name string) string {
	return filepath.Join(filepath.Dir(Dir(data, name)), fmt.Sprintf("%s%s-%d", gone, name, time.Now().UnixNano()))
}

func (p *Projects) isRestored(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.restoring[name]
}

// clear removes what the object store has of a project.
func (p *Projects) clear(ctx context.Context, name string) error {
	if p.o.DebugInfo.Bucket == nil {
		return nil
	}
	removed, err := p.o.DebugInfo.Bucket.In(name).Clear(ctx)
	if removed > 0 {
		p.o.Log.Info("removed debug information of a project that is deleted from the object store", "project", name, "files", removed)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFiles, err)
	}
	return nil
}

// sweep removes what a server that was killed left of projects that were deleted, or not restored
// to the end.
func sweep(dir string) {
	entries, err := os.ReadDir(filepath.Join(dir, "projects"))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), gone) || strings.HasPrefix(e.Name(), restoring) {
			_ = os.RemoveAll(filepath.Join(dir, "projects", e.Name()))
		}
	}
}
