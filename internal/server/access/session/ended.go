package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"strings"
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

// signedIn is between a person and the time at which they signed in last, in Unix milliseconds. No
// session's ID has it.
const signedIn = "@"

// Ended are IDs of sessions that were ended, with the time at which they would have. The file
// has those that somebody could still use. Beside them is when people signed in last.
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

// signIn is when a person signed in last, as far as older sessions could still be in force.
func (e *Ended) signIn(key string) (at int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id := range e.list {
		if of, when, ok := signInOf(id); ok && of == key {
			at = max(at, when)
		}
	}
	return at
}

func signInOf(id string) (key string, at int64, ok bool) {
	key, text, ok := strings.Cut(id, signedIn)
	at, err := strconv.ParseInt(text, 10, 64)
	return key, at, ok && err == nil
}

// onlyLast removes sign-ins that another one of the person came after.
func onlyLast(list map[string]int64) {
	last := map[string]int64{}
	for id := range list {
		if key, at, ok := signInOf(id); ok {
			last[key] = max(last[key], at)
		}
	}
	maps.DeleteFunc(list, func(id string, _ int64) bool {
		key, at, ok := signInOf(id)
		return ok && at < last[key]
	})
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
	onlyLast(next)
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
