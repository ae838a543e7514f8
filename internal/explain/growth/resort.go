package growth

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/growth/primitive"
	"whyhot/internal/profile"
)

// What must show before a program is told to sort again and again.
const (
	resortShare  = 0.3
	resortTurns  = 20   // how often sorting begins anew, at least
	resortOthers = 0.02 // of the samples between the first and the last of sorting, that others take
)

// resort is what is known of sorting, in whatever language: the way to find it is the same.
var resort = primitive.Row{
	Operation: "sort", Does: primitive.Sorts, Container: "list",
	Cure: "Keep the list in order: a heap or a tree for the smallest, an insertion at its place, or one sort after the loop; where a part is wanted, a partial sort; where the comparison is dear, a key that is computed once",
}

// resorts tells whether a program sorts again and again: by the times of its samples, sorting
// gives way to other work and comes back. A program that sorts what it has read does that once.
//
// Example. A queue sorts all that wait whenever one is taken: 86% of the samples are in the
// sort, which starts at least 51 times, with samples of the caller between.
func resorts(f *frames) []Through {
	p := f.p
	threads := map[threadKey]map[int64]*slice{}
	places := map[step]float64{}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if s.Time == 0 {
			continue
		}
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		name, _ := p.Label(s.Labels, profile.LabelThread)
		k := threadKey{pid.Num, name.Str}
		if threads[k] == nil {
			threads[k] = map[int64]*slice{}
		}
		t := threads[k][s.Time]
		if t == nil {
			t = &slice{at: s.Time}
			threads[k][s.Time] = t
		}
		t.value += s.Value
		at, sorts := f.sorter(s.Stack)
		if !sorts {
			t.others += s.Count
			continue
		}
		t.sorting += s.Count
		t.rows = append(t.rows, int32(i)) //nolint:gosec // rows are numbered so
		if at.function >= 0 {
			places[at] += float64(s.Count)
		}
	}
	w := Through{Row: &resort, Name: "sorting"}
	var turns int
	var others, span int64
	for _, t := range threads {
		inOrder := make([]*slice, 0, len(t))
		for _, one := range t {
			inOrder = append(inOrder, one)
		}
		slices.SortFunc(inOrder, func(a, b *slice) int { return cmp.Compare(a.at, b.at) })
		within := sorted(inOrder)
		if len(within) == 0 || !isOneThread(within) {
			continue
		}
		turns += turnsOf(within)
		for _, one := range within {
			others += one.others
			span += one.others + one.sorting
			w.Samples = append(w.Samples, one.rows...)
		}
	}
	w.Share = p.Share(w.Samples)
	if w.Share < resortShare || turns < resortTurns || float64(others) < resortOthers*float64(span) {
		return nil
	}
	slices.Sort(w.Samples)
	if len(places) > 0 {
		w.Place = f.place(heaviestStep(places))
	} else {
		w.Binary = f.program(p.Samples()[w.Samples[0]].Stack)
	}
	w.Turns = turns
	return []Through{w}
}

// inOrder is how an awk script has each loop over an array sorted.
var inOrder = regexp.MustCompile(`PROCINFO\[\s*"sorted_in"\s*\]\s*=`)

// setSorter finds in an awk script what has it sort: the runtime does so before each loop over
// an array.
func (w *Through) setSorter(of sources) {
	if w.Line > 0 || !strings.Contains(filepath.Base(w.Binary), "awk") {
		return
	}
	for _, path := range append(slices.Clone(of.paths), of.named...) {
		lines, ok := of.lines(path)
		if !ok || filepath.Ext(path) == ".sh" {
			continue
		}
		for n, line := range lines {
			if inOrder.MatchString(line) {
				r := *w.Row
				r.Cure = `Set PROCINFO["sorted_in"] before the loop that prints in order, and delete it after: while it is set, each "for (k in array)" sorts all of its keys`
				w.Row = &r
				w.set(path, []int{n + 1})
				return
			}
		}
	}
}

type threadKey struct {
	pid  int64
	name string // threads of one name are one, unless they run at once
}

// slice is what a thread did at one time, to the precision of the recording.
type slice struct {
	at              int64
	sorting, others int64
	value           int64
	rows            []int32 // of sorting
}

// sorted is the part from the first to the last slice with sorting.
func sorted(all []*slice) []*slice {
	first := slices.IndexFunc(all, func(s *slice) bool { return s.sorting > 0 })
	if first < 0 {
		return nil
	}
	last := len(all) - 1
	for all[last].sorting == 0 {
		last--
	}
	return all[first : last+1]
}

// isOneThread says whether so little ran that it may have been one thread: of several, one may
// sort while the others do something else.
func isOneThread(all []*slice) bool {
	const little = 1.15
	if len(all) < 2 {
		return false
	}
	elapsed := all[len(all)-1].at - all[0].at
	elapsed += elapsed / int64(len(all)-1) // the last slice has a length, too
	var value int64
	for _, s := range all {
		value += s.value
	}
	return float64(value) <= little*float64(elapsed)
}

// turnsOf is how often sorting began anew, at least: within a slice, or from one to the next.
func turnsOf(all []*slice) (turns int) {
	before := true
	for _, s := range all {
		switch {
		case s.sorting > 0 && s.others > 0:
			turns++
		case s.sorting > 0 && !before:
			turns++
		}
		before = s.sorting > 0
	}
	return turns
}

// sorter says whether a stack is within a sort, and which line of the program asked for it; of
// none the function is negative.
func (f *frames) sorter(id profile.StackID) (at step, sorts bool) {
	at.function = -1
	stack := f.p.Stack(id)
	inScript := false
	for _, loc := range slices.Backward(stack) {
		for _, l := range slices.Backward(f.p.Lines(loc)) {
			fn := f.p.Function(l.Function)
			if f.kinds[l.Function] == Sort {
				// V8 sorts keys that are numbers for Object.keys; arrays it sorts in code of its own.
				return at, !inScript || !strings.Contains(fn.Name, "std::")
			}
			inScript = (inScript || fn.Kind == profile.KindJS) && !strings.Contains(fn.Name, "TypedArraySort")
			if f.isOwn(l.Function) && l.Line > 0 {
				at = step{f.of[l.Function], l.Line}
			}
		}
	}
	return at, false
}

func heaviestStep(m map[step]float64) (best step) {
	first := true
	for at, n := range m {
		if first || n > m[best] || n == m[best] && (at.function < best.function || at.function == best.function && at.line < best.line) {
			best, first = at, false
		}
	}
	return best
}
