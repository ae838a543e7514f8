// Package track says what a thread was doing at a time: a sample knows its thread and its
// time, and something else knows what the thread began before that.
//
// It owns the join of both. It takes what threads began and when, from one source, in
// nearly any order, and gives what a thread was at then. It must never know what is begun:
// a statement of a database, a function of a script.
//
// Example. Thread 7 begins a SELECT at 10 ms and a COMMIT at 30 ms, which ends at 31 ms: a
// sample of thread 7 at 25 ms belongs to the SELECT, one at 40 ms to nothing.
package track

import (
	"cmp"
	"slices"
)

// mostKept bounds what is remembered of one thread: the oldest half is forgotten.
const mostKept = 1 << 14

// Tracks are those of all threads of a recording. T is what is begun; its zero value is
// nothing. One goroutine at a time uses it.
type Tracks[T comparable] struct{ threads map[uint32][]turn[T] }

// turn is what a thread is at from a time on.
type turn[T comparable] struct {
	at   int64
	what T
}

// Begin says that a thread begins something at a time, and with that ends what it was at.
func (t *Tracks[T]) Begin(thread uint32, at int64, what T) {
	if t.threads == nil {
		t.threads = map[uint32][]turn[T]{}
	}
	turns := t.threads[thread]
	if len(turns) >= mostKept {
		turns = slices.Delete(turns, 0, len(turns)/2)
	}
	i := len(turns)
	for i > 0 && turns[i-1].at > at { // one processor was read before another
		i--
	}
	t.threads[thread] = slices.Insert(turns, i, turn[T]{at, what})
}

// End says that a thread ends what it is at.
func (t *Tracks[T]) End(thread uint32, at int64) {
	var nothing T
	t.Begin(thread, at, nothing)
}

// EndAll ends what any thread is at: nobody tells of ends any more.
func (t *Tracks[T]) EndAll(at int64) {
	for thread := range t.threads {
		t.End(thread, at)
	}
}

// At is what a thread was at, its zero value where that is nothing or not known.
func (t *Tracks[T]) At(thread uint32, at int64) (what T) {
	turns := t.threads[thread]
	i, exact := slices.BinarySearchFunc(turns, at, func(n turn[T], at int64) int { return cmp.Compare(n.at, at) })
	for exact && i < len(turns) && turns[i].at == at { // of several at once the last counts
		i++
	}
	if i == 0 {
		return what
	}
	return turns[i-1].what
}

// Forget lets go of what ended before a time, and of threads that are at nothing.
func (t *Tracks[T]) Forget(before int64) {
	var nothing T
	for thread, turns := range t.threads {
		n := 0
		for n+1 < len(turns) && turns[n+1].at <= before {
			n++
		}
		turns = slices.Delete(turns, 0, n)
		if len(turns) == 1 && turns[0].at <= before && turns[0].what == nothing {
			delete(t.threads, thread)
			continue
		}
		t.threads[thread] = turns
	}
}
