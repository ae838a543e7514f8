package repetition

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/profile/startup"
)

// hot is a function with all samples that have it on their stack.
type hot struct {
	function profile.FunctionID
	counted  *profile.FunctionCalls
	samples  []int32
	value    int64
	events   int64
	top      int64 // of value: called by a function that runs once
	again    int64 // of value: it is within itself
	last     int32 // the row that was added to again last
}

// dearest orders them by what they take, the most first.
func dearest(a, b *hot) int {
	return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.function, b.function))
}

func (h *hot) share(p *profile.Profile) float64 { return float64(h.value) / float64(p.Total()) }

// isRecursive says whether the function is within itself in most of its samples.
func (h *hot) isRecursive() bool { return halfOf*h.again >= h.value }

// each is what one call takes, at most: by the samples, or by the clock where that says less,
// since counting makes calls longer and may have ended before the command.
func (h *hot) each(p *profile.Profile) time.Duration {
	all := timeOf(p, h.value, h.events)
	var clock time.Duration
	for _, t := range h.counted.Times {
		clock += time.Duration(t) //nolint:gosec // nanoseconds
	}
	if clock > 0 {
		all = min(all, clock)
	}
	return all / time.Duration(max(h.counted.Count, 1)) //nolint:gosec // a count
}

// countedFunctions are those of which it is known how often they were called.
func countedFunctions(p *profile.Profile) []*hot {
	if p.Total() <= 0 || !slices.ContainsFunc(p.Meta.Functions, func(c profile.FunctionCalls) bool { return c.Looked > 0 || len(c.Times) > 0 }) {
		return nil
	}
	byID := map[profile.FunctionID]*profile.FunctionCalls{}
	all := hotFunctions(p, func(id profile.FunctionID) bool {
		byID[id] = p.CallsOf(id)
		return byID[id] != nil
	})
	for _, h := range all {
		h.counted = byID[h.function]
	}
	return all
}

// hotFunctions are those that wanted takes, each sample once for each of them; what a runtime
// does to start is left out. The outermost function of the program runs once, and those of which
// that was counted.
func hotFunctions(p *profile.Profile, wanted func(profile.FunctionID) bool) []*hot {
	lines, once, starts, passes := ownline.Of(p), runOnce(p), startup.Within(p), passing(p)
	known := make([]*hot, p.NumFunctions())
	asked := make([]bool, p.NumFunctions())
	var out []*hot
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if starts(s) {
			continue
		}
		stack := p.Stack(s.Stack)
		outermost, isOwn := outermostOwn(p, lines, stack)
		for at, loc := range stack {
			for n, line := range p.Lines(loc) {
				id := line.Function
				if !asked[id] {
					asked[id] = true
					if wanted(id) {
						known[id] = &hot{function: id, last: -1}
						out = append(out, known[id])
					}
				}
				h, row := known[id], int32(i) //nolint:gosec // rows are numbered so
				if h == nil {
					continue
				}
				if len(h.samples) > 0 && h.samples[len(h.samples)-1] == row {
					if h.last != row {
						h.last = row
						h.again += s.Value
					}
					continue
				}
				h.samples = append(h.samples, row)
				h.value += s.Value
				h.events += s.Count
				if caller, ok := callerOf(p, passes, stack, at, n); ok && (isOwn && caller == outermost || once(caller)) {
					h.top += s.Value
				}
			}
		}
	}
	return out
}

// memo asks about each function once, since a profile has millions of frames.
func memo(p *profile.Profile, is func(profile.FunctionID) bool) func(profile.FunctionID) bool {
	const no, yes = 1, 2
	known := make([]uint8, p.NumFunctions())
	return func(id profile.FunctionID) bool {
		if known[id] == 0 {
			known[id] = no
			if is(id) {
				known[id] = yes
			}
		}
		return known[id] == yes
	}
}

// runOnce says which functions were called a single time, as far as that was counted.
func runOnce(p *profile.Profile) func(profile.FunctionID) bool {
	return memo(p, func(id profile.FunctionID) bool {
		c := p.CallsOf(id)
		return c != nil && c.Count == 1
	})
}

// inline are functions that a language makes of a part of another one: of an expression of
// Python, of a block of Ruby.
var inline = regexp.MustCompile(`<(genexpr|listcomp|setcomp|dictcomp|lambda)>$|^(rescue in |ensure in )?block (\(\d+ levels\) )?in `)

// unnamed are functions without a name of their own.
var unnamed = regexp.MustCompile(`^(<anonymous>|\(anonymous\)|\{closure.*\}|__ANON__.*)$|::__ANON__$`)

// heaviest is the line of the function that runs, or calls, for most of its samples.
func (h *hot) heaviest(p *profile.Profile) (profile.Line, bool) {
	of := map[profile.Line]int64{}
	for _, row := range h.samples {
		s := &p.Samples()[row]
		if line, ok := lineOf(p, s.Stack, h.function); ok {
			of[line] += s.Value
		}
	}
	return ownline.Heaviest(of)
}

// lineOf is the innermost line of a function in a stack.
func lineOf(p *profile.Profile, stack profile.StackID, id profile.FunctionID) (profile.Line, bool) {
	for _, loc := range p.Stack(stack) {
		for _, line := range p.Lines(loc) {
			if line.Function == id {
				return line, true
			}
		}
	}
	return profile.Line{}, false
}

// passing says which functions only lead from one to the next: an interpreter's, and what a language
// makes of a part of another one.
func passing(p *profile.Profile) func(profile.FunctionID) bool {
	return memo(p, func(id profile.FunctionID) bool { return isGlue(p, id) || inline.MatchString(p.Function(id).Name) })
}

// callerOf is the function that calls the n-th function of a location.
func callerOf(p *profile.Profile, passes func(profile.FunctionID) bool, stack []profile.LocationID, at, n int) (profile.FunctionID, bool) {
	for i, loc := range stack[at:] {
		lines := p.Lines(loc)
		if i == 0 {
			lines = lines[n+1:]
		}
		for _, line := range lines {
			if !passes(line.Function) {
				return line.Function, true
			}
		}
	}
	return 0, false
}

// outermostOwn is the outermost function of the program in a stack, where there is one.
func outermostOwn(p *profile.Profile, lines *ownline.Lines, stack []profile.LocationID) (profile.FunctionID, bool) {
	for _, loc := range slices.Backward(stack) {
		for _, line := range slices.Backward(p.Lines(loc)) {
			if lines.IsOwn(line.Function) {
				return line.Function, true
			}
		}
	}
	return 0, false
}

// isCountable says whether whyhot count can look into the calls of any function of its kind that
// has a source file.
func isCountable(fn *profile.Function) bool {
	switch fn.Kind {
	case profile.KindPython, profile.KindRuby, profile.KindJS, profile.KindPerl, profile.KindPHP, profile.KindJava:
		return fn.File != "" && !inline.MatchString(fn.Name) && !unnamed.MatchString(fn.Name) && !strings.HasPrefix(fn.File, "node:") && !strings.HasPrefix(fn.File, "<")
	}
	return false
}

// HasCountable says whether a profile has such functions.
func HasCountable(p *profile.Profile) bool {
	for id := range p.NumFunctions() {
		if isCountable(p.Function(profile.FunctionID(id))) { //nolint:gosec // functions are numbered so
			return true
		}
	}
	return false
}

// isTimeable says whether whyhot count can see how long calls of a function of machine code take,
// one of the program's own.
func isTimeable(p *profile.Profile, fn *profile.Function) bool {
	path := p.Mapping(fn.Mapping).Path
	return (fn.Kind == profile.KindNative || fn.Kind == profile.KindGo) && fn.Name != "" && fn.File != "" && filepath.IsAbs(path) &&
		ownline.OfFunction(fn, path) == origin.Own
}

// HotCandidates are functions, whatever they do, that take CandidateShare of the CPU or more
// with what they call, of those that can be counted or timed: the dearest first.
func HotCandidates(p *profile.Profile) []profile.FunctionID {
	if p.Total() <= 0 {
		return nil
	}
	all := hotFunctions(p, func(id profile.FunctionID) bool {
		fn := p.Function(id)
		return isCountable(fn) || isTimeable(p, fn)
	})
	all = slices.DeleteFunc(all, func(h *hot) bool { return h.events < candidateEvents || h.share(p) < CandidateShare })
	slices.SortFunc(all, dearest)
	out := make([]profile.FunctionID, len(all))
	for i, h := range all {
		out[i] = h.function
	}
	return out
}

// sure says whether a share is there, whatever sampling's error.
func sure(p *profile.Profile, value int64, least, leastSure float64) bool {
	share := float64(value) / float64(p.Total())
	return share >= least && share-finding.ShareError(share, p.Count()) >= leastSure
}
