package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

// checkTree fails unless the tree is in preorder, its sums are conserved and its
// siblings are in order.
func checkTree(t *rapid.T, tree *Tree, total int64) {
	t.Helper()
	nodes := tree.Nodes
	if root := nodes[0]; root.Parent != -1 || root.Depth != 0 || root.Total != total {
		t.Fatalf("root is %+v, total should be %d", root, total)
	}
	below := make([]int64, len(nodes))
	last := make([]int, len(nodes))
	var self int64
	for i, n := range nodes {
		self += n.Self
		if i == 0 {
			continue
		}
		if n.Parent >= int32(i) || nodes[n.Parent].Depth != n.Depth-1 {
			t.Fatalf("node %d %+v is not in preorder", i, n)
		}
		below[n.Parent] += n.Total
		if prev := last[n.Parent]; prev != 0 && n.Label != OtherLabel && nodes[prev].Total < n.Total {
			t.Fatalf("node %d %+v should come before its sibling %+v", i, n, nodes[prev])
		}
		last[n.Parent] = i
	}
	for i, n := range nodes {
		if n.Total != n.Self+below[i] {
			t.Fatalf("node %d: total %d is not self %d + children %d", i, n.Total, n.Self, below[i])
		}
	}
	if self != total {
		t.Fatalf("selves add up to %d, want %d", self, total)
	}
}

func TestTreeConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		tree := BuildTree(p, TreeOptions{
			FromLeaf:  rapid.Bool().Draw(t, "from leaf"),
			MaxDepth:  rapid.IntRange(0, 4).Draw(t, "max depth"),
			Lines:     rapid.Bool().Draw(t, "lines"),
			MinWeight: int64(rapid.IntRange(0, 9).Draw(t, "min weight")),
			RootLabel: rapid.SampledFrom([]string{"", profile.LabelProcess}).Draw(t, "root label"),
		})
		checkTree(t, tree, p.Total())
	})
}

// TestFocusedTree compares the focused trees with a plain count of the samples
// that hold the function.
func TestFocusedTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		fn := profile.FunctionID(rapid.IntRange(0, p.NumFunctions()-1).Draw(t, "function"))
		rep := Identity(p)[fn]
		var total, leaf, entered int64
		for _, s := range p.Samples() {
			stack := stackFunctions(p, s.Stack)
			if slices.Contains(stack, rep) {
				total += s.Value
			}
			if stack[0] == rep {
				leaf += s.Value
			}
			if stack[len(stack)-1] == rep {
				entered += s.Value
			}
		}
		for _, fromLeaf := range []bool{false, true} {
			tree := BuildTree(p, TreeOptions{Focus: []profile.FunctionID{fn}, FromLeaf: fromLeaf})
			checkTree(t, tree, total)
			if len(tree.Nodes) == 1 {
				continue
			}
			top := tree.Nodes[1]
			self := leaf
			if fromLeaf {
				self = entered
			}
			if top.Function != rep || top.Total != total || top.Self != self {
				t.Fatalf("from leaf %v: node %+v, want function %d total %d self %d", fromLeaf, top, rep, total, self)
			}
			for _, n := range tree.Nodes[2:] {
				if n.Function == rep {
					t.Fatalf("from leaf %v: the function recurs below itself: %+v", fromLeaf, n)
				}
			}
		}
	})
}

// TestTreeIsOrderedAndExact pins one tree whole.
func TestTreeIsOrderedAndExact(t *testing.T) {
	b := profile.NewBuilder()
	loc := map[string]profile.LocationID{}
	for _, name := range []string{"main", "b", "a", "c"} {
		loc[name] = b.Location(0, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: name})})
	}
	for stack, n := range map[string]int64{"main": 1, "main b": 4, "main a": 4, "main a c": 3, "main c": 1, "": 2} {
		var leafFirst []profile.LocationID
		for _, name := range slices.Backward(strings.Fields(stack)) {
			leafFirst = append(leafFirst, loc[name])
		}
		b.Sample(profile.Sample{Stack: b.Stack(leafFirst), Count: n, Value: n})
	}
	p := b.Build(profile.Meta{})
	for _, test := range []struct {
		opt  TreeOptions
		want string
	}{
		{TreeOptions{}, "all 0/15 |main 1/13 ||a 4/7 |||c 3/3 ||b 4/4 ||c 1/1 | 2/2"},
		{TreeOptions{FromLeaf: true}, "all 0/15 |a 0/4 ||main 4/4 |b 0/4 ||main 4/4 |c 0/4 ||a 0/3 |||main 3/3 ||main 1/1 | 2/2 |main 1/1"},
		{TreeOptions{MinWeight: 4}, "all 0/15 |main 1/13 ||a 4/7 |||(other) 3/3 ||b 4/4 ||(other) 1/1 |(other) 2/2"},
		{TreeOptions{MaxDepth: 1}, "all 0/15 |main 13/13 | 2/2"},
	} {
		if got := dump(p, BuildTree(p, test.opt)); got != test.want {
			t.Errorf("%+v:\n got %s\nwant %s", test.opt, got, test.want)
		}
	}
}

func dump(p *profile.Profile, tree *Tree) string {
	var parts []string
	for i, n := range tree.Nodes {
		name := n.Label
		switch {
		case i == 0:
			name = "all"
		case name == "":
			name = p.Function(n.Function).Name
		}
		parts = append(parts, fmt.Sprintf("%s%s %d/%d", strings.Repeat("|", int(n.Depth)), name, n.Self, n.Total))
	}
	return strings.Join(parts, " ")
}
