package trial

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/finding"
)

// FailIf is a condition on verdicts, as a build that tests speed asks for it: any of
// several terms, each a verdict, and of faster and slower by how much at least.
type FailIf struct {
	Condition string   `json:"condition"` // as it was given
	Holds     bool     `json:"holds"`
	Variants  []string `json:"variants,omitempty"` // of which it holds

	terms []failTerm
}

type failTerm struct {
	verdict Verdict
	above   float64 // change in what is measured: 0.03 is 3% more, or less
}

// failNames are the verdicts that a condition can name, in one word each.
var failNames = map[string]Verdict{
	"slower": Slower, "faster": Faster, "same": Same, "unclear": Unclear, "different": Different, "failed": Failed,
}

var failForm = regexp.MustCompile(`^([a-z]+)(?:\s*>\s*([0-9]+(?:\.[0-9]+)?)\s*%)?$`)

// ParseFailIf reads a condition: terms such as slower, slower>3% or different, with
// commas between them.
func ParseFailIf(text string) (*FailIf, error) {
	f := &FailIf{Condition: text}
	for term := range strings.SplitSeq(text, ",") {
		m := failForm.FindStringSubmatch(strings.TrimSpace(term))
		if m == nil {
			return nil, fmt.Errorf("invalid --fail-if %q: each term must be a verdict, or slower or faster with a share: 'slower>3%%,different'", text)
		}
		verdict, ok := failNames[m[1]]
		switch {
		case !ok:
			return nil, fmt.Errorf("invalid --fail-if %q: unknown verdict %q: must be slower, faster, same, unclear, different or failed", text, m[1])
		case m[2] != "" && verdict != Slower && verdict != Faster:
			return nil, fmt.Errorf("invalid --fail-if %q: only slower and faster can have a share", text)
		}
		t := failTerm{verdict: verdict}
		if m[2] != "" {
			const percent = 100
			share, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				return nil, fmt.Errorf("invalid --fail-if %q: %w", text, err)
			}
			t.above = share / percent
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

// Check says of a verdict and its interval whether the condition holds with the
// confidence of the trial: the whole interval has to be beyond the share. The
// interval is nil where there is none.
func (f *FailIf) Check(variant string, v Verdict, i *finding.Interval, higherIsBetter bool) {
	s := scale{higher: higherIsBetter}
	holds := slices.ContainsFunc(f.terms, func(t failTerm) bool {
		switch {
		case v != t.verdict:
			return false
		case t.above == 0:
			return true
		case i == nil:
			return false
		case v == Slower:
			return s.spent(i.High)*s.sign() > t.above
		}
		return -s.spent(i.Low)*s.sign() > t.above
	})
	if holds {
		f.Holds = true
		f.Variants = append(f.Variants, variant)
	}
}

// ChangesOnly says that the condition speaks of slower and faster alone, as it has to
// where there are no verdicts.
func (f *FailIf) ChangesOnly() error {
	for _, t := range f.terms {
		if t.verdict != Slower && t.verdict != Faster {
			return fmt.Errorf("invalid --fail-if %q: profiles are only slower or faster", f.Condition)
		}
	}
	return nil
}

// CheckChange says of the interval of a change, as a share of what was there before,
// whether the condition holds: the whole interval has to be beyond the share.
func (f *FailIf) CheckChange(of string, low, high float64) {
	for _, t := range f.terms {
		if t.verdict == Slower && low > t.above || t.verdict == Faster && -high > t.above {
			f.Holds = true
			f.Variants = append(f.Variants, of)
			return
		}
	}
}

// sign is -1 where more of what is measured is better.
func (s scale) sign() float64 {
	if s.higher {
		return -1
	}
	return 1
}

// FailIf puts into the outcome whether a condition holds for any of its variants.
func (o *Outcome) FailIf(f *FailIf) {
	for i := range o.Variants {
		v := &o.Variants[i]
		var at *finding.Interval
		if ratio, ok := o.SpeedUp(v); ok {
			at = &ratio
		}
		f.Check(v.Name, v.Verdict, at, o.HigherIsBetter)
	}
	o.Failing = f
}

// Error is what is said where the condition holds.
func (f *FailIf) Error() string {
	return fmt.Sprintf("--fail-if %s holds for %s", f.Condition, strings.Join(f.Variants, ", "))
}
