package repetition

import (
	"cmp"
	"slices"
	"time"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/profile/startup"
	"whyhot/internal/profile/tenths"
)

// What a line must show to be told.
const (
	leastShare  = 0.10 // of the profile
	leastSure   = 0.07 // with sampling's error taken off
	leastEvents = 30
	leastTime   = 500 * time.Millisecond // of one that takes milliseconds
	fastest     = 1000                   // samples a second, where they have no time of their own
	mostShare   = 0.95                   // of what its function takes: else it is the job
	leastUse    = 0.03                   // of the making, by the function that makes
	leastUses   = 10                     // samples of it
	mostDepth   = 3                      // functions of libraries between the line and the making
	leastSlices = 8                      // of these that must have some of the making
)

// made is what a line makes.
type made struct {
	line     profile.Line
	maker    profile.FunctionID
	cost     cost
	samples  []int32
	value    int64
	events   int64
	share    float64
	spread   int // slices of the run that have some, of tenths.Of; -1 without times
	counted  *profile.FunctionCalls
	function int64 // events of the line's function, the making among them
	// isObject: what is made is some object, which may be changed while it is used.
	isObject bool
}

// find gives the lines that make something repeatedly, the dearest first.
func find(p *profile.Profile) []made {
	if p.Total() <= 0 {
		return nil
	}
	f := newFinder(p)
	var out []made
	for _, m := range f.gather() {
		if f.told(m) {
			out = append(out, *m)
		}
	}
	slices.SortFunc(out, func(a, b made) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.line.Function, b.line.Function), cmp.Compare(a.line.Line, b.line.Line), cmp.Compare(a.maker, b.maker))
	})
	return out
}

type finder struct {
	p     *profile.Profile
	lines *ownline.Lines
	costs []cost // by function
	glue  func(profile.FunctionID) bool
}

func newFinder(p *profile.Profile) *finder {
	f := &finder{p: p, lines: ownline.Of(p), costs: make([]cost, p.NumFunctions()), glue: memo(p, func(id profile.FunctionID) bool { return isGlue(p, id) })}
	for i := range f.costs {
		id := profile.FunctionID(i)
		if from := ownline.Origin(p, id); from == origin.Library || from == origin.Runtime || ownline.BuiltIn(p.Function(id)) {
			f.costs[i] = costOf(p.Function(id))
		}
	}
	return f
}

// gather reads all samples. What a runtime does to start is left out.
func (f *finder) gather() []*made {
	type key struct {
		line  profile.Line
		maker string
	}
	known := map[key]*made{}
	functions := map[profile.FunctionID]int64{}
	starts := startup.Within(f.p)
	clock := tenths.New(f.p)
	for i := range f.p.Samples() {
		s := &f.p.Samples()[i]
		line, depth, ok := f.lines.Innermost(s.Stack)
		if !ok || starts(s) {
			continue
		}
		functions[line.Function] += s.Count
		maker, c := f.maker(f.p.Stack(s.Stack)[:depth])
		if c == none {
			continue
		}
		k := key{line, f.p.Function(maker).Name}
		m := known[k]
		if m == nil {
			m = &made{line: line, maker: maker, cost: c}
			known[k] = m
		}
		m.samples = append(m.samples, int32(i)) //nolint:gosec // rows are numbered so
		m.value += s.Value
		m.events += s.Count
	}
	out := make([]*made, 0, len(known))
	for _, m := range known {
		m.function = functions[m.line.Function]
		m.spread = clock.Spread(m.samples)
		out = append(out, m)
	}
	return out
}

// maker is the outermost function below a line that makes a tool, of the first few of
// libraries; inner locations come first.
func (f *finder) maker(below []profile.LocationID) (profile.FunctionID, cost) {
	depth := 0
	for _, loc := range slices.Backward(below) {
		for _, l := range slices.Backward(f.p.Lines(loc)) {
			if c := f.costs[l.Function]; c != none {
				return l.Function, c
			}
			if f.glue(l.Function) {
				continue
			}
			if depth++; depth > mostDepth {
				return 0, none
			}
		}
	}
	return 0, none
}

// isGlue says whether a function is an interpreter's way from one function to the next.
func isGlue(p *profile.Profile, id profile.FunctionID) bool {
	fn := p.Function(id)
	if fn.Name == "" || fn.Name == "[method in C]" || fn.File == "" && fn.Kind > profile.KindJIT {
		return true
	}
	return origin.Of(p, id) == origin.Runtime && fn.Kind == profile.KindNative
}

// told decides, and completes.
func (f *finder) told(m *made) bool {
	m.share = float64(m.value) / float64(f.p.Total())
	if m.events < leastEvents || !sure(f.p, m.value, leastShare, leastSure) {
		return false
	}
	m.counted = f.p.CallsOf(m.maker)
	is, sure, denied := m.repeats()
	if sure || denied {
		return sure
	}
	uses := m.function - m.events
	if float64(m.events) > mostShare*float64(m.function) || uses < leastUses || float64(uses) < leastUse*float64(m.events) {
		return false
	}
	if m.spread >= 0 && m.spread < leastSlices {
		return false
	}
	return is || m.spread >= leastSlices || m.cost == brief && timeOf(f.p, m.value, m.events) >= leastTime
}

// timeOf is the CPU time of samples, at least.
func timeOf(p *profile.Profile, value, events int64) time.Duration {
	if p.Meta.ValueType.Unit == "nanoseconds" {
		return time.Duration(value)
	}
	return time.Duration(events) * time.Second / fastest
}
