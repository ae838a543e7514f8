package growth

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/growth/primitive"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// Tight is a loop of a few instructions of a language's runtime, without a name, that takes
// a large part of a profile.
type Tight struct {
	Binary  string // of the runtime
	Share   float64
	Samples []int32
}

// What a loop must take. An interpreter that runs a program spreads its time: of programs
// that add to short lists, at most a tenth was within so few bytes; of those whose lists are
// long, a quarter to two thirds.
const (
	tightBytes  = 64
	tightShare  = 0.2
	tightEvents = 50
)

// tightsIn finds such loops in stacks in which no function is the program's own, one for each
// binary.
func tightsIn(f *frames) []Tight {
	p := f.p
	type at struct {
		address uint64
		rows    []int32
	}
	byBinary := map[string]map[uint64]*at{}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		stack := p.Stack(s.Stack)
		if len(stack) == 0 || f.path(s.Stack).own {
			continue
		}
		leaf := p.Function(p.Lines(stack[0])[0].Function)
		loc := p.Location(stack[0])
		binary := p.Mapping(loc.Mapping).Path
		if leaf.Name != "" || !origin.IsRuntime(binary) {
			continue
		}
		if byBinary[binary] == nil {
			byBinary[binary] = map[uint64]*at{}
		}
		a := byBinary[binary][loc.Address]
		if a == nil {
			a = &at{address: loc.Address}
			byBinary[binary][loc.Address] = a
		}
		a.rows = append(a.rows, int32(i)) //nolint:gosec // rows are numbered so
	}
	var out []Tight
	for _, binary := range sortedKeys(byBinary) {
		var all []*at
		for _, a := range byBinary[binary] {
			all = append(all, a)
		}
		slices.SortFunc(all, func(a, b *at) int { return cmp.Compare(a.address, b.address) })
		best := Tight{Binary: binary}
		from, events := 0, int64(0)
		most := int64(0)
		for to, a := range all {
			events += eventsOf(p, a.rows)
			for a.address-all[from].address > tightBytes {
				events -= eventsOf(p, all[from].rows)
				from++
			}
			if events > most {
				most = events
				best.Samples = nil
				for _, in := range all[from : to+1] {
					best.Samples = append(best.Samples, in.rows...)
				}
			}
		}
		slices.Sort(best.Samples)
		best.Share = p.Share(best.Samples)
		if most >= tightEvents && best.Share >= tightShare {
			out = append(out, best)
		}
	}
	return out
}

func eventsOf(p *profile.Profile, rows []int32) (n int64) {
	for _, row := range rows {
		n += p.Samples()[row].Count
	}
	return n
}

// written are the operations of a tight loop that a program writes, of the table's rows for
// its runtime: the first with the lines, and those of the others.
func written(t Tight, table *primitive.Table, of sources) (found []Through) {
	for i := range table.Rows {
		r := &table.Rows[i]
		if !r.Tight || !r.Runs(t.Binary) {
			continue
		}
		if which, at := r.WrittenIn(of.texts); len(at) > 0 {
			w := Through{Row: r, Binary: t.Binary, Share: t.Share, Samples: t.Samples, Name: "a loop of the runtime without a name"}
			w.set(of.paths[which], at)
			found = append(found, w)
		}
	}
	return found
}
