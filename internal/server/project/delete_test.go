package project_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/server/servertest"
)

func openProjects(t *testing.T, dir string, o project.Options) *project.Projects {
	t.Helper()
	o.Open = servertest.Open
	p, err := project.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// A project that is deleted has nothing left, and what comes later begins a new one, also for
// who waited meanwhile.
func TestDelete(t *testing.T) {
	dir := t.TempDir()
	p := openProjects(t, dir, project.Options{})
	if err := p.Delete(t.Context(), "shop"); !errors.Is(err, project.ErrUnknown) {
		t.Error(err)
	}
	_, done, err := p.Get(t.Context(), "shop", true)
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(project.Dir(dir, "shop"), "mark")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.Delete(short, "shop"); !errors.Is(err, project.ErrUsed) {
		t.Errorf("while it is used: %v", err)
	}
	done()
	var users sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		users.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, done, err := p.Get(t.Context(), "shop", true)
				if err != nil {
					t.Error(err)
					return
				}
				done()
			}
		})
	}
	for range 5 {
		if err := p.Delete(t.Context(), "shop"); err != nil && !errors.Is(err, project.ErrUnknown) { // nobody has begun a new one
			t.Error(err)
		}
	}
	close(stop)
	users.Wait()
	if _, err := os.Stat(mark); err == nil {
		t.Error("its files are there still")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "projects", ".gone-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	p = openProjects(t, t.TempDir(), project.Options{Elsewhere: true})
	if err := p.Delete(t.Context(), "default"); !errors.Is(err, project.ErrElsewhere) {
		t.Error(err)
	}
}

// What a server that was killed left of a project that was deleted goes at the next start.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "projects", ".gone-shop-1")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	openProjects(t, dir, project.Options{})
	if _, err := os.Stat(left); err == nil {
		t.Error("it is there still")
	}
}
