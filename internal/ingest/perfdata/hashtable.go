package perfdata

// hashFactor spreads numbers over 64 bits (2^64 divided by the golden ratio).
const hashFactor = 0x9e3779b97f4a7c15

// hashTable finds rows of a table by their hash. Unlike a map it keeps no second
// copy of what it indexes; the caller compares.
type hashTable struct {
	slots []hashSlot // a power of two of them
	n     int
}

type hashSlot struct {
	hash uint32
	id   uint32 // plus one; 0 is a free place
}

// start is where the search for a hash begins. It makes room for one more row.
func (t *hashTable) start(hash uint32) uint32 {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	return hash & uint32(len(t.slots)-1)
}

// next gives the next row with that hash. When there is none, at is the free
// place for put.
func (t *hashTable) next(at *uint32, hash uint32) (id uint32, ok bool) {
	mask := uint32(len(t.slots) - 1)
	for i := *at; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.id == 0 {
			*at = i
			return 0, false
		}
		if s.hash == hash {
			*at = (i + 1) & mask
			return s.id - 1, true
		}
	}
}

// put adds a row at the free place that next found.
func (t *hashTable) put(at, hash, id uint32) {
	t.slots[at] = hashSlot{hash, id + 1}
	t.n++
}

func (t *hashTable) grow() {
	old := t.slots
	t.slots = make([]hashSlot, max(1024, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}
