package limit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// BusyError says that a request got no slot.
type BusyError struct {
	Ahead int // requests that would still have been served before it
}

func (e *BusyError) Error() string {
	if e.Ahead == 0 {
		return "the server is busy"
	}
	return fmt.Sprintf("the server is busy: %d requests are ahead of this one", e.Ahead)
}

// Slots bound what runs at a time. Requests that find no free slot wait in a queue of
// bounded length. The queue is fair: clients take turns, one request each, and each
// client's own requests keep their order, so that a client with a hundred requests delays
// another one's first by one and not by a hundred (round robin; J. Nagle, RFC 970).
type Slots struct {
	wait time.Duration
	most int // requests that wait

	mu    sync.Mutex
	free  int64
	of    map[string][]chan struct{} // those that wait, by client; closed when served
	turns []string                   // the clients that wait, the next first
	count int
}

// NewSlots makes n slots. A request that finds none free waits, at most most at a time
// and each no longer than wait.
func NewSlots(n int64, most int, wait time.Duration) *Slots {
	return &Slots{free: n, most: most, wait: wait, of: map[string][]chan struct{}{}}
}

// Take takes a slot for a client. The function it returns gives it back. queued, which
// may be nil, hears how many requests are ahead where it has to wait. A *BusyError says
// that the queue is full, or that the wait was too long.
func (s *Slots) Take(ctx context.Context, client string, queued func(ahead int)) (release func(), err error) {
	served, ahead, err := s.enter(client)
	if err != nil || served == nil {
		return s.leave, err
	}
	if queued != nil {
		queued(ahead)
	}
	limited, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	select {
	case <-served:
		return s.leave, nil
	case <-limited.Done():
	}
	ahead, waiting := s.giveUp(client, served)
	switch {
	case !waiting: // served at the same moment
		return s.leave, nil
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, ctx.Err()
	}
	return nil, &BusyError{Ahead: ahead}
}

// enter takes a slot, or a place in the queue: served is then closed when it is its turn.
func (s *Slots) enter(client string) (served chan struct{}, ahead int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.free > 0: // nobody waits
		s.free--
		return nil, 0, nil
	case s.count >= s.most:
		return nil, 0, &BusyError{Ahead: s.count}
	}
	if len(s.of[client]) == 0 {
		s.turns = append(s.turns, client)
	}
	served = make(chan struct{})
	s.of[client] = append(s.of[client], served)
	s.count++
	return served, s.ahead(client, len(s.of[client])-1), nil
}

// leave gives a slot to the next in the queue.
func (s *Slots) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.turns) == 0 {
		s.free++
		return
	}
	client := s.turns[0]
	s.turns = s.turns[1:]
	list := s.of[client]
	close(list[0])
	s.count--
	if len(list) == 1 {
		delete(s.of, client)
		return
	}
	s.of[client] = list[1:]
	s.turns = append(s.turns, client)
}

// giveUp takes a request out of the queue. waiting is false where it was served.
func (s *Slots) giveUp(client string, served chan struct{}) (ahead int, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.of[client], served)
	if i < 0 {
		return 0, false
	}
	ahead = s.ahead(client, i)
	s.count--
	if s.of[client] = slices.Delete(s.of[client], i, i+1); len(s.of[client]) == 0 {
		delete(s.of, client)
		s.turns = slices.DeleteFunc(s.turns, func(c string) bool { return c == client })
	}
	return ahead, true
}

// ahead is how many requests are served before a client's i-th. It is called with the lock.
func (s *Slots) ahead(client string, i int) int {
	n := i
	before := true
	for _, other := range s.turns {
		if other == client {
			before = false
			continue
		}
		turns := i // those in which the other one comes first
		if before {
			turns++
		}
		n += min(turns, len(s.of[other]))
	}
	return n
}
