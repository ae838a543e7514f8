package posterior

import (
	"math"
	"slices"
)

// Model is what has been measured.
type Model struct {
	n     int         // commits after the reference
	least float64     // by which b lies beyond a at least
	logs  [][]float64 // of each commit, one a round; positive is the change that is looked for
	same  []bool      // commit i has the same programs as i-1 of those that are known to
}

// New is the model of commits 1 to n after the reference. least is the smallest change,
// as a logarithm, that the search is for.
func New(n int, least float64) *Model {
	const share = 2 // of it a change may turn out to be
	return &Model{n: n, least: least / share, logs: make([][]float64, n+1), same: make([]bool, n+1)}
}

// Observe adds rounds of a commit. Each is the logarithm of its value over that of the
// reference in the same round, with the sign that makes the change looked for positive.
func (m *Model) Observe(commit int, logs ...float64) {
	m.logs[commit] = append(m.logs[commit], logs...)
}

// Rounds is how many rounds a commit has.
func (m *Model) Rounds(commit int) int { return len(m.logs[commit]) }

// Equal says that two commits make the same programs: neither the later one nor what is
// between them changed the value.
func (m *Model) Equal(i, j int) {
	if i > j {
		i, j = j, i
	}
	for k := i + 1; k <= j; k++ {
		m.same[k] = true
	}
}

// levels of the two unknown deviations. Ratios below a thousandth are below what any
// machine repeats; above some per cent a commit's own effect is a change of its own.
var (
	taus   = []float64{0.0005, 0.0015, 0.004, 0.008, 0.015, 0.025}
	scales = []float64{0.6, 0.75, 0.9, 1.05, 1.25, 1.5, 1.9, 2.5}
)

const leastSigma = 1e-4

// commit is what is known of a measured commit.
type commit struct {
	at     int
	rounds float64
	mean   float64
	// doubt is the variance of the mean beyond that of usual noise: so many rounds were
	// disturbed that the middle of all may be one of these.
	doubt float64
}

// variance is that of the mean around the commit's own value.
func (c *commit) variance(sigma float64) float64 { return sigma*sigma/c.rounds + c.doubt }

// Belief is what follows from the measurements.
type Belief struct {
	P     []float64 // by commit; P[0] is 0
	Delta float64   // expected change, as a logarithm
	Sigma float64   // of one round
	Tau   float64

	before, after float64 // expected levels
	known         []commit
}

// Belief computes the probabilities. There is one for every commit that differs from the
// one before it as far as is known.
func (m *Model) Belief() *Belief {
	known, spread, freedom := m.summary()
	b := &Belief{P: make([]float64, m.n+1), known: known}
	var logs []float64
	var all []term
	for _, s := range sigmas(spread, freedom) {
		for _, tau := range taus {
			// The prior of tau falls: most commits change nothing.
			weight := s.log - math.Log1p(tau/taus[2])
			// Commits between the same two measured ones explain the same.
			next, t := 0, term{}
			for k := 1; k <= m.n; k++ {
				if k == 1 || next < len(known) && known[next].at < k {
					for next < len(known) && known[next].at < k {
						next++
					}
					t = m.explain(known[:next], known[next:], s.sigma, tau)
					t.sigma, t.tau = s.sigma, tau
					t.log += weight
				}
				if !m.same[k] {
					t.k = k
					all, logs = append(all, t), append(logs, t.log)
				}
			}
		}
	}
	if len(all) == 0 {
		return b
	}
	most := slices.Max(logs)
	sum := 0.0
	for i := range all {
		logs[i] = math.Exp(logs[i] - most)
		sum += logs[i]
	}
	for i, t := range all {
		w := logs[i] / sum
		b.P[t.k] += w
		b.before += w * t.before
		b.after += w * t.after
		b.Sigma += w * t.sigma
		b.Tau += w * t.tau
	}
	b.Delta = b.after - b.before
	return b
}

// term is one hypothesis: the commit, and the two deviations.
type term struct {
	k             int
	log           float64 // of the evidence, up to a constant
	before, after float64
	sigma, tau    float64
}

// explain is how well a hypothesis explains the means, with both levels integrated.
func (m *Model) explain(early, late []commit, sigma, tau float64) term {
	// The reference's own effect is why the level before is not 0. After the change
	// anything is possible: a factor of e either way is one deviation.
	const wide = 1.0
	before, after := newLevel(tau*tau), newLevel(wide*wide)
	for _, c := range early {
		before.add(c.mean, tau*tau+c.variance(sigma))
	}
	for _, c := range late {
		after.add(c.mean, tau*tau+c.variance(sigma))
	}
	a, va, la := before.solve()
	b, vb, lb := after.solve()
	beyond := logNormalCDF((b - a - m.least) / math.Sqrt(va+vb))
	return term{log: la + lb + beyond, before: a, after: b}
}

// level is a mean with a normal prior around 0, and what was seen of it.
type level struct{ prior, precision, sum, squares, logs float64 }

func newLevel(prior float64) level {
	return level{prior: prior, precision: 1 / prior, logs: math.Log(prior)}
}

func (l *level) add(mean, variance float64) {
	l.precision += 1 / variance
	l.sum += mean / variance
	l.squares += mean * mean / variance
	l.logs += math.Log(variance)
}

// solve gives the mean, its variance and the logarithm of the evidence.
func (l *level) solve() (mean, variance, log float64) {
	mean = l.sum / l.precision
	log = -(l.logs + math.Log(l.precision) + l.squares - mean*mean*l.precision) / 2 //nolint:mnd // of the normal density
	return mean, 1 / l.precision, log
}

// logNormalCDF is the logarithm of the normal distribution function, also far out.
func logNormalCDF(z float64) float64 {
	const far = -8
	if z < far {
		return -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi)) //nolint:mnd // the first term of its expansion
	}
	return math.Log(math.Erfc(-z/math.Sqrt2) / 2) //nolint:mnd // the definition
}

// weighted is a noise level with the logarithm of its likelihood.
type weighted struct{ sigma, log float64 }

// sigmas is the grid of noise levels: how likely each makes the scatter within commits.
func sigmas(spread float64, freedom int) []weighted {
	if freedom == 0 {
		return []weighted{{sigma: 0.02}} //nolint:mnd // nothing is known yet: what a usual machine has
	}
	f := float64(freedom)
	sd := max(leastSigma, math.Sqrt(spread/f))
	out := make([]weighted, 0, len(scales))
	for _, s := range scales {
		sigma := sd * s
		out = append(out, weighted{sigma, -f*math.Log(s) - f/(2*s*s)}) //nolint:mnd // of the normal density
	}
	return out
}

// summary gives each measured commit's mean, the sum of squares around the means and its
// degrees of freedom. A round that something disturbed counts no more than one at the
// edge of the usual: what lies beyond clip robust deviations is drawn in.
func (m *Model) summary() (known []commit, spread float64, freedom int) {
	const clip, normal = 2.5, 1.4826
	var residuals []float64
	for i, logs := range m.logs {
		if len(logs) == 0 {
			continue
		}
		middle := median(logs)
		known = append(known, commit{at: i, rounds: float64(len(logs)), mean: middle})
		freedom += len(logs) - 1
		for _, x := range logs {
			residuals = append(residuals, math.Abs(x-middle))
		}
	}
	if freedom == 0 {
		return known, 0, 0
	}
	// Residuals from a median of few rounds are too small by the freedom that is lost.
	lost := math.Sqrt(float64(len(residuals)) / float64(freedom))
	edge := max(leastSigma, clip*normal*lost*median(residuals))
	for k := range known {
		c := &known[k]
		logs, middle := m.logs[c.at], c.mean
		sum := 0.0
		for _, x := range logs {
			sum += min(max(x-middle, -edge), edge)
		}
		c.mean = middle + sum/c.rounds
		outside, excess := 0, 0.0
		for _, x := range logs {
			d := min(max(x-c.mean, -edge), edge)
			spread += d * d
			if beyond := math.Abs(x-c.mean) - edge; beyond > 0 {
				outside++
				excess += beyond * beyond
			}
		}
		const many = 3
		if many*outside >= len(logs) {
			c.doubt = excess / (c.rounds * c.rounds)
		}
	}
	// Means of what was drawn in scatter a little more than its deviation says.
	const inflate = 1.15
	return known, spread * inflate, freedom
}

func median(xs []float64) float64 {
	s := slices.Clone(xs)
	slices.Sort(s)
	h := len(s) / 2 //nolint:mnd // the middle
	if len(s)%2 == 1 {
		return s[h]
	}
	return (s[h-1] + s[h]) / 2 //nolint:mnd // the middle of two
}
