package passes

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
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
	p     *profile.Profile
	facts judge.Facts
	lines *ownline.Lines
	files map[string]*text.File // nil where a file cannot be read
	// spent is the value of each own line with all below it, whatever it calls.
	spent map[profile.Line]int64
	// innermost are the rows in which a line is the innermost own one, of functions that have
	// enough of those.
	innermost map[profile.Line][]int32
	buffer    []profile.Line
	seen      map[profile.Line]uint64 // the stamp of the last stack with a line
	stamp     uint64
}

func newReader(s judge.Subject) *reader {
	return &reader{p: s.Profile, facts: s.Facts, lines: ownline.Of(s.Profile), files: map[string]*text.File{},
		spent: map[profile.Line]int64{}, innermost: map[profile.Line][]int32{}, seen: map[profile.Line]uint64{}}
}

// file is the text of a function's source.
func (r *reader) file(id profile.FunctionID) *text.File {
	path := r.p.Function(id).File
	f, known := r.files[path]
	if !known {
		if lines, ok := r.facts.Source(path); ok {
			f, _ = text.Read(path, lines)
		}
		r.files[path] = f
	}
	return f
}

// below are how many functions below a line are looked at for the one that the line calls.
const below = 4

// stacked are the samples of one stack.
type stacked struct {
	rows          []int32
	value, events int64
}

// stacks are the samples by stack, without those of a runtime that starts.
func (r *reader) stacks() []stacked {
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
	return out
}

// hottest gives the steps that are worth reading, the outermost first and of those the dearest.
// It goes over the stacks twice: most lines and functions have too little for more.
func (r *reader) hottest() []*hot {
	stacks := r.stacks()
	total := float64(max(r.p.Total(), 1))
	running := map[profile.FunctionID]int64{} // where it is the innermost own function
	for id := range stacks {
		if of := &stacks[id]; of.events > 0 {
			r.total(profile.StackID(id), of, running) //nolint:gosec // stacks are numbered so
		}
	}
	enough := func(v int64) bool { return float64(v) >= leastShare*total }
	known := map[step]*hot{}
	for id := range stacks {
		if of := &stacks[id]; of.events > 0 {
			r.read(known, profile.StackID(id), of, running, enough) //nolint:gosec // stacks are numbered so
		}
	}
	for _, rows := range r.innermost {
		slices.Sort(rows)
	}
	var out []*hot
	for _, h := range known {
		slices.Sort(h.rows)
		h.share = float64(h.value) / total
		if h.events >= leastEvents && h.share >= leastShare && h.share-finding.ShareError(h.share, r.p.Count()) >= leastSure {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b *hot) int {
		return cmp.Or(cmp.Compare(a.outer, b.outer), cmp.Compare(b.value, a.value), cmp.Compare(a.line.Function, b.line.Function), cmp.Compare(a.line.Line, b.line.Line), cmp.Compare(a.callee, b.callee))
	})
	return out
}

// frames are the lines of a stack, innermost first. It begins a stack for isSeen.
func (r *reader) frames(id profile.StackID) []profile.Line {
	r.buffer = r.buffer[:0]
	r.stamp++
	for _, loc := range r.p.Stack(id) {
		r.buffer = append(r.buffer, r.p.Lines(loc)...)
	}
	return r.buffer
}

// isSeen says whether the stack had a line before: a function that calls itself.
func (r *reader) isSeen(line profile.Line) bool {
	was := r.seen[line]
	r.seen[line] = r.stamp
	return was == r.stamp
}

// total adds up what the own lines of a stack have, and its innermost own function.
func (r *reader) total(id profile.StackID, of *stacked, running map[profile.FunctionID]int64) {
	frames := r.frames(id)
	first := true
	for _, line := range frames {
		if !r.lines.IsOwn(line.Function) {
			continue
		}
		if first {
			running[line.Function] += of.value
			first = false
		}
		if line.Line > 0 && !r.isSeen(line) {
			r.spent[line] += of.value
		}
	}
}

// read adds the own lines of a stack that have enough.
func (r *reader) read(known map[step]*hot, id profile.StackID, of *stacked, running map[profile.FunctionID]int64, enough func(int64) bool) {
	frames := r.frames(id)
	var caller profile.Line
	outer := 0
	for at, line := range slices.Backward(frames) {
		if !r.lines.IsOwn(line.Function) || line.Line <= 0 {
			continue
		}
		if r.isSeen(line) { // recursion
			caller = line
			continue
		}
		if enough(r.spent[line]) {
			k := step{line: line}
			inner := frames[max(0, at-below):at]
			if len(inner) > 0 {
				k.calls, k.callee = true, inner[len(inner)-1].Function
			}
			h := known[k]
			if h == nil {
				h = &hot{step: k, outer: outer, callers: map[profile.Line]int64{}, inner: map[profile.FunctionID]bool{}}
				known[k] = h
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
		caller = line
		outer++
	}
	for _, line := range frames {
		if r.lines.IsOwn(line.Function) {
			if enough(running[line.Function]) {
				r.innermost[line] = append(r.innermost[line], of.rows...)
			}
			break
		}
	}
}

// caller is the own line that calls the function of a step most.
func (h *hot) caller() (line profile.Line, ok bool) {
	var most int64
	for l, n := range h.callers {
		if n > most || n == most && (l.Function < line.Function || l.Function == line.Function && l.Line < line.Line) {
			line, most, ok = l, n, true
		}
	}
	return line, ok
}

// join adds another step of the same line: what it calls is a part of the same work.
func (h *hot) join(o *hot) {
	h.rows = append(slices.Clone(h.rows), o.rows...)
	slices.Sort(h.rows)
	h.rows = slices.Compact(h.rows)
	h.value += o.value
	h.events += o.events
	h.share += o.share
}
