package deployment

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/store"
	"whyhot/internal/trial/stat"
)

// Store is what a comparison asks.
type Store interface {
	Timeline(ctx context.Context, s store.Selection, by store.Dimension, step time.Duration, lines int) (*store.Timeline, error)
	Profile(ctx context.Context, s store.Selection) (*profile.Profile, store.Basis, error)
}

const (
	// back is how long ago the version before may have run.
	back = 7 * 24 * time.Hour
	// level is the confidence of what a comparison says. It is made again after every
	// look at the rules, over times that overlap.
	level = 0.999
	// fewestSamples of a version are needed for its functions.
	fewestSamples = 2000
	// parts are what the time of a version is cut into; fewestParts of these have to have
	// both CPU time and requests.
	parts, fewestParts = 24, 6
	// mostVersions are told apart, those with most CPU time.
	mostVersions = 50
	// mostFunctions are named.
	mostFunctions = 5
)

// Comparison is what became of a service with its newest version.
type Comparison struct {
	Service, Before, After string
	Since                  time.Time // when the newest version came
	// Ratio is the CPU time of a request after over before, nil where requests are not
	// counted: then functions are compared for each second of CPU.
	Ratio     *stat.Interval
	Functions []Function // that take more, those that take most of it first
	Parallel  bool       // both ran at the same time
}

// Function is one that takes more than before, in shares of what the service took before:
// of a request or of a second of CPU.
type Function struct {
	Name, Binary         string
	Before, After, Delta float64
	Low                  float64 // of Delta
}

// Compare compares the newest version of a service with the one before it; nil where there
// are no two, or too little is known of one. over is the time in which the newest version
// has to have run.
func (c *Config) Compare(ctx context.Context, s Store, service string, to time.Time, over time.Duration) (*Comparison, error) {
	week := store.Selection{From: to.Add(-back).Truncate(time.Hour), To: to, Service: []string{service}}
	line, err := s.Timeline(ctx, week, store.ByVersion, time.Hour, mostVersions)
	if err != nil {
		return nil, err
	}
	older, newer, ok := pair(versions(line), to.Add(-over))
	if !ok {
		return nil, nil //nolint:nilnil // there is nothing to compare
	}
	a, b := older.selection(service, to), newer.selection(service, to)
	for _, sel := range []*store.Selection{&a, &b} {
		if err := toTheMinute(ctx, s, sel); err != nil {
			return nil, err
		}
	}
	out := &Comparison{Service: service, Before: older.name, After: newer.name, Since: b.From.UTC()}
	if out.Parallel = a.To.Sub(b.From) > b.To.Sub(b.From)/2; out.Parallel { //nolint:mnd // most of the time
		a.From = b.From // at the same load
	}
	ratio := stat.Interval{Estimate: 1, Low: 1, High: 1}
	if r := c.requests(service); r != nil {
		was, err := r.rates(ctx, s, a, older.name)
		if err != nil {
			return nil, err
		}
		is, err := r.rates(ctx, s, b, newer.name)
		if err != nil {
			return nil, err
		}
		if len(was) < fewestParts || len(is) < fewestParts {
			return nil, nil //nolint:nilnil // it comes with more time
		}
		ratio, _ = stat.GeometricMeans(is, was, level)
		out.Ratio = &ratio
	}
	before, _, err := s.Profile(ctx, a)
	if err != nil {
		return nil, err
	}
	after, _, err := s.Profile(ctx, b)
	if err != nil {
		return nil, err
	}
	if before.Count() < fewestSamples || after.Count() < fewestSamples {
		return nil, nil //nolint:nilnil // as above
	}
	out.Functions = grown(view.Diff(before, after, view.DiffOptions{Sort: view.SortSelf}), ratio)
	return out, nil
}

// version is one with the hours in which it ran.
type version struct {
	name        string
	first, last time.Time
}

func versions(t *store.Timeline) []version {
	var out []version
	for _, l := range t.Lines {
		v := version{name: l.Value}
		for i, weight := range l.Weight {
			if weight <= 0 {
				continue
			}
			at := t.Start.Add(time.Duration(i) * t.Step)
			if v.first.IsZero() {
				v.first = at
			}
			v.last = at.Add(t.Step)
		}
		if v.name != "" && !v.first.IsZero() {
			out = append(out, v)
		}
	}
	return out
}

func (v version) selection(service string, to time.Time) store.Selection {
	end := v.last
	if end.After(to) {
		end = to
	}
	return store.Selection{From: v.first, To: end, Service: []string{service}, Version: []string{v.name}}
}

// toTheMinute has a selection begin and end with the version's first and last samples: in
// the hour of a deployment, both versions ran.
func toTheMinute(ctx context.Context, s Store, sel *store.Selection) error {
	hour := func(from time.Time) (first, last time.Time, err error) {
		part := *sel
		part.From, part.To = from, from.Add(time.Hour)
		t, err := s.Timeline(ctx, part, store.ByVersion, time.Minute, 1)
		if err != nil {
			return first, last, err
		}
		for _, v := range versions(t) {
			first, last = v.first, v.last
		}
		return first, last, nil
	}
	first, _, err := hour(sel.From)
	if err != nil {
		return err
	}
	_, last, err := hour(sel.To.Add(-time.Minute).Truncate(time.Hour))
	if err != nil {
		return err
	}
	// Minutes are kept for a shorter time than hours.
	if !first.IsZero() {
		sel.From = first
	}
	if !last.IsZero() && last.Before(sel.To) {
		sel.To = last
	}
	return nil
}

// pair are the version that came last, where it ran since recent, and the one that had come
// before it.
func pair(all []version, recent time.Time) (older, newer version, ok bool) {
	slices.SortFunc(all, func(a, b version) int {
		return cmp.Or(b.first.Compare(a.first), cmp.Compare(a.name, b.name))
	})
	if len(all) < 2 || !all[0].last.After(recent) || !all[1].first.Before(all[0].first) {
		return older, newer, false
	}
	return all[1], all[0], true
}

// rates are the CPU time of a request in each part of a version's time.
func (r *Requests) rates(ctx context.Context, s Store, sel store.Selection, of string) ([]float64, error) {
	step := max(time.Minute, (sel.To.Sub(sel.From) / parts).Truncate(time.Minute))
	line, err := s.Timeline(ctx, sel, "", step, 1)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, l := range line.Lines {
		for i, weight := range l.Weight {
			from := line.Start.Add(time.Duration(i) * step)
			to := from.Add(step)
			if weight <= 0 || from.Before(sel.From) || to.After(sel.To) {
				continue
			}
			n, ok, err := r.of(ctx, sel.Service[0], of, from, to)
			if err != nil {
				return nil, err
			}
			if ok && n > 0 && !math.IsInf(n, 0) {
				out = append(out, float64(weight)/n)
			}
		}
	}
	return out, nil
}

// grown are the functions that take more after than before, where the newest version takes
// ratio of what the one before it takes. S. Holm's procedure would name some more; this
// divides the error among all functions (Bonferroni).
func grown(d *view.DiffTable, ratio stat.Interval) []Function {
	if d.TotalA <= 0 || d.TotalB <= 0 || len(d.Rows) == 0 {
		return nil
	}
	z := normal(1 - (1-level)/float64(len(d.Rows)))
	spread := 0.0
	if ratio.High > ratio.Low {
		spread = (ratio.High - ratio.Low) / 2 / normal(level) //nolint:mnd // half of the interval
	}
	var out []Function
	for i := range d.Rows {
		r := &d.Rows[i]
		x, y := float64(r.A.Self)/float64(d.TotalA), float64(r.B.Self)/float64(d.TotalB)
		n, m := float64(max(1, r.EventsA)), float64(max(1, r.EventsB))
		variance := shareVariance(x, n) + ratio.Estimate*ratio.Estimate*shareVariance(y, m) + y*y*spread*spread
		f := Function{Name: r.Name, Binary: r.Binary, Before: x, After: ratio.Estimate * y}
		f.Delta = f.After - f.Before
		if f.Low = f.Delta - z*math.Sqrt(variance); f.Low > 0 {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b Function) int { return cmp.Or(-cmp.Compare(a.Delta, b.Delta), cmp.Compare(a.Name, b.Name)) })
	return out
}

// shareVariance is that of a share of so many events, with one more of either kind: few
// events have a variance too (A. Agresti and B. Caffo, 2000).
func shareVariance(share, events float64) float64 {
	x := (share*events + 1) / (events + 2) //nolint:mnd // see above
	return x * (1 - x) / (events + 2)      //nolint:mnd // see above
}

// normal is the two-sided quantile of the normal distribution.
func normal(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }
