package store

import (
	"sync"
	"time"
)

// sumCache keeps the weights of the last selections: a page asks for the same one as a
// table, a tree and a graph.
type sumCache struct {
	mu      sync.Mutex
	entries []*cached // the one used last at the end
	changes [512]struct {
		commit uint64
		first  uint32 // earliest minute of its rows
	}
}

type cached struct {
	key    string
	w      *weights
	commit uint64 // the last one that is in it
	when   time.Time
}

// Bounds of the cache.
const (
	maxCached     = 24
	maxCachedRows = 8 << 20         // of all entries
	fresh         = 2 * time.Second // so long an answer is given again although there is more by now
)

func (c *sumCache) get(key string, to uint32, now time.Time) *weights {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.key != key {
			continue
		}
		if now.Sub(e.when) >= fresh && c.outdated(e.commit, to) {
			c.entries = append(c.entries[:i], c.entries[i+1:]...)
			return nil
		}
		c.entries = append(append(c.entries[:i], c.entries[i+1:]...), e)
		return e.w
	}
	return nil
}

// outdated says whether a commit after the given one brought rows of before a minute,
// or whether that is not known any more.
func (c *sumCache) outdated(commit uint64, to uint32) bool {
	oldest := ^uint64(0)
	for _, ch := range c.changes {
		if ch.commit == 0 {
			oldest = 0 // all commits since the start are there
			continue
		}
		oldest = min(oldest, ch.commit)
		if ch.commit > commit && ch.first < to {
			return true
		}
	}
	return oldest > commit+1
}

func (c *sumCache) changed(commit uint64, first uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := &c.changes[commit%uint64(len(c.changes))]
	at.commit, at.first = commit, first
}

func (c *sumCache) put(key string, w *weights, commit uint64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = append(c.entries, &cached{key: key, w: w, commit: commit, when: now})
	rows := 0
	for _, e := range c.entries {
		rows += len(e.w.stacks)
	}
	for len(c.entries) > maxCached || rows > maxCachedRows && len(c.entries) > 1 {
		rows -= len(c.entries[0].w.stacks)
		c.entries = c.entries[1:]
	}
}

// clear forgets everything.
func (c *sumCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = nil
}
