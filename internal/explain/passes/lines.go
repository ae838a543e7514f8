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
	// rows are the rows of each own line, those in which it is the innermost own one.
	innermost map[profile.Line][]int32
}

func newReader(s judge.Subject) *reader {
	return &reader{p: s.Profile, facts: s.Facts, lines: ownline.Of(s.Profile), files: map[string]*text.File{},
		spent: map[profile.Line]int64{}, innermost: map[profile.Line][]int32{}}
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

// hottest gives the steps that are worth reading, the outermost first and of those the dearest.
func (r *reader) hottest() []*hot {
	known := map[step]*hot{}
	starts := startup.Within(r.p)
	for i := range r.p.Samples() {
		s := &r.p.Samples()[i]
		if starts(s) {
			continue
		}
		r.read(known, i, s)
	}
	total := float64(max(r.p.Total(), 1))
	var out []*hot
	for _, h := range known {
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

// read adds the own lines of a sample.
func (r *reader) read(known map[step]*hot, row int, s *profile.Sample) {
	var frames []profile.Line // innermost first
	for _, loc := range r.p.Stack(s.Stack) {
		frames = append(frames, r.p.Lines(loc)...)
	}
	seen := map[profile.Line]bool{}
	var caller profile.Line
	outer := 0
	for at, line := range slices.Backward(frames) {
		if !r.lines.IsOwn(line.Function) || line.Line <= 0 {
			continue
		}
		if seen[line] { // recursion
			caller = line
			continue
		}
		seen[line] = true
		r.spent[line] += s.Value
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
		h.rows = append(h.rows, int32(row)) //nolint:gosec // rows are numbered so
		h.value += s.Value
		h.events += s.Count
		if outer > 0 {
			h.callers[caller] += s.Count
		}
		for _, l := range inner {
			h.inner[l.Function] = true
		}
		caller = line
		outer++
	}
	for _, line := range frames {
		if r.lines.IsOwn(line.Function) {
			r.innermost[line] = append(r.innermost[line], int32(row)) //nolint:gosec // rows are numbered so
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
