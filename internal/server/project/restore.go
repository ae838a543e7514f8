package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/server/access"
)

// ErrThere says that there is a project of the name, with something in it.
var ErrThere = errors.New("there is a project of this name, and it is not empty")

// restoring begins the names of directories that are being filled; no project has a dot in its name.
const restoring = ".restoring-"

// Restore makes a project of a backup, with its store alone: all of it or nothing. The project is
// a new one, or has nothing yet. It is filled aside, so that nobody waits for it; what somebody
// sends to a project of the name meanwhile is kept, and the backup is not.
func (p *Projects) Restore(ctx context.Context, name string, from io.Reader, progress func(rows int64)) (err error) {
	if p.o.Elsewhere || p.o.Fill == nil {
		return ErrElsewhere
	}
	if err := p.isFree(ctx, name); err != nil {
		return err
	}
	done, err := p.begin(name)
	if err != nil {
		return err
	}
	defer done()
	dir, err := os.MkdirTemp(filepath.Dir(Dir(p.dir, name)), restoring)
	if err != nil {
		return fmt.Errorf("restoring: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := access.OwnedAs(p.dir, dir); err != nil {
		return fmt.Errorf("restoring: %w", err)
	}
	if err := p.o.Fill(ctx, dir, from, progress); err != nil {
		return err
	}
	if placed, err := p.place(name, dir); placed || err != nil {
		return err
	}
	s, err := p.alone(ctx, name)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	return p.replace(ctx, s, name, dir)
}

// begin keeps others from restoring and deleting a project until done is called.
func (p *Projects) begin(name string) (done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.restoring[name] {
		return nil, ErrUsed
	}
	p.restoring[name] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.restoring, name)
	}, nil
}

// place makes a project of a directory where there is none of the name.
func (p *Projects) place(name, dir string) (placed bool, err error) {
	p.mu.Lock() // nobody begins one meanwhile
	defer p.mu.Unlock()
	if _, err := os.Stat(Dir(p.dir, name)); p.closed || p.slots[name] != nil || !errors.Is(err, fs.ErrNotExist) {
		return false, nil //nolint:nilerr // one that is there is looked at
	}
	if err := p.hasRoom(); err != nil {
		return false, err
	}
	if err := os.Rename(dir, Dir(p.dir, name)); err != nil {
		return false, fmt.Errorf("restoring: %w", err)
	}
	p.o.Log.Info("restored a project", "project", name)
	return true, wholefile.SyncDir(filepath.Dir(dir))
}

// isFree says why a project cannot be made of a backup now: before all of that is sent.
func (p *Projects) isFree(ctx context.Context, name string) error {
	one, done, err := p.Get(ctx, name, false)
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	return one.isEmpty(ctx)
}

// isEmpty gives ErrThere where the store has something, or has taken it.
func (p *Project) isEmpty(ctx context.Context) error {
	st, err := p.Stats(ctx)
	if err != nil {
		return err
	}
	for _, t := range st.Tables {
		if t.Rows > 0 {
			return ErrThere
		}
	}
	if p.Waiting() > 0 {
		return ErrThere
	}
	return nil
}

// replace puts a directory into the place of an empty project's, which nobody uses: s is its slot,
// and locked.
func (p *Projects) replace(ctx context.Context, s *slot, name, dir string) error {
	one := s.project
	if one == nil {
		var err error
		if one, err = p.open(ctx, name); err != nil {
			return err
		}
		one.slot = s
	}
	s.project = nil
	if err := errors.Join(one.isEmpty(ctx), one.close()); err != nil {
		return err
	}
	at, old := Dir(p.dir, name), goneDir(p.dir, name)
	if err := os.Rename(at, old); err != nil {
		return fmt.Errorf("restoring: %w", err)
	}
	if err := os.Rename(dir, at); err != nil {
		return fmt.Errorf("restoring: %w", errors.Join(err, os.Rename(old, at)))
	}
	// Debug information may have come before: agents send it first, people copy it.
	const debugInfo = "debuginfo"
	if err := os.Rename(filepath.Join(old, debugInfo), filepath.Join(at, debugInfo)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.o.Log.Warn("debug information of a project that is restored", "project", name, "error", err)
	}
	p.drop(s, name)
	p.o.Log.Info("restored a project", "project", name)
	return errors.Join(os.RemoveAll(old), wholefile.SyncDir(filepath.Dir(at)))
}
