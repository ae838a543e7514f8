package branch

import (
	"cmp"
	"slices"

	"whyhot/internal/elfinfo/instruction"
	"whyhot/internal/profile"
)

// site is one jump that is followed.
type site struct {
	address   uint64
	condition byte
	both      int    // see profile.Branch
	leaves    string // the same
}

// closes says whether the jump closes a loop.
func (s site) closes() bool { return s.leaves != "" }

// region is an innermost loop, or what a function has outside of those, with its jumps.
type region struct {
	low     uint64 // address of its first instruction
	samples int
	sites   []site // those that close the loop are the last ones
}

// mostClosing is how many jumps may close a loop: "continue" makes more than one.
const mostClosing = 4

// way is how many instructions of each way are looked at for samples.
const way = 3

// regionsOf finds what of a function has samples, hottest first, with the jumps whose two ways
// stay in it, and of a loop those that go on with it or end it. at are the samples by address.
func regionsOf(code []instruction.Step, at map[uint64]int) []region {
	f := flowOf(code)
	loops := f.innermost(f.all())
	var rest []int64
	inLoop := map[int64]bool{}
	for _, nodes := range loops {
		for _, n := range nodes {
			inLoop[n] = true
		}
	}
	for _, n := range f.all() {
		if !inLoop[n] {
			rest = append(rest, n)
		}
	}
	var out []region
	for i, nodes := range append(loops, rest) {
		if r := f.region(code, nodes, i < len(loops), at); r.samples > 0 && len(r.sites) > 0 {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b region) int { return cmp.Or(cmp.Compare(b.samples, a.samples), cmp.Compare(a.low, b.low)) })
	return out
}

func (f *flow) region(code []instruction.Step, nodes []int64, isLoop bool, at map[uint64]int) region {
	type weighed struct {
		site

		samples int // on the first instructions of its ways
	}
	r := region{}
	header := int64(-1)
	if isLoop {
		header = f.header(nodes)
	}
	var sites []weighed
	var closing []site
	for _, n := range nodes {
		b := f.blocks[n]
		if first := b[0].Address; r.low == 0 || first < r.low {
			r.low = first
		}
		for _, s := range b {
			r.samples += at[s.Address]
		}
		s := b[len(b)-1]
		to, behind, ok := f.ways(n)
		if !ok {
			continue
		}
		if isLoop && !(slices.Contains(nodes, to) && slices.Contains(nodes, behind)) { // it ends the loop
			switch {
			case to == header:
				closing = append(closing, site{address: s.Address, condition: s.Condition, leaves: profile.Behind})
			case behind == header:
				closing = append(closing, site{address: s.Address, condition: s.Condition, leaves: profile.Taken})
			}
			continue
		}
		sites = append(sites, weighed{
			site{address: s.Address, condition: s.Condition, both: f.both(n, to, behind, header)},
			after(code, f.blocks[to][0].Address, at) + after(code, f.blocks[behind][0].Address, at),
		})
	}
	slices.SortFunc(sites, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.samples, a.samples), cmp.Compare(a.address, b.address))
	})
	closing = closing[:min(len(closing), mostClosing)]
	for _, w := range sites[:min(len(sites), mostSites-len(closing))] {
		r.sites = append(r.sites, w.site)
	}
	r.sites = append(r.sites, closing...)
	return r
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
