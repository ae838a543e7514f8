package profile

import (
	"math/bits"
	"math/rand/v2"
)

// internTable finds rows of a table by their content without holding a copy of
// it: an open-addressed hash table of (hash, row + 1), rows being compared where
// they are stored. At a million stacks of forty frames this is 16 MB instead of
// the 200 MB that a map with the stacks as keys takes.
type internTable struct {
	slots []slot
	n     int
}

type slot struct {
	hash uint32
	row  uint32 // row + 1; 0 is free
}

// find returns the row with this hash for which same is true. When there is
// none it books next for it, and found is false.
func (t *internTable) find(hash uint64, next uint32, same func(row uint32) bool) (row uint32, found bool) {
	if (t.n+1)*4 > len(t.slots)*3 {
		t.resize(max(64, len(t.slots)*2))
	}
	h := uint32(hash>>32) ^ uint32(hash)
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.row == 0 {
			t.slots[i] = slot{h, next + 1}
			t.n++
			return next, false
		}
		if s.hash == h && same(s.row-1) {
			return s.row - 1, true
		}
	}
}

// grow makes room for n rows in all.
func (t *internTable) grow(n int) {
	if size := 1 << bits.Len(uint(n+n/2)); size > len(t.slots) {
		t.resize(size)
	}
}

func (t *internTable) resize(size int) {
	old := t.slots
	t.slots = make([]slot, size)
	// New memory that is read before it is written costs two page faults, and the second
	// one stops the other processors for a moment.
	clear(t.slots)
	mask := uint32(size - 1)
	for _, s := range old {
		if s.row == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].row != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// hasher mixes numbers into 64 bits. The seed differs from builder to builder,
// so that no input can be made to collide; what a builder gives does not depend
// on it, because rows keep the order in which they came.
type hasher struct{ seed uint64 }

func newHasher() hasher { return hasher{rand.Uint64()} } //nolint:gosec // guards against collisions, not secrets

// mix is a multiplication to 128 bits folded to 64, as in wyhash.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	return hi ^ lo
}

func (h hasher) stack(locs []LocationID) uint64 {
	x := h.seed ^ uint64(len(locs))
	for len(locs) >= 2 {
		x = mix(x, uint64(locs[0])|uint64(locs[1])<<32)
		locs = locs[2:]
	}
	if len(locs) == 1 {
		x = mix(x, uint64(locs[0])|1<<63)
	}
	return mix(x, h.seed)
}

func (h hasher) location(m MappingID, addr uint64, lines []Line) uint64 {
	x := mix(mix(h.seed, uint64(m)), addr)
	for _, l := range lines {
		x = mix(x, uint64(l.Function)|uint64(uint32(l.Line))<<32)
	}
	return mix(x, h.seed)
}

func (h hasher) sample(s *Sample) uint64 {
	return mix(mix(h.seed^uint64(s.Stack), uint64(s.Labels)), uint64(s.Time))
}
