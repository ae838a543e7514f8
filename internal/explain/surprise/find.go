package surprise

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

const (
	kindFunction = finding.SurpriseFunction
	kindLibrary  = finding.SurpriseLibrary
	kindFamily   = finding.SurpriseFamily
)

// Request is what Find is asked.
type Request struct {
	Now  Window
	Past []Window // of the same program, oldest first
	// Peers are other services; the windows' names are theirs.
	Peers []Window
	// Priors are nil where none are to be held against.
	Priors *Priors
	Most   int // surprises to give; 0 is Most
}

// Most is how many surprises are given where nobody says.
const Most = 5

const (
	fewEvents = 50   // no window with fewer says anything
	least     = 0.01 // of the CPU: what differs by less is not worth a word
	factor    = 1.25 // what differs by less is no surprise
	fewPeers  = 4    // no quartiles of fewer
	maxSteps  = 20   // differences that are taken out

	// mostScatter is how far the shares of a thing scatter from window to window, relative to
	// the usual one, where few windows can hardly tell.
	mostScatter = 0.5
	rate        = 0.05 // of false discoveries
)

// Find gives what is surprising, the past first, then by the size of the difference.
func Find(r Request) []finding.Surprise {
	most := cmp.Or(r.Most, Most)
	enough := func(ws []Window) []Window {
		return slices.DeleteFunc(slices.Clone(ws), func(w Window) bool { return w.Events < fewEvents })
	}
	if r.Now.Events < fewEvents {
		return nil
	}
	out := map[functionKey]bool{}
	found := past(&r.Now, enough(r.Past), out, most)
	found = append(found, peers(&r.Now, enough(r.Peers), out, most)...)
	if r.Priors != nil {
		found = append(found, r.Priors.judge(&r.Now, out, most)...)
	}
	return found[:min(most, len(found))]
}

// candidate is a thing with its difference.
type candidate struct {
	thing

	now, delta float64
	usual      finding.Usual
	variance   float64 // of sampling
	scatter    float64 // of the past beyond it
	sampling   float64 // probability of the difference by sampling alone
	p          float64 // by sampling and scatter
}

// past takes the largest difference, takes it out and looks again. out collects the
// rows that were spoken of.
func past(now *Window, before []Window, out map[functionKey]bool, most int) []finding.Surprise {
	if len(before) == 0 {
		return nil
	}
	var found []finding.Surprise
	// What differs without being a surprise is taken out as well: it moves all others.
	aside := maps.Clone(out)
	for range maxSteps {
		c, surprising, ok := largest(now, before, aside)
		if !ok || len(found) >= most {
			break
		}
		now.rowsOf(c.thing, aside)
		for i := range before {
			before[i].rowsOf(c.thing, aside)
		}
		if surprising {
			if c, ok = c.ofAll(now, before); !ok {
				continue
			}
			found = append(found, c.againstPast(now))
			now.rowsOf(c.thing, out)
		}
	}
	return found
}

// ofAll tells a difference in shares of all samples, as a reader takes them; it was found
// in what was left of them. It is false where they do not differ that way: what doubled
// in a half of the program has the share that it had.
func (c candidate) ofAll(now *Window, before []Window) (candidate, bool) {
	share := func(w *Window) float64 {
		sums, total := w.sums(nil)
		return float64(sums[c.thing]) / float64(total)
	}
	shares := make([]float64, len(before))
	for i := range before {
		shares[i] = share(&before[i])
	}
	found := c.delta
	c.now, c.usual = share(now), usualOf(shares)
	c.delta = c.now - c.usual.Median
	return c, c.differs() && (c.delta > 0) == (found > 0)
}

// largest is the largest difference in what is not taken out, of those that sampling
// does not explain, and whether it is a surprise.
func largest(now *Window, before []Window, out map[functionKey]bool) (best candidate, surprising, ok bool) {
	tested, n := differences(now, before, out)
	limit := discoveries(tested)
	for _, c := range tested {
		if !c.differs() || c.sampling > rate || ok && !c.before(&best) {
			continue
		}
		best, ok = c, true
		surprising = c.p <= limit && c.clear(n)
	}
	return best, surprising, ok
}

// differences are all things of now and before, with the events that now has left.
func differences(now *Window, before []Window, out map[functionKey]bool) ([]candidate, float64) {
	nowSums, nowTotal := now.sums(out)
	all := map[thing]bool{}
	for t := range nowSums {
		all[t] = true
	}
	var sums []map[thing]int64
	var totals, events []float64
	for i := range before {
		of, total := before[i].sums(out)
		if total == 0 {
			continue
		}
		sums, totals, events = append(sums, of), append(totals, float64(total)), append(events, before[i].events(total))
		for t := range of {
			all[t] = true
		}
	}
	if nowTotal == 0 || len(sums) == 0 {
		return nil, 0
	}
	n := now.events(nowTotal)
	tested := make([]candidate, 0, len(all))
	var relative []float64
	for t := range all {
		shares := make([]float64, len(sums))
		for i := range sums {
			shares[i] = float64(sums[i][t]) / totals[i]
		}
		c := candidate{thing: t, now: float64(nowSums[t]) / float64(nowTotal), usual: usualOf(shares)}
		c.delta = c.now - c.usual.Median
		c.deviate(n, shares, events)
		if c.usual.Median >= least {
			relative = append(relative, c.scatter/c.usual.Median)
		}
		tested = append(tested, c)
	}
	common := 0.0
	if len(relative) > 0 {
		common = median(relative)
	}
	for i := range tested {
		tested[i].judge(len(sums), common)
	}
	return tested, n
}

// differs says whether a difference is worth a word.
func (c *candidate) differs() bool {
	return math.Abs(c.delta) >= least && max(c.now, c.usual.Median) >= factor*min(c.now, c.usual.Median)
}

// clear says whether a difference is worth a word, and clear of all that was seen.
func (c *candidate) clear(n float64) bool {
	margin := finding.ShareError(c.now, int64(n))
	return c.differs() && (c.delta > 0 && c.now-margin > c.usual.High || c.delta < 0 && c.now+margin < c.usual.Low)
}

// specific is the part of the difference of a library or a family that one function
// must have to be named in its place.
const specific = 0.8

// before says whether c is named before d: the larger difference, or a function that is
// nearly all of it; a library rather than a family.
func (c *candidate) before(d *candidate) bool {
	a, b := math.Abs(c.delta), math.Abs(d.delta)
	if c.kind != d.kind && (c.delta > 0) == (d.delta > 0) && min(a, b) >= specific*max(a, b) {
		return rank(c.kind) < rank(d.kind)
	}
	return cmp.Or(-cmp.Compare(a, b), cmp.Compare(rank(c.kind), rank(d.kind)), cmp.Compare(c.name, d.name), cmp.Compare(c.library, d.library)) < 0
}

func rank(kind string) int {
	return slices.Index([]string{kindFunction, kindLibrary, kindFamily}, kind)
}

// deviate measures what sampling makes of a share, and how far the windows of the past
// scatter beyond it; see the package's comment.
func (c *candidate) deviate(n float64, shares, events []float64) {
	var sum, weighted float64
	for i, e := range events {
		sum += e
		weighted += shares[i] * e
	}
	pooled := (weighted + c.now*n) / (sum + n)
	binomial := pooled * (1 - pooled)
	c.variance = binomial * (1/n + 1/sum)
	c.sampling = 1
	if c.variance > 0 {
		c.sampling = 2 * distuv.UnitNormal.Survival(math.Abs(c.delta)/math.Sqrt(c.variance))
	}
	apart := make([]float64, len(shares))
	inWindows := 0.0
	for i, s := range shares {
		apart[i] = math.Abs(s - c.usual.Median)
		inWindows += binomial / events[i] / float64(len(shares))
	}
	const madToSigma = 1.4826
	seen := madToSigma * median(apart)
	c.scatter = math.Sqrt(max(0, seen*seen-inWindows))
}

// judge gives p. common is the scatter of the median thing, relative to its share: a
// thing whose few windows agree by chance is taken to scatter as the others do.
// Two or three windows tell so little of the scatter that Student's t finds nothing, however
// large; so there is a second test, with a scatter that is large and taken as known.
func (c *candidate) judge(windows int, common float64) {
	if windows == 1 || c.variance <= 0 {
		c.p = c.sampling
		return
	}
	scatter := max(c.scatter, common*c.usual.Median)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(windows - 1)}
	c.p = 2 * t.Survival(math.Abs(c.delta)/math.Sqrt(c.variance+scatter*scatter))
	most := max(scatter, mostScatter*max(c.usual.High, least))
	ofMedian := 1 + 1/float64(windows)
	assumed := 2 * distuv.UnitNormal.Survival(math.Abs(c.delta)/math.Sqrt(c.variance+ofMedian*most*most))
	c.p = min(1, 2*min(c.p, assumed)) // the better of two tests
}

// discoveries is the largest p that stands among so many tests.
func discoveries(tested []candidate) float64 {
	ps := make([]float64, len(tested))
	for i, c := range tested {
		ps[i] = c.p
	}
	slices.Sort(ps)
	limit := -1.0
	for i, p := range ps {
		if p <= rate*float64(i+1)/float64(len(ps)) {
			limit = p
		}
	}
	return limit
}

// peers holds what several other services run as well against them.
func peers(now *Window, others []Window, out map[functionKey]bool, most int) []finding.Surprise {
	if len(others) < fewPeers {
		return nil
	}
	shares := map[thing][]float64{}
	for i := range others {
		sums, total := others[i].sums(nil)
		for t, sum := range sums {
			shares[t] = append(shares[t], float64(sum)/float64(total))
		}
	}
	return outliers(now, out, most, func(t thing) (finding.Usual, float64, bool) {
		s := shares[t]
		if len(s) < fewPeers {
			return finding.Usual{}, 0, false
		}
		return usualOf(s), fence(quantile(s, 0.25), quantile(s, 0.75)), true
	}, candidate.againstPeers)
}

// outliers are the things above what usual gives for them, one for each cause.
func outliers(now *Window, out map[functionKey]bool, most int, usual func(thing) (finding.Usual, float64, bool), say func(candidate, *Window) finding.Surprise) []finding.Surprise {
	var found []finding.Surprise
	whole, _ := now.sums(nil)
	for len(found) < most {
		sums, _ := now.sums(out)
		best, ok := candidate{}, false
		for t := range sums {
			if sums[t] < whole[t] {
				continue // a part of it was spoken of
			}
			u, above, known := usual(t)
			if !known {
				continue
			}
			x := float64(sums[t]) / float64(now.Total)
			c := candidate{thing: t, now: x, delta: x - u.Median, usual: u}
			if low := x - finding.ShareError(x, now.Events); low <= above || !c.clear(float64(now.Events)) {
				continue
			}
			if !ok || c.before(&best) {
				best, ok = c, true
			}
		}
		if !ok {
			break
		}
		found = append(found, say(best, now))
		now.rowsOf(best.thing, out)
	}
	return found
}

// fence is Tukey's value above which there are outliers.
func fence(q1, q3 float64) float64 { return q3 + 1.5*(q3-q1) }

func usualOf(shares []float64) finding.Usual {
	return finding.Usual{Low: slices.Min(shares), Median: median(shares), High: slices.Max(shares), Number: len(shares)}
}

func median(xs []float64) float64 { return quantile(xs, 0.5) }

// quantile interpolates between the order statistics (Hyndman and Fan's type 7).
func quantile(xs []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

func (c *candidate) surprise(against string, now *Window) finding.Surprise {
	return finding.Surprise{
		Kind: c.kind, Name: c.name, Binary: c.library, Against: against,
		Share: c.now, Error: finding.ShareError(c.now, now.Events), Usual: c.usual,
	}
}

func (c *candidate) takes(now *Window) string {
	what := c.name
	switch c.kind {
	case kindFamily:
		what = "what belongs to " + c.name
	case kindFunction:
		if c.library != "" && c.library[0] != '[' {
			what += " (" + c.library + ")"
		}
	}
	return fmt.Sprintf("%s takes %s of the CPU (%s)", what, percent.Column(c.now), percent.Error(finding.ShareError(c.now, now.Events)))
}

func (c candidate) againstPast(now *Window) finding.Surprise {
	s := c.surprise(finding.AgainstPast, now)
	u := c.usual
	was := fmt.Sprintf("it was %s before", percent.Column(u.Median))
	if u.Number > 1 {
		was = fmt.Sprintf("in %d earlier times it was %s", u.Number, between(u))
	}
	s.Text = c.takes(now) + "; " + was + times(c.now, u.Median) + "."
	return s
}

func (c candidate) againstPeers(now *Window) finding.Surprise {
	s := c.surprise(finding.AgainstPeers, now)
	s.Text = fmt.Sprintf("%s; in the %d other services that run it, it is %s%s.", c.takes(now), c.usual.Number, between(c.usual), times(c.now, c.usual.High))
	return s
}

func between(u finding.Usual) string {
	low, high := percent.Column(u.Low), percent.Column(u.High)
	if low == high {
		return low
	}
	return low + " to " + high
}

// times says how many times it grew or shrank, where that is a number people can use.
func times(now, usual float64) string {
	const most = 100
	switch {
	case usual <= 0:
		return ": it is new"
	case now <= 0:
		return ": it is gone"
	case now > usual && now/usual < most:
		return fmt.Sprintf(": %.1f times as much now", now/usual)
	case usual > now && usual/now < most:
		return fmt.Sprintf(": %.1f times as much then", usual/now)
	}
	return ""
}
