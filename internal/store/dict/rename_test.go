package dict

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/store/batch"
)

// addresses is a batch of stacks of one binary, each a list of addresses from the root on.
func addresses(stacks ...[]uint64) *batch.Batch {
	b := &batch.Batch{Mappings: []batch.Mapping{{Path: "/bin/x", BuildID: "01"}}, Functions: []batch.Function{{}}, Labels: []batch.Labels{{Service: "s"}}}
	locations := map[uint64]uint32{}
	for _, stack := range stacks {
		at := uint32(0)
		for _, a := range stack {
			l, known := locations[a]
			if !known {
				l = uint32(len(b.Locations))
				locations[a] = l
				b.Locations = append(b.Locations, batch.Location{Address: a})
			}
			b.Nodes = append(b.Nodes, batch.Node{Parent: at, Location: l})
			at = uint32(len(b.Nodes))
		}
		b.Rows = append(b.Rows, batch.Row{Stack: at, Period: 1, Count: 1})
	}
	return b
}

// named gives an address one frame for each name, the innermost first.
func named(d *Dict, address uint64, names ...string) Resolution {
	r := Resolution{Mapping: Mapping{Path: "/bin/x", BuildID: "01"}, Address: address}
	for _, n := range names {
		r.Frames = append(r.Frames, Frame{Function: Function{Name: n}})
	}
	return r
}

// inView is a stack as the view has it, from the root on.
func inView(d *Dict, stack uint32) (path []string) {
	v := d.View()
	for n := v.Leaf(stack); n > 0; n = v.Parent[n] {
		path = append(path, strconv.Itoa(int(v.Function[n])))
	}
	slices.Reverse(path)
	return path
}

// inTables is the same stack by the tables, without a view.
func inTables(d *Dict, stack uint32) (path []string) {
	s := d.Snapshot()
	for n := s.Stacks[stack]; n > 0; n = s.Parent[n] {
		for _, l := range s.Lines(s.Location[n]) {
			path = append(path, strconv.Itoa(int(s.Same[l.Function])))
		}
	}
	slices.Reverse(path)
	return path
}

// checkView holds the view against the tables, and against itself.
func checkView(t interface {
	Errorf(format string, args ...any)
}, d *Dict) {
	for stack := 1; stack < len(d.stacks); stack++ {
		if got, want := inView(d, uint32(stack)), inTables(d, uint32(stack)); !slices.Equal(got, want) {
			t.Errorf("stack %d is %v in the view, want %v", stack, got, want)
		}
	}
	v := d.View()
	children := map[[2]uint32]bool{}
	for n := uint32(1); int(n) < v.Nodes(); n++ {
		outer := true
		for up := v.Parent[n]; up > 0; up = v.Parent[up] {
			outer = outer && v.Function[up] != v.Function[n]
		}
		pair := [2]uint32{v.Parent[n], v.Function[n]}
		if v.Parent[n] >= n || v.Outer[n] != outer || children[pair] {
			t.Errorf("node %d: parent %d, function %d, outer %v, of which there is one already: %v", n, v.Parent[n], v.Function[n], v.Outer[n], children[pair])
		}
		children[pair] = true
	}
	if v.Nodes() > 2*d.view.reached()+2 {
		t.Errorf("the view has %d nodes, and %d are in use", v.Nodes(), d.view.reached())
	}
}

// Names in any order, inlined frames, other names later and stacks in between: the view is
// what the tables say, and does not grow without end. What a reader had stays what it was.
func TestNamesMoveWhatTheyAreAbout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := New(Limits{})
		stack := rapid.SliceOfN(rapid.Uint64Range(1, 12), 1, 8)
		out := Blocks{}
		for round := range rapid.IntRange(1, 12).Draw(t, "rounds") {
			d.Apply(addresses(rapid.SliceOfN(stack, 1, 6).Draw(t, "stacks")...), 1, out, nil)
			before := d.View()
			parents, functions, leaf := slices.Clone(before.Parent), slices.Clone(before.Function), before.Leaf(1)
			var found []Resolution
			for range rapid.IntRange(1, 4).Draw(t, "names") {
				var names []string
				for range rapid.IntRange(0, 3).Draw(t, "frames") {
					names = append(names, rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name"))
				}
				found = append(found, named(d, rapid.Uint64Range(1, 12).Draw(t, "address"), names...))
			}
			d.Resolve(found, uint32(round), out)
			checkView(t, d)
			if !slices.Equal(before.Parent, parents) || !slices.Equal(before.Function, functions) || before.Leaf(1) != leaf {
				t.Fatal("what a reader had has changed")
			}
		}
	})
}

// A name costs what it is about: of a thousand stacks one is moved.
func TestANameCostsWhatItIsAbout(t *testing.T) {
	d := New(Limits{})
	var stacks [][]uint64
	for i := range uint64(1000) {
		stacks = append(stacks, []uint64{1, 10 + i, 5000 + i, 9000 + i})
	}
	out := Blocks{}
	d.Apply(addresses(stacks...), 1, out, nil)
	var all []Resolution
	for _, s := range stacks {
		for _, a := range s {
			all = append(all, named(d, a, fmt.Sprint("f", a)))
		}
	}
	d.Resolve(all, 1, out)
	// In the middle of one stack: it, and the frame that it calls.
	one := named(d, 5007, "renamed")
	function := d.function(one.Frames[0].Function, out)
	location := d.locationOf[locationKey{mapping: 1, address: one.Address}]
	if placed := d.rename(map[uint32][]Line{location: {{Function: function}}}); placed != 2 {
		t.Errorf("%d nodes were placed for a name that is about two", placed)
	}
	checkView(t, d)
	// Each time another name for all: what is left behind goes.
	for round := range 8 {
		var found []Resolution
		for i := range uint64(1000) {
			found = append(found, named(d, 10+i, fmt.Sprintf("g%d-%d", round, i)))
		}
		d.Resolve(found, uint32(2+round), out)
	}
	checkView(t, d)
	if most := 3 * d.linesUsed; len(d.lines) > most {
		t.Errorf("%d lines are kept for %d locations", len(d.lines), len(d.spans))
	}
}
