package weigh

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/dict"
)

// forest draws stacks of few functions and gives their weights. What trees of all of
// them look like is tested in package store, against internal/profile/view.
func forest(t *rapid.T) *Weights {
	b := &batch.Batch{Mappings: []batch.Mapping{{}}, Labels: []batch.Labels{{Service: "s"}}}
	for i := range 4 {
		b.Functions = append(b.Functions, batch.Function{Name: fmt.Sprint("f", i)})
		b.Locations = append(b.Locations, batch.Location{Function: uint32(i), Named: true})
	}
	for range rapid.IntRange(1, 12).Draw(t, "stacks") {
		at := uint32(0)
		for _, f := range rapid.SliceOfN(rapid.Uint32Range(0, 3), 1, 6).Draw(t, "stack") {
			b.Nodes = append(b.Nodes, batch.Node{Parent: at, Location: f})
			at = uint32(len(b.Nodes))
		}
		b.Rows = append(b.Rows, batch.Row{Stack: at, Period: 1, Count: rapid.Uint32Range(1, 9).Draw(t, "count")})
	}
	d := dict.New(dict.Limits{})
	var stacks []uint32
	var values []int64
	for _, r := range d.Apply(b, 1, dict.Blocks{}, nil) {
		stacks, values = append(stacks, r.Stack), append(values, int64(r.Count))
	}
	return New(d.View(), Part{stacks, values, 1})
}

type place struct {
	path        string
	self, total int64
}

func places(tree *Tree) (out []place, children map[string]int) {
	path := make([]string, len(tree.Function))
	children = map[string]int{}
	for i, f := range tree.Function {
		if up := tree.Parent[i]; up >= 0 {
			path[i] = fmt.Sprint(path[up], "/", f)
			children[path[up]]++
		}
		out = append(out, place{path[i], tree.Self[i], tree.Total[i]})
	}
	return out, children
}

func TestTreesAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := forest(t)
		defer w.Release()
		o := Options{FromLeaf: rapid.Bool().Draw(t, "from leaf")}
		if rapid.Bool().Draw(t, "focused") {
			o.HasFocus, o.Focus = true, rapid.Uint32Range(1, 4).Draw(t, "focus")
		}
		full, childrenOfAll := places(w.Tree(o))
		cut := o
		cut.MinShare = rapid.Float64Range(0, 0.5).Draw(t, "share")
		cut.Depth = rapid.IntRange(0, 4).Draw(t, "depth")
		cut.MaxNodes = rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "nodes")
		tree := w.Tree(cut)
		got, children := places(tree)
		least := max(1, int64(cut.MinShare*float64(full[0].total)))
		for i, p := range got {
			if !slices.Contains(full, p) {
				t.Fatalf("%+v is not in the whole tree %+v", p, full)
			}
			if p.total < least && i > 0 {
				t.Fatalf("%+v is below %d", p, least)
			}
			if hidden := childrenOfAll[p.path] - children[p.path]; hidden != int(tree.Hidden[i]) {
				t.Fatalf("%d children of %+v are hidden, not %d", hidden, p, tree.Hidden[i])
			}
			if up := tree.Parent[i]; i > 0 && (up < 0 || int(up) >= i) {
				t.Fatalf("the parent of %d is %d", i, up)
			}
		}
		if cut.MaxNodes > 0 && len(got) > cut.MaxNodes {
			t.Fatalf("%d nodes", len(got))
		}
		if cut.MaxNodes == 0 {
			for _, p := range full {
				deep := 0
				for _, c := range p.path {
					if c == '/' {
						deep++
					}
				}
				if p.total >= least && (cut.Depth == 0 || deep <= cut.Depth) && !slices.Contains(got, p) {
					t.Fatalf("%+v is left out of %+v", p, got)
				}
			}
		}
	})
}

func TestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := forest(t)
		defer w.Release()
		o := Options{FromLeaf: rapid.Bool().Draw(t, "from leaf")}
		whole := w.Tree(o)
		full, _ := places(whole)
		at := rapid.IntRange(1, len(full)-1).Draw(t, "node")
		for n := int32(at); n > 0; n = whole.Parent[n] {
			o.Path = append([]uint32{whole.Function[n]}, o.Path...)
		}
		got, _ := places(w.Tree(o))
		var want []place
		for _, p := range full {
			if p.path == full[at].path || len(p.path) > len(full[at].path) && p.path[:len(full[at].path)+1] == full[at].path+"/" {
				p.path = p.path[len(full[at].path):]
				want = append(want, p)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("below %s: %+v, want %+v", full[at].path, got, want)
		}
		o.Path = append(o.Path, 99)
		if w.Tree(o) != nil {
			t.Fatal("a path that leads nowhere gave a tree")
		}
	})
}

// A tree of a million nodes, wide at every depth, as it goes to a page.
func BenchmarkTrees(b *testing.B) {
	const nodes, functions = 1_000_000, 20_000
	r := rand.New(rand.NewPCG(1, 2))
	w := &Weights{View: dict.View{Parent: []uint32{0, 0}, Function: []uint32{0, 1}, Outer: []bool{false, true}}}
	v := &w.View
	type pair struct{ parent, function uint32 }
	there := map[pair]bool{}
	for len(v.Parent) < nodes {
		p := pair{1 + uint32(r.IntN(len(v.Parent)-1)), 2 + uint32(r.IntN(functions))}
		if there[p] {
			continue
		}
		there[p] = true
		v.Parent, v.Function, v.Outer = append(v.Parent, p.parent), append(v.Function, p.function), append(v.Outer, true)
	}
	w.Self, w.Total = make([]int64, nodes), make([]int64, nodes)
	for n := nodes - 1; n > 0; n-- {
		w.Self[n] = int64(r.IntN(3))
		w.Total[n] += w.Self[n]
		w.Total[v.Parent[n]] += w.Total[n]
	}
	for name, o := range map[string]Options{
		"all": {}, "below the outermost": {HasFocus: true, Focus: 1, Path: []uint32{1}}, "below one of many": {HasFocus: true, Focus: v.Function[2]},
		"from the leaves": {FromLeaf: true, MinShare: 1e-5},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w.Tree(o)
			}
		})
	}
}
