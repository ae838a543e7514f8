package growth

import (
	"cmp"
	"math"
	"slices"

	"whyhot/internal/profile"
)

// Accumulation is a line whose copying (or searching, faulting, freeing) takes more and more
// beside the other work of its function, in one recording.
type Accumulation struct {
	Place
	Kind     Kind
	Name     string  // of the function by which the kind is known
	Share    float64 // of the profile
	Exponent float64 // of the work done so far by progress: 1 is steady, 2 is quadratic
	P        float64 // that a steady cost looks like it, for all lines judged
	Cure     string
	Samples  []int32 // what grows
}

// What an accumulation must show.
const (
	leastEvents   = 60   // of the growing work
	leastProgress = 25   // samples of the other work, by which progress is told
	leastOfRun    = 8    // and of each process
	leastOfAll    = 0.05 // of the profile
	leastPower    = 1.5
	mostPower     = 3.5
	mostChance    = 0.01
	leastMoved    = 0.25 // of the growing work: pages that are touched for the first time grow with any heap
)

// moment is a slice of a recording: samples of growing and of other work.
type moment struct {
	at            int64
	grown, others float64
}

// candidate is a line that may be one.
type candidate struct {
	step
	kinds   map[Kind]float64
	names   map[string]float64
	moments map[uint64]map[int64]*moment // by process and time
	grown   float64
	rows    []int32 // of what grows
}

// accumulationsIn finds them. A profile without times has none.
//
// Progress is the other work of the same function: a loop that appends does as much of it
// each time round. What is copied between two samples of it must grow with their number
// like a power between leastPower and mostPower, over the whole of the loop; a step, such
// as a phase of the program, does not pass. A loop that does hardly anything else shows no
// progress, and stays unknown: bench/grow.md says how many are found.
func accumulationsIn(f *frames) []Accumulation {
	p := f.p
	lines := candidatesOf(f)
	var out []Accumulation
	judged := 0
	for _, c := range lines {
		if c.grown < leastEvents || c.grown < leastOfAll*float64(p.Count()) {
			continue
		}
		if c.kinds[Copy]+c.kinds[Search] < leastMoved*c.grown {
			continue
		}
		judged++
		power, chance, ok := c.power(leastProgress)
		if !ok || power < leastPower || power > mostPower {
			continue
		}
		kind, name := heaviest(c.kinds), heaviest(c.names)
		out = append(out, Accumulation{
			Place: f.place(c.step), Kind: kind, Name: name, Share: p.Share(c.rows), Samples: c.rows, Exponent: power, P: chance,
			Cure: cureOf(kind, f.language[c.function]),
		})
	}
	return withoutLesser(holm(out, judged, mostChance))
}

// lesser is the part of another line's share below which a line of the same function is taken to
// become dearer by what that one makes.
const lesser = 0.25

// withoutLesser leaves out what another line of the same function makes dearer: the more there is
// in memory, the more pages are touched and the more often caches miss.
//
// Example. In `rows = filter(page(i)); all = array_merge(all, rows)` the second line had 85% of
// the CPU and grew like n^2.8, the first 6% and n^1.7.
func withoutLesser(all []Accumulation) []Accumulation {
	return slices.DeleteFunc(slices.Clone(all), func(a Accumulation) bool {
		return slices.ContainsFunc(all, func(b Accumulation) bool {
			return a.Function == b.Function && a.File == b.File && a.Share < lesser*b.Share && a.Exponent < b.Exponent
		})
	})
}

// holm keeps what is certain enough although many lines were judged.
func holm(all []Accumulation, judged int, chance float64) []Accumulation {
	slices.SortFunc(all, func(a, b Accumulation) int { return cmp.Compare(a.P, b.P) })
	for i := range all {
		if all[i].P *= float64(judged - i); all[i].P > chance {
			return all[:i]
		}
	}
	return all
}

func heaviest[K cmp.Ordered](m map[K]float64) (best K) {
	for _, k := range sortedKeys(m) {
		if m[k] > m[best] {
			best = k
		}
	}
	return best
}

// moves are the kinds of work that an accumulation is made of.
func moves(k Kind) bool { return k == Copy || k == Search || k == Fault || k == Free }

func candidatesOf(f *frames) map[step]*candidate {
	lines := map[step]*candidate{}
	ofFunction := map[int32][]*candidate{}
	f.timed(func(_ int32, _ *profile.Sample, path *ownPath, _ uint64) {
		last := path.steps[len(path.steps)-1]
		if moves(path.kind) && lines[last] == nil {
			c := newCandidate(last)
			lines[last] = c
			ofFunction[last.function] = append(ofFunction[last.function], c)
		}
	})
	f.timed(func(row int32, s *profile.Sample, path *ownPath, pid uint64) {
		last := path.steps[len(path.steps)-1]
		for _, at := range path.steps {
			for _, c := range ofFunction[at.function] {
				m := c.moment(pid, s.Time)
				if n := f.weight(s); at == last && last == c.step && moves(path.kind) {
					m.grown += n
					c.grown += n
					c.rows = append(c.rows, row)
					c.kinds[path.kind] += n
					c.names[path.name] += n
				} else if path.kind == "" {
					m.others += n // what allocates or collects grows with what is copied
				}
			}
		}
	})
	return lines
}

func newCandidate(at step) *candidate {
	return &candidate{step: at, kinds: map[Kind]float64{}, names: map[string]float64{}, moments: map[uint64]map[int64]*moment{}}
}

// timed gives the samples that have a time and a line of the program.
func (f *frames) timed(do func(row int32, s *profile.Sample, path *ownPath, pid uint64)) {
	for i := range f.p.Samples() {
		s := &f.p.Samples()[i]
		if path := f.path(s.Stack); path.own && s.Time != 0 {
			label, _ := f.p.Label(s.Labels, profile.LabelPID)
			do(int32(i), s, path, uint64(label.Num)) //nolint:gosec // rows are numbered so
		}
	}
}

func (c *candidate) moment(pid uint64, at int64) *moment {
	if c.moments[pid] == nil {
		c.moments[pid] = map[int64]*moment{}
	}
	m := c.moments[pid][at]
	if m == nil {
		m = &moment{at: at}
		c.moments[pid][at] = m
	}
	return m
}

// power is the exponent of the grown work by progress, and the chance that steady work
// looks like it. ok is false where it follows no power, or progress cannot be told.
//
// Of a power b the logarithms of the positions in progress are exponential with the rate
// b: its estimate is one over their mean (the Pareto distribution's). Both counts are
// random, so that its logarithm has the variance 1/grown + 1/others.
func (c *candidate) power(leastProgress float64) (power, chance float64, ok bool) {
	var positions []position
	grown, others := 0.0, 0.0
	for _, of := range c.moments {
		series := make([]*moment, 0, len(of))
		whole := 0.0
		for _, m := range of {
			series = append(series, m)
			whole += m.others
		}
		if whole < leastOfRun {
			continue
		}
		slices.SortFunc(series, func(a, b *moment) int { return cmp.Compare(a.at, b.at) })
		before := 0.0
		for _, m := range series {
			if m.grown > 0 {
				positions = append(positions, position{(before + max(m.others, 1)/2) / whole, m.grown})
				grown += m.grown
			}
			before += m.others
		}
		others += whole
	}
	if grown < leastEvents || others < leastProgress {
		return 0, 1, false
	}
	sum := 0.0
	for _, p := range positions {
		sum -= p.weight * math.Log(min(p.at, 1))
	}
	power = grown / max(sum, 1e-9)
	deviation := math.Sqrt(1/grown + 1/others)
	chance = math.Erfc(math.Log(max(power, 1))/deviation/math.Sqrt2) / 2
	return power, chance, !isStep(positions, grown) && follows(positions, grown, power, deviation)
}

// position is where in a loop's progress work was done, and how much.
type position struct{ at, weight float64 }

// mostAtOnce is the part of grown work that may be at one point of progress. With a quadratic
// cost, 13% of it is behind the last of 15 samples of other work.
const mostAtOnce = 0.35

// isStep tells whether most work is at one point of progress: a phase of the program.
func isStep(all []position, whole float64) bool {
	at := map[float64]float64{}
	for _, p := range all {
		if at[p.at] += p.weight; at[p.at] > mostAtOnce*whole {
			return true
		}
	}
	return false
}

// follows tells whether work follows a power of progress: its share up to each point is off
// by no more than chance and a little (Kolmogorov, Smirnov).
func follows(all []position, whole, power, deviation float64) bool {
	const chance, little = 1.36, 0.04
	slices.SortFunc(all, func(a, b position) int { return cmp.Compare(a.at, b.at) })
	done := 0.0
	for _, p := range all {
		want := math.Pow(min(p.at, 1), power)
		off := min(math.Abs(done/whole-want), math.Abs((done+p.weight)/whole-want))
		if off > chance*deviation+little {
			return false
		}
		done += p.weight
	}
	return true
}
