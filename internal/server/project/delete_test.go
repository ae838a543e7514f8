package project_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"whyhot/internal/fleet/debuginfo/bucket"
	debuginfo "whyhot/internal/fleet/debuginfo/store"
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

// cloud is an object store, which can be away.
func cloud(t *testing.T) (b *bucket.Bucket, away *atomic.Bool) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "y")
	backend := s3mem.New()
	if err := backend.CreateBucket("debug"); err != nil {
		t.Fatal(err)
	}
	away, fake := &atomic.Bool{}, gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			w.WriteHeader(http.StatusForbidden) // 503 would be tried again for a while
			return
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b, err := bucket.Open("s3://debug/fleet?region=us-east-1&endpoint=" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return b, away
}

// The debug information of a project that is deleted goes from the object store, and that of no
// other one; while it cannot, the project stays.
func TestDeleteFilesOfTheObjectStore(t *testing.T) {
	b, away := cloud(t)
	p := openProjects(t, t.TempDir(), project.Options{DebugInfo: debuginfo.Options{Bucket: b}})
	for _, name := range []string{"shop", "shop-2"} {
		_, done, err := p.Get(t.Context(), name, true)
		if err != nil {
			t.Fatal(err)
		}
		done()
		for _, id := range []string{"abcdef01", "abcdef02"} {
			if err := b.In(name).Put(t.Context(), id, "", strings.NewReader("x"), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := func(name string) (n int) {
		t.Helper()
		if err := b.In(name).List(t.Context(), func(bucket.Object) bool { n++; return true }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	away.Store(true)
	if err := p.Delete(t.Context(), "shop"); !errors.Is(err, project.ErrFiles) {
		t.Errorf("while the object store is away: %v", err)
	}
	away.Store(false)
	if names, err := p.Names(); err != nil || !slices.Contains(names, "shop") || files("shop") != 2 {
		t.Errorf("%v, %v", names, err)
	}
	if err := p.Delete(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if files("shop") != 0 || files("shop-2") != 2 {
		t.Errorf("%d files are left, and of another project %d of 2", files("shop"), files("shop-2"))
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
