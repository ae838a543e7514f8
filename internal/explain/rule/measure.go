package rule

import (
	"context"
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/tenths"
)

// compiled is one entry with the sets its frame lists became.
type compiled struct {
	*catalog.Entry

	any, inside, outside, leaf, stays, seen, unless setID
	lines                                           judge.Lines // nil where no source was looked at
}

// engine holds what one run needs; it dies with the run.
type engine struct {
	*filed

	p         *profile.Profile
	facts     Facts
	lines     *ownline.Lines
	opts      Options
	entries   []compiled
	withLines []int // entries that the source has lines of
	fnSets    [][]setID
	// hot tells, per location, whether some frame of it belongs to a set that is
	// looked for in the whole stack; those of atLeafOnly count at its leaf alone.
	hot        []bool
	atLeafOnly []bool
	own        []bool             // per set: inlined frames do not count
	bySource   []*sourceMatch     // per set: nil where the text of lines does not matter
	unknown    map[*program]int64 // truncated samples; nil until somebody asks
	callers    []uint8            // per function: what isCaller said of it, 0 where it was not asked
	programs   *programs
	groups     []group                       // of the samples
	follows    []int32                       // sample of the same group
	jit        map[profile.MappingID]bool    // what namedByJIT has asked
	extents    map[profile.FunctionID]extent // nil until somebody asks
	named      map[profile.MappingID]int     // names of functions, with extents
	times      *tenths.Clock                 // nil until somebody asks

	at [][]setAt // per location, what setsAt has found; nil where it was not asked

	// State of the walk over one stack.
	stamp   uint32
	mark    []uint32 // per set: stamp of the stack that touched it last
	first   []int32  // per set: position of the frame nearest the leaf
	last    []int32  // per set: position of the frame nearest the root
	touched []setID
}

func newEngine(p *profile.Profile, cat *catalog.Catalog, facts Facts, opts Options) *engine {
	f := filedOf(cat)
	x := f.index
	e := &engine{filed: f, p: p, facts: facts, lines: ownline.Reading(p, facts.Source), opts: opts, entries: slices.Clone(f.compiled)}
	for i := range e.entries {
		if c := &e.entries[i]; opts.Lines[c.SourceRule] != nil {
			c.lines = opts.Lines[c.SourceRule]
			e.withLines = append(e.withLines, i)
		}
	}
	e.fnSets = x.matchFunctions(p)
	e.atLeafOnly = make([]bool, x.sets)
	for i := range e.entries {
		m := &e.entries[i].Match
		e.atLeafOnly[e.entries[i].any] = m.Measure == catalog.Exclusive && len(m.Inside) == 0
	}
	e.hot, e.at = make([]bool, p.NumLocations()), make([][]setAt, p.NumLocations())
	for i := range e.hot {
		for _, l := range p.Lines(profile.LocationID(i)) {
			e.hot[i] = e.hot[i] || slices.ContainsFunc(e.fnSets[l.Function], func(s setID) bool { return !e.atLeafOnly[s] })
		}
	}
	e.own = make([]bool, x.sets)
	e.bySource = make([]*sourceMatch, x.sets)
	for i := range e.entries {
		e.own[e.entries[i].any] = e.entries[i].Match.OwnFrames
		if s := &e.entries[i].Match.Source; s.Line != nil || s.Has != "" {
			e.bySource[e.entries[i].any] = &sourceMatch{Source: s, known: map[profile.Line]bool{}}
		}
	}
	e.mark = make([]uint32, x.sets)
	e.first = make([]int32, x.sets)
	e.last = make([]int32, x.sets)
	return e
}

// position orders frames from the leaf: the location's index, then the depth
// of inlining within it.
func position(loc, line int) int32 { return int32(loc)<<8 | int32(min(line, 255)) }

// setAt is a set that a frame of a location belongs to.
type setAt struct {
	set  setID
	line int  // of the location, from the innermost
	leaf bool // it counts where the location is the leaf of a stack alone
}

// setsAt are those of a location: what its functions, and the text of its lines, say of it is the same
// in each stack.
func (e *engine) setsAt(loc profile.LocationID) []setAt {
	if e.at[loc] != nil {
		return e.at[loc]
	}
	out := []setAt{}
	lines := e.p.Lines(loc)
	for j, line := range lines {
		inlined := j < len(lines)-1
		for _, s := range e.fnSets[line.Function] {
			if !(inlined && e.own[s]) && e.inSource(s, line) {
				out = append(out, setAt{s, j, e.atLeafOnly[s]})
			}
		}
	}
	e.at[loc] = out
	return out
}

// walk notes which sets the frames of a stack belong to.
func (e *engine) walk(stack profile.StackID) {
	e.stamp++
	e.touched = e.touched[:0]
	for i, loc := range e.p.Stack(stack) {
		if i > 0 && !e.hot[loc] {
			continue
		}
		for _, x := range e.setsAt(loc) {
			if i > 0 && x.leaf {
				continue
			}
			at := position(i, x.line)
			if e.mark[x.set] != e.stamp {
				e.mark[x.set] = e.stamp
				e.first[x.set] = at
				e.touched = append(e.touched, x.set)
			}
			e.last[x.set] = at
		}
	}
}

func (e *engine) met(s setID) bool { return s != noSet && e.mark[s] == e.stamp }

// atLeaf says whether the innermost frame of a set is the one that was running;
// where inlined frames do not count, that is the function they were inlined into.
func (e *engine) atLeaf(s setID) bool {
	return e.first[s] == 0 || e.own[s] && e.first[s] < position(1, 0)
}

// counts says whether the walked stack counts for an entry.
func (e *engine) counts(c *compiled, stack profile.StackID) bool {
	switch {
	case !e.met(c.any):
		return false
	case c.Match.Measure == catalog.Exclusive && !e.atLeaf(c.any):
		return false
	case c.inside != noSet && (!e.met(c.inside) || e.last[c.inside] <= e.first[c.any]):
		return false
	case c.outside != noSet && e.met(c.outside):
		return false
	case c.leaf != noSet && (!e.met(c.leaf) || !e.atLeaf(c.leaf)):
		return false
	case c.Match.Innermost && e.callsOther(c, stack):
		return false
	}
	return !e.remains(c, stack)
}

// remains says whether the walked stack ends in what the change of an entry leaves as it
// is: frames that the entry names, called by the matched ones, and, where another
// implementation does the same work, the kernel's part of writing. Who formats a number in
// another way still writes it.
func (e *engine) remains(c *compiled, stack profile.StackID) bool {
	if c.stays != noSet && e.met(c.stays) && e.first[c.stays] <= e.first[c.any] {
		return true
	}
	return c.LeavesOutput() && e.met(e.output) && e.first[e.output] < e.first[c.any] && e.kindAt(stack, e.first[c.any]) != profile.KindKernel
}

// output is how the kernel is asked to write and send.
var output = []catalog.Frame{{
	Kind: []string{"kernel"},
	Name: []catalog.Pattern{catalog.Expression(`^(_*x64_sys_|ksys_|vfs_|do_|__sys_|__do_sys_)(p?write(v|64)?|sendto|sendmsg|sendfile(64)?)$`)},
}}

// kindAt is the kind of the function at a position.
func (e *engine) kindAt(stack profile.StackID, at int32) profile.Kind {
	lines := e.p.Lines(e.p.Stack(stack)[at>>8])
	return e.p.Function(lines[at&255].Function).Kind
}

// callsOther says whether a function of the kinds that an entry asks for, which does not
// match, was called by the innermost one that does. Recorders put what has no name of its
// own into brackets ("[method in C]"); such a frame belongs to what called it.
func (e *engine) callsOther(c *compiled, stack profile.StackID) bool {
	for i, loc := range e.p.Stack(stack) {
		for j, line := range e.p.Lines(loc) {
			if position(i, j) >= e.first[c.any] {
				return false
			}
			f := e.p.Function(line.Function)
			if strings.HasPrefix(f.Name, "[") || strings.HasPrefix(f.Name, "(") {
				continue
			}
			if slices.ContainsFunc(c.Match.Any, func(m catalog.Frame) bool { return kindBits(m.Kind)&(1<<f.Kind) != 0 }) {
				return true
			}
		}
	}
	return false
}

// onLines says whether a stack counts for an entry by the line that ran alone.
func (e *engine) onLines(c *compiled, stack profile.StackID) bool {
	locs := e.p.Stack(stack)
	return c.lines != nil && len(locs) > 0 && c.lines(locs[0])
}

// measure is the first walk: what does every entry cost in every program?
func (e *engine) measure(ctx context.Context) error {
	for _, pr := range e.programs.list {
		pr.has = make([]int64, len(e.mark))
		pr.costs = make([]cost, len(e.entries))
		pr.memory = make([]memoryCost, len(e.memory))
	}
	for i := range e.groups {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		sm := &e.groups[i].Sample
		pr := e.programs.list[e.groups[i].program]
		for _, loc := range e.p.Stack(sm.Stack) {
			pr.libs[e.p.Location(loc).Mapping] = true
		}
		e.walk(sm.Stack)
		e.addMemory(pr.memory, sm)
		for _, s := range e.touched {
			pr.has[s] += sm.Value
			if n, ok := e.anyOf[s]; ok && e.counts(&e.entries[n], sm.Stack) {
				pr.costs[n].add(sm, e.atLeaf(s) || e.onLines(&e.entries[n], sm.Stack))
				pr.costs[n].memory = e.addMemory(pr.costs[n].memory, sm)
			}
		}
		for _, n := range e.withLines {
			if c := &e.entries[n]; !e.counts(c, sm.Stack) && e.onLines(c, sm.Stack) {
				pr.costs[n].add(sm, true)
			}
		}
	}
	return nil
}

func (c *cost) add(sm *profile.Sample, leaf bool) {
	c.inclusive += sm.Value
	c.count += sm.Count
	if leaf {
		c.exclusive += sm.Value
	}
}
