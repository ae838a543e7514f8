package exponent

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the share of intervals that contain the truth.
const Level = 0.95

// The range in which an exponent is looked for: beyond it a cost grows like an
// exponential function, or falls.
const (
	Lowest  = -1.0
	Highest = 6.0
)

// Point is what was counted at one size.
type Point struct {
	N     float64 // the size
	Runs  int
	Count float64 // samples of all runs together
	// Missing is how many samples of all runs may belong here and cannot be told, such as
	// those whose stacks broke off. The true count lies between Count and Count + Missing.
	Missing float64
}

// Noise is by how much runs of the same size differ.
type Noise struct {
	Share   float64 // the standard deviation of one run's cost, as a share of it, beyond sampling
	Freedom float64 // degrees of freedom it was told from; 0: known
}

// Fit is how a cost grows.
type Fit struct {
	Exponent, Low, High float64
	Start               float64 // samples of one run that do not grow
	Scale               float64 // a: samples of one run at size 1 that do
	// Clipped tells that the interval reaches the end of what was looked at: there were
	// too few samples, or too near sizes, to tell.
	Clipped bool
}

// At is the cost of one run at a size, in samples.
func (f *Fit) At(n float64) float64 { return max(0, f.Start+f.Scale*math.Pow(n, f.Exponent)) }

// Of fits points in order of their sizes, of which there must be three or more. ok is
// false where there is nothing to fit.
func Of(points []Point, noise Noise) (fit Fit, ok bool) {
	if len(points) < 3 {
		return Fit{}, false
	}
	l := newLikelihood(points, noise)
	if l.total == 0 {
		return Fit{}, false
	}
	best := l.best()
	fit = Fit{Exponent: best.b, Start: best.start, Scale: best.scale(l)}
	cut := best.value - threshold(noise)/2
	fit.Low = l.edge(best.b, Lowest, cut)
	fit.High = l.edge(best.b, Highest, cut)
	fit.Clipped = fit.Low == Lowest || fit.High == Highest
	return fit, true
}

// threshold is twice the fall of the log likelihood at which the interval ends: the
// square of Student's t, which is that of the normal distribution for a known noise.
func threshold(noise Noise) float64 {
	p := 1 - (1-Level)/2
	z := distuv.UnitNormal.Quantile(p)
	if noise.Freedom > 0 {
		z = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: noise.Freedom}.Quantile(p)
	}
	return margin * z * z
}

// margin makes up for the weights, which are taken from the counts themselves. It was
// chosen by simulation: without it the interval holds the truth in 91.5% of the worst case.
const margin = 1.15

// likelihood is that of the counts, quasi-Poisson: a point whose runs scatter more than
// Poisson's weighs less.
type likelihood struct {
	points []Point
	weight []float64 // by point
	log    []float64 // of the size, less that of the largest
	total  float64
	short  float64 // the most samples of a run that may be missing
}

func newLikelihood(points []Point, noise Noise) *likelihood {
	l := &likelihood{points: points}
	largest := math.Log(points[len(points)-1].N)
	for i := range points {
		p := &points[i]
		l.log = append(l.log, math.Log(p.N)-largest)
		// The mean of the runs' counts is that of a run of middling luck; one more keeps a
		// count of none from being certain.
		mean := (p.Count + 1) / float64(p.Runs)
		l.weight = append(l.weight, 1/(1+noise.Share*noise.Share*mean))
		l.total += p.Count
		l.short = max(l.short, p.Missing/float64(p.Runs))
	}
	return l
}

// solution is the best start-up and scale for an exponent.
type solution struct {
	b, start, grown float64 // grown is the growing cost of a run at the largest size
	value           float64 // the log likelihood
}

func (s *solution) scale(l *likelihood) float64 {
	return s.grown / math.Pow(l.points[len(l.points)-1].N, s.b)
}

// at maximises for an exponent. The shape of the cost is mixed of what grows and
// what does not, by a share on which the likelihood depends with one maximum.
func (l *likelihood) at(b float64) solution {
	powers := make([]float64, len(l.points))
	for i := range powers {
		powers[i] = math.Exp(b * l.log[i])
	}
	try := func(share float64) solution { return l.mixed(b, share, 0, powers) }
	best := golden(try, 0, 1)
	if l.short > 0 && best.start <= 0.05*best.grown {
		// What is missing is a start-up below zero.
		low := golden(func(missing float64) solution { return l.mixed(b, 0, missing, powers) }, 0, l.short)
		if low.value > best.value {
			best = low
		}
	}
	return best
}

// mixed is the likelihood of a shape: a share that does not grow, and samples of each
// run that are missing. The scale that suits it best has a closed form where none are.
func (l *likelihood) mixed(b, share, missing float64, powers []float64) solution {
	var counts, shapes float64
	for i, p := range l.points {
		counts += l.weight[i] * (p.Count + missing*float64(p.Runs))
		shapes += l.weight[i] * float64(p.Runs) * (share + (1-share)*powers[i])
	}
	t := counts / shapes
	s := solution{b: b, start: t*share - missing, grown: t * (1 - share)}
	for i, p := range l.points {
		mean := max(t*(share+(1-share)*powers[i])-missing, 1e-9*t, 1e-12)
		s.value -= l.weight[i] * float64(p.Runs) * mean
		if p.Count > 0 {
			s.value += l.weight[i] * p.Count * math.Log(mean*float64(p.Runs))
		}
	}
	return s
}

// golden finds the greatest value by the golden section, the ends included.
func golden(try func(float64) solution, low, high float64) solution {
	const ratio, steps = 0.6180339887498949, 18
	best := try(low)
	if end := try(high); end.value > best.value {
		best = end
	}
	x, y := high-ratio*(high-low), low+ratio*(high-low)
	sx, sy := try(x), try(y)
	for range steps {
		if sx.value > sy.value {
			high, y, sy = y, x, sx
			x = high - ratio*(high-low)
			sx = try(x)
		} else {
			low, x, sx = x, y, sy
			y = low + ratio*(high-low)
			sy = try(y)
		}
	}
	for _, s := range []solution{sx, sy} {
		if s.value > best.value {
			best = s
		}
	}
	return best
}

// best goes over the exponents coarsely, then narrows down.
func (l *likelihood) best() solution {
	const step = 0.25
	best := l.at(Lowest)
	for b := Lowest + step; b <= Highest; b += step {
		if s := l.at(b); s.value > best.value {
			best = s
		}
	}
	return golden(l.at, max(Lowest, best.b-step), min(Highest, best.b+step))
}

// edge is where, from the best exponent towards an end, the likelihood falls below cut.
func (l *likelihood) edge(from, end, cut float64) float64 {
	const step, precision = 0.125, 0.001
	inside, outside := from, from
	for {
		if outside == end {
			return end
		}
		if outside += math.Copysign(step, end-from); (end-from)*(end-outside) <= 0 {
			outside = end
		}
		if l.at(outside).value < cut {
			break
		}
		inside = outside
	}
	for math.Abs(outside-inside) > precision {
		if middle := (inside + outside) / 2; l.at(middle).value < cut {
			outside = middle
		} else {
			inside = middle
		}
	}
	return inside
}
