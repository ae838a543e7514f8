package rule

import (
	"fmt"
	"math"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// estimate turns a verdict into a range of CPU given back: what the fix can reach
// times the part of it that such a fix saved, or is expected to save. It can reach the
// matched share and what the cause drags along elsewhere: the freeing of what it
// allocates. What the recorder could not see is part of the best case only.
func (e *engine) estimate(v *verdict) *finding.Gain {
	total := float64(e.p.Total())
	whole := float64(v.cost.inclusive) / total
	margin := finding.ShareError(whole, e.p.Count())
	along, what := e.alongWith(v)
	hidden := e.hidden(v)
	if hidden >= leastAlong {
		what += fmt.Sprintf(" and up to %s in stacks that are truncated,", percent.Text(hidden))
	}
	reach := math.Min(1, whole+along)
	x := v.entry.Expected(catalog.HeldOut, reach, margin)
	high := math.Min(1, x.High+hidden*x.Part)
	if x.Why != "" {
		return &finding.Gain{
			Reach: round(reach), NoEstimate: true,
			Basis: fmt.Sprintf("%s of the CPU%s; %s", percent.Text(whole), strings.TrimSuffix(what, ","), x.Why),
		}
	}
	g := &finding.Gain{Low: round(x.Low), High: round(high), Likely: round(x.Likely), Reach: round(reach)}
	partLow, partHigh := 0.0, 0.0
	if reach > 0 {
		partLow, partHigh = math.Max(0, x.Low/reach), x.High/reach
	}
	alone := ""
	if v.share >= muchMore*whole {
		alone = "; the program alone would run " + speedText(v, partLow, math.Min(1, partHigh))
	}
	more := ""
	if percent.Text(math.Min(1, partHigh)) != percent.Text(partHigh) {
		more = takesAlong
	}
	g.Basis = fmt.Sprintf("%s of the CPU%s × %s of it saved%s%s. %s", percent.Text(whole), what, reductionText(partLow, partHigh), more, alone, restsOn(v.entry.Entry, x.Workloads))
	return g
}

// restsOn says where the part that is saved is known from.
func restsOn(e *catalog.Entry, workloads int) string {
	switch {
	case workloads == 0 && e.Reduction.Change == catalog.ChangeRemoved:
		return "As our trials of other fixes that take work away were, widened by how much they differ"
	case workloads == 0:
		return e.Reduction.Basis
	case workloads == 1:
		return "As our trial on another program was, widened by how much such trials differ"
	}
	return fmt.Sprintf("As our %d trials on other programs were, widened by how much such trials differ", workloads)
}

func reductionText(low, high float64) string {
	if low <= 0 {
		return "up to " + percent.Text(high)
	}
	return fmt.Sprintf("%s to %s", percent.Text(low), percent.Text(high))
}

// takesAlong is said where more than the share may be saved.
const takesAlong = " (such fixes took along what is not in the share: allocation, collection, cache misses)"

// muchMore is how far the share within the program must be above that of the
// whole profile before both are said.
const muchMore = 1.2

// speedText is Amdahl's law on the share within the program.
func speedText(v *verdict, low, high float64) string {
	return finding.SpeedUps(v.share*low, v.share*high) + " as fast"
}

// round keeps four digits behind the point: more would claim a precision that
// no sample has, and would differ between machines.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
