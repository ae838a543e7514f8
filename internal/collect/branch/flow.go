package branch

import (
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"whyhot/internal/elfinfo/instruction"
)

// flow is the graph of a function's blocks, which have numbers. Jumps through tables are not
// followed.
type flow struct {
	*simple.DirectedGraph

	blocks [][]instruction.Step
	number map[uint64]int64 // of the block that begins at an address
	itself map[int64]bool   // blocks that follow themselves, which the graph cannot have
}

func flowOf(code []instruction.Step) *flow {
	f := &flow{simple.NewDirectedGraph(), blocksOf(code), map[uint64]int64{}, map[int64]bool{}}
	for i, b := range f.blocks {
		f.AddNode(simple.Node(i))
		f.number[b[0].Address] = int64(i)
	}
	for i, b := range f.blocks {
		last := b[len(b)-1]
		if before := f.blocks[max(i-1, 0)]; i > 0 && last.Fills && before[len(before)-1].Ends {
			continue // nothing leads here, though it would lead on, into a loop
		}
		var to []uint64
		if last.Jumps {
			to = append(to, last.Target)
		}
		if !last.Ends {
			to = append(to, behind(last))
		}
		for _, address := range to {
			switch n, known := f.number[address]; {
			case !known: // another function's, or the end of what was read
			case n == int64(i):
				f.itself[n] = true
			default:
				f.SetEdge(f.NewEdge(simple.Node(i), simple.Node(n)))
			}
		}
	}
	return f
}

func behind(s instruction.Step) uint64 { return s.Address + uint64(s.Size) } //nolint:gosec // small

// blocksOf cuts a function where jumps end and lead to.
func blocksOf(code []instruction.Step) (out [][]instruction.Step) {
	begins := map[uint64]bool{}
	for _, s := range code {
		if s.Jumps {
			begins[s.Target] = true
		}
	}
	from := 0
	for i, s := range code {
		if s.Jumps || s.Ends || i+1 == len(code) || begins[code[i+1].Address] {
			out = append(out, code[from:i+1])
			from = i + 1
		}
	}
	return out
}

func (f *flow) all() []int64 {
	out := make([]int64, len(f.blocks))
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

// ways are the blocks behind one that ends with a conditional jump, and that it leads to.
func (f *flow) ways(n int64) (to, next int64, ok bool) {
	b := f.blocks[n]
	s := b[len(b)-1]
	to, there := f.number[s.Target]
	next, here := f.number[behind(s)]
	return to, next, s.Conditional && there && here && to != next
}

// mostBoth bounds the instructions of two ways that may be executed always.
const mostBoth = 32

// both is how many instructions two ways have until they meet: of "if (a) x = b; else x = c;"
// the two assignments, of "if (a) continue;" what is left of the loop. 0 where that is more
// than mostBoth, or has something dear.
// n is the jump's block. Behind it and the loop's header another pass begins. 0 too where the jump
// guards an access of one of the ways.
//
// No way may lead past where they meet: of "if (a && b) continue; work();" the ways behind a meet
// at the work, but b leads past it, so that the work is skipped by a jump whatever becomes of a.
func (f *flow) both(n, one, other, header int64) int {
	ends := []int64{n, header}
	ofOne, ofOther := f.reached(one, ends), f.reached(other, ends)
	if asked := asksNone(f.blocks[n]); f.guards(asked, one, ofOther) || f.guards(asked, other, ofOne) {
		return 0
	}
	least := 0
	for n, length := range ofOne {
		more, meet := ofOther[n]
		if !meet || length+more > mostBoth || least > 0 && length+more >= least {
			continue
		}
		if slices.Contains(ends, n) || !f.leadsPast(one, n, ends) && !f.leadsPast(other, n, ends) {
			least = max(length+more, 1)
		}
	}
	return least
}

// leadsPast says whether a way from a block comes to an end, or out of the function, without
// another block.
func (f *flow) leadsPast(from, without int64, ends []int64) bool {
	seen := map[int64]bool{without: true}
	for next := []int64{from}; len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		to := graph.NodesOf(f.From(n))
		if slices.Contains(ends, n) || len(to) == 0 {
			return true
		}
		for _, t := range to {
			next = append(next, t.ID())
		}
	}
	return false
}

// reached says how many instructions lie between a block's begin and the blocks behind it, by
// the shortest way without something dear.
func (f *flow) reached(from int64, ends []int64) map[int64]int {
	out := map[int64]int{from: 0}
	for next := []int64{from}; len(next) > 0; {
		n := next[0]
		next = next[1:]
		if slices.Contains(ends, n) {
			continue
		}
		length := out[n]
		dear := false
		for _, s := range f.blocks[n] {
			dear = dear || s.Dear
			if !s.Fills && !s.Jumps {
				length++
			}
		}
		if dear || length > mostBoth {
			continue
		}
		for _, to := range graph.NodesOf(f.From(n)) {
			if was, known := out[to.ID()]; !known || length < was {
				out[to.ID()] = length
				next = append(next, to.ID())
			}
		}
	}
	return out
}

// innermost are the loops among some blocks that have none in them. A loop is a set of blocks
// each of which leads to all others; what is left of it without its header are the loops in it
// (Steensgaard's nesting of loops, 1993).
func (f *flow) innermost(among []int64) (out [][]int64) {
	part := simple.NewDirectedGraph()
	is := map[int64]bool{}
	for _, n := range among {
		is[n] = true
		part.AddNode(simple.Node(n))
	}
	for _, n := range among {
		for _, to := range graph.NodesOf(f.From(n)) {
			if is[to.ID()] {
				part.SetEdge(part.NewEdge(simple.Node(n), to))
			}
		}
	}
	for _, component := range topo.TarjanSCC(part) {
		var nodes []int64
		for _, n := range component {
			nodes = append(nodes, n.ID())
		}
		if len(nodes) == 1 && !f.itself[nodes[0]] {
			continue
		}
		slices.Sort(nodes)
		header := f.header(nodes)
		inner := f.innermost(slices.DeleteFunc(slices.Clone(nodes), func(n int64) bool { return n == header }))
		if len(inner) == 0 {
			inner = [][]int64{nodes}
		}
		out = append(out, inner...)
	}
	return out
}

// header is the first block of a loop that is reached from outside of it.
func (f *flow) header(nodes []int64) int64 {
	for _, n := range nodes {
		for _, from := range graph.NodesOf(f.To(n)) {
			if _, inside := slices.BinarySearch(nodes, from.ID()); !inside {
				return n
			}
		}
	}
	return nodes[0]
}
