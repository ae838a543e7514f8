package message

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"whyhot/internal/server/project"
)

// sender hands one message to a receiver. The error is a *laterError where the receiver
// said when to come again.
type sender interface {
	send(ctx context.Context, c *Config, m *Message) error
}

// laterError is a failure after which the receiver wants to be left alone for a time.
type laterError struct {
	after time.Duration
	err   error
}

func (e *laterError) Error() string { return e.err.Error() }
func (e *laterError) Unwrap() error { return e.err }

const (
	// rest is how often a worker looks when nothing wakes it.
	rest = time.Minute
	// apart is how long after a message the next one is sent: chats take one a second.
	apart = time.Second
	// endTime is how long a message under way may take when the server stops.
	endTime = 3 * time.Second
)

// work empties the outbox of a receiver until ctx is done or there is no such receiver.
func (m *Messenger) work(ctx context.Context, projects *project.Projects, name string, wake <-chan struct{}) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = m.o.FirstPause, m.o.LongestPause
	pauses.Reset()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for resting := false; ; {
		if resting {
			select {
			case <-ctx.Done():
			case <-timer.C:
			case <-wake:
			}
		} else {
			// A failure is waited out, whoever wakes.
			select {
			case <-ctx.Done():
			case <-timer.C:
			}
		}
		c, r := m.receiver(name)
		if ctx.Err() != nil || r == nil {
			m.mu.Lock()
			delete(m.wakers, name)
			m.mu.Unlock()
			return
		}
		sent, err := m.round(ctx, projects, c, r)
		pause := rest
		resting = err == nil && !sent
		switch {
		case err != nil:
			pause = pauses.NextBackOff()
			if later := (*laterError)(nil); errors.As(err, &later) {
				pause = max(pause, min(later.after, m.o.LongestPause))
			}
			m.o.Log.Warn("a message was not delivered", "receiver", name, "again_in", pause.Round(time.Second), "error", err)
		case sent:
			pauses.Reset()
			pause = min(apart, m.o.FirstPause)
		}
		timer.Reset(pause)
	}
}

// round sends at most one message of a receiver: the one that was tried least, then the
// oldest, so that one that is refused holds up no other.
func (m *Messenger) round(ctx context.Context, projects *project.Projects, c *Config, r *Receiver) (sent bool, err error) {
	names, err := projects.Names()
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if len(r.Projects) > 0 && !slices.Contains(r.Projects, name) {
			continue
		}
		p, done := projects.IfOpen(name)
		if p == nil { // the last look at it is long ago, and nothing waited
			continue
		}
		if shared, writes := p.Shared(); shared && !writes { // that server sends them
			done()
			continue
		}
		sent, err := m.one(ctx, p, c, r)
		done()
		if sent || err != nil {
			return sent, err
		}
	}
	return false, nil
}

// one sends one message of a project, if there is one.
func (m *Messenger) one(ctx context.Context, p *project.Project, c *Config, r *Receiver) (sent bool, err error) {
	waiting, due, err := m.waiting(ctx, p, c, r)
	m.count(r.Name).wait(p.Name, len(waiting))
	if len(waiting) > 0 {
		p.Keep()
	}
	if err != nil || len(waiting) == 0 {
		return false, err
	}
	batch, msg := waiting[:1], waiting[0].Message
	if r.Digest != "" {
		// What came after the digest was due is in the next one.
		waiting = slices.DeleteFunc(waiting, func(o out) bool { return due.IsZero() || o.Created.After(due) })
		if len(waiting) == 0 {
			return false, nil
		}
		batch, msg = waiting, digest(c, p, r, waiting, due)
	}
	limited, cancel := sending(ctx, m.o.Timeout)
	defer cancel()
	sendErr := r.send.send(limited, c, &msg)
	// What happened is written down also when the server is about to stop.
	ctx = context.WithoutCancel(ctx)
	m.writing.Lock()
	defer m.writing.Unlock()
	if sendErr != nil {
		m.count(r.Name).failed.Add(1)
		return false, errors.Join(sendErr, m.failed(ctx, p, r, batch, sendErr))
	}
	m.count(r.Name).succeeded(m.o.Now())
	for _, o := range batch {
		if err := p.Remove(ctx, kindOut, o.key); err != nil {
			return false, err
		}
	}
	if r.Digest != "" {
		return true, m.digested(ctx, p, r, due)
	}
	return true, nil
}

// sending is a context of one attempt. It ends a moment after ctx: what the receiver
// may have taken already is better finished than sent again after a restart.
func sending(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(endTime)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-limited.Done():
		}
	})
	return limited, func() {
		stop()
		cancel()
	}
}

// waiting are the messages of a receiver, without what was muted since they were
// written; for a digest also without what is gone, and with the time that it was due.
func (m *Messenger) waiting(ctx context.Context, p *project.Project, c *Config, r *Receiver) (list []out, due time.Time, err error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	outs, err := project.Read[out](p, kindOut)
	if err != nil {
		return nil, due, err
	}
	if r.Digest != "" {
		if due, err = m.due(p, c, r); err != nil {
			return nil, due, err
		}
	}
	var here map[[2]string]bool
	if !due.IsZero() && len(outs) > 0 {
		if here, err = active(p); err != nil {
			return nil, due, err
		}
	}
	now := m.o.Now()
	for key, o := range outs {
		if o.Receiver != r.Name {
			continue
		}
		o.key = key
		var dropped []Item
		o.Message.Items = slices.DeleteFunc(o.Message.Items, func(i Item) bool {
			gone := here != nil && i.Rule != ruleAlert && !here[[2]string{i.Finding, i.Service}]
			drop := gone || c.muted(r.Name, p.Name, &i, now)
			if drop {
				dropped = append(dropped, i)
			}
			return drop
		})
		if len(dropped) > 0 {
			if err := m.forget(ctx, p, r.Name, dropped); err != nil {
				return nil, due, err
			}
			if err := m.keep(ctx, p, o); err != nil {
				return nil, due, err
			}
		}
		if len(o.Message.Items) > 0 {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b out) int {
		return cmp.Or(cmp.Compare(a.Attempts, b.Attempts), a.Created.Compare(b.Created), cmp.Compare(a.key, b.key))
	})
	return list, due, nil
}

// keep writes a message of the outbox back, or removes it when nothing is left of it.
func (m *Messenger) keep(ctx context.Context, p *project.Project, o out) error {
	if len(o.Message.Items) == 0 {
		return p.Remove(ctx, kindOut, o.key)
	}
	return p.Put(ctx, kindOut, o.key, o)
}

// failed counts an attempt, and drops what was tried for too long.
func (m *Messenger) failed(ctx context.Context, p *project.Project, r *Receiver, batch []out, why error) error {
	for _, o := range batch {
		o.Attempts++
		o.Error = why.Error()
		if m.o.Now().Sub(o.Created) < m.o.GiveUp || o.Attempts < 2 {
			if err := p.Put(ctx, kindOut, o.key, o); err != nil {
				return err
			}
			continue
		}
		m.count(r.Name).dropped.Add(1)
		m.o.Log.Error("a message was dropped", "project", p.Name, "receiver", r.Name, "message", o.Message.ID, "attempts", o.Attempts, "error", why)
		if err := p.Remove(ctx, kindOut, o.key); err != nil {
			return err
		}
	}
	return nil
}

// due is when a digest was due that has not been sent, zero for none: the last time of
// day before now, unless that was before the receiver was met or is done.
func (m *Messenger) due(p *project.Project, c *Config, r *Receiver) (time.Time, error) {
	all, err := project.Read[known](p, kindReceiver)
	if err != nil {
		return time.Time{}, err
	}
	k, ok := all[r.Name]
	if !ok {
		return time.Time{}, nil
	}
	now := m.o.Now().In(c.zone)
	day := func(back int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()-back, r.minute/60, r.minute%60, 0, 0, c.zone)
	}
	at := day(0)
	if at.After(now) {
		at = day(1)
	}
	if at.Before(k.Since) || !at.After(k.Digest) {
		return time.Time{}, nil
	}
	return at, nil
}

func (m *Messenger) digested(ctx context.Context, p *project.Project, r *Receiver, due time.Time) error {
	all, err := project.Read[known](p, kindReceiver)
	if err != nil {
		return err
	}
	k := all[r.Name]
	k.Receiver, k.Digest = r.Name, due.UTC()
	return p.Put(ctx, kindReceiver, r.Name, k)
}

// digest makes one message of many.
func digest(c *Config, p *project.Project, r *Receiver, waiting []out, due time.Time) Message {
	at := due.UTC().Format(time.RFC3339)
	msg := Message{
		Version: version, ID: messageID(r.Name, p.Name, KindDigest, at), Kind: KindDigest, Time: due.UTC(), Project: p.Name,
		Link: pageLink(c.Page, p.Name, "", "", time.Time{}, time.Time{}),
	}
	for _, o := range waiting {
		msg.Items = append(msg.Items, o.Message.Items...)
	}
	slices.SortStableFunc(msg.Items, func(a, b Item) int { return -cmp.Compare(a.Now.Cores, b.Now.Cores) })
	return msg
}

// Test sends a message that says so to each receiver of a file, or to those named.
func Test(ctx context.Context, c *Config, names []string, now time.Time, timeout time.Duration) map[string]error {
	answers := map[string]error{}
	for i := range c.Receivers {
		r := &c.Receivers[i]
		if len(names) > 0 && !slices.Contains(names, r.Name) {
			continue
		}
		msg := Message{
			Version: version, ID: messageID(r.Name, KindTest, now.Format(time.RFC3339Nano)), Kind: KindTest, Time: now.UTC(),
			Link: c.Page + "/findings", Items: []Item{},
		}
		limited, cancel := context.WithTimeout(ctx, timeout)
		answers[r.Name] = r.send.send(limited, c, &msg)
		cancel()
	}
	for _, n := range names {
		if _, ok := answers[n]; !ok {
			answers[n] = fmt.Errorf("there is no receiver %s", n)
		}
	}
	return answers
}
