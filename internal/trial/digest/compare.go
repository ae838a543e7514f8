package digest

import (
	"fmt"
	"math"
	"slices"
)

// Answer is what digests say of two sides.
type Answer int

// The answers.
const (
	// Unknown: too little of the output repeats itself, or there are too few runs.
	Unknown Answer = iota
	Alike          // what the baseline's runs have in common, the variant's have too
	Unlike         // something that they have in common is otherwise in the variant's
)

// Report is the comparison of two sides.
type Report struct {
	Answer Answer
	// Stable is the share of the output that all runs of the baseline have in common,
	// in the view in which most of it is.
	Stable float64
	Why    string // of Unknown, and of Unlike what differs
	// Line is the first one that differs, from 1, and Baseline and Variant are the
	// texts, where they are known.
	Line              int64
	Baseline, Variant string
}

// risk is the accepted expectation of one falsely separated key to each that is
// reported, over all views together.
const risk = 0.01

// Compare says whether the runs of a variant are like those of the baseline.
//
// Each key of each view is a two-sample test of its own: the baseline's runs all
// have it equally often, and every run of the variant another number of times.
// Were the sides alike, which of n+m runs are the variant's would be chance, and
// so complete a separation would come with probability 2/C(n+m, n) at most (the
// permutation test of E. J. G. Pitman, 1937). There are many keys, so K of them
// are expected to give K times that many separations by chance, where K counts
// only those that vary enough to be separated at all (R. E. Tarone, 1990). By
// Markov's inequality, S separations or more come by chance with probability
// K·p/S at most; that has to be below the risk. With ten runs of each, p is
// 0.000011: one stable line that is missing from the variant is enough among a
// thousand that vary, and no key of random content is taken for stable.
//
// What varies in size is unlike when it is far off: the sides' ranges are apart,
// and their medians by more than the baseline's range and by a quarter.
func Compare(base, variant []*Digest) Report {
	n, m := len(base), len(variant)
	if n < 2 || m < 1 {
		return Report{Why: fmt.Sprintf("%d and %d runs are too few to tell what varies", n, m)}
	}
	p := math.Min(1, 2/binomial(n+m, n))
	r := Report{}
	if r.sizes(base, variant, p) {
		return r
	}
	var apart []separated
	for v := range views {
		if v == places && slices.ContainsFunc(base, func(d *Digest) bool { return d.Lines != base[0].Lines }) {
			continue // a line more or less moves all behind it
		}
		t := tabulate(base, variant, v)
		r.Stable = max(r.Stable, t.stable)
		if s := len(t.apart); s > 0 && float64(t.testable)*p <= risk/float64(views+1)*float64(s) {
			apart = append(apart, t.apart...)
		}
	}
	const fewest = 0.1 // share below which the rest says too little
	switch {
	case len(apart) > 0:
		r.Answer = Unlike
		r.explain(apart, base[0], variant[0])
	case p > risk/float64(views+1):
		r.Why = fmt.Sprintf("%d and %d runs are too few to tell what varies", n, m)
	case r.Stable < fewest:
		r.Why = "the runs of the baseline have hardly anything of it in common"
	default:
		r.Answer = Alike
	}
	return r
}

// sizes compares the totals.
func (r *Report) sizes(base, variant []*Digest, p float64) bool {
	for _, total := range []struct {
		name string
		of   func(*Digest) int64
	}{
		{"lines", func(d *Digest) int64 { return d.Lines }},
		{"words", func(d *Digest) int64 { return d.Words }},
		{"bytes", func(d *Digest) int64 { return d.Bytes }},
	} {
		b, v := make([]int64, len(base)), make([]int64, len(variant))
		for i, d := range base {
			b[i] = total.of(d)
		}
		for i, d := range variant {
			v[i] = total.of(d)
		}
		if p <= risk/float64(views+1) && farOff(b, v) {
			r.Answer = Unlike
			r.Why = fmt.Sprintf("%s %s, the baseline %s", rangeText(v), total.name, rangeText(b))
			return true
		}
	}
	return false
}

func rangeText(xs []int64) string {
	low, high := slices.Min(xs), slices.Max(xs)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// farOff says that the ranges are apart, and the medians by more than the
// baseline's range, by a quarter of it, and by more than one.
func farOff(base, variant []int64) bool {
	base, variant = slices.Sorted(slices.Values(base)), slices.Sorted(slices.Values(variant))
	low, high, median := base[0], base[len(base)-1], base[len(base)/2]
	if variant[0] <= high && variant[len(variant)-1] >= low {
		return false
	}
	distance := median - variant[len(variant)/2]
	const quarter = 4
	return max(distance, -distance) > max(high-low, median/quarter, 1)
}

// separated is a key that tells the sides apart.
type separated struct {
	key           uint64
	view          view
	base, variant []int64
}

// contrast is one view of all runs.
type contrast struct {
	stable   float64
	testable int
	apart    []separated
}

// tabulate counts the keys of a view in all runs.
func tabulate(base, variant []*Digest, v view) contrast {
	all := slices.Concat(base, variant)
	if slices.ContainsFunc(all, func(d *Digest) bool { return d.keys[v].buckets != nil }) {
		for _, d := range all {
			d.keys[v].fold()
		}
	}
	rows := map[uint64][]int64{}
	for i, d := range all {
		for key, t := range d.keys[v].all {
			row := rows[key]
			if row == nil {
				row = make([]int64, len(all))
				rows[key] = row
			}
			row[i] = int64(t.count)
		}
	}
	var out contrast
	same := 0.0
	n := len(base)
	for key, row := range rows {
		b, o := row[:n], row[n:]
		constant := slices.Min(b) == slices.Max(b)
		if t, ok := base[0].keys[v].at(key); ok {
			same += float64(t.bytes) * float64(slices.Min(b)) / float64(b[0])
		}
		if variesIn(row) < min(n, len(o)) {
			continue
		}
		out.testable++
		if constant && !slices.Contains(o, b[0]) || v == shapes && farOff(b, o) {
			out.apart = append(out.apart, separated{key, v, b, o})
		}
	}
	if base[0].wordBytes > 0 {
		out.stable = same / float64(base[0].wordBytes)
	}
	return out
}

// variesIn is how many runs do not have the most frequent count.
func variesIn(row []int64) int {
	sorted := slices.Sorted(slices.Values(row))
	most, run := 1, 1
	for i := 1; i < len(sorted); i++ {
		if sorted[i] != sorted[i-1] {
			run = 0
		}
		run++
		most = max(most, run)
	}
	return len(row) - most
}

// explain names the first line that tells the sides apart, in the view that says
// most exactly which one that is.
func (r *Report) explain(apart []separated, base, variant *Digest) {
	fewer := func(s *separated) bool { return slices.Max(s.variant) < slices.Max(s.base) }
	was, lost := firstOf(apart, base, fewer)
	now, gained := firstOf(apart, variant, func(s *separated) bool { return !fewer(s) })
	r.Why = "what is the same in every run of the baseline is otherwise in every run of the variant"
	switch {
	case lost == nil:
		r.Line = int64(now) + 1
		r.Variant, _ = variant.text(now)
		if gained.view == places {
			r.Baseline, _ = base.text(now)
		} else {
			r.Why = fmt.Sprintf("%s times in the variant, %s times in the baseline", rangeText(gained.variant), rangeText(gained.base))
		}
	case gained == nil:
		r.Line = int64(was) + 1
		r.Baseline, _ = base.text(was)
		r.Why = fmt.Sprintf("%s times in the baseline, %s times in the variant", rangeText(lost.base), rangeText(lost.variant))
	default:
		r.Line = int64(was) + 1
		r.Baseline, _ = base.text(was)
		r.Variant, _ = variant.text(now)
	}
}

// firstOf is the key that comes first in a digest.
func firstOf(apart []separated, d *Digest, wanted func(*separated) bool) (line uint32, found *separated) {
	for _, v := range []view{places, lines, shapes, words} {
		line = math.MaxUint32
		for i := range apart {
			s := &apart[i]
			if s.view != v {
				continue
			}
			if t, ok := d.keys[v].at(s.key); ok && t.line < line && wanted(s) {
				line, found = t.line, s
			}
		}
		if found != nil {
			return line, found
		}
	}
	return 0, nil
}

// binomial is n over k.
func binomial(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c)
}
