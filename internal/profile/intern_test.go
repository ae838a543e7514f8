package profile

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The builder against a map with the stacks as keys, with enough rows for the
// hash table to grow several times, and hints that may be right or wrong.
func TestInterningIsLikeAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		var locs []LocationID
		for i := range 40 {
			locs = append(locs, b.Location(0, uint64(i), KindNative))
		}
		ids := map[string]StackID{}
		stacks := map[StackID][]LocationID{}
		rows := map[string]Sample{}
		n := rapid.IntRange(1, 600).Draw(t, "samples")
		for i := range n {
			if i == n/2 {
				b.Grow(Size{Stacks: rapid.IntRange(0, 2000).Draw(t, "stacks"), Frames: rapid.IntRange(0, 2000).Draw(t, "frames"), Samples: rapid.IntRange(0, 2000).Draw(t, "rows")})
			}
			stack := rapid.SliceOfN(rapid.SampledFrom(locs), 0, 3).Draw(t, "stack")
			s := Sample{Stack: b.Stack(stack), Time: rapid.Int64Range(0, 2).Draw(t, "time"), Count: 1, Value: int64(i)}
			key := fmt.Sprint(stack)
			if id, ok := ids[key]; ok && id != s.Stack {
				t.Fatalf("stack %s has the IDs %d and %d", key, id, s.Stack)
			}
			ids[key], stacks[s.Stack] = s.Stack, stack
			b.Sample(s)
			key += fmt.Sprint(" ", s.Time)
			row := rows[key]
			rows[key] = Sample{Stack: s.Stack, Time: s.Time, Count: row.Count + 1, Value: row.Value + s.Value}
		}
		if size := b.Size(); size.Stacks != len(ids) || size.Samples != len(rows) {
			t.Fatalf("%+v, want %d stacks in %d rows", size, len(ids), len(rows))
		}
		p := b.Build(Meta{})
		for id, want := range stacks {
			if got := p.Stack(id); !slices.Equal(got, want) {
				t.Fatalf("stack %d is %v, want %v", id, got, want)
			}
		}
		for _, s := range p.Samples() {
			if key := fmt.Sprint(p.Stack(s.Stack), " ", s.Time); rows[key] != s {
				t.Fatalf("row %s is %+v, want %+v", key, s, rows[key])
			}
		}
	})
}

// Rows whose hashes are equal are told apart by what they hold.
func TestEqualHashes(t *testing.T) {
	var table internTable
	values := []string{"a", "b", "c", "a", "b"}
	var rows []string
	for _, v := range values {
		row, found := table.find(7, uint32(len(rows)), func(r uint32) bool { return rows[r] == v })
		if !found {
			rows = append(rows, v)
		}
		if rows[row] != v {
			t.Fatalf("%s was found in the row of %s", v, rows[row])
		}
	}
	if len(rows) != 3 {
		t.Errorf("rows %v", rows)
	}
}

func TestHashesSpread(t *testing.T) {
	h := newHasher()
	seen := map[uint32]int{}
	const n = 1 << 16
	for i := range LocationID(n) {
		seen[uint32(h.stack([]LocationID{i / 256, i % 256, 5}))%n]++
	}
	// Of n balls in n bins about 63 % of the bins are hit.
	if len(seen) < n*6/10 {
		t.Errorf("%d stacks fall on %d of %d slots", n, len(seen), n)
	}
}
