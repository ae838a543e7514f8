package dict

// pairs finds a number by a pair of numbers: a node by its parent and its frame. It is
// a hash table with open addressing that holds nothing but the numbers; the pairs
// themselves are where the numbers lead.
type pairs struct {
	slots []uint32 // 0 is free
	used  int
}

// find gives the number for which same is true, or 0 and the slot for it.
func (t *pairs) find(a, b uint32, same func(n uint32) bool) (n uint32, slot int) {
	if len(t.slots) == 0 {
		return 0, -1
	}
	mask := len(t.slots) - 1
	for slot = int(mix(a, b)) & mask; ; slot = (slot + 1) & mask {
		n = t.slots[slot]
		if n == 0 || same(n) {
			return n, slot
		}
	}
}

// add puts a number into the slot that find gave. of gives the pair of a number, to
// move them when the table grows.
func (t *pairs) add(n uint32, slot int, of func(n uint32) (a, b uint32)) {
	if slot < 0 || t.used*4 >= len(t.slots)*3 {
		t.grow(of)
		a, b := of(n)
		_, slot = t.find(a, b, func(uint32) bool { return false })
	}
	t.slots[slot] = n
	t.used++
}

// reserve makes room for so many numbers in a table that is empty.
func (t *pairs) reserve(n int) {
	size := 1024
	for 3*size < 4*(n+1) {
		size *= 2
	}
	t.slots = make([]uint32, size)
}

func (t *pairs) grow(of func(n uint32) (a, b uint32)) {
	old := t.slots
	t.slots = make([]uint32, max(1024, 2*len(old)))
	mask := len(t.slots) - 1
	for _, n := range old {
		if n == 0 {
			continue
		}
		slot := int(mix(of(n))) & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = n
	}
}

// mix is the finaliser of MurmurHash3 (Austin Appleby, public domain) on the pair.
func mix(a, b uint32) uint64 {
	h := uint64(a)<<32 | uint64(b)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
