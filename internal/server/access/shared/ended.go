package shared

import (
	"context"
	"crypto/hmac"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/server/access/session"
)

// Ended shares the sessions that were ended: who signs out on one server is out on all of them.
// One goroutine at a time uses it.
//
// A text is the time at which the session would have ended and its ID, behind a code as tokens
// have it. The shelf forgets a text when the session would have ended anyway.
type Ended struct {
	list   *session.Ended
	shelf  Shelf
	secret []byte
	log    *slog.Logger
	now    func() time.Time

	there   uint64
	known   bool            // what the shelf had then is here
	on      map[string]bool // IDs that are on the shelf
	failing string
}

const formEnded = "whyhot-ended-1"

// NewEnded makes it for the list of a server. The secret is the servers' own.
func NewEnded(list *session.Ended, shelf Shelf, secret string, log *slog.Logger) *Ended {
	return &Ended{list: list, shelf: shelf, secret: []byte(secret), log: log, now: time.Now, on: map[string]bool{}}
}

// Keep brings both sides together once a second, until ctx ends.
func (e *Ended) Keep(ctx context.Context) { keep(ctx, e.Try) }

// Try brings both sides together, and logs why it failed, each reason once.
func (e *Ended) Try(ctx context.Context) {
	e.failing = try(ctx, e.Sync, e.failing, e.log, "ended sessions", "one that was ended on another server may be in force here")
}

// Close ends the use of the shelf.
func (e *Ended) Close() error { return e.shelf.Close() }

// Sync brings both sides together.
func (e *Ended) Sync(ctx context.Context) error {
	there, err := e.shelf.Len(ctx)
	if err != nil {
		return err
	}
	if !e.known || there != e.there {
		texts, err := e.shelf.All(ctx)
		if err != nil {
			return err
		}
		theirs := map[string]int64{}
		for _, text := range texts {
			if id, until, ok := e.read(text); ok {
				theirs[id] = until
			}
		}
		if err := e.list.Add(theirs, e.now()); err != nil {
			return err
		}
		e.on = make(map[string]bool, len(theirs))
		for id := range theirs {
			e.on[id] = true
		}
		e.there, e.known = there, true
	}
	mine := e.list.All(e.now())
	var fresh []string
	for _, id := range slices.Sorted(maps.Keys(mine)) {
		if !e.on[id] {
			fresh = append(fresh, e.write(id, mine[id]))
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	e.known = false // it is read again, with what others added
	return e.shelf.Add(ctx, fresh)
}

func (e *Ended) write(id string, until int64) string {
	data := strconv.FormatInt(until, 10) + " " + id
	return codeOf(e.secret, formEnded, data) + " " + data
}

func (e *Ended) read(text string) (id string, until int64, ok bool) {
	code, data, ok := strings.Cut(text, " ")
	if !ok || len(text) > maxText || !hmac.Equal([]byte(code), []byte(codeOf(e.secret, formEnded, data))) {
		return "", 0, false
	}
	n, err := fmt.Sscanf(data, "%d %s", &until, &id)
	return id, until, err == nil && n == 2
}
