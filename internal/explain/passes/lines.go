package passes

import (
	"cmp"
	"slices"
	"sync"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
	"whyhot/internal/profile/startup"
)

// What a line must show to be read.
const (
	leastShare  = 0.10 // of the profile, with all that it calls
	leastSure   = 0.07 // with sampling's error taken off
	leastEvents = 30
)

// step is a line of the program's own code in stacks, with the function that it calls there.
type step struct {
	line   profile.Line
	calls  bool // another function, which is below the line
	callee profile.FunctionID
}

// hot is a step with what is spent in it.
type hot struct {
	step

	rows    []int32
	value   int64
	events  int64
	share   float64
	outer   int                         // own lines outside of it, in the stacks
	callers map[profile.Line]int64      // the own line that called its function, with events
	inner   map[profile.FunctionID]bool // the next functions below the line, whoever's they are
}

// reader reads the own lines of a profile.
type reader struct {
	p        *profile.Profile
	part     float64 // of what a line must show: 1, or less where a rule has found something already
	facts    judge.Facts
	lines    *ownline.Lines
	files    *text.Files
	numbered *ownLines
	stable   map[string]bool // by file and name
	declared map[fileForm][]int
	hottest  []*hot // what findHottest gives
	// innermost are the rows in which a line is the innermost own one, of functions that have
	// enough of those.
	innermost map[profile.Line][]int32
	stacked   []stacked                       // what stacks gives
	byName    map[string][]profile.FunctionID // what named gives
	copyings  func() ([]element, []returned)  // withWholes, asked once
}

func newReader(s judge.Subject) *reader {
	r := &reader{p: s.Profile, facts: s.Facts, lines: ownline.Reading(s.Profile, s.Facts.Source), files: text.NewFiles(s.Facts.Source), stable: map[string]bool{}, declared: map[fileForm][]int{}}
	r.numbered = number(r.p, r.lines)
	return r.with(1)
}

// with is a reader that asks for a part of what a line must show; what it has read and counted is
// shared.
func (r *reader) with(part float64) *reader {
	out := *r
	out.part, out.innermost = part, map[profile.Line][]int32{}
	out.hottest = out.findHottest()
	out.copyings = sync.OnceValues(out.withWholes)
	return &out
}

// file is the text of a function's source.
func (r *reader) file(id profile.FunctionID) *text.File { return r.fileAt(r.p.Function(id).File) }

func (r *reader) fileAt(path string) *text.File { return r.files.At(path) }

// below are how many functions below a line are looked at for the one that the line calls.
const below = 4

// stacked are the samples of one stack.
type stacked struct {
	rows          []int32
	value, events int64
}

// named are the program's functions whose own name this is.
func (r *reader) named(name string) []profile.FunctionID {
	if r.byName == nil {
		r.byName = map[string][]profile.FunctionID{}
		for i := range r.p.NumFunctions() {
			if id := profile.FunctionID(i); r.lines.IsOwn(id) {
				_, own := ownline.Parts(r.p.Function(id).Name)
				r.byName[own] = append(r.byName[own], id)
			}
		}
	}
	return r.byName[name]
}

// stacks are the samples by stack, without those of a runtime that starts.
func (r *reader) stacks() []stacked {
	if r.stacked != nil {
		return r.stacked
	}
	out := make([]stacked, r.p.NumStacks())
	starts := startup.Within(r.p)
	for i := range r.p.Samples() {
		s := &r.p.Samples()[i]
		if starts(s) {
			continue
		}
		of := &out[s.Stack]
		of.rows = append(of.rows, int32(i)) //nolint:gosec // rows are numbered so
		of.value += s.Value
		of.events += s.Count
	}
	r.stacked = out
	return out
}

// ownLines are the program's own lines, numbered, and where the locations of the profile have
// them: a profile may have a million of both, and each stack is gone over twice.
type ownLines struct {
	lines []profile.Line
	first []int32 // by location: of its lines in of
	of    []int32 // for each line of each location its number, -1 where it is not the program's
}

func number(p *profile.Profile, own *ownline.Lines) *ownLines {
	n := &ownLines{first: make([]int32, p.NumLocations()+1)}
	ids := map[profile.Line]int32{}
	for loc := range p.NumLocations() {
		for _, line := range p.Lines(profile.LocationID(loc)) { //nolint:gosec // locations are numbered so
			id := int32(-1)
			if own.IsOwn(line.Function) && line.Line > 0 {
				known := false
				if id, known = ids[line]; !known {
					id = int32(len(n.lines)) //nolint:gosec // fewer than locations
					ids[line] = id
					n.lines = append(n.lines, line)
				}
			}
			n.of = append(n.of, id)
		}
		n.first[loc+1] = int32(len(n.of)) //nolint:gosec // fewer than 2^31
	}
	return n
}

// findHottest gives the steps that are worth reading, the outermost first and of those the
// dearest, and fills innermost. Most lines and functions have too little to be read: the first
// walk tells which have enough.
func (r *reader) findHottest() []*hot {
	stacks := r.stacks()
	total := float64(max(r.p.Total(), 1))
	w := &walk{
		reader: r, known: map[step]*hot{},
		spent: make([]int64, len(r.numbered.lines)), seen: make([]uint32, len(r.numbered.lines)),
		running: make([]int64, r.p.NumFunctions()), least: int64(leastShare * r.part * total),
	}
	for id := range stacks {
		if stacks[id].events > 0 {
			w.total(profile.StackID(id), &stacks[id]) //nolint:gosec // stacks are numbered so
		}
	}
	for id := range stacks {
		if stacks[id].events > 0 && w.has(profile.StackID(id)) { //nolint:gosec // the same
			w.read(profile.StackID(id), &stacks[id]) //nolint:gosec // the same
		}
	}
	for _, rows := range r.innermost {
		slices.Sort(rows)
	}
	var out []*hot
	for _, h := range w.known {
		slices.Sort(h.rows)
		h.share = float64(h.value) / total
		if r.isOften(h.events) && r.isSure(h.share, leastShare) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b *hot) int {
		return cmp.Or(cmp.Compare(a.outer, b.outer), cmp.Compare(b.value, a.value), cmp.Compare(a.line.Function, b.line.Function), cmp.Compare(a.line.Line, b.line.Line), cmp.Compare(a.callee, b.callee))
	})
	return out
}

// walk goes over the stacks.
type walk struct {
	*reader

	known   map[step]*hot
	spent   []int64 // by own line: what is below it, itself among it
	seen    []uint32
	running []int64 // by function: where it is the innermost own one
	least   int64
	stamp   uint32
	lines   []profile.Line // of the stack that is read
	numbers []int32
}

// lineNumbers are the numbers of a location's lines.
func (w *walk) lineNumbers(loc profile.LocationID) []int32 {
	return w.numbered.of[w.numbered.first[loc]:w.numbered.first[loc+1]]
}

// total adds up what the own lines of a stack have, and its innermost own function.
func (w *walk) total(id profile.StackID, of *stacked) {
	w.stamp++
	for _, loc := range w.p.Stack(id) {
		for _, n := range w.lineNumbers(loc) {
			if n >= 0 && w.seen[n] != w.stamp {
				w.seen[n] = w.stamp
				w.spent[n] += of.value
			}
		}
	}
	if line, _, ok := w.reader.lines.Innermost(id); ok {
		w.running[line.Function] += of.value
	}
}

// has says whether a stack has a line or a function with enough to be read.
func (w *walk) has(id profile.StackID) bool {
	if line, _, ok := w.reader.lines.Innermost(id); ok && w.running[line.Function] >= w.least {
		return true
	}
	for _, loc := range w.p.Stack(id) {
		for _, n := range w.lineNumbers(loc) {
			if n >= 0 && w.spent[n] >= w.least {
				return true
			}
		}
	}
	return false
}

// read adds the own lines of a stack that have enough.
func (w *walk) read(id profile.StackID, of *stacked) {
	w.stamp++
	w.lines, w.numbers = w.lines[:0], w.numbers[:0]
	for _, loc := range w.p.Stack(id) {
		w.lines = append(w.lines, w.p.Lines(loc)...)
		w.numbers = append(w.numbers, w.lineNumbers(loc)...)
	}
	var caller profile.Line
	outer := 0
	for at, line := range slices.Backward(w.lines) {
		n := w.numbers[at]
		if n < 0 {
			continue
		}
		if w.seen[n] == w.stamp { // a function that calls itself
			caller = line
			continue
		}
		w.seen[n] = w.stamp
		if w.spent[n] >= w.least {
			w.add(line, w.lines[max(0, at-below):at], caller, outer, of)
		}
		caller = line
		outer++
	}
	if line, _, ok := w.reader.lines.Innermost(id); ok && w.running[line.Function] >= w.least {
		w.innermost[line] = append(w.innermost[line], of.rows...)
	}
}

// add adds the samples of a stack to a line of it.
func (w *walk) add(line profile.Line, inner []profile.Line, caller profile.Line, outer int, of *stacked) {
	k := step{line: line}
	if len(inner) > 0 {
		k.calls, k.callee = true, inner[len(inner)-1].Function
	}
	h := w.known[k]
	if h == nil {
		h = &hot{step: k, outer: outer, callers: map[profile.Line]int64{}, inner: map[profile.FunctionID]bool{}}
		w.known[k] = h
	}
	h.rows = append(h.rows, of.rows...)
	h.value += of.value
	h.events += of.events
	if outer > 0 {
		h.callers[caller] += of.events
	}
	for _, l := range inner {
		h.inner[l.Function] = true
	}
}

// caller is the own line that calls the function of a step most.
func (h *hot) caller() (line profile.Line, ok bool) { return ownline.Heaviest(h.callers) }

// join adds another step of the same line: what it calls is a part of the same work.
func (h *hot) join(o *hot) {
	h.rows = joinRows(h.rows, o.rows)
	h.value += o.value
	h.events += o.events
	h.share += o.share
}
