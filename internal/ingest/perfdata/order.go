package perfdata

import (
	"cmp"
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
	items  []pending
	spare  []pending // room for the next items
	arenas [2][]byte // of this round and of the one before it
	cur    uint8
	limit  uint64 // newest time of the round before
	newest uint64
}

// add copies a record in.
func (o *orderer) add(rec *record, time uint64, event uint16) {
	a := &o.arenas[o.cur]
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
	// Items are in the order of the file, which is that of equal times.
	slices.SortFunc(o.turns, func(x, y turn) int {
		return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.item, y.item))
	})
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
