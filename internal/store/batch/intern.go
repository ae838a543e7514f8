package batch

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// stack is where a stack of the profile ended up.
type stack struct {
	number uint32
	known  bool
	cut    bool
}

// process is the name of a sample's process. That of its thread stands for it only where
// nothing else says what it belongs to.
func (f *from) process(id profile.LabelSetID) string {
	if _, named := f.p.Label(id, profile.LabelProcess); !named && (f.o.Labels.Service != "" || view.LabelText(f.p, id, labelService) != "") {
		return ""
	}
	return view.LabelText(f.p, id, profile.LabelProcess)
}

// process is the name without what tells the kernel's threads apart:
// "kworker/3:1-events" is "kworker".
func process(name string) string {
	base, _, cut := strings.Cut(name, "/")
	switch base {
	case "kworker", "ksoftirqd", "migration", "cpuhp", "idle_inject", "rcuop", "rcuos", "rcuog", "irq":
		if cut {
			return base
		}
	}
	return name
}

// text makes a text valid and bounds it.
func (f *from) text(s string, limit int) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) <= limit {
		return s
	}
	f.shortened++
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

func (f *from) stack(id profile.StackID) stack {
	if f.stacks[id].known {
		return f.stacks[id]
	}
	st := stack{known: true}
	locs := f.p.Stack(id)
	depth := 0
	keep := 0 // the innermost frames that there is room for
	for ; keep < len(locs); keep++ {
		if depth += len(f.location(locs[keep])); depth > MaxDepth {
			break
		}
	}
	if keep < len(locs) {
		f.deep++
		st.cut = true
		st.number = f.node(0, f.marker("[stack deeper than "+strconv.Itoa(MaxDepth)+" frames]"))
	}
	for i := keep - 1; i >= 0; i-- {
		for _, loc := range f.location(locs[i]) {
			st.number = f.node(st.number, loc)
		}
	}
	f.stacks[id] = st
	return st
}

// marker is a frame that stands for others.
func (f *from) marker(text string) uint32 {
	f.out.Functions = append(f.out.Functions, Function{Name: text})
	return f.intern(Location{Function: uint32(len(f.out.Functions) - 1), Named: true})
}

func (f *from) node(parent, location uint32) uint32 {
	n := Node{Parent: parent, Location: location}
	id, ok := f.nodes[n]
	if !ok {
		f.out.Nodes = append(f.out.Nodes, n)
		id = uint32(len(f.out.Nodes))
		f.nodes[n] = id
	}
	return id
}

// location gives the frames of a location, outermost first: one for each named line,
// or its address.
func (f *from) location(id profile.LocationID) []uint32 {
	if f.locations[id] != nil {
		return f.locations[id]
	}
	loc := f.p.Location(id)
	lines := f.p.Lines(id)
	var out []uint32
	if fn := f.p.Function(lines[0].Function); len(lines) == 1 && *fn == (profile.Function{Mapping: loc.Mapping, Kind: fn.Kind}) && loc.Address != 0 {
		m := f.p.Mapping(loc.Mapping)
		out = []uint32{f.intern(Location{Mapping: uint32(loc.Mapping), Address: loc.Address - m.Start + m.Offset, Kind: uint8(fn.Kind)})}
	} else {
		for _, line := range slices.Backward(lines) {
			fn := f.p.Function(line.Function)
			out = append(out, f.intern(Location{
				Mapping: uint32(fn.Mapping), Kind: uint8(fn.Kind), Function: f.function(line.Function), Line: uint32(max(0, line.Line)), Named: true,
			}))
		}
	}
	f.locations[id] = out
	return out
}

func (f *from) intern(l Location) uint32 {
	n, ok := f.named[l]
	if !ok {
		n = uint32(len(f.out.Locations))
		f.named[l] = n
		f.out.Locations = append(f.out.Locations, l)
	}
	return n
}

func (f *from) function(id profile.FunctionID) uint32 {
	if f.functions[id] == 0 {
		fn := f.p.Function(id)
		f.out.Functions = append(f.out.Functions, Function{
			Name: f.text(fn.Name, maxName), System: f.text(fn.SystemName, maxName), File: f.text(fn.File, maxName),
			StartLine: uint32(max(0, fn.StartLine)), Mapping: uint32(fn.Mapping), Kind: uint8(fn.Kind),
		})
		f.functions[id] = uint32(len(f.out.Functions))
	}
	return f.functions[id] - 1
}
