package project

import (
	"context"
	"time"
)

// An open project takes memory of its engine and files. One that is closed removes
// nothing that is too old, so that it is opened now and then.
const (
	wakeEvery = 24 * time.Hour
	// As long as a store needs to look after itself.
	wakeFor = 30 * time.Minute
)

// Tend closes projects that nobody has used for a while, and opens each once a day for
// what a store does by itself, until ctx is done.
func (p *Projects) Tend(ctx context.Context) {
	if p.o.Idle < 0 {
		return
	}
	tick := time.NewTicker(max(min(p.o.Idle/10, time.Minute), time.Millisecond))
	defer tick.Stop()
	started := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		p.closeIdle(time.Now())
		p.wake(ctx, time.Now(), started)
	}
}

// closeIdle closes what nobody uses, or has used for Idle.
func (p *Projects) closeIdle(now time.Time) {
	for _, name := range p.known() {
		p.mu.Lock()
		s := p.slots[name]
		p.mu.Unlock()
		if s == nil || !s.mu.TryLock() { // somebody begins to use it
			continue
		}
		if s.project != nil && s.users == 0 && now.Sub(s.last) >= p.o.Idle {
			// What failed is found again by the one who opens it.
			if err := s.project.close(); err != nil {
				p.o.Log.Error("a project that nobody uses was not closed in order", "project", name, "error", err)
			} else {
				p.o.Log.Info("closed a project that nobody uses", "project", name)
			}
			s.project, s.last = nil, now
		}
		s.mu.Unlock()
	}
}

// wake opens the projects that have been closed for a day, each for half an hour.
func (p *Projects) wake(ctx context.Context, now, started time.Time) {
	names, err := p.Names()
	if err != nil {
		p.o.Log.Error("projects are not looked after", "error", err)
	}
	for _, name := range names {
		closed := started
		p.mu.Lock()
		s := p.slots[name]
		p.mu.Unlock()
		if s != nil {
			if !s.mu.TryLock() {
				continue
			}
			open := s.project != nil
			if !s.last.IsZero() {
				closed = s.last
			}
			s.mu.Unlock()
			if open {
				continue
			}
		}
		if now.Sub(closed) < wakeEvery {
			continue
		}
		_, done, err := p.Get(ctx, name, false)
		if err != nil {
			p.o.Log.Error("a project cannot be looked after", "project", name, "error", err)
			continue
		}
		time.AfterFunc(wakeFor, done)
	}
}
