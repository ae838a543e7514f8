package perfdata

import (
	"slices"
	"sort"
)

// maxHeld is how many bytes of records are held for sorting when the recorder
// marks no rounds.
const maxHeld = 96 << 20

// pending is one record that waits for its turn.
type pending struct {
	seq   int
	at    int64
	start int // in its arena
	end   int
	arena uint8
	typ   uint32
	misc  uint16
	event uint16 // of a sample
}

// turn says when the turn of a pending record is. Turns are what is sorted: they
// are a quarter of the size of what they stand for.
type turn struct {
	time uint64
	item uint32
}

// orderer puts records into the order of their times. Each CPU's ring buffer is
// in order but they are written one after the other, in rounds: a record that
// is older than the newest of round n is not written later than round n+1.
type orderer struct {
	turns  []turn
	merged []turn // room for the next turns
	ends   []int  // room for where the ordered runs in turns end
	items  []pending
	spare  []pending // room for the next items
	arenas [2][]byte // of this round and of the one before it
	cur    uint8
	limit  uint64 // newest time of the round before
	newest uint64
}

// Room for the records of a round of two processors, and for their bodies.
const (
	usualRecords = 8 << 10
	usualBodies  = 2 << 20
)

// add copies a record in.
func (o *orderer) add(rec *record, time uint64, event uint16) {
	a := &o.arenas[o.cur]
	if *a == nil {
		*a = make([]byte, 0, usualBodies)
		o.turns = slices.Grow(o.turns, usualRecords)
		o.items = slices.Grow(o.items, usualRecords)
	}
	start := len(*a)
	*a = append(*a, rec.body...)
	o.turns = append(o.turns, turn{time, uint32(len(o.items))})
	o.items = append(o.items, pending{
		seq: rec.n, at: rec.at, start: start, end: len(*a),
		arena: o.cur, typ: rec.typ, misc: rec.misc, event: event,
	})
	o.newest = max(o.newest, time)
}

// full says that a round is overdue.
func (o *orderer) full() bool { return len(o.arenas[o.cur]) > maxHeld }

// round ends a round: every record that can no longer be preceded goes to
// handle, in order. At the end of the file last lets everything go.
func (o *orderer) round(last bool, handle func(*pending) error) error {
	o.sort()
	n := len(o.turns)
	if !last {
		n = sort.Search(n, func(i int) bool { return o.turns[i].time > o.limit })
	}
	for _, t := range o.turns[:n] {
		if err := handle(&o.items[t.item]); err != nil {
			return err
		}
	}
	o.keep(o.turns[n:])
	// Everything of the round before was at most as new as the limit, so its
	// arena is free now.
	o.cur ^= 1
	o.arenas[o.cur] = o.arenas[o.cur][:0]
	o.limit = o.newest
	return nil
}

// sort puts the turns into order of time, those of equal times in the order of
// the file. Each ring buffer left an ordered run, so that runs are merged, by
// twos, until one is left.
func (o *orderer) sort() {
	ends := o.ends[:0]
	for i := 1; i < len(o.turns); i++ {
		if o.turns[i].time < o.turns[i-1].time {
			ends = append(ends, i)
		}
	}
	ends = append(ends, len(o.turns))
	for len(ends) > 1 {
		o.merged = slices.Grow(o.merged[:0], len(o.turns))
		start, left := 0, ends[:0]
		for i := 0; i < len(ends); i += 2 {
			middle, end := ends[i], ends[min(i+1, len(ends)-1)]
			o.merged = merge(o.merged, o.turns[start:middle], o.turns[middle:end])
			left = append(left, end)
			start = end
		}
		ends = left
		o.turns, o.merged = o.merged, o.turns
	}
	o.ends = ends
}

// merge appends the turns of a and b; a stood first in the file.
func merge(to, a, b []turn) []turn {
	for len(a) > 0 && len(b) > 0 {
		if b[0].time < a[0].time {
			to = append(to, b[0])
			b = b[1:]
		} else {
			to = append(to, a[0])
			a = a[1:]
		}
	}
	return append(append(to, a...), b...)
}

// keep drops all items but those whose turn is still to come.
func (o *orderer) keep(turns []turn) {
	o.spare = o.spare[:0]
	for i, t := range turns {
		o.spare = append(o.spare, o.items[t.item])
		o.turns[i] = turn{t.time, uint32(i)}
	}
	o.turns = o.turns[:len(turns)]
	o.items, o.spare = o.spare, o.items
}

func (o *orderer) body(p *pending) []byte { return o.arenas[p.arena][p.start:p.end] }
