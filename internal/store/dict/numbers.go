package dict

import "math"

// numbers gives out the numbers of stacks, groups or series, and again those that no row of
// the engine has any more. Readers have lists by number: what they know is in live, and an
// entry that is given out again is none of it.
type numbers struct {
	free []uint32
	live []uint32 // of groups and series: those that stand for something, in no order
	used []uint32 // by number: the last commit with it since the start, 0 for none
}

// take gives a number; next is the first that was never given out.
func (n *numbers) take(next int) uint32 {
	if last := len(n.free) - 1; last >= 0 {
		id := n.free[last]
		n.free = n.free[:last]
		return id
	}
	return uint32(next)
}

// use takes note of the commit that has a number.
func (n *numbers) use(id uint32, commit uint64) {
	n.used = grown(n.used, id)
	n.used[id] = uint32(commit)
}

func (n *numbers) lastUse(id uint32) uint32 {
	if int(id) < len(n.used) {
		return n.used[id]
	}
	return 0
}

// grown is a list that has a place for a number.
func grown[T any](list []T, id uint32) []T {
	if n := int(id) + 1 - len(list); n > 0 {
		list = append(list, make([]T, n)...)
	}
	return list
}

// given gives functions the numbers that others know them by: pages, bookmarks. None is
// given a second time before all were given once.
type given struct {
	last  uint32
	taken map[uint32]bool // those in use, once the largest was given
}

// next gives a number; inUse are those that functions have.
func (g *given) next(inUse []uint32) uint32 {
	for {
		if g.last == math.MaxUint32 {
			g.again(inUse)
			g.last = 0
		}
		if g.last++; !g.taken[g.last] {
			if g.taken != nil {
				g.taken[g.last] = true
			}
			return g.last
		}
	}
}

// load takes note of a number that was given before; they come in the order in which they
// were given, and inUse are those before it.
func (g *given) load(id uint32, inUse []uint32) {
	if id < g.last && g.taken == nil {
		g.again(inUse)
	}
	g.last = id
	if g.taken != nil {
		g.taken[id] = true
	}
}

// again has the numbers that are in use passed over.
func (g *given) again(inUse []uint32) {
	g.taken = make(map[uint32]bool, len(inUse))
	for _, id := range inUse {
		g.taken[id] = true
	}
}
