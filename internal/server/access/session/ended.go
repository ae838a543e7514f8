package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"whyhot/internal/host/wholefile"
)

const (
	endedFile = "sessions.ended"
	// maxEnded bounds the list: of more, those that expire first are forgotten first.
	maxEnded = 100_000
	maxID    = 64
)

// Ended are IDs of sessions that were ended, with the time at which they would have. The file
// has those that somebody could still use.
type Ended struct {
	path string

	mu   sync.Mutex
	list map[string]int64
	// unwritten: the list on disk lacks some.
	unwritten bool
}

func openEnded(path string) (*Ended, error) {
	e := &Ended{path: path, list: map[string]int64{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &e.list)
	}
	if err != nil {
		// Without it a session that somebody ended would be in force again.
		return nil, fmt.Errorf("list of ended sessions: %s: %w; restore it, or remove it with %s, and all have to sign in again", path, err, KeyFile)
	}
	if e.list == nil {
		e.list = map[string]int64{}
	}
	return e, nil
}

// Has tells whether a session was ended.
func (e *Ended) Has(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.list[id]
	return ok
}

// All are those that were ended and would still be in force.
func (e *Ended) All(now time.Time) map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := maps.Clone(e.list)
	maps.DeleteFunc(out, func(_ string, until int64) bool { return until <= now.Unix() })
	return out
}

// Add adds some, and forgets those that have expired. When it returns they are on disk.
func (e *Ended) Add(some map[string]int64, now time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	next, fresh := maps.Clone(e.list), false
	for id, until := range some {
		if _, known := next[id]; known || id == "" || len(id) > maxID || until <= now.Unix() || until > now.Add(2*Longest).Unix() {
			continue
		}
		next[id], fresh = until, true
	}
	if !fresh && !e.unwritten {
		return nil
	}
	maps.DeleteFunc(next, func(_ string, until int64) bool { return until <= now.Unix() })
	for len(next) > maxEnded {
		first, at := "", int64(0)
		for id, until := range next {
			if first == "" || until < at {
				first, at = id, until
			}
		}
		delete(next, first)
	}
	// They have ended here also where the disk is full; what comes next writes them.
	e.list, e.unwritten = next, true
	data, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("list of ended sessions: %w", err)
	}
	if err := wholefile.WriteDurably(e.path, 0o600, wholefile.Bytes(data)); err != nil {
		return fmt.Errorf("list of ended sessions: %w", err)
	}
	e.unwritten = false
	return nil
}
