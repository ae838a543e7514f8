package finding

import "encoding/json"

// Share is the CPU that the finding touches, as fractions of all samples of the
// profile. Error is the half-width of the 95 % interval that sampling alone
// gives to the larger of the two. In JSON, main is the one that is printed.
type Share struct {
	Exclusive *float64 `json:"exclusive,omitempty"`
	Inclusive *float64 `json:"inclusive,omitempty"`
	Error     *float64 `json:"error,omitempty"`
}

// Main is the share a finding is ranked and printed by: the inclusive one where
// there is one.
func (s Share) Main() float64 {
	switch {
	case s.Inclusive != nil:
		return *s.Inclusive
	case s.Exclusive != nil:
		return *s.Exclusive
	}
	return 0
}

// MarshalJSON adds main, so that a reader of the JSON need not know which of the two is
// printed.
func (s Share) MarshalJSON() ([]byte, error) {
	type plain Share
	out := struct {
		plain

		Main *float64 `json:"main,omitempty"`
	}{plain: plain(s)}
	if s.Inclusive != nil || s.Exclusive != nil {
		main := s.Main()
		out.Main = &main
	}
	return json.Marshal(out)
}

// Gain is an estimate, never a promise: the fraction of the profile's CPU that
// the fix may give back, as a range. Low may be negative (it can get worse), and
// High may exceed the share where the basis says why (locality).
type Gain struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Likely is what is printed first, 0 where only the range is known.
	Likely float64 `json:"likely,omitempty"`
	// Reach is the fraction that the fix can act on, 0 where it is not known: the share
	// with what goes along with it, such as the freeing of what is allocated there.
	Reach float64 `json:"reach,omitempty"`
	// NoEstimate is true where nothing but the share is known; the numbers above are 0.
	NoEstimate bool   `json:"no_estimate,omitempty"`
	Basis      string `json:"basis"`
}

// isEstimate says whether the range tells more than the share does. One that nobody gave a
// likely value and that begins at nothing is an upper bound.
func (g *Gain) isEstimate() bool { return !g.NoEstimate && (g.Likely != 0 || g.Low != 0) }

// MarshalJSON leaves out the numbers that no view prints.
func (g Gain) MarshalJSON() ([]byte, error) {
	type plain Gain
	if g.isEstimate() {
		return json.Marshal(plain(g))
	}
	return json.Marshal(struct {
		Reach      float64 `json:"reach,omitempty"`
		NoEstimate bool    `json:"no_estimate"`
		Basis      string  `json:"basis"`
	}{g.Reach, true, g.Basis})
}

// Estimate is the gain where its range is an estimate, nil otherwise.
func (f *Finding) Estimate() *Gain {
	if f.Gain == nil || !f.Gain.isEstimate() {
		return nil
	}
	return f.Gain
}

// Middle is what is likely, or the middle of the range where only that is known.
func (g *Gain) Middle() float64 {
	if g.Likely != 0 {
		return g.Likely
	}
	return (g.Low + g.High) / 2
}
