package growth

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"

	"whyhot/internal/explain/growth/exponent"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// TooFewError says that the runs were too short.
type TooFewError struct {
	Samples int64 // at the largest size
	Size    float64
	Factor  float64 // by which the sizes should be larger
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("too few samples: %d at size %.15g, and at least %d are needed; give sizes about %.0f times larger, or more --rounds", e.Samples, e.Size, fewestOfAll, e.Factor)
}

// fewestOfAll samples at the largest size from which an experiment is judged at all.
const fewestOfAll = 300

// Measured tells whether a profile is an experiment's.
func Measured(p *profile.Profile) bool {
	for i := range p.NumLabelSets() {
		for _, l := range p.Labels(profile.LabelSetID(i)) {
			if l.Key == LabelSize {
				return true
			}
		}
	}
	return false
}

// experiment is a profile by stack and size.
type experiment struct {
	frames  *frames
	sizes   []Size
	unit    string
	stacks  map[profile.StackID]tally
	total   tally
	missing []float64 // samples by size whose stacks broke off
	noise   exponent.Noise
}

// Fit judges the profile of an experiment.
func Fit(p *profile.Profile) (*Result, error) {
	e, err := newExperiment(p)
	if err != nil {
		return nil, err
	}
	last := len(e.sizes) - 1
	if n := e.sizes[last].Samples; n < fewestOfAll {
		const enough = 3 * fewestOfAll
		return nil, &TooFewError{n, e.sizes[last].N, max(2, math.Ceil(enough/float64(max(n, 1))))}
	}
	r := &Result{Version: 1, Command: p.Meta.Command, Unit: e.unit, Sizes: e.sizes, Functions: []Function{}}
	e.judge(r)
	e.others(r)
	return r, nil
}

type run struct{ size, round int64 }

func newExperiment(p *profile.Profile) (*experiment, error) {
	e := &experiment{frames: newFrames(p), stacks: map[profile.StackID]tally{}}
	runs := make([]run, p.NumLabelSets())
	rounds := int64(0)
	var sizes []int64
	for i := range runs {
		runs[i] = run{-1, 0}
		for _, l := range p.Labels(profile.LabelSetID(i)) {
			switch l.Key {
			case LabelSize:
				runs[i].size, e.unit = l.Num, l.Unit
			case LabelRound:
				runs[i].round = l.Num
			}
		}
		if n := runs[i].size; n > 0 && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
		rounds = max(rounds, runs[i].round+1)
	}
	slices.Sort(sizes)
	const fewestSizes = 3
	if len(sizes) < fewestSizes {
		return nil, fmt.Errorf("the profile has samples at %d sizes, and at least %d are needed: record one with whyhot grow, at larger sizes", len(sizes), fewestSizes)
	}
	for _, n := range sizes {
		e.sizes = append(e.sizes, Size{N: float64(n), Runs: int(rounds)})
	}
	e.total, e.missing = make(tally, len(sizes)), make([]float64, len(sizes))
	counts := make([][]float64, len(sizes))
	for i := range counts {
		counts[i] = make([]float64, rounds)
	}
	for _, s := range p.Samples() {
		r := runs[s.Labels]
		if r.size <= 0 {
			continue
		}
		i, _ := slices.BinarySearch(sizes, r.size)
		t := e.stacks[s.Stack]
		if t == nil {
			t = make(tally, len(sizes))
			e.stacks[s.Stack] = t
		}
		n := float64(s.Count)
		t[i] += n
		e.total[i] += n
		counts[i][r.round] += n
		e.sizes[i].Samples += s.Count
		e.sizes[i].CPUSeconds += float64(s.Value) / 1e9 / float64(rounds)
		if !e.frames.path(s.Stack).own && e.frames.cut(s.Stack) {
			e.missing[i] += n
		}
	}
	for i := range e.missing {
		// Where many stacks break off it is not because a program has just started: the share
		// is the same at each size.
		const usual = 0.3
		if e.missing[i] > usual*e.total[i] {
			e.missing = make([]float64, len(sizes))
			break
		}
	}
	if p.Meta.ValueType.Unit != "nanoseconds" {
		for i := range e.sizes {
			e.sizes[i].CPUSeconds = 0
		}
	}
	e.noise = exponent.Spread(counts)
	return e, nil
}

// cut tells whether a stack broke off.
func (f *frames) cut(id profile.StackID) bool {
	for _, loc := range f.p.Stack(id) {
		for _, l := range f.p.Lines(loc) {
			if f.p.Function(l.Function).Name == profile.TruncatedStack {
				return true
			}
		}
	}
	return false
}

// judge lists what grows, and foretells the costs.
func (e *experiment) judge(r *Result) {
	payers, doubtful := e.sure(e.united(e.newTree().find()))
	r.Notes = e.doubts(doubtful)
	rest := slices.Clone(e.total)
	for i := range payers {
		for k := range rest {
			rest[k] = max(0, rest[k]-payers[i].tally[k])
		}
	}
	last := len(e.sizes) - 1
	far := Factor * e.sizes[last].N
	var at []exponent.Fit
	whole := 0.0
	for i := range payers {
		fit, _ := e.fit(payers[i].tally)
		at = append(at, fit)
		whole += fit.At(far)
	}
	// What was not shown to grow faster is foretold to grow in proportion: a fit of little
	// would say anything.
	whole += Factor * rest[last] / float64(e.sizes[last].Runs)
	now := e.total[last] / float64(e.sizes[last].Runs)
	r.Times10x = round(whole/max(now, 1e-9), 2)
	for i := range payers {
		cost := e.cost(payers[i].tally, at[i], whole)
		if cost.At10x < leastAt10x {
			continue
		}
		r.Functions = append(r.Functions, e.function(&payers[i], cost))
	}
	slices.SortStableFunc(r.Functions, func(a, b Function) int { return cmp.Compare(b.At10x, a.At10x) })
	if fit, ok := e.fit(e.total); ok {
		r.Total = e.cost(e.total, fit, fit.At(far))
	}
}

// slower is by how much memory that no longer fits the caches may make code dearer on the
// largest input, and above which exponent it is not the cause however near the sizes are.
type slower struct{ times, power float64 }

var (
	pointers    = slower{5, 1.75} // compiled code, which may follow pointers
	scattered   = slower{6, 1.8}  // what touches each object once, wherever it is
	interpreted = slower{2, 1.5}  // an interpreter has so much else to do that it hardly shows
)

// least is what the lower end of the exponent at a payer's line must exceed.
func (e *experiment) least(f *found) float64 {
	s := pointers
	switch op := e.operation(f); op.Kind {
	case Copy, Search, Compare, Format, Fault: // in order: what there is to do is what it costs
		return Threshold
	case Sort, Hash, Free, Alloc, Collect:
		s = scattered
	default:
		if isInterpreted(e.frames.language[f.way[len(f.way)-1].function]) {
			s = interpreted
		}
	}
	wide := math.Log(e.sizes[len(e.sizes)-1].N / e.sizes[0].N)
	return max(Threshold, min(s.power, 1+math.Log(s.times)/wide))
}

// sure parts the payers from those whose growth may have another cause: memory, or a
// runtime's threads, which no line of the program is known to keep busy.
func (e *experiment) sure(all []found) (payers, doubtful []found) {
	for i := range all {
		f := &all[i]
		runtimes := !e.own(f) && (e.operation(f).Kind == Collect || e.hasOwn())
		if runtimes || !e.grows(f.tally, e.least(f)) {
			doubtful = append(doubtful, *f)
			continue
		}
		payers = append(payers, *f)
	}
	return payers, doubtful
}

// hasOwn tells whether most of the CPU time at the largest size has lines of the program.
func (e *experiment) hasOwn() bool {
	own, last := 0.0, len(e.sizes)-1
	for id, t := range e.stacks {
		if e.frames.path(id).own {
			own += t[last]
		}
	}
	const most = 0.5
	return own >= most*e.total[last]
}

const mostNotes = 3

// doubts says what of the rest may interest.
func (e *experiment) doubts(all []found) []string {
	var notes []string
	last := len(e.sizes) - 1
	for i := range all {
		f := &all[i]
		fit, ok := e.fit(f.tally)
		share := f.tally[last] / e.total[last]
		const worth = 0.05
		if !ok || share < worth || len(notes) == mostNotes {
			continue
		}
		place := e.frames.place(f.way[len(f.way)-1])
		where := place.Function
		if place.File != "" && place.Line > 0 {
			where = fmt.Sprintf("%s at %s:%d", place.Function, path.Base(place.File), place.Line)
		}
		why := "memory that no longer fits the caches may explain it; sizes over a wider range would tell"
		if !e.own(f) {
			why = "no line of the program is known to cause it"
		}
		notes = append(notes, fmt.Sprintf("%s is n^%.2f (%.2f to %.2f), %s today: %s", where, fit.Exponent, fit.Low, fit.High, percent.Text(share), why))
	}
	return notes
}

// leastAt10x is the share of the CPU time at 10× from which a cost is listed.
const leastAt10x = 0.05

func (e *experiment) cost(t tally, fit exponent.Fit, whole float64) Cost {
	last := len(e.sizes) - 1
	c := Cost{
		Exponent: round(fit.Exponent, 3), Low: round(fit.Low, 3), High: round(fit.High, 3), fit: fit,
		Share: round(t[last]/e.total[last], 4),
		At10x: round(min(1, fit.At(Factor*e.sizes[last].N)/max(whole, 1e-9)), 4),
	}
	for _, n := range t {
		c.Counts = append(c.Counts, int64(n))
	}
	return c
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

// near is how far apart two lines of one loop are at most.
const near = 10

// united makes one of payers at the same line, and of lines of one function near each
// other that cause the same kind of work: those of one loop.
func (e *experiment) united(all []found) []found {
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(e.excess(b.tally), e.excess(a.tally)) })
	var out []found
next:
	for _, f := range all {
		s := f.way[len(f.way)-1]
		for i := range out {
			o := out[i].way[len(out[i].way)-1]
			same := o.function == s.function && (o.line == s.line || abs(o.line-s.line) <= near && e.operation(&out[i]).Kind == e.operation(&f).Kind)
			if !same {
				continue
			}
			sum := slices.Clone(out[i].tally)
			sum.add(f.tally)
			out[i].tally = sum
			out[i].others = append(out[i].others, f)
			continue next
		}
		out = append(out, f)
	}
	return out
}

func abs(x int32) int32 { return max(x, -x) }

// function is a payer as it is told.
func (e *experiment) function(f *found, cost Cost) Function {
	last := f.way[len(f.way)-1]
	out := Function{Place: e.frames.place(last), Cost: cost, Own: e.own(f)}
	for _, s := range slices.Backward(f.way[:len(f.way)-1]) {
		out.Callers = append(out.Callers, e.frames.place(s))
	}
	op := e.operation(f)
	if op.Kind != "" || op.Name != "" {
		out.Operation = &op
	}
	out.Cure = cureOf(op.Kind, e.frames.language[last.function])
	for _, o := range f.others {
		line := o.way[len(o.way)-1].line
		if line == last.line || line == 0 {
			continue
		}
		k := len(e.sizes) - 1
		out.Lines = append(out.Lines, LineCost{line, round(o.tally[k]/e.total[k], 4)})
	}
	return out
}

// below gives the stacks that go through a payer's line.
func (e *experiment) below(f *found, each func(*ownPath, tally)) {
	for id, t := range e.stacks {
		p := e.frames.path(id)
		if len(p.steps) < len(f.way) {
			continue
		}
		depth := len(f.way) - 1
		if !slices.Equal(p.steps[:depth], f.way[:depth]) || p.steps[depth].function != f.way[depth].function {
			continue
		}
		if f.whole || p.steps[depth].line == f.way[depth].line {
			each(p, t)
		}
	}
}

func (e *experiment) own(f *found) (own bool) {
	e.below(f, func(p *ownPath, _ tally) { own = own || p.own })
	return own
}

// operation is what most of a payer's growth does: "" where it is the line's own work.
func (e *experiment) operation(f *found) Operation {
	type known struct {
		kind Kind
		name string
	}
	kinds, names, all := map[Kind]float64{}, map[known]float64{}, 0.0
	e.below(f, func(p *ownPath, t tally) {
		x := t[len(t)-1] - t[0]
		all += x
		kinds[p.kind] += x
		names[known{p.kind, p.name}] += x
	})
	best := Operation{}
	most := 0.0
	for _, k := range sortedKeys(kinds) {
		if kinds[k] > most {
			best.Kind, most = k, kinds[k]
		}
	}
	if all > 0 {
		best.Share = round(most/all, 4)
	}
	most = 0
	for k, x := range names {
		if k.kind == best.Kind && (x > most || x == most && k.name < best.Name) {
			best.Name, most = k.name, x
		}
	}
	return best
}
