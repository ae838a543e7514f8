package view

import (
	"cmp"
	"slices"

	"whyhot/internal/profile"
)

// Edge is one caller or callee of the function in the middle.
type Edge struct {
	Function profile.FunctionID
	Total    int64
}

// Sandwich is a function between its callers and its callees. Where the
// function recurs in a stack, the callers are those of its outermost call and
// the callees those of its innermost one: who starts the work, and where it
// goes in the end. Each sample then counts once on either side, so
//
//	Total = Entry + sum of Callers = Self + sum of Callees
type Sandwich struct {
	Function  profile.FunctionID // stands for all that were asked for
	Self      int64              // the function was executing
	Total     int64              // the function was on the stack
	Recursive int64              // it was on the stack more than once
	Entry     int64              // it was outermost: nobody called it, or who did is missing
	Cut       int64              // the part of Entry in stacks that are cut, see IsCut
	Callers   []Edge             // by falling Total
	Callees   []Edge
	// CallerTree and CalleeTree go on from there to any depth; node 1 of each
	// is the function.
	CallerTree *Tree
	CalleeTree *Tree
}

// CallgraphOptions bound the trees of a Sandwich; 0 means no bound. The direct
// callers and callees are always complete.
type CallgraphOptions struct {
	Depth     int   // levels of callers and of callees
	MinWeight int64 // as in TreeOptions
}

// Callgraph gives the callers and callees of the functions fn taken as one.
func Callgraph(p *profile.Profile, fn []profile.FunctionID, opt CallgraphOptions) *Sandwich {
	depth := opt.Depth
	if depth > 0 {
		depth++ // the function itself is at depth 1
	}
	s := neighbours(p, fn)
	s.CallerTree = BuildTree(p, TreeOptions{Focus: fn, MaxDepth: depth, MinWeight: opt.MinWeight, FromLeaf: true})
	s.CalleeTree = BuildTree(p, TreeOptions{Focus: fn, MaxDepth: depth, MinWeight: opt.MinWeight})
	return s
}

// neighbours sums what calls and what is called by the functions fn directly.
func neighbours(p *profile.Profile, fn []profile.FunctionID) *Sandwich {
	same := Identity(p)
	wanted := make([]bool, len(same))
	for _, id := range fn {
		wanted[same[id]] = true
	}
	s := &Sandwich{Function: same[fn[0]]}
	callers, callees := make([]int64, len(same)), make([]int64, len(same))
	frames := newFrames(p, same, false)
	isWanted := func(f uint32) bool { return wanted[frames.function[f]] }
	var stack []uint32
	for _, w := range stackWeights(p) {
		stack = frames.appendStack(stack[:0], p.Stack(w.stack))
		inner := slices.IndexFunc(stack, isWanted)
		if inner < 0 {
			continue
		}
		outer := len(stack) - 1
		for !isWanted(stack[outer]) {
			outer--
		}
		s.Total += w.value
		if outer > inner {
			s.Recursive += w.value
		}
		if inner == 0 {
			s.Self += w.value
		} else {
			callees[frames.function[stack[inner-1]]] += w.value
		}
		if outer == len(stack)-1 {
			s.Entry += w.value
			if IsCut(p, p.Stack(w.stack)) {
				s.Cut += w.value
			}
		} else {
			callers[frames.function[stack[outer+1]]] += w.value
		}
	}
	rank := nameRank(p)
	s.Callers, s.Callees = edges(callers, rank), edges(callees, rank)
	return s
}

// edges lists the functions that carry something.
func edges(total []int64, rank []uint32) []Edge {
	var list []Edge
	for id, v := range total {
		if v != 0 {
			list = append(list, Edge{profile.FunctionID(id), v})
		}
	}
	slices.SortFunc(list, func(a, b Edge) int {
		return cmp.Or(-cmp.Compare(a.Total, b.Total), cmp.Compare(rank[a.Function], rank[b.Function]))
	})
	return list
}

// Find returns the functions that occur in a sample and that the first of the
// tests to match any finds, by falling Total; each identity once. A test sees
// the name that Name gives, then the symbol.
func Find(p *profile.Profile, tests ...func(name string) bool) []profile.FunctionID {
	found := make([][]profile.FunctionID, len(tests))
	for _, row := range Top(p, TopOptions{Sort: SortTotal}).Rows {
		f := p.Function(row.Function)
		for i, test := range tests {
			if test(Name(p, row.Function)) || (f.SystemName != "" && test(f.SystemName)) {
				found[i] = append(found[i], row.Function)
			}
		}
	}
	for _, ids := range found {
		if len(ids) > 0 {
			return ids
		}
	}
	return nil
}
