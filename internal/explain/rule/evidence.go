package rule

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// trace is what the samples of one verdict look like from the inside.
type trace struct {
	functions map[profile.FunctionID]int64 // the matched frame nearest the leaf
	lines     map[profile.Line]int64       // its line
	callers   map[profile.Line]int64       // the first frame above the matched ones
	libraries map[profile.MappingID]int64  // where the matched frame is from
	library   profile.MappingID            // the heaviest of them
	overlap   map[*verdict]int64           // samples shared with other verdicts
	beneath   int64                        // what an interpreter itself runs or calls
	own       map[profile.Line]int64       // the nearest line above them of the program's own script
	cut       int64                        // whose stacks are truncated before a caller
	samples   []int32                      // all of them
	depths    []int32                      // and where in each stack the matched frame nearest the leaf is
}

// weighted is one row of a ranking.
type weighted[K comparable] struct {
	key    K
	weight int64
}

// ranking sorts a weight table, heaviest first.
func ranking[K comparable](m map[K]int64, tie func(a, b K) int) []weighted[K] {
	out := make([]weighted[K], 0, len(m))
	for k, w := range m {
		out = append(out, weighted[K]{k, w})
	}
	slices.SortFunc(out, func(a, b weighted[K]) int {
		return cmp.Or(-cmp.Compare(a.weight, b.weight), tie(a.key, b.key))
	})
	return out
}

// collect is the second walk: where do the costs that were judged come from?
func (e *engine) collect(ctx context.Context, vs []*verdict) error {
	byProgram := map[int32][]*verdict{}
	for _, v := range vs {
		v.trace = trace{
			functions: map[profile.FunctionID]int64{}, lines: map[profile.Line]int64{}, callers: map[profile.Line]int64{}, own: map[profile.Line]int64{},
			libraries: map[profile.MappingID]int64{}, overlap: map[*verdict]int64{},
		}
		byProgram[v.programID] = append(byProgram[v.programID], v)
	}
	var met []*verdict
	for i := range e.groups {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		sm := &e.groups[i].Sample
		candidates := byProgram[e.groups[i].program]
		if len(candidates) == 0 {
			continue
		}
		e.walk(sm.Stack)
		met = met[:0]
		for _, v := range candidates {
			switch {
			case e.counts(v.entry, sm.Stack):
				e.note(v, sm)
				depth := e.first[v.entry.any] >> 8
				for at := e.groups[i].first; at != none; at = e.follows[at] {
					v.trace.samples, v.trace.depths = append(v.trace.samples, at), append(v.trace.depths, depth)
				}
				met = append(met, v)
			case e.onLines(v.entry, sm.Stack):
				e.noteLine(v, sm)
				met = append(met, v)
			}
		}
		for _, a := range met {
			for _, b := range met {
				if a != b {
					a.trace.overlap[b] += sm.Value
				}
			}
		}
	}
	for _, v := range vs {
		v.trace.sort()
		if lib, ok := heaviest(v.trace.libraries); ok {
			v.trace.library = lib
		}
	}
	return nil
}

// sort puts the samples in the order of the profile.
func (t *trace) sort() {
	order := make([]int, len(t.samples))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.samples[a], t.samples[b]) })
	samples, depths := make([]int32, len(order)), make([]int32, len(order))
	for to, from := range order {
		samples[to], depths[to] = t.samples[from], t.depths[from]
	}
	t.samples, t.depths = samples, depths
}

// note books one sample on the matched frame nearest the leaf and on the first
// named frame above the run of matched frames that it belongs to.
func (e *engine) note(v *verdict, sm *profile.Sample) {
	inRun, called := false, false
	var nearest profile.Line
	stack := e.p.Stack(sm.Stack)
	for at, loc := range stack {
		for _, line := range e.p.Lines(loc) {
			switch {
			case slices.Contains(e.fnSets[line.Function], v.entry.any) && e.inSource(v.entry.any, line):
				if !inRun {
					v.trace.functions[line.Function] += sm.Value
					v.trace.lines[line] += sm.Value
					v.trace.libraries[e.p.Location(loc).Mapping] += sm.Value
				}
				if !called && e.inInterpreter(line.Function) {
					v.trace.beneath += sm.Value
					called = true
				}
				inRun = true
				if v.entry.Fallback { // everything that it matches calls itself
					return
				}
			case inRun && e.isCaller(line):
				nearest = line
			case inRun && !called && e.inInterpreter(line.Function):
				v.trace.beneath += sm.Value
				called = true
			}
			if nearest.Function != 0 {
				v.trace.callers[nearest] += sm.Value
				if v.entry.Match.Place == catalog.PlaceCaller {
					e.noteScript(v, sm, stack[at:])
				}
				return
			}
		}
	}
	if e.isCut(sm.Stack) {
		v.trace.cut += sm.Value
	}
}

// noteScript books a sample on the innermost line of the program's own script in a part of a stack.
func (e *engine) noteScript(v *verdict, sm *profile.Sample, stack []profile.LocationID) {
	for _, loc := range stack {
		for _, line := range e.p.Lines(loc) {
			if e.p.Function(line.Function).Kind.IsScript() && e.lines.IsOwn(line.Function) {
				v.trace.own[line] += sm.Value
				return
			}
		}
	}
}

// noteLine books a sample that counts by its line on the first frame of it that
// somebody wrote.
func (e *engine) noteLine(v *verdict, sm *profile.Sample) {
	leaf := e.p.Stack(sm.Stack)[0]
	v.trace.libraries[e.p.Location(leaf).Mapping] += sm.Value
	for _, line := range e.p.Lines(leaf) {
		if e.isCaller(line) {
			v.trace.callers[line] += sm.Value
			return
		}
	}
}

// isCaller says whether a line is one that somebody would look at when asked who calls. What is
// asked of its function is remembered: it is asked once a sample.
func (e *engine) isCaller(line profile.Line) bool {
	id := line.Function
	const yes, no = 1, 2
	if e.callers == nil {
		e.callers = make([]uint8, e.p.NumFunctions())
	}
	if e.callers[id] == 0 {
		e.callers[id] = no
		if e.asksForIt(id) {
			e.callers[id] = yes
		}
	}
	return e.callers[id] == yes && !e.lines.IsImplicit(line)
}

// asksForIt says whether a frame is code that somebody would look at when asked
// who calls: not the kernel, not what a compiler or the C and C++ libraries put
// in between, not the interpreter beneath a script, nor what V8 has built in; of generated
// code, not the runtime's own and not the class library of .NET or the modules of Erlang.
func (e *engine) asksForIt(id profile.FunctionID) bool {
	fn := e.p.Function(id)
	f := normalize(fn, e.p.Mapping(fn.Mapping))
	switch {
	case f.name == "", f.file == "<unknown>", f.kind == profile.KindKernel, plumbing.MatchString(f.name), plumbingLibrary.MatchString(f.lib):
		return false
	case f.kind == profile.KindNative, f.kind == profile.KindUnknown:
		return !e.inRuntime(id)
	case f.kind == profile.KindGo:
		return !strings.HasPrefix(f.name, "runtime.")
	case f.kind == profile.KindDotNet, f.kind == profile.KindJIT:
		from := ownline.Origin(e.p, id)
		return from != origin.Library && from != origin.Runtime
	}
	return true
}

var (
	plumbing = regexp.MustCompile(`^(\[.*\]$|_start|__libc_start_\w+|start_thread|clone3?|__clone3?|operator (new|delete)|runtime\.(goexit|main)|V8::\w+$` +
		`|std::|__gnu_cxx::|(core|alloc)::|<?(core|alloc|std)::.*::call_once|__rust_(alloc|dealloc|realloc|begin_short_backtrace)|_?_?r(dl|g)_(alloc|dealloc|realloc))`)
	plumbingLibrary = regexp.MustCompile(`^(libc|libstdc\+\+|libc\+\+|libgcc_s|libpthread|ld-linux|ld-musl|libm)[.-]`)
)

// inInterpreter says whether a function is machine code of an interpreter itself.
func (e *engine) inInterpreter(id profile.FunctionID) bool {
	switch e.p.Function(id).Kind { //nolint:exhaustive // what an interpreter runs is not of it
	case profile.KindNative, profile.KindUnknown:
	default:
		return false
	}
	for i, s := range e.runtimes {
		if e.scripted[i] && slices.Contains(e.fnSets[id], s) {
			return true
		}
	}
	return false
}

// inRuntime says whether a native function is part of a language runtime.
func (e *engine) inRuntime(id profile.FunctionID) bool {
	return slices.ContainsFunc(e.runtimes, func(s setID) bool { return slices.Contains(e.fnSets[id], s) })
}
