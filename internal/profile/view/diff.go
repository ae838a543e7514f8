package view

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// DiffOptions choose what is compared.
type DiffOptions struct {
	Sort Sort // the column that is tested and ordered by; "" is SortSelf
	// Absolute compares values instead of shares: right where both profiles
	// measured the same work at the same rate, for then a saving in one place
	// does not make the others look dearer.
	Absolute bool
}

// Side is what one profile says of a function.
type Side struct {
	Function profile.FunctionID // 0 when the profile does not have it
	Self     int64
	Total    int64
}

// DiffRow is one function in both profiles.
type DiffRow struct {
	Name   string // as Name gives it
	Binary string // its file's name; "" where the function is in none that is known
	File   string // source file, "" when not known
	// Was is the name in the first profile of a function that seems to have been renamed.
	Was  string
	A, B Side
	// EventsA and EventsB are the equally weighted events that tell as much of the shares as
	// those of the profiles do: DiffTable's, or fewer where a part of a profile was thinned.
	EventsA, EventsB int64
	// Delta is B minus A in the column compared: in fractions of all samples,
	// or with Absolute in the profile's unit.
	Delta float64
	// P is the probability of a difference this large or larger if nothing but
	// chance was at work.
	P float64
	// Significant says that the difference stands when the number of functions
	// compared is taken into account.
	Significant bool
}

// DiffTable compares two profiles function by function.
type DiffTable struct {
	TotalA, TotalB   int64
	EventsA, EventsB int64
	Rows             []DiffRow // by falling size of Delta
	Absolute         bool
}

// Share is a difference of the table as a fraction of b.
func (d *DiffTable) Share(delta float64) float64 {
	if d.Absolute {
		if d.TotalB == 0 {
			return 0
		}
		return delta / float64(d.TotalB)
	}
	return delta
}

// FalseDiscoveryRate is the share of the differences called significant that
// chance is expected to make (Benjamini and Hochberg 1995, J. R. Stat. Soc. B
// 57(1), 289-300).
const FalseDiscoveryRate = 0.05

// Diff compares b with a. IDs mean nothing across profiles, so functions are
// matched by name and binary (without directories and version suffix, nor what
// compilers add to the names of copies); those left over by name alone where it
// is unique on both sides, and then as renamed where their costs are equal.
//
// The test is the two-proportion z test with pooled variance on the effective
// numbers of events, or with Absolute the comparison of two Poisson counts.
// Samples that come in bursts are less independent than it assumes.
func Diff(a, b *profile.Profile, opt DiffOptions) *DiffTable {
	return DiffSums(SumsOf(a), SumsOf(b), opt)
}

// Sums is what a diff needs of one profile.
type Sums struct {
	Total, Events int64
	functions     map[diffKey]diffSide
}

// SumsOf adds up a profile.
func SumsOf(p *profile.Profile) *Sums { return sides(p, p.Total(), Events(p)) }

// Summer makes the sums of what is no profile. It numbers what Diff takes for one function
// in both, whose weights are to be added up by these numbers.
type Summer struct {
	numbers map[diffKey]int
	found   []diffSide
	order   []diffKey
}

// Number gives the number of a function, from 0 on.
func (s *Summer) Number(f *profile.Function, m *profile.Mapping) int {
	key, side := keyOf(f, m)
	n, ok := s.numbers[key]
	if !ok {
		if s.numbers == nil {
			s.numbers = map[diffKey]int{}
		}
		n = len(s.found)
		s.numbers[key] = n
		s.found, s.order = append(s.found, side), append(s.order, key)
	}
	if s.found[n].name != side.name { // a function and its parts
		s.found[n].name = key.name
	}
	return n
}

// Sums are those of the weights of each number. A total is that of the stacks with one of
// the number's functions. Where eventsOf is not nil it has the events that tell as much of
// the share of each number as events do of others.
func (s *Summer) Sums(sum, events int64, self, total, eventsOf []int64) *Sums {
	out := &Sums{sum, events, make(map[diffKey]diffSide, len(self))}
	for i := range self {
		if self[i] != 0 || total[i] != 0 {
			x := s.found[i]
			x.Self, x.Total, x.events = self[i], total[i], events
			if eventsOf != nil {
				x.events = eventsOf[i]
			}
			out.functions[s.order[i]] = x
		}
	}
	return out
}

// DiffSums is Diff of sums, which it changes.
func DiffSums(a, b *Sums, opt DiffOptions) *DiffTable {
	opt.Sort = cmp.Or(opt.Sort, SortSelf)
	sideA, sideB := a.functions, b.functions
	pairByName(sideA, sideB)
	d := &DiffTable{TotalA: a.Total, TotalB: b.Total, EventsA: a.Events, EventsB: b.Events, Absolute: opt.Absolute}
	d.pairRenamed(sideA, sideB)
	for key, x := range sideA {
		y := sideB[key]
		delete(sideB, key)
		d.Rows = append(d.Rows, d.compare(opt, x, y))
	}
	for _, y := range sideB {
		d.Rows = append(d.Rows, d.compare(opt, diffSide{}, y))
	}
	d.markSignificant()
	slices.SortFunc(d.Rows, func(x, y DiffRow) int {
		return cmp.Or(
			-cmp.Compare(math.Abs(x.Delta), math.Abs(y.Delta)),
			-cmp.Compare(max(x.A.Total, x.B.Total), max(y.A.Total, y.B.Total)),
			cmp.Compare(x.Name, y.Name), cmp.Compare(x.Binary, y.Binary),
		)
	})
	return d
}

type diffKey struct{ name, where string }

type diffSide struct {
	Side

	name, binary, file string
	events             int64
	renamed            bool // and known by the other side's key
}

// keyOf is what a function is matched by, and what it is called.
func keyOf(f *profile.Function, m *profile.Mapping) (diffKey, diffSide) {
	side := diffSide{name: nameOf(f, m), file: f.File}
	where := f.File
	if m.Path != "" {
		side.binary = libraryOf(f, m)
		where = side.binary
		// The part of a binary's name that two builds share: up to the version.
		if i := strings.Index(where, ".so."); i > 0 {
			where = where[:i+len(".so")]
		}
	}
	return diffKey{plainName(side.name, f.Kind), where}, side
}

// sides sums a profile by what its functions match by. A total is summed per
// sample, so two functions of one key on one stack count once.
func sides(p *profile.Profile, sum, events int64) *Sums {
	same := Identity(p)
	var s Summer
	number := make([]int, p.NumFunctions())
	for i := range number {
		f := p.Function(same[i])
		number[i] = s.Number(f, p.Mapping(f.Mapping))
		if n := number[i]; s.found[n].Function == 0 {
			s.found[n].Function = same[i]
		}
	}
	self, total := make([]int64, len(s.found)), make([]int64, len(s.found))
	seen := make([]uint32, len(self))
	for epoch, w := range stackWeights(p) {
		stack := p.Stack(w.stack)
		self[number[leafFunction(p, stack)]] += w.value
		mark := func(n int) {
			if seen[n] != uint32(epoch)+1 {
				seen[n] = uint32(epoch) + 1
				total[n] += w.value
			}
		}
		if len(stack) == 0 {
			mark(number[0])
		}
		for _, loc := range stack {
			for _, l := range p.Lines(loc) {
				mark(number[l.Function])
			}
		}
	}
	return s.Sums(sum, events, self, total, nil)
}

func (d *DiffTable) compare(opt DiffOptions, x, y diffSide) DiffRow {
	row := DiffRow{Name: cmp.Or(y.name, x.name), Binary: cmp.Or(y.binary, x.binary), File: cmp.Or(y.file, x.file), A: x.Side, B: y.Side}
	if y.renamed {
		row.Was = x.name
	}
	row.EventsA, row.EventsB = d.eventsOf(x, y)
	valueA, valueB := x.Self, y.Self
	if opt.Sort == SortTotal {
		valueA, valueB = x.Total, y.Total
	}
	shareA, shareB := ratio(valueA, d.TotalA), ratio(valueB, d.TotalB)
	if d.Absolute {
		row.Delta = float64(valueB - valueA)
		row.P = d.valueP(valueA, valueB)
		return row
	}
	row.Delta = shareB - shareA
	row.P = proportionP(shareA, shareB, row.EventsA, row.EventsB)
	return row
}

// valueP is the p value of two values.
func (d *DiffTable) valueP(a, b int64) float64 {
	return poissonP(ratio(a, d.TotalA)*float64(d.EventsA), ratio(b, d.TotalB)*float64(d.EventsB))
}

// eventsOf gives the events behind both shares. Where one side has nothing of the function,
// its share is known no better than on the other side: it may be in the same thinned part.
func (d *DiffTable) eventsOf(a, b diffSide) (eventsA, eventsB int64) {
	absent := func(whole, otherWhole int64, other diffSide) int64 {
		if other.events >= otherWhole || otherWhole <= 0 {
			return whole
		}
		return int64(float64(whole) * float64(other.events) / float64(otherWhole))
	}
	eventsA, eventsB = a.events, b.events
	if a.Side == (Side{}) {
		eventsA = absent(d.EventsA, d.EventsB, b)
	}
	if b.Side == (Side{}) {
		eventsB = absent(d.EventsB, d.EventsA, a)
	}
	return eventsA, eventsB
}

func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// proportionP is the two-sided p value of two shares seen in n and m events.
func proportionP(x, y float64, n, m int64) float64 {
	if n <= 0 || m <= 0 {
		return 1
	}
	fn, fm := float64(n), float64(m)
	pooled := (x*fn + y*fm) / (fn + fm)
	return twoSided(x-y, pooled*(1-pooled)*(1/fn+1/fm))
}

// poissonP is the two-sided p value of two counts of equal exposure.
func poissonP(n, m float64) float64 { return twoSided(n-m, n+m) }

// twoSided is the probability of a normal deviation as far from 0 as difference.
func twoSided(difference, variance float64) float64 {
	if difference == 0 || variance <= 0 {
		return 1
	}
	return math.Erfc(math.Abs(difference) / math.Sqrt(2*variance))
}

// markSignificant runs the step-up procedure: with the p values in rising
// order, all up to the last one below rank/rows × rate are significant.
func (d *DiffTable) markSignificant() {
	ps := make([]float64, len(d.Rows))
	for i, r := range d.Rows {
		ps[i] = r.P
	}
	slices.Sort(ps)
	limit := -1.0
	for i, p := range ps {
		if p <= FalseDiscoveryRate*float64(i+1)/float64(len(ps)) {
			limit = p
		}
	}
	for i := range d.Rows {
		d.Rows[i].Significant = d.Rows[i].P <= limit
	}
}
