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
	Labels(ctx context.Context, s store.Selection, by store.Dimension) ([]store.LabelValue, error)
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
	samples   int64      // of the newest version
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
	all, err := s.Labels(ctx, store.Selection{From: to.Add(-back), To: to, Service: []string{service}}, store.ByVersion)
	if err != nil {
		return nil, err
	}
	older, newer, ok := pair(all, to.Add(-over))
	if !ok {
		return nil, nil //nolint:nilnil // there is nothing to compare
	}
	a, b := older.selection(service, to), newer.selection(service, to)
	out := &Comparison{Service: service, Before: older.Value, After: newer.Value, Since: newer.First.UTC(), samples: newer.Count}
	if out.Parallel = older.Last.Sub(newer.First) > to.Sub(newer.First)/2; out.Parallel { //nolint:mnd // most of the time
		a.From = b.From // at the same load
	}
	ratio := stat.Interval{Estimate: 1, Low: 1, High: 1}
	if r := c.requests(service); r != nil {
		was, err := r.rates(ctx, s, a, older.Value)
		if err != nil {
			return nil, err
		}
		is, err := r.rates(ctx, s, b, newer.Value)
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

// version is one with its time.
type version struct{ store.LabelValue }

func (v version) selection(service string, to time.Time) store.Selection {
	end := v.Last
	if end.After(to) {
		end = to
	}
	return store.Selection{From: v.First, To: end, Service: []string{service}, Version: []string{v.Value}}
}

// pair are the version that came last, where it ran since recent, and the one that had come
// before it.
func pair(all []store.LabelValue, recent time.Time) (older, newer version, ok bool) {
	all = slices.DeleteFunc(slices.Clone(all), func(v store.LabelValue) bool { return v.Value == "" || v.Count < fewestSamples })
	slices.SortFunc(all, func(a, b store.LabelValue) int {
		return cmp.Or(b.First.Compare(a.First), cmp.Compare(a.Value, b.Value))
	})
	if len(all) < 2 || !all[0].Last.After(recent) || !all[1].First.Before(all[0].First) {
		return older, newer, false
	}
	return version{all[1]}, version{all[0]}, true
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
