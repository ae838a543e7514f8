package perfdata

import (
	"math/bits"
	"math/rand/v2"

	"whyhot/internal/profile"
)

// places remembers the location of each address of each binary. The builder
// knows them too, but compares what it has in three tables; here one look is
// enough, and a recording of the whole system asks some million times.
type places struct {
	slots []place
	n     int
	seed  uint64 // no input can be made to collide
}

// place is an address of the profile in a binary.
type place struct {
	addr uint64
	bin  uint32
	id   profile.LocationID // and one more; 0 is free
}

func newPlaces() places {
	return places{slots: make([]place, 1<<12), seed: rand.Uint64()} //nolint:gosec // guards against collisions, not secrets
}

// find returns the slot of an address, a free one if it is new.
func (p *places) find(bin uint32, addr uint64) *place {
	mask := uint64(len(p.slots) - 1)
	hi, lo := bits.Mul64(addr^p.seed, hashFactor^uint64(bin)<<1)
	for i := (hi ^ lo) & mask; ; i = (i + 1) & mask {
		s := &p.slots[i]
		if s.id == 0 || s.addr == addr && s.bin == bin {
			return s
		}
	}
}

// id is the location of an address, from add if it is new.
func (p *places) id(bin uint32, addr uint64, add func() profile.LocationID) profile.LocationID {
	s := p.find(bin, addr)
	if s.id != 0 {
		return s.id - 1
	}
	*s = place{addr, bin, add() + 1}
	id := s.id - 1
	p.n++
	if p.n*4 > len(p.slots)*3 {
		p.grow()
	}
	return id
}

func (p *places) grow() {
	old := p.slots
	p.slots = make([]place, 4*len(old))
	clear(p.slots) // written before it is read, see internTable
	for i := range old {
		if old[i].id != 0 {
			*p.find(old[i].bin, old[i].addr) = old[i]
		}
	}
}
