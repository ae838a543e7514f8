package perfdata

import (
	"cmp"
	"slices"
)

// maxHeld is how many bytes of records are held for sorting when the recorder
// marks no rounds.
const maxHeld = 96 << 20

// pending is one record that waits for its turn.
type pending struct {
	time  uint64
	seq   int
	at    int64
	start int // in its arena
	end   int
	arena uint8
	typ   uint32
	misc  uint16
	event uint16 // of a sample
}

// orderer puts records into the order of their times. Each CPU's ring buffer is
// in order but they are written one after the other, in rounds: a record that
// is older than the newest of round n is not written later than round n+1.
type orderer struct {
	items  []pending
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
	o.items = append(o.items, pending{
		time: time, seq: rec.n, at: rec.at, start: start, end: len(*a),
		arena: o.cur, typ: rec.typ, misc: rec.misc, event: event,
	})
	o.newest = max(o.newest, time)
}

// full says that a round is overdue.
func (o *orderer) full() bool { return len(o.arenas[o.cur]) > maxHeld }

// round ends a round: every record that can no longer be preceded goes to
// handle, in order. At the end of the file last lets everything go.
func (o *orderer) round(last bool, handle func([]pending) error) error {
	slices.SortFunc(o.items, func(x, y pending) int {
		return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.seq, y.seq))
	})
	n := len(o.items)
	if !last {
		n, _ = slices.BinarySearchFunc(o.items, o.limit, func(p pending, limit uint64) int {
			if p.time <= limit {
				return -1
			}
			return 1
		})
	}
	err := handle(o.items[:n])
	o.items = slices.Delete(o.items, 0, n)
	// Everything of the round before was at most as new as the limit, so its
	// arena is free now.
	o.cur ^= 1
	o.arenas[o.cur] = o.arenas[o.cur][:0]
	o.limit = o.newest
	return err
}

func (o *orderer) body(p *pending) []byte { return o.arenas[p.arena][p.start:p.end] }
