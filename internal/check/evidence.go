package check

import (
	"slices"

	"whyhot/internal/trial/stat"
)

// evidence is what compares the sides by one command: all of its rounds, those of the
// programs as they were built and those in other layouts of the code, if there are any.
//
// Two tests have to agree on "slower". The exact test takes all rounds and knows nothing of
// layouts (see rules); the model of layouts (stat.Nested) says whether the slow-down is one
// of the programs. Each looks at its own times and keeps what it found, so each has its own
// error, and together they alarm less than each alone.
type evidence struct {
	rules

	counted bool // the values are counts
	layouts int  // other ones, 0 until there are some
	asBuilt int  // rounds before these
	base    []float64
	change  []float64

	exact    Verdict // what the exact test found at a look; Undecided until then
	interval stat.Interval
	over     stat.Interval // over layouts, at the look that told or at the end
	stood    bool          // by that look
}

func newEvidence(r rules, counted bool) *evidence {
	return &evidence{rules: r, counted: counted, exact: Undecided}
}

// look takes the rounds of a trial beyond those that were kept, and says whether to end
// the trial: the verdict is known, or a slow-down is so likely that the next rounds should
// be in other layouts, where canLayOut says that there may be some.
func (e *evidence) look(base, change []float64, canLayOut bool) bool {
	b, h := e.with(base, change)
	if e.exact == Undecided && e.enough(b, h, e.counted) {
		e.exact, e.interval = e.conclude(b, h, true, e.counted)
	}
	if e.layouts == 0 {
		return e.exact != Undecided || canLayOut && e.suspects(b, h)
	}
	if e.exact == NotSlower {
		return true
	}
	if !e.looksAtLayouts(len(base), e.layouts) {
		return false
	}
	stands, over := e.stands(e.nested(b, h), false)
	tells := over.High <= 1+e.limit
	if stands || tells {
		e.over, e.stood = over, stands
	}
	return tells || e.stood && e.exact == Slower
}

// keep adds the rounds of a trial that ended.
func (e *evidence) keep(base, change []float64) {
	e.base, e.change = e.with(base, change)
	if e.layouts == 0 {
		e.asBuilt = len(e.base)
	}
}

func (e *evidence) with(base, change []float64) (b, h []float64) {
	return slices.Concat(e.base, base), slices.Concat(e.change, change)
}

// nested are the logarithms of the rounds by layout, the first that of the programs as they
// were built. A round of the others runs the next layout.
func (e *evidence) nested(base, change []float64) [][]float64 {
	logs := logsOf(base, change)
	all := make([][]float64, 1+e.layouts)
	all[0] = logs[:e.asBuilt]
	for i, x := range logs[e.asBuilt:] {
		at := 1 + i%e.layouts
		all[at] = append(all[at], x)
	}
	return all
}

// likely says that the rounds until now make a slow-down likely or certain. A few rounds that
// took all of the budget may be certain without a look: the end would say so.
func (e *evidence) likely() bool {
	if e.exact != Undecided {
		return e.exact == Slower
	}
	end, _ := e.conclude(e.base, e.change, false, e.counted)
	return end == Slower || e.suspects(e.base, e.change)
}

// end gives the verdict, and the interval of the exact test.
func (e *evidence) end() (Verdict, stat.Interval) {
	if e.exact == Undecided {
		e.exact, e.interval = e.conclude(e.base, e.change, false, e.counted)
	}
	if e.layouts > 0 && !e.stood {
		e.stood, e.over = e.stands(e.nested(e.base, e.change), true)
	}
	if e.exact == Slower && e.layouts > 0 && !e.stood {
		return Undecided, e.interval
	}
	return e.exact, e.interval
}
