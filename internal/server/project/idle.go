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
	// Until then a store that was opened has looked after itself.
	settled = 20 * time.Minute
)

// Tend closes projects that nobody has used for a while, opens each once a day for what a
// store does by itself, and removes debug information that nothing needs, until ctx is done.
func (p *Projects) Tend(ctx context.Context) {
	every := time.Minute
	if p.o.Idle > 0 {
		every = max(min(p.o.Idle/10, every), time.Millisecond)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	started := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if p.o.Idle > 0 {
			p.closeIdle(time.Now())
		}
		p.wake(ctx, time.Now(), started)
		p.forget(ctx, time.Now())
		p.look(ctx, time.Now())
	}
}

// forget removes, once a day, debug information of binaries of which a project keeps nothing.
func (p *Projects) forget(ctx context.Context, now time.Time) {
	for _, name := range p.known() {
		one, done := p.IfOpen(name)
		if one != nil {
			s := one.slot
			s.mu.Lock()
			due := now.Sub(s.opened) >= settled && now.Sub(s.forgot) >= wakeEvery
			if due {
				s.forgot = now
			}
			s.mu.Unlock()
			if due {
				one.DebugInfo.Forget()
				if one.writes() {
					if err := one.DebugInfo.ForgetShared(ctx); err != nil && ctx.Err() == nil {
						p.o.Log.Warn("debug information in the object store was not looked through", "project", name, "error", err)
					}
				}
			}
		}
		done()
	}
}

const (
	// lookEvery is how often it is looked what other servers put into the object store.
	lookEvery = time.Minute
	lookTime  = 30 * time.Second
)

// look has a server that writes to a project's database know of debug information that others
// took: it is the one that looks up names. Why it failed is logged by the store, once.
func (p *Projects) look(ctx context.Context, now time.Time) {
	for _, name := range p.known() {
		one, done := p.IfOpen(name)
		if one != nil && one.writes() {
			s := one.slot
			s.mu.Lock()
			due := now.Sub(s.looked) >= lookEvery
			if due {
				s.looked = now
			}
			s.mu.Unlock()
			if due {
				within, cancel := context.WithTimeout(ctx, lookTime)
				err := one.DebugInfo.Look(within)
				cancel()
				if err != nil { // it is the same for all projects
					done()
					return
				}
			}
		}
		done()
	}
}

// writes says whether this server is the one that writes to the project's database.
func (p *Project) writes() bool {
	shared, here := p.Shared()
	return !shared || here
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
		if s.project != nil && s.users == 0 && now.Sub(s.last) >= p.o.Idle && !now.Before(s.awake) {
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
		one, done, err := p.Get(ctx, name, false)
		if err != nil {
			p.o.Log.Error("a project cannot be looked after", "project", name, "error", err)
			continue
		}
		one.slot.mu.Lock()
		one.slot.awake = now.Add(wakeFor) // and not used: it may be deleted
		one.slot.mu.Unlock()
		done()
	}
}
