package unexplained

import (
	"cmp"
	"slices"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

const (
	// wide is the share of all samples, in no finding, from which a function is shown whose work is
	// spread over what it calls.
	wide = 0.25
	// alone is the part of a function's work from which one function below it, or its own lines, have
	// it, or several such functions: then it is those that are to be looked at.
	alone = 0.6
	// whole is the part of a function's work from which it is all below another.
	whole = 0.8
	// mostSpread is how many are shown, and counted the part from which a function below counts.
	mostSpread = 2
	counted    = 0.02
)

// Spread lists functions of the program below which much of what no finding explains is spread over
// others, each with little, and the lines that call them: there the work is asked for. Functions with
// much of their own are not among them, which Functions lists, nor those through which all goes on to
// one other, or to several that are spread.
//
// Example. A parser asks at each statement which features are in force (52%), for which thirty
// functions walk the tree with a few percent each: that question is shown, with the two lines that ask.
func (r *Reader) Spread() []finding.Unexplained {
	s := newSpreads(r)
	var found []*spread
	for _, f := range s.wide {
		if s.isSpread(f) {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b *spread) int { return cmp.Or(-cmp.Compare(a.open, b.open), cmp.Compare(a.id, b.id)) })
	var out []finding.Unexplained
	for _, f := range found {
		if len(out) < mostSpread && !goesOn(f, found) {
			out = append(out, s.describe(f))
		}
	}
	return out
}

// spread is what runs in a function of the program, and in what that calls.
type spread struct {
	id              profile.FunctionID
	all, open, self int64
	number          int            // among those that count, -1 for none
	below           []int64        // of open, by the numbers of functions further in; nil for one that is not wide
	from            map[place]*hot // lines of the program that call it
}

type spreads struct {
	*Reader

	own  [][]profile.Line // of each location, outermost first
	of   []spread         // by function
	seen []int            // by function, the last stack that had it
	wide []*spread
}

// newSpreads adds up the samples by the functions of the program on their stacks, of which each
// counts once, where it is outermost; a second time for those that are wide alone, with what is below
// them.
func newSpreads(r *Reader) *spreads {
	p := r.Profile
	s := &spreads{
		Reader: r, own: make([][]profile.Line, p.NumLocations()),
		of: make([]spread, p.NumFunctions()), seen: make([]int, p.NumFunctions()),
	}
	all, open := s.weights()
	turn := 0
	for id := range all {
		turn++
		s.total(s.stack(profile.StackID(id)), turn, all[id], open[id]) //nolint:gosec // stacks are numbered so
	}
	counts := 0
	for id := range s.of {
		f := &s.of[id]
		f.id, f.number = profile.FunctionID(id), -1 //nolint:gosec // functions are numbered so
		if float64(f.open) >= counted*wide*float64(p.Total()) {
			f.number = counts
			counts++
		}
		if float64(f.open) >= wide*float64(p.Total()) && 2*f.open >= f.all {
			s.wide = append(s.wide, f)
		}
	}
	for _, f := range s.wide {
		f.below, f.from = make([]int64, counts), map[place]*hot{}
	}
	for id, v := range open {
		if turn++; v > 0 && len(s.wide) > 0 {
			s.nest(s.stack(profile.StackID(id)), turn, v) //nolint:gosec // stacks are numbered so
		}
	}
	return s
}

// weights are those of each stack, of all samples and of those that no finding explains.
func (s *spreads) weights() (all, open []int64) {
	all, open = make([]int64, s.Profile.NumStacks()), make([]int64, s.Profile.NumStacks())
	samples := s.Profile.Samples()
	for i := range samples {
		all[samples[i].Stack] += samples[i].Value
		if !s.explained[i] {
			open[samples[i].Stack] += samples[i].Value
		}
	}
	return all, open
}

// stack gives the locations of a stack, innermost first, once own has the lines of each.
func (s *spreads) stack(id profile.StackID) []profile.LocationID {
	stack := s.Profile.Stack(id)
	for _, loc := range stack {
		if s.own[loc] == nil {
			lines := []profile.Line{}
			for _, l := range slices.Backward(s.Profile.Lines(loc)) {
				if s.whose.isOwn(l.Function) {
					lines = append(lines, l)
				}
			}
			s.own[loc] = lines
		}
	}
	return stack
}

func (s *spreads) total(stack []profile.LocationID, turn int, all, open int64) {
	last := profile.FunctionID(0)
	has := false
	for _, loc := range slices.Backward(stack) {
		for _, l := range s.own[loc] {
			last, has = l.Function, true
			if s.seen[l.Function] == turn {
				continue
			}
			s.seen[l.Function] = turn
			s.of[l.Function].all += all
			s.of[l.Function].open += open
		}
	}
	if has {
		s.of[last].self += open
	}
}

// nest adds what is below wide functions, and who calls them.
func (s *spreads) nest(stack []profile.LocationID, turn int, open int64) {
	var around []*spread // wide functions further out
	var before profile.Line
	for _, loc := range slices.Backward(stack) {
		for _, l := range s.own[loc] {
			f := &s.of[l.Function]
			if f.number < 0 || s.seen[l.Function] == turn {
				before = l
				continue
			}
			s.seen[l.Function] = turn
			for _, w := range around {
				w.below[f.number] += open
			}
			if f.below != nil {
				around = append(around, f)
				if before.Line > 0 {
					at := place{s.Profile.Function(before.Function).File, before.Line, before.Function}
					if f.from[at] == nil {
						f.from[at] = &hot{place: at}
					}
					f.from[at].value += open
				}
			}
			before = l
		}
	}
}

// isSpread says whether the work below a wide function is nobody's alone.
func (s *spreads) isSpread(f *spread) bool {
	return len(f.from) > 0 && canBeLookedAt(s.Profile.Function(f.id)) && float64(max(f.self, slices.Max(f.below))) < alone*float64(f.open)
}

// goesOn says whether most of a function's work goes on to others that are spread, of which one
// that is below another counts with that.
func goesOn(f *spread, found []*spread) bool {
	var sum int64
	for _, o := range found {
		if f.below[o.number] > 0 && !slices.ContainsFunc(found, func(q *spread) bool {
			return q != o && q != f && f.below[q.number] > 0 && float64(q.below[o.number]) >= whole*float64(o.open)
		}) {
			sum += f.below[o.number]
		}
	}
	return float64(sum) >= alone*float64(f.open)
}

func (s *spreads) describe(f *spread) finding.Unexplained {
	p := s.Profile
	share := s.share(f.open)
	margin := finding.ShareError(share, p.Count())
	u := finding.Unexplained{
		Place: placeOfFunction(p, f.id),
		Share: finding.Share{Inclusive: &share, Error: &margin}, Looked: s.Looked,
	}
	for _, v := range f.below {
		if float64(v) >= counted*float64(f.open) {
			u.Spread++
		}
	}
	for _, h := range hottest(f.from, f.open) {
		u.Lines = append(u.Lines, s.line(f.id, h))
	}
	if len(u.Lines) > 0 && p.Function(f.id).Kind == profile.KindJS {
		u.Looked += linesOfV8
	}
	return u
}
