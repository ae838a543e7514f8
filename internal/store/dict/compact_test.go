package dict

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
)

// loaded is a dictionary made of blocks, as from an engine.
func loaded(t *rapid.T, l Limits, out Blocks) *Dict {
	d := New(l)
	for _, table := range engine.Tables() {
		if b := out[table]; b != nil && !table.Timed && table != engine.Resolved {
			if err := d.Load(b); err != nil {
				t.Fatal(err)
			}
		}
		if table == engine.Resolved {
			if err := d.LoadResolved(out.Of(engine.Resolved)); err != nil {
				t.Fatal(err)
			}
		}
	}
	d.Loaded()
	return d
}

// named1 is a stack by what readers see: names, and the numbers that they know them by.
func named1(d *Dict, stack uint32) (path []string) {
	s := d.Snapshot()
	for n := s.View.Leaf(stack); n > 0; n = s.View.Parent[n] {
		f := s.View.Function[n]
		path = append(path, fmt.Sprint(s.Functions[f].Name, s.IDs[f]))
	}
	slices.Reverse(path)
	return path
}

// What is kept looks as before, to readers and to the engine, whatever goes and however
// often; what came after is the same as without; numbers that are free are given out again,
// and no two stacks have one.
func TestWhatIsKeptStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, out := New(Limits{}), Blocks{}
		stack := rapid.SliceOfN(rapid.Uint64Range(1, 12), 1, 8)
		for round := range rapid.IntRange(1, 8).Draw(t, "rounds") {
			commit := uint64(round + 1)
			d.Apply(addresses(rapid.SliceOfN(stack, 1, 6).Draw(t, "stacks")...), commit, out, nil)
			var found []Resolution
			for range rapid.IntRange(0, 4).Draw(t, "names") {
				var names []string
				for range rapid.IntRange(0, 3).Draw(t, "frames") {
					names = append(names, rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name"))
				}
				found = append(found, named(d, rapid.Uint64Range(1, 12).Draw(t, "address"), names...))
			}
			d.Resolve(found, uint32(commit), out)
			k := &Kept{After: commit, Stacks: make([]uint32, len(d.stacks)), Groups: []uint32{0, 1}, Series: []uint32{0, 1}}
			if rapid.Bool().Draw(t, "all of the last commit") {
				k.After--
			}
			want, sure := map[uint32][]string{}, 0
			for id := uint32(1); int(id) < len(d.stacks); id++ {
				late := uint64(d.stackNumbers.lastUse(id)) > k.After
				if d.stacks[id] > 0 && (rapid.Bool().Draw(t, "kept") || late) {
					if k.Stacks[id] = 20_000; late {
						k.Stacks[id] = 0
						sure++
					}
					want[id] = named1(d, id)
				}
			}
			c := d.Compacted(k)
			if c.After.Stacks != len(want) || c.Evicted != 0 || c.Merged != 0 {
				t.Fatalf("%d stacks, %d evicted, of %d (%d of the last commit)", c.After.Stacks, c.Evicted, len(want), sure)
			}
			if n := c.Blocks.Of(engine.Nodes).Len(); n != c.After.Nodes {
				t.Fatalf("%d rows of %d nodes", n, c.After.Nodes)
			}
			out = c.Blocks
			again := loaded(t, Limits{}, out)
			d.Become(c)
			for _, d := range []*Dict{d, again} {
				for id, path := range want {
					if got := named1(d, id); !slices.Equal(got, path) {
						t.Fatalf("stack %d was %v and is %v", id, path, got)
					}
				}
				checkKept(t, d, want)
			}
			if again.waiting != d.waiting || again.Sizes().Functions != d.Sizes().Functions {
				t.Fatalf("%+v in memory, %+v from the engine", d.Sizes(), again.Sizes())
			}
		}
	})
}

// checkKept says whether the tables have nothing that is not needed.
func checkKept(t *rapid.T, d *Dict, stacks map[uint32][]string) {
	s := d.Snapshot()
	nodes, locations := map[uint32]bool{}, map[uint32]bool{}
	for id := range stacks {
		for n := s.Stacks[id]; n > 0; n = s.Parent[n] {
			if s.Parent[n] >= n {
				t.Fatalf("node %d is below %d", n, s.Parent[n])
			}
			nodes[n], locations[s.Location[n]] = true, true
		}
	}
	if len(nodes) != len(s.Parent)-1 || len(locations) != len(s.Locations)-1 {
		t.Fatalf("%d nodes and %d frames of %d and %d are in use", len(nodes), len(locations), len(s.Parent)-1, len(s.Locations)-1)
	}
	for _, free := range d.stackNumbers.free {
		if stacks[free] != nil {
			t.Fatalf("%d is in use, and given out again", free)
		}
	}
	if len(d.stackNumbers.free)+len(stacks) != len(d.stacks)-1 {
		t.Fatalf("%d free, %d in use of %d", len(d.stackNumbers.free), len(stacks), len(d.stacks)-1)
	}
}

// Where there is no room for all that is kept, what was used last has its names, and the
// rest says that it has none.
func TestTheLeastRecentlyUsedGoes(t *testing.T) {
	d, out := New(Limits{Nodes: 100, Series: 20}), Blocks{}
	days := make([]uint32, 200)
	for i := range uint64(30) {
		b := addresses([]uint64{1, 10 + i, 100 + i, 200 + i})
		b.Labels = []batch.Labels{{Service: "s", Host: fmt.Sprint("host", i)}}
		d.Apply(b, i+1, out, nil)
		days[i+1] = 20_000
	}
	if stacks, series := d.Full(); stacks || !series {
		t.Errorf("of stacks full: %v, of series: %v", stacks, series)
	}
	// The first one is used again.
	again := addresses([]uint64{1, 10, 100, 200})
	again.Labels = []batch.Labels{{Service: "s", Host: "host0"}}
	d.Apply(again, 31, out, nil)
	c := d.Compacted(&Kept{After: 31, Stacks: days, Groups: days[:2], Series: days[:31]})
	d.Become(c)
	if !c.Pays() || c.After.Nodes < 40 || c.After.Nodes > 60 || c.Evicted < 10 || c.Merged != 30-17 {
		t.Fatalf("%+v", c)
	}
	s := d.Snapshot()
	for _, x := range []struct {
		stack uint32
		named bool
	}{{1, true}, {2, false}, {3, false}, {29, true}, {30, true}} {
		path := inView(d, x.stack)
		first := s.Functions[s.View.Function[s.View.Leaf(x.stack)]].Name
		if (len(path) == 1 && first == OldFrame) == x.named {
			t.Errorf("stack %d is %v %q", x.stack, path, first)
		}
		if host := s.Series[x.stack].Host; (host == Merged) == x.named {
			t.Errorf("series %d is of %s", x.stack, host)
		}
	}
	if stacks, series := d.Full(); stacks || series {
		t.Errorf("there is no room afterwards: %v, %v", stacks, series)
	}
}

// Numbers by which functions are known go round: none that is in use is given twice.
func TestNumbersOfFunctionsGoRound(t *testing.T) {
	d, out := New(Limits{}), Blocks{}
	f := func(i int) uint32 { return d.ids[d.function(Function{Name: fmt.Sprint("f", i)}, out)] }
	if a, b := f(1), f(2); a != 1 || b != 2 {
		t.Errorf("the first are %d and %d", a, b)
	}
	d.functionIDs.last = ^uint32(0) - 1
	if a, b := f(3), f(4); a != ^uint32(0) || b != 3 {
		t.Errorf("beyond the largest: %d, then %d", a, b)
	}
	other := New(Limits{})
	if err := other.Load(out.Of(engine.Functions)); err != nil {
		t.Fatal(err)
	}
	if next := other.functionIDs.next(other.ids[1:]); next != 4 {
		t.Errorf("after loading the next is %d", next)
	}
}
