package project_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/server/servertest"
)

// counted tells how many stores are open.
type counted struct {
	project.Store

	open *atomic.Int64
}

func (c *counted) Close() error {
	c.open.Add(-1)
	return c.Store.Close()
}

// What nobody uses is closed, what somebody uses is not, and who asks for a closed one
// gets it opened: with many who begin and end at the same time.
func TestIdleProjectsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, opened atomic.Int64
		projects, err := project.Open(t.Context(), t.TempDir(), project.Options{
			Idle: 5 * time.Millisecond,
			Open: func(ctx context.Context, dir, debugDir string) (project.Store, error) {
				s, err := servertest.Open(ctx, dir, debugDir)
				if err != nil {
					return nil, err
				}
				open.Add(1)
				opened.Add(1)
				return &counted{s, &open}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var tending sync.WaitGroup
		tending.Go(func() { projects.Tend(ctx) })

		kept, done, err := projects.Get(t.Context(), "kept", true)
		if err != nil {
			t.Fatal(err)
		}
		for open.Load() > 1 { // the default one
			time.Sleep(time.Millisecond)
		}
		if _, err := kept.Stats(t.Context()); err != nil {
			t.Errorf("the one that is used: %v", err)
		}
		if p, _ := projects.IfOpen("default"); p != nil {
			t.Error("the default project is given, and closed")
		}

		var users sync.WaitGroup
		for i := range 8 {
			users.Go(func() {
				for range 20 {
					p, done, err := projects.Get(t.Context(), "many", true)
					if err != nil {
						t.Error(err)
						return
					}
					if err := p.PutDocument(t.Context(), "kind", "key", []byte("body")); err != nil {
						t.Errorf("closed under its user: %v", err)
					}
					done()
					done() // a second end is none
					time.Sleep(time.Duration(i*2) * time.Millisecond)
				}
			})
		}
		users.Wait()
		done()
		for open.Load() > 0 {
			time.Sleep(time.Millisecond)
		}
		if opened.Load() < 4 {
			t.Errorf("opened %d times: nothing was closed in between", opened.Load())
		}
		cancel()
		tending.Wait()
		if err := projects.Close(); err != nil {
			t.Error(err)
		}
		if _, _, err := projects.Get(t.Context(), "kept", false); !errors.Is(err, project.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// A project that was opened to be looked after stays open for a while, and can be deleted meanwhile.
func TestWokenProjectCanBeDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		projects, err := project.Open(t.Context(), t.TempDir(), project.Options{Idle: 10 * time.Minute, Open: servertest.Open})
		if err != nil {
			t.Fatal(err)
		}
		defer projects.Close()
		_, done, err := projects.Get(t.Context(), "shop", true)
		if err != nil {
			t.Fatal(err)
		}
		done()
		ctx, cancel := context.WithCancel(t.Context())
		var tending sync.WaitGroup
		tending.Go(func() { projects.Tend(ctx) })
		defer tending.Wait()
		defer cancel()
		isOpen := func() bool {
			p, done := projects.IfOpen("shop")
			defer done()
			return p != nil
		}
		time.Sleep(time.Hour)
		if isOpen() {
			t.Fatal("it was not closed")
		}
		for began := time.Now(); !isOpen(); time.Sleep(time.Minute) {
			if time.Since(began) > 25*time.Hour {
				t.Fatal("it was not woken")
			}
		}
		time.Sleep(20 * time.Minute)
		if !isOpen() {
			t.Error("it was closed too early")
		}
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := projects.Delete(short, "shop"); err != nil {
			t.Error(err)
		}
	})
}

// One with something left to do stays open.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		projects, err := project.Open(t.Context(), t.TempDir(), project.Options{Idle: 20 * time.Millisecond, Open: servertest.Open})
		if err != nil {
			t.Fatal(err)
		}
		defer projects.Close()
		ctx, cancel := context.WithCancel(t.Context())
		var tending sync.WaitGroup
		tending.Go(func() { projects.Tend(ctx) })
		defer tending.Wait()
		defer cancel()
		p, done := projects.IfOpen("default")
		for range 10 {
			time.Sleep(10 * time.Millisecond)
			p.Keep()
		}
		done()
		p.Keep()
		if again, done := projects.IfOpen("default"); again != p {
			t.Error("it was closed")
		} else {
			done()
		}
		for again, done := projects.IfOpen("default"); again != nil; again, done = projects.IfOpen("default") {
			done()
			time.Sleep(time.Millisecond)
		}
	})
}
