package stat

import "slices"

// FewestRepeats is how many values that agree make a counted metric known.
const FewestRepeats = 3

// Repeats says that a counted metric (instructions, say) repeats itself: there
// are enough values, and they differ by half a per cent at most. Then no
// distribution is needed to compare it.
func Repeats(xs []float64) bool {
	const most = 0.005
	return len(xs) >= FewestRepeats && spread(xs) <= most
}

func spread(xs []float64) float64 { return slices.Max(xs)/slices.Min(xs) - 1 }

// Range is the ratio of medians between the smallest and the largest ratio that
// any two of the values have, wider on both sides by as much as the values vary:
// three of them seldom hold the extremes.
func Range(base, variant []float64) Interval {
	margin := 1 + max(spread(base), spread(variant))
	return Interval{
		Estimate: Median(base) / Median(variant),
		Low:      slices.Min(base) / slices.Max(variant) / margin,
		High:     slices.Max(base) / slices.Min(variant) * margin,
	}
}

// JudgeRange is the verdict on a Range of values that repeat themselves.
func (r Rules) JudgeRange(i Interval) Verdict {
	switch {
	case i.Within(r.Band):
		return Same
	case i.Low > 1:
		return Faster
	case i.High < 1:
		return Slower
	}
	return Unclear
}
