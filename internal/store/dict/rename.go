package dict

import "slices"

// rename puts lines in the place of those of locations, and what is above them in stacks
// below other functions in the view. Only the goroutine that changes the dictionary calls
// it: what it reads without the lock does not change.
//
// Method. A node is moved when its location has other lines, or its parent was moved:
// parents have smaller numbers, so that one pass finds all of them. A moved node gets the
// node of the view where it belongs now, which may be new; numbers of the view stay what
// they are, and those that nothing leads to any more weigh nothing. When they are more
// than the others the view is made anew, so that it is bounded, and each node that was
// ever left behind has paid for that.
//
// It tells how many nodes were placed: what it costs beside the pass.
func (d *Dict) rename(lines map[uint32][]Line) (placed int) {
	if len(lines) == 0 {
		return 0
	}
	all, spans, used := d.relined(lines)
	fresh, placed := d.moved(lines, all, spans)
	if fresh.Nodes() > 2*fresh.reached() {
		fresh, placed = d.anew(all, spans)
	}
	d.mu.Lock()
	d.lines, d.spans, d.linesUsed, d.view = all, spans, used, fresh
	d.mu.Unlock()
	return placed
}

// relined are the lines of all locations when some have others. What readers have is not
// touched: lines are appended, and the spans are a copy.
func (d *Dict) relined(lines map[uint32][]Line) (all []Line, spans []span, used int) {
	spans, used = slices.Clone(d.spans), d.linesUsed
	for location, named := range lines {
		used += len(named) - int(spans[location].n)
	}
	if all = d.lines; len(all) > 2*used { // most of them are nobody's
		all = make([]Line, 0, used)
		for i, s := range d.spans {
			if _, changes := lines[uint32(i)]; !changes {
				spans[i].start = uint32(len(all))
				all = append(all, s.of(d.lines)...)
			}
		}
	}
	for location, named := range lines {
		spans[location] = span{uint32(len(all)), uint32(len(named))}
		all = append(all, named...)
	}
	return all, spans, used
}

// moved is the view with what is at locations with other lines, and above it in stacks,
// where it belongs now.
func (d *Dict) moved(lines map[uint32][]Line, all []Line, spans []span) (v *viewBuilder, placed int) {
	changes := make([]bool, len(spans))
	for location := range lines {
		changes[location] = true
	}
	grown := *d.view // appends to what it has, beyond what readers see
	grown.node = slices.Clone(d.view.node)
	moves := make([]bool, len(d.parent))
	for n := 1; n < len(d.parent); n++ {
		at := d.location[n]
		if !changes[at] && !moves[d.parent[n]] {
			continue
		}
		place := grown.place(d.parent[n], spans[at].of(all), d.same)
		moves[n] = place != grown.node[n]
		grown.node[n] = place
		placed++
	}
	return &grown, placed
}

// anew is the view made from nothing.
func (d *Dict) anew(all []Line, spans []span) (v *viewBuilder, placed int) {
	v = newViewBuilder()
	for n := 1; n < len(d.parent); n++ {
		v.add(d.parent[n], spans[d.location[n]].of(all), d.same)
	}
	return v, len(d.parent) - 1
}

// reached is how many nodes of the view something leads to.
func (v *viewBuilder) reached() (nodes int) {
	reached := make([]bool, len(v.Parent))
	for _, n := range v.node {
		reached[n] = true
	}
	for n := len(reached) - 1; n > 0; n-- {
		if reached[n] {
			nodes++
			reached[v.Parent[n]] = true
		}
	}
	return nodes + 1 // the root
}
