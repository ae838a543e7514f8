package project_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/server/servertest"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
)

func sends(t *testing.T, p *project.Projects, name string) {
	t.Helper()
	one, done, err := p.Get(t.Context(), name, true)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	b, err := batch.FromProfile(servertest.Profile(time.Now(), 10, 10), batch.Options{Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, p *project.Projects, name string) int64 {
	t.Helper()
	one, done, err := p.Get(t.Context(), name, false)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if err := one.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	top, err := one.Top(t.Context(), store.Selection{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}, store.TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return top.Basis.Count
}

// A project is made of a backup while others are used: whole, or not at all, and never in the
// place of one that has something.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	filled := func() {}
	p := openProjects(t, dir, project.Options{Fill: func(ctx context.Context, dir string, from io.Reader, progress func(int64)) error {
		defer func() { filled() }()
		return servertest.Fill(ctx, dir, from, progress)
	}})
	sends(t, p, "shop")
	shop, done, err := p.Get(t.Context(), "shop", false)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := shop.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(saved)
	if err = errors.Join(err, saved.Close()); err != nil {
		t.Fatal(err)
	}
	done()

	if err := p.Restore(t.Context(), "half", bytes.NewReader(whole[:len(whole)/2]), nil); !errors.Is(err, store.ErrExport) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half a backup: %v", err)
	}
	if _, _, err := p.Get(t.Context(), "half", false); !errors.Is(err, project.ErrUnknown) {
		t.Errorf("half a backup left a project: %v", err)
	}
	if err := p.Restore(t.Context(), "shop", strings.NewReader("never read"), nil); !errors.Is(err, project.ErrThere) {
		t.Errorf("one that has something: %v", err)
	}
	if err := p.Restore(t.Context(), "more", io.MultiReader(bytes.NewReader(whole), strings.NewReader("x")), nil); !errors.Is(err, store.ErrExport) {
		t.Errorf("more than a backup: %v", err)
	}
	if err := p.Restore(t.Context(), "../shop", bytes.NewReader(whole), nil); err == nil {
		t.Error("a name that is a path")
	}

	var rows int64
	if err := p.Restore(t.Context(), "copy", bytes.NewReader(whole), func(n int64) { rows = n }); err != nil {
		t.Fatal(err)
	}
	sends(t, p, "copy") // what comes later is not taken for what the backup has
	if got := count(t, p, "copy"); got != 40 || rows == 0 {
		t.Errorf("%d samples, %d rows", got, rows)
	}

	// A token makes an empty project, and a question opens it.
	empty, done, err := p.Get(t.Context(), "empty", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(empty.DebugDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(empty.DebugDir, "mark"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithCancel(t.Context())
	filled = cancel
	if err := p.Restore(waiting, "empty", bytes.NewReader(whole), nil); !errors.Is(err, project.ErrUsed) {
		t.Errorf("while it is used: %v", err)
	}
	filled = func() {}
	done()
	if err := p.Restore(t.Context(), "empty", bytes.NewReader(whole), nil); err != nil {
		t.Fatal(err)
	}
	if got := count(t, p, "empty"); got != 20 {
		t.Errorf("%d samples in one that was empty", got)
	}
	if _, err := os.Stat(filepath.Join(project.Dir(dir, "empty"), "debuginfo", "mark")); err != nil {
		t.Error(err)
	}

	// Nobody deletes a project while it is restored, and nobody else restores it.
	meanwhile := io.MultiReader(bytes.NewReader(whole), readFunc(func() {
		if err := p.Delete(t.Context(), "later"); !errors.Is(err, project.ErrUsed) {
			t.Errorf("deleted while it is restored: %v", err)
		}
		if err := p.Restore(t.Context(), "later", bytes.NewReader(whole), nil); !errors.Is(err, project.ErrUsed) {
			t.Errorf("restored while it is restored: %v", err)
		}
	}))
	if err := p.Restore(t.Context(), "later", meanwhile, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), "later"); err != nil {
		t.Error(err)
	}

	// What somebody sends while the backup arrives is kept.
	arriving := io.MultiReader(bytes.NewReader(whole), readFunc(func() { sends(t, p, "begun") }))
	if err := p.Restore(t.Context(), "begun", arriving, nil); !errors.Is(err, project.ErrThere) {
		t.Errorf("begun meanwhile: %v", err)
	}
	if got := count(t, p, "begun"); got != 20 {
		t.Errorf("%d samples in one that was begun meanwhile", got)
	}
	left, err := filepath.Glob(filepath.Join(dir, "projects", ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// readFunc does something when it is read, and ends.
type readFunc func()

func (f readFunc) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// What a server that was killed had not restored to the end goes at the next start.
func TestHalfRestoredIsSwept(t *testing.T) {
	dir := t.TempDir()
	half := filepath.Join(dir, "projects", ".restoring-123")
	if err := os.MkdirAll(half, 0o700); err != nil {
		t.Fatal(err)
	}
	openProjects(t, dir, project.Options{})
	if _, err := os.Stat(half); err == nil {
		t.Error("it is there still")
	}
}
