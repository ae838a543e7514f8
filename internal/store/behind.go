package store

import (
	"slices"
	"sync"
)

// Behind is what was acknowledged and cannot be asked for, since the engine does not take it.
type Behind struct {
	Batches int
	Samples int64
	Why     string // the engine's words, "" where nothing waits for longer than usual
}

// Behind says what waits in the journal for an engine that does not take it, as with a full
// disk: who asks for it would hear that there is nothing.
func (s *Store) Behind() Behind {
	why := s.failing.Load()
	if why == nil {
		return Behind{}
	}
	out := Behind{Why: *why}
	out.Batches, out.Samples = s.waiting.sum(append(s.journal.Pending(), s.journal.Last()))
	return out
}

// waiting counts what is in the segments of the journal.
type waiting struct {
	mu       sync.Mutex
	segments map[uint64]waitingIn
}

type waitingIn struct {
	batches int
	samples int64
}

func (w *waiting) add(segment uint64, samples int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.segments == nil {
		w.segments = map[uint64]waitingIn{}
	}
	in := w.segments[segment]
	w.segments[segment] = waitingIn{in.batches + 1, in.samples + samples}
}

func (w *waiting) remove(segment uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.segments, segment)
}

// sum adds up what is in the segments that are there; others are forgotten.
func (w *waiting) sum(there []uint64) (batches int, samples int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n, in := range w.segments {
		if !slices.Contains(there, n) {
			delete(w.segments, n)
			continue
		}
		batches += in.batches
		samples += in.samples
	}
	return batches, samples
}
