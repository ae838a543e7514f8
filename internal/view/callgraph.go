package view

import (
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
	Entry     int64              // it was outermost: nobody called it
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
	tree := func(fromLeaf bool, depth int, least int64) *Tree {
		if depth > 0 {
			depth++ // the function itself is at depth 1
		}
		return BuildTree(p, TreeOptions{Focus: fn, FromLeaf: fromLeaf, MaxDepth: depth, MinWeight: least})
	}
	s := &Sandwich{
		CallerTree: tree(true, opt.Depth, opt.MinWeight),
		CalleeTree: tree(false, opt.Depth, opt.MinWeight),
		Recursive:  recursive(p, fn),
	}
	callers, callees := tree(true, 1, 0), tree(false, 1, 0)
	s.Function, s.Callers = below(callers)
	_, s.Callees = below(callees)
	s.Total = callees.Nodes[0].Total
	if len(callees.Nodes) > 1 {
		s.Self = callees.Nodes[1].Self
		s.Entry = callers.Nodes[1].Self
	}
	return s
}

// below lists the children of the function in focus.
func below(t *Tree) (fn profile.FunctionID, edges []Edge) {
	if len(t.Nodes) < 2 {
		return 0, nil
	}
	for _, n := range t.Nodes[2:] {
		if n.Parent == 1 {
			edges = append(edges, Edge{n.Function, n.Total})
		}
	}
	return t.Nodes[1].Function, edges
}

func recursive(p *profile.Profile, fn []profile.FunctionID) int64 {
	same := Identity(p)
	wanted := make([]bool, len(same))
	for _, id := range fn {
		wanted[same[id]] = true
	}
	var sum int64
	for _, w := range stackWeights(p) {
		times := 0
		for _, loc := range p.Stack(w.stack) {
			for _, l := range p.Lines(loc) {
				if wanted[same[l.Function]] {
					times++
				}
			}
		}
		if times > 1 {
			sum += w.value
		}
	}
	return sum
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
