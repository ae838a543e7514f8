package view

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

func TestCallgraphConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		fns := rapid.SliceOfN(rapid.IntRange(0, p.NumFunctions()-1), 1, 2).Draw(t, "functions")
		var ids []profile.FunctionID
		for _, f := range fns {
			ids = append(ids, profile.FunctionID(f))
		}
		s := Callgraph(p, ids, CallgraphOptions{})
		if callers := s.Entry + sum(s.Callers); callers != s.Total {
			t.Fatalf("entry and callers add up to %d, want %d", callers, s.Total)
		}
		if callees := s.Self + sum(s.Callees); callees != s.Total {
			t.Fatalf("self and callees add up to %d, want %d", callees, s.Total)
		}
		// The trees say the same as the edges.
		for _, side := range []struct {
			tree  *Tree
			own   int64
			edges []Edge
		}{{s.CallerTree, s.Entry, s.Callers}, {s.CalleeTree, s.Self, s.Callees}} {
			checkTree(t, side.tree, s.Total)
			var direct []Edge
			for _, n := range side.tree.Nodes {
				switch {
				case n.Depth == 1 && (n.Self != side.own || n.Function != s.Function):
					t.Fatalf("node %+v, want function %d with %d of its own", n, s.Function, side.own)
				case n.Depth == 2 && n.Total != 0:
					direct = append(direct, Edge{n.Function, n.Total})
				}
			}
			if !slices.Equal(direct, side.edges) {
				t.Fatalf("the tree has %v, the edges are %v", direct, side.edges)
			}
		}
		if s.Recursive > s.Total {
			t.Fatalf("recursive %d is more than total %d", s.Recursive, s.Total)
		}
		if len(ids) > 1 {
			return
		}
		rep := Identity(p)[ids[0]]
		for _, r := range Top(p, TopOptions{}).Rows {
			if r.Function == rep && (r.Self != s.Self || r.Total != s.Total) {
				t.Fatalf("call graph says self %d total %d, top says %+v", s.Self, s.Total, r)
			}
		}
	})
}

func sum(edges []Edge) int64 {
	var total int64
	for _, e := range edges {
		total += e.Total
	}
	return total
}

func TestCallgraphOfRecursiveFunction(t *testing.T) {
	p := fromFolded(map[string]int64{
		"main parse expr term expr term number": 5,
		"main parse expr":                       2,
		"expr number":                           1,
		"main other":                            9,
	})
	s := Callgraph(p, Find(p, func(name string) bool { return name == "expr" }), CallgraphOptions{})
	if s.Total != 8 || s.Self != 2 || s.Recursive != 5 || s.Entry != 1 {
		t.Errorf("total %d self %d recursive %d entry %d, want 8 2 5 1", s.Total, s.Self, s.Recursive, s.Entry)
	}
	if got := edgeText(p, s.Callers); got != "parse 7" {
		t.Errorf("callers are %s", got)
	}
	if got := edgeText(p, s.Callees); got != "term 5, number 1" {
		t.Errorf("callees are %s", got)
	}
	if got, want := dump(p, s.CallerTree), "all 0/8 |expr 1/8 ||parse 0/7 |||main 7/7"; got != want {
		t.Errorf("callers\n got %s\nwant %s", got, want)
	}
	if got, want := dump(p, s.CalleeTree), "all 0/8 |expr 2/8 ||term 0/5 |||number 5/5 ||number 1/1"; got != want {
		t.Errorf("callees\n got %s\nwant %s", got, want)
	}
}

func edgeText(p *profile.Profile, edges []Edge) string {
	var parts []string
	for _, e := range edges {
		parts = append(parts, Name(p, e.Function)+" "+string(rune('0'+e.Total)))
	}
	return strings.Join(parts, ", ")
}

// fromFolded builds a profile of stacks, outermost function first.
func fromFolded(stacks map[string]int64) *profile.Profile {
	b := profile.NewBuilder()
	for stack, n := range stacks {
		var leafFirst []profile.LocationID
		for _, name := range slices.Backward(strings.Fields(stack)) {
			f := b.Function(profile.Function{Name: name})
			leafFirst = append(leafFirst, b.Location(0, 0, profile.KindNative, profile.Line{Function: f}))
		}
		b.Sample(profile.Sample{Stack: b.Stack(leafFirst), Count: n, Value: n})
	}
	return b.Build(profile.Meta{})
}

func TestFindTakesTheFirstTestThatMatches(t *testing.T) {
	p := fromFolded(map[string]int64{"main read": 1, "main read_all": 2, "main unread": 3})
	names := func(name string) string {
		var found []string
		exact := func(s string) bool { return s == name }
		within := func(s string) bool { return strings.Contains(s, name) }
		for _, id := range Find(p, exact, within) {
			found = append(found, Name(p, id))
		}
		return strings.Join(found, " ")
	}
	for name, want := range map[string]string{"read": "read", "rea": "unread read_all read", "write": ""} {
		if got := names(name); got != want {
			t.Errorf("%s finds %q, want %q", name, got, want)
		}
	}
}

func TestLinesConserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		fn := profile.FunctionID(rapid.IntRange(0, p.NumFunctions()-1).Draw(t, "function"))
		table := Lines(p, []profile.FunctionID{fn})
		var self int64
		for _, r := range table.Rows {
			self += r.Self
			if r.Self > r.Total || r.Total > table.Total {
				t.Fatalf("row %+v: want self ≤ total ≤ %d", r, table.Total)
			}
		}
		if self != table.Self {
			t.Fatalf("selves add up to %d, want %d", self, table.Self)
		}
		for _, r := range Top(p, TopOptions{}).Rows {
			if r.Function == Identity(p)[fn] && (r.Self != table.Self || r.Total != table.Total) {
				t.Fatalf("lines say self %d total %d, top says %+v", table.Self, table.Total, r)
			}
		}
	})
}

func TestLinesFallBackToAddresses(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/bin/x", Start: 0x5000, Limit: 0x9000, Offset: 0x1000})
	f := b.Function(profile.Function{Name: "f", File: "f.c", Mapping: m})
	for i, l := range []profile.Line{{Function: f, Line: 7}, {Function: f}, {Function: f}} {
		loc := b.Location(m, 0x5010+uint64(i), profile.KindNative, l)
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 1, Value: 1})
	}
	rows := Lines(b.Build(profile.Meta{}), []profile.FunctionID{f}).Rows
	want := []LineRow{
		{File: "f.c", Mapping: m, Offset: 0x1011, Self: 1, Total: 1},
		{File: "f.c", Mapping: m, Offset: 0x1012, Self: 1, Total: 1},
		{File: "f.c", Line: 7, Self: 1, Total: 1},
	}
	if !slices.Equal(rows, want) {
		t.Errorf("got %+v", rows)
	}
}
