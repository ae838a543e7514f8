package view

import "math/bits"

// trie is a prefix tree of stacks under construction. Node 0 is the root; a
// node's parent has a smaller number than the node. Children are found through
// one open-addressing table for the whole tree: one probe a frame, no map per
// node.
type trie struct {
	parent []int32
	frame  []uint32
	self   []int64

	keys  []uint64
	nodes []int32 // 0 marks a free slot: the root is nobody's child
	shift uint

	path   []uint32 // frames of the stack added last, and the nodes they led to
	pathTo []int32
}

func newTrie() *trie {
	t := &trie{parent: []int32{-1}, frame: []uint32{0}, self: []int64{0}}
	t.resize(1 << 12)
	return t
}

func (t *trie) resize(slots int) {
	keys, nodes := t.keys, t.nodes
	t.keys, t.nodes = make([]uint64, slots), make([]int32, slots)
	t.shift = uint(64 - bits.TrailingZeros(uint(slots)))
	for i, n := range nodes {
		if n != 0 {
			slot := t.slot(keys[i])
			t.keys[slot], t.nodes[slot] = keys[i], n
		}
	}
}

// slot returns where key is, or the free slot where it belongs.
func (t *trie) slot(key uint64) uint64 {
	const golden = 0x9E3779B97F4A7C15 // Fibonacci hashing: 2^64 over the golden ratio
	mask := uint64(len(t.keys) - 1)
	i := key * golden >> t.shift
	for t.nodes[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

func (t *trie) child(parent int32, frame uint32) int32 {
	key := uint64(parent)<<32 | uint64(frame)
	i := t.slot(key)
	if n := t.nodes[i]; n != 0 {
		return n
	}
	n := int32(len(t.parent))
	t.parent = append(t.parent, parent)
	t.frame = append(t.frame, frame)
	t.self = append(t.self, 0)
	t.keys[i], t.nodes[i] = key, n
	if len(t.parent)*2 > len(t.nodes) {
		t.resize(2 * len(t.nodes))
	}
	return n
}

// add puts value at the end of the path that frames (root first) spell.
// Neighbouring stacks of a profile share most of their outer frames, so the walk
// starts where it leaves the path of the stack before.
func (t *trie) add(path []uint32, value int64) {
	common := 0
	for common < len(path) && common < len(t.path) && path[common] == t.path[common] {
		common++
	}
	t.path = append(t.path[:common], path[common:]...)
	t.pathTo = t.pathTo[:common]
	node := int32(0)
	if common > 0 {
		node = t.pathTo[common-1]
	}
	for _, f := range path[common:] {
		node = t.child(node, f)
		t.pathTo = append(t.pathTo, node)
	}
	t.self[node] += value
}

// totals sums self over each subtree.
func (t *trie) totals() []int64 {
	total := append([]int64(nil), t.self...)
	for i := len(total) - 1; i > 0; i-- {
		total[t.parent[i]] += total[i]
	}
	return total
}
