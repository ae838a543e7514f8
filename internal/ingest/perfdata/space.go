package perfdata

import (
	"slices"
	"sort"
)

// region is one mapped address range. It is not changed once it is in a space.
type region struct {
	start, end uint64
	off        uint64 // file offset of start; start itself in a binary of absolute addresses
	bin        *image
}

// space is an address space: regions in order, none over another. Copies are
// cheap until one of them changes.
type space struct {
	regions []region
	shared  bool // the slice is in use elsewhere and must be copied before a change
	// state is a number that no other space has, but an equal copy, and that a
	// change renews.
	state uint32
	last  *uint32 // the last one given out
}

func newSpace(last *uint32) space {
	s := space{last: last}
	s.changed()
	return s
}

func (s *space) changed() {
	*s.last++
	s.state = *s.last
}

// snapshot is the space as it is now; later changes do not reach it.
func (s *space) snapshot() []region {
	s.shared = true
	return s.regions
}

// fork is a copy for a child. It has the state of its parent until one of the two
// changes.
func (s *space) fork() space {
	child := *s
	child.regions, child.shared = s.snapshot(), true
	return child
}

func (s *space) clear() { *s = newSpace(s.last) }

// find returns the region that holds addr.
func find(regions []region, addr uint64) *region {
	i := sort.Search(len(regions), func(i int) bool { return regions[i].end > addr })
	if i < len(regions) && regions[i].start <= addr {
		return &regions[i]
	}
	return nil
}

// add maps r, over whatever was there: what it covers goes, what sticks out on
// either side stays.
func (s *space) add(r region) {
	first := sort.Search(len(s.regions), func(i int) bool { return s.regions[i].end > r.start })
	last := first
	for last < len(s.regions) && s.regions[last].start < r.end {
		last++
	}
	var room [3]region
	repl := room[:0]
	if first < last && s.regions[first].start < r.start {
		left := s.regions[first]
		left.end = r.start
		repl = append(repl, left)
	}
	repl = append(repl, r)
	if first < last && s.regions[last-1].end > r.end {
		right := s.regions[last-1]
		right.off += r.end - right.start
		right.start = r.end
		repl = append(repl, right)
	}
	if s.shared {
		s.regions = slices.Clone(s.regions)
		s.shared = false
	}
	s.regions = slices.Replace(s.regions, first, last, repl...)
	s.changed()
}
