package store

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"whyhot/internal/store/engine"
)

// sumCache keeps the engine's last answers, and lets those who ask the same at one time
// wait for one answer: a page asks about one selection as a table, a tree and a graph,
// and questions about times that overlap have hours and days in common.
type sumCache struct {
	mu      sync.Mutex
	entries []*cached // the one used last at the end
	flights map[string]*flight
	term    atomic.Uint64 // counts renumber
	cleared int           // counts clear: what was read before is not kept after
	changes [512]changed
}

// changed is a commit with rows of minutes in [first, last].
type changed struct {
	commit      uint64
	first, last uint32
}

type cached struct {
	key    string
	sums   *engine.Sums
	commit uint64 // the last one that is in it
	when   time.Time
}

// flight is a question that the engine is at work on. It is given up when nobody waits
// any more.
type flight struct {
	commit  uint64
	when    time.Time
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	sums    *engine.Sums
	err     error
}

// Bounds of the cache.
const (
	maxCached     = 512
	maxCachedRows = 8 << 20         // of all entries
	fresh         = 2 * time.Second // so long sums by stack, or of whole days, are given again although there is more by now
)

// asking is a question as the cache knows it.
type asking struct {
	key      string
	from, to uint32 // the minutes of samples that it can be about
	patient  bool   // an answer may be a moment old
}

func askingOf(q *engine.Query) asking {
	key := []byte(q.Table.Name)
	for _, by := range q.By {
		key = append(append(key, ','), by...)
	}
	key = append(key, 0)
	numbers := func(list []uint32) {
		if list != nil { // which is no list, and not an empty one
			key = append(key, 1)
		}
		key = binary.AppendUvarint(key, uint64(len(list)))
		for _, n := range list {
			key = binary.LittleEndian.AppendUint32(key, n)
		}
	}
	numbers([]uint32{q.From, q.To, q.Level, q.Step})
	numbers(q.Groups)
	numbers(q.Series)
	// A row by the hour, at the hour's first minute, is about all of its minutes.
	return asking{
		key: string(key), from: q.From - q.From%minutesHour, to: q.To + (minutesHour-q.To%minutesHour)%minutesHour,
		patient: slices.Contains(q.By, engine.ColStack) || q.Table == engine.Samples && q.To-q.From == engine.MinutesPerDay && q.Step == 1,
	}
}

// get gives what is there, or what read brings; read runs once for all who ask the same
// meanwhile. commit is the last commit that read will see at least. The sums are others',
// too: they are not to be changed.
func (c *sumCache) get(ctx context.Context, a asking, commit uint64, now time.Time, read func(context.Context) (*engine.Sums, error)) (*engine.Sums, error) {
	f, sums := c.join(ctx, a, commit, now, read)
	if f == nil {
		return sums, nil
	}
	select {
	case <-f.done:
		return f.sums, f.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		if c.flights[a.key] == f {
			delete(c.flights, a.key)
		}
	}
	return nil, ctx.Err()
}

// join gives the sums that are there, or the flight to wait for, which it may begin.
func (c *sumCache) join(ctx context.Context, a asking, commit uint64, now time.Time, read func(context.Context) (*engine.Sums, error)) (*flight, *engine.Sums) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.entries, func(e *cached) bool { return e.key == a.key }); i >= 0 {
		e := c.entries[i]
		c.entries = slices.Delete(c.entries, i, i+1)
		// That there was nothing is not given again when there may be something: who has
		// just sent a profile asks for it next.
		if c.holds(a, e.commit, e.when, now) && (e.sums.Len() > 0 || !c.outdated(e.commit, a.from, a.to)) {
			c.entries = append(c.entries, e)
			return nil, e.sums
		}
	}
	if f := c.flights[a.key]; f != nil && c.holds(a, f.commit, f.when, now) {
		f.waiting++
		return f, nil
	}
	shared, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{commit: commit, when: now, waiting: 1, cancel: cancel, done: make(chan struct{})}
	if c.flights == nil {
		c.flights = map[string]*flight{}
	}
	c.flights[a.key] = f
	cleared := c.cleared
	go func() {
		defer cancel()
		f.sums, f.err = read(shared)
		c.land(a.key, f, cleared)
		close(f.done)
	}()
	return f, nil
}

// land keeps what a flight brought.
func (c *sumCache) land(key string, f *flight, cleared int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[key] == f {
		delete(c.flights, key)
	}
	if f.err != nil || cleared != c.cleared || len(f.sums.Missing) > 0 {
		return
	}
	c.entries = slices.DeleteFunc(c.entries, func(e *cached) bool { return e.key == key })
	c.entries = append(c.entries, &cached{key: key, sums: f.sums, commit: f.commit, when: f.when})
	rows := 0
	for _, e := range c.entries {
		rows += e.sums.Len()
	}
	for len(c.entries) > maxCached || rows > maxCachedRows && len(c.entries) > 1 {
		rows -= c.entries[0].sums.Len()
		c.entries = slices.Delete(c.entries, 0, 1)
	}
}

// holds says whether an answer that has all up to a commit is still good.
func (c *sumCache) holds(a asking, commit uint64, when, now time.Time) bool {
	return a.patient && now.Sub(when) < fresh || !c.outdated(commit, a.from, a.to)
}

// outdated says whether a commit after the given one brought rows of minutes in
// [from, to), or whether that is not known any more.
func (c *sumCache) outdated(commit uint64, from, to uint32) bool {
	oldest := ^uint64(0)
	for _, ch := range c.changes {
		if ch.commit == 0 {
			oldest = 0 // all commits since the start are there
			continue
		}
		oldest = min(oldest, ch.commit)
		if ch.commit > commit && ch.first < to && ch.last >= from {
			return true
		}
	}
	return oldest > commit+1
}

// changed takes note of a commit; of one without rows first is larger than last.
func (c *sumCache) changed(commit uint64, first, last uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes[commit%uint64(len(c.changes))] = changed{commit, first, last}
}

// renumber forgets everything, since commits have other numbers by now. What is read in
// between has the key of the time before, for which nobody asks any more.
func (c *sumCache) renumber() {
	c.term.Add(1)
	c.mu.Lock()
	c.changes = [512]changed{}
	c.mu.Unlock()
	c.clear()
}

// clear forgets everything.
func (c *sumCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.flights = nil, nil
	c.cleared++
}
