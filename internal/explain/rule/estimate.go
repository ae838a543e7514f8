package rule

import (
	"fmt"
	"math"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// estimate turns a verdict into a range of CPU given back: the matched share
// with its sampling error, times the entry's range of reduction. What the cause
// drags along elsewhere, the freeing of what it allocates, is part of the best case,
// and so is its part of what the recorder could not see.
func (e *engine) estimate(v *verdict) *finding.Gain {
	total := float64(e.p.Total())
	whole := float64(v.cost.inclusive) / total
	margin := finding.ShareError(whole, e.p.Count())
	r := v.entry.Reduction
	along, what := e.alongWith(v)
	hidden := e.hidden(v)
	if hidden >= leastAlong {
		what += fmt.Sprintf(" and up to %s in stacks that are truncated,", percent.Text(hidden))
	}
	low, high := r.Low*math.Max(0, whole-margin), r.High*math.Min(1, whole+margin+along+hidden)
	if r.Low < 0 {
		low = r.Low * math.Min(1, whole+margin)
	}
	g := &finding.Gain{Low: round(low), High: round(math.Min(high, 1))}
	alone := ""
	if v.share >= muchMore*whole {
		alone = "; the program alone would run " + speedText(v, r.Low, r.High)
	}
	g.Basis = fmt.Sprintf("%s of the CPU%s × %s of it saved%s. %s", percent.Text(whole), what, reductionText(r.Low, r.High), alone, r.Basis)
	return g
}

func reductionText(low, high float64) string {
	if low == 0 {
		return "up to " + percent.Text(high)
	}
	return fmt.Sprintf("%s to %s", percent.Text(low), percent.Text(high))
}

// muchMore is how far the share within the program must be above that of the
// whole profile before both are said.
const muchMore = 1.2

// speedText is Amdahl's law on the share within the program.
func speedText(v *verdict, low, high float64) string {
	most := finding.SpeedUp(v.share * high)
	if math.IsInf(most, 1) || most > 20 {
		return fmt.Sprintf("from %.2f× as fast", finding.SpeedUp(v.share*low))
	}
	return fmt.Sprintf("%.2f× to %.2f× as fast", finding.SpeedUp(v.share*low), most)
}

// round keeps four digits behind the point: more would claim a precision that
// no sample has, and would differ between machines.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
