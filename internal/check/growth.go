package check

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// tally are samples, and how many of them are of each run: a run is a process here.
type tally struct {
	n   int64
	run map[int64]int64
}

func (t *tally) add(run, n int64) {
	if t.run == nil {
		t.run = map[int64]int64{}
	}
	t.n += n
	t.run[run] += n
}

// work is what the change's runs take of what the base's do, with the spread of that number.
type work struct{ ratio, spread float64 }

// workOf is the trial's ratio of the metric that the samples are of. Its runs took turns,
// so it is much better known than from recordings, of which each has its own neighbours on
// the machine.
func workOf(k *Command, level float64) work {
	if k.Low <= 0 || k.High <= k.Low {
		return work{ratio: k.Ratio}
	}
	z := math.Sqrt2 * math.Erfinv(level)
	return work{k.Ratio, (k.High - k.Low) / 2 / z} //nolint:mnd // half of the interval
}

// recordedWork is the same by what was recorded, both profiles being of as many runs.
func recordedWork(before, after *account) work {
	if before.all.n == 0 || after.all.n == 0 {
		return work{ratio: 1}
	}
	r := share(after.total, before.total)
	return work{r, r * math.Sqrt(1/float64(before.all.n)+1/float64(after.all.n))}
}

// spread is by how much a share differs between samples that belong together: the
// variance of the share by these differences, and how many such groups there are.
type spread struct {
	variance float64
	groups   int
}

// part is the share of a side's samples that a tally has, its variance by the binomial
// distribution, and its spreads between runs and between recordings.
//
// Samples of one run are alike where its start, its collector or its compiler differ from
// the next one's. Those of one recording are alike where what else the machine did slowed
// functions down unequally.
func (a *account) part(t tally) (p, variance float64, by [levels]spread) {
	if a.all.n == 0 {
		return 0, 0, by
	}
	n := float64(a.all.n)
	p = float64(t.n) / n
	by[0] = spread{clustered(p, a.all.run, t.run, n), len(a.all.run)}
	if len(a.recording) > 0 {
		all := a.recordings(a.all)
		by[1] = spread{clustered(p, all, a.recordings(t), n), len(all)}
	}
	return p, p * (1 - p) / n, by
}

// recordings are the samples of a tally by recording.
func (a *account) recordings(t tally) map[int]int64 {
	out := map[int]int64{}
	for run, n := range t.run {
		out[a.recording[run]] += n
	}
	return out
}

// clustered is the variance of a share of n samples by how much it differs between
// clusters: that of a ratio of sums (W. G. Cochran, Sampling Techniques, 1977, section
// 6.3). One cluster says nothing.
func clustered[K comparable](p float64, all, part map[K]int64, n float64) float64 {
	if len(all) < 2 { //nolint:mnd // see above
		return 0
	}
	sum := 0.0
	for k, of := range all {
		d := float64(part[k]) - p*float64(of)
		sum += d * d
	}
	m := float64(len(all))
	return m / (m - 1) * sum / n / n
}

// levels on which samples belong together: runs and recordings.
const levels = 2

// comparison is one of two sides.
//
// A few runs or recordings say little of one function, but all functions together say by
// how much they differ, in multiples of the binomial variance. Each function has the mean
// of all, weighted as so many degrees of freedom, and its own (an empirical Bayes estimate
// of a variance, as G. K. Smyth's of 2004). It is judged by the level on which its variance
// is larger, and by Student's distribution.
type comparison struct {
	before, after *account
	work          work
	heard         float64         // functions
	excess        [levels]float64 // the sums of their excesses
}

// enoughEvents of a function say by how much runs and recordings differ.
const enoughEvents = 30

// difference is that of a function between the sides.
type difference struct {
	delta, after float64 // of the base's total, and the share after the change
	variance     float64 // the binomial one
	excess       [levels]float64
	freedom      [levels]float64 // 0 where the level has one group of each side
}

func (c *comparison) between(b, a tally) difference {
	x, ofX, byX := c.before.part(b)
	y, ofY, byY := c.after.part(a)
	r := c.work.ratio
	d := difference{delta: r*y - x, after: y, variance: ofX + r*r*ofY}
	for level := range levels {
		if groups := byX[level].groups + byY[level].groups; byX[level].groups > 1 && byY[level].groups > 1 && d.variance > 0 {
			d.freedom[level] = float64(groups - 2) //nolint:mnd // a mean for each side
			d.excess[level] = (byX[level].variance + r*r*byY[level].variance) / d.variance
		}
	}
	return d
}

// hear learns from a function by how much runs and recordings differ.
func (c *comparison) hear(b, a tally) {
	if b.n+a.n < enoughEvents {
		return
	}
	c.heard++
	for level, x := range c.between(b, a).excess {
		c.excess[level] += x
	}
}

// growth is what a function takes more, of all that the base takes, and how probable it is
// that it comes by chance, by the samples of either side.
func (c *comparison) growth(b, a tally) (delta, p float64) {
	const most = 16 // degrees of freedom that all functions are worth
	d := c.between(b, a)
	excess, freedom := 1.0, math.Inf(1)
	for level, own := range d.freedom {
		if own == 0 || c.heard == 0 {
			continue
		}
		all := min(most, own*(c.heard-1)) // shares have a sum
		if x := (all*c.excess[level]/c.heard + own*d.excess[level]) / (all + own); x > excess {
			excess, freedom = x, all+own
		}
	}
	variance := d.variance*excess + d.after*d.after*c.work.spread*c.work.spread
	switch {
	case d.delta <= 0:
		return d.delta, 1
	case variance == 0: // all samples on both sides
		return d.delta, 0
	case math.IsInf(freedom, 1):
		return d.delta, math.Erfc(d.delta/math.Sqrt(2*variance)) / 2 //nolint:mnd // one side
	}
	return d.delta, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(d.delta / math.Sqrt(variance))
}
