package heat

import (
	"maps"
	"slices"

	"whyhot/internal/explain/compdb"
)

// Plan asks for the hot functions in rounds, since only the analyser's answers
// say which unit really defines a function.
//
// Example. b.cpp calls S::S() of shared.h, which a.cpp includes too. The first
// round asks b.cpp for _ZN1SC1Ev and its variants. b.cpp lacks them (the caller
// was a guess), so the second asks a.cpp. Once a unit has the function, or all
// candidates were asked, the next round is empty.
type Plan struct {
	h       *Heat
	chosen  []Hot
	covered int64
	round   int
	whole   map[int]bool // units that were asked for all their functions
}

// Cover chooses the hottest functions, greedily, until they hold this fraction of
// what ran in source of the tree.
func (h *Heat) Cover(fraction float64) *Plan {
	pl := &Plan{h: h, whole: map[int]bool{}}
	for _, f := range h.hot {
		if float64(pl.covered) >= fraction*float64(h.inTree) {
			break
		}
		pl.chosen = append(pl.chosen, f)
		pl.covered += f.Value
	}
	return pl
}

// Functions is how many functions were chosen; Covered their share of what ran
// in source of the tree.
func (pl *Plan) Functions() int { return len(pl.chosen) }

// Covered is the chosen functions' share of what ran in source of the tree.
func (pl *Plan) Covered() float64 {
	if pl.h.inTree == 0 {
		return 0
	}
	return float64(pl.covered) / float64(pl.h.inTree)
}

// mostCandidates bounds the units that are asked for one function of a header.
const mostCandidates = 4

// Lacks says whether a unit was asked for the function name and does not define
// it.
type Lacks func(u compdb.Unit, name string) bool

// Next is what to ask now, hottest first; no work means that all was asked. The
// first round asks every function's own units, and for floating names their first
// candidate. A later round is about the functions that no unit asked so far
// defines: floating names are looked for in the next candidate, and a function of
// at least worthANote of all samples makes its own units be analysed whole, since
// compilers differ in how they mangle rare names.
func (pl *Plan) Next(lacks Lacks) []Work {
	asks := map[int]map[string]bool{}
	var order []int
	add := func(u int, names map[string]bool) {
		if asks[u] == nil {
			asks[u] = map[string]bool{}
			order = append(order, u)
		}
		maps.Copy(asks[u], names)
	}
	for _, f := range pl.chosen {
		if pl.round > 0 && pl.defined(f, lacks) {
			continue
		}
		for _, u := range slices.Sorted(maps.Keys(f.asks)) {
			if pl.round == 0 {
				add(u, f.asks[u])
			} else if !pl.whole[u] && pl.h.share(f.Value) >= worthANote {
				pl.whole[u] = true
				add(u, map[string]bool{"": true})
			}
		}
		if pl.round < min(mostCandidates, len(f.candidates)) {
			add(f.candidates[pl.round], f.floating)
		}
	}
	pl.round++
	out := make([]Work, 0, len(order))
	for _, u := range order {
		out = append(out, Work{Unit: pl.h.tree.units[u], Functions: requestNames(asks[u])})
	}
	return out
}

// defined says whether one of the units asked so far defines something that was
// asked of it for this function: one name is enough, since what was inlined need
// not exist out of line. A unit that is analysed whole counts as one that does.
func (pl *Plan) defined(f Hot, lacks Lacks) bool {
	has := func(u int, names map[string]bool) bool {
		for n := range names {
			if n == "" || pl.whole[u] || slices.ContainsFunc(variants(n), func(v string) bool { return !lacks(pl.h.tree.units[u], v) }) {
				return true
			}
		}
		return false
	}
	for u, names := range f.asks {
		if has(u, names) {
			return true
		}
	}
	for _, u := range f.candidates[:min(pl.round, mostCandidates, len(f.candidates))] {
		if has(u, f.floating) {
			return true
		}
	}
	return false
}

// requestNames is what the analyser is asked for; nil, the whole unit, where one
// of the functions has no linkage name.
func requestNames(names map[string]bool) []string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if n == "" {
			return nil
		}
		out = append(out, variants(n)...)
	}
	return out
}

// Missing lists the chosen functions that no unit defines, with their shares of
// all samples.
func (pl *Plan) Missing(lacks Lacks) []Share {
	var out []Share
	for _, f := range pl.chosen {
		if !pl.defined(f, lacks) {
			out = append(out, Share{f.Name, pl.h.share(f.Value)})
		}
	}
	return out
}

// Share is a named part of all samples.
type Share struct {
	Name  string
	Share float64
}
