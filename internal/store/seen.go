package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"whyhot/internal/store/engine"
)

// keepBatches is how long, in minutes, the identity of a batch is known after the last
// one of its origin: no sender tries that long.
const keepBatches = 7 * 24 * 60

// All that is known of batches is written down from time to time; what is older is not
// read again. A document says since when.
const (
	batchesKind   = "batches"
	checkpointKey = "checkpoint"
)

// seen knows the batches that were taken. Senders number them (origin-1, origin-2, …),
// so that what is known of an origin is a few ranges of numbers however many there are.
type seen struct {
	mu      sync.Mutex
	origins map[string]*origin
	taking  map[string]chan struct{} // batches that are being written
}

type origin struct {
	ranges []span // ascending, apart from each other
	taken  uint32 // minute of the last one
}

// span is the numbers first to last.
type span struct{ first, last uint64 }

// splitID tells the number at the end of an identity from what is before it. One
// without a number is its own origin.
func splitID(id string) (name string, number uint64) {
	if i := strings.LastIndexByte(id, '-'); i > 0 {
		n, err := strconv.ParseUint(id[i+1:], 10, 63)
		if err == nil && strconv.FormatUint(n, 10) == id[i+1:] {
			return id[:i], n
		}
	}
	return "\x00" + id, 0
}

// begin says whether a batch is new, and makes the caller the one who takes it. Where
// somebody else is taking it, wait ends with that; where it was taken, wait is nil.
func (s *seen) begin(id string) (first bool, wait <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done := s.taking[id]; done != nil {
		return false, done
	}
	if name, n := splitID(id); s.origins[name] != nil && s.origins[name].has(n) {
		return false, nil
	}
	if s.taking == nil {
		s.taking = map[string]chan struct{}{}
	}
	s.taking[id] = make(chan struct{})
	return true, nil
}

// end tells what became of a batch.
func (s *seen) end(id string, taken bool, now uint32) {
	if taken {
		s.take(id, now)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.taking[id])
	delete(s.taking, id)
}

func (s *seen) take(id string, now uint32) {
	name, n := splitID(id)
	s.takeRange(name, span{n, n}, now)
}

func (s *seen) takeRange(name string, r span, now uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.origins == nil {
		s.origins = map[string]*origin{}
	}
	o := s.origins[name]
	if o == nil {
		o = &origin{}
		s.origins[name] = o
	}
	o.add(r)
	o.taken = max(o.taken, now)
}

func (o *origin) has(n uint64) bool {
	for _, r := range slices.Backward(o.ranges) { // what is asked for is new as a rule
		if n >= r.first {
			return n <= r.last
		}
	}
	return false
}

// add puts a range in its place, and joins it with those that it touches.
func (o *origin) add(r span) {
	i := len(o.ranges)
	for i > 0 && o.ranges[i-1].first > r.first {
		i--
	}
	o.ranges = append(o.ranges, span{})
	copy(o.ranges[i+1:], o.ranges[i:])
	o.ranges[i] = r
	joined := o.ranges[:0]
	for _, next := range o.ranges {
		if n := len(joined); n > 0 && next.first <= joined[n-1].last+1 {
			joined[n-1].last = max(joined[n-1].last, next.last)
			continue
		}
		joined = append(joined, next)
	}
	o.ranges = joined
}

// load adds rows of engine.Batches.
func (s *seen) load(b *engine.Block) error {
	origins, first, last, taken := b.Texts("origin"), b.Uint64s("first"), b.Uint64s("last"), b.Uint32s(engine.ColMinute)
	for i := range origins {
		if first[i] > last[i] {
			return fmt.Errorf("%w: a batch's numbers are %d to %d", engine.ErrDamaged, first[i], last[i])
		}
		s.takeRange(origins[i], span{first[i], last[i]}, taken[i])
	}
	return nil
}

// forget drops origins of which nothing came since a minute: no sender tries that long.
func (s *seen) forget(before uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, o := range s.origins {
		if o.taken < before {
			delete(s.origins, name)
		}
	}
}

// rows gives all that is known of origins of which something came since a minute.
func (s *seen) rows(since, now uint32) *engine.Block {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := engine.NewBlock(engine.Batches, len(s.origins))
	for name, o := range s.origins {
		if o.taken < since {
			continue
		}
		for _, r := range o.ranges {
			b.Append(now, name, r.first, r.last)
		}
	}
	return b
}
