package branch

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"whyhot/internal/elfinfo/instruction"
)

// site is one jump that is followed.
type site struct {
	address   uint64
	condition byte
}

// loop is an innermost loop with its jumps.
type loop struct {
	low     uint64 // address of its first instruction
	samples int
	sites   []site
}

// way is how many instructions of each way are looked at for samples.
const way = 3

// loopsOf finds the innermost loops of a function that have samples, hottest first, with the
// jumps that stay in them. at are the samples by address.
func loopsOf(code []instruction.Step, at map[uint64]int) []loop {
	blocks := blocksOf(code)
	flow := flowOf(blocks)
	var out []loop
	for _, nodes := range innermost(flow, flow.all()) {
		in := map[uint64]bool{} // addresses at which its blocks begin
		for _, n := range nodes {
			in[blocks[n][0].Address] = true
		}
		var l loop
		var sites []weighed
		for _, n := range nodes {
			b := blocks[n]
			if l.low == 0 || b[0].Address < l.low {
				l.low = b[0].Address
			}
			for _, s := range b {
				l.samples += at[s.Address]
			}
			s := b[len(b)-1]
			if behind := s.Address + uint64(s.Size); s.Conditional && in[s.Target] && in[behind] { //nolint:gosec // small
				sites = append(sites, weighed{site{s.Address, s.Condition}, after(code, s.Target, at) + after(code, behind, at)})
			}
		}
		if l.sites = dearest(sites); l.samples > 0 && len(l.sites) > 0 {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b loop) int { return cmp.Or(cmp.Compare(b.samples, a.samples), cmp.Compare(a.low, b.low)) })
	return out
}

type weighed struct {
	site

	samples int // on the first instructions of its ways
}

func dearest(all []weighed) []site {
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.samples, a.samples), cmp.Compare(a.address, b.address))
	})
	var out []site
	for _, w := range all[:min(len(all), mostSites)] {
		out = append(out, w.site)
	}
	return out
}

// after is what was sampled at the first instructions from an address on.
func after(code []instruction.Step, address uint64, at map[uint64]int) (sum int) {
	i, found := slices.BinarySearchFunc(code, address, func(s instruction.Step, a uint64) int { return cmp.Compare(s.Address, a) })
	if !found {
		return 0
	}
	for _, s := range code[i:min(len(code), i+way)] {
		sum += at[s.Address]
	}
	return sum
}

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

// flow is the graph of a function's blocks. Jumps through tables are not followed.
type flow struct {
	*simple.DirectedGraph

	itself map[int64]bool // blocks that follow themselves, which the graph cannot have
}

func flowOf(blocks [][]instruction.Step) flow {
	f := flow{simple.NewDirectedGraph(), map[int64]bool{}}
	number := map[uint64]int64{}
	for i, b := range blocks {
		f.AddNode(simple.Node(i))
		number[b[0].Address] = int64(i)
	}
	for i, b := range blocks {
		last := b[len(b)-1]
		if i > 0 && last.Fills && ends(blocks[i-1]) {
			continue // nothing leads here, though it would lead on, into a loop
		}
		var to []uint64
		if last.Jumps {
			to = append(to, last.Target)
		}
		if !last.Ends {
			to = append(to, last.Address+uint64(last.Size)) //nolint:gosec // small
		}
		for _, address := range to {
			switch n, known := number[address]; {
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

// ends says that the block behind does not follow.
func ends(b []instruction.Step) bool { return b[len(b)-1].Ends }

func (f flow) all() []int64 {
	var out []int64
	for _, n := range graph.NodesOf(f.Nodes()) {
		out = append(out, n.ID())
	}
	return out
}

// innermost are the loops among some blocks that have none in them. A loop is a set of blocks
// each of which leads to all others; what is left of it without its header are the loops in it
// (Steensgaard's nesting of loops, 1993).
func innermost(f flow, among []int64) (out [][]int64) {
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
		header := headerOf(f, nodes)
		inner := innermost(f, slices.DeleteFunc(slices.Clone(nodes), func(n int64) bool { return n == header }))
		if len(inner) == 0 {
			inner = [][]int64{nodes}
		}
		out = append(out, inner...)
	}
	return out
}

// headerOf is the first block of a loop that is reached from outside of it.
func headerOf(f flow, nodes []int64) int64 {
	for _, n := range nodes {
		for _, from := range graph.NodesOf(f.To(n)) {
			if _, inside := slices.BinarySearch(nodes, from.ID()); !inside {
				return n
			}
		}
	}
	return nodes[0]
}
