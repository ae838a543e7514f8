package finding

import "fmt"

// Source describes the profile that a report was made from.
type Source struct {
	Path     string  `json:"path,omitempty"`
	Format   string  `json:"format"`
	Type     string  `json:"type"` // what the values count: "cpu", "samples", …
	Unit     string  `json:"unit"`
	Total    int64   `json:"total"`   // sum of values in Unit
	Samples  int64   `json:"samples"` // events
	Lost     uint64  `json:"lost,omitempty"`
	Duration float64 `json:"duration_seconds,omitempty"`
}

// Report is the top level of the JSON form.
type Report struct {
	Version  int       `json:"version"`
	Profile  *Source   `json:"profile"` // null where no profile ranked the findings
	Findings []Finding `json:"findings"`
	// Unexplained are the functions that hold much and that no finding is about.
	Unexplained []Unexplained `json:"unexplained,omitempty"`
	// Open is the share of all samples that no finding is about, nil where nothing judged
	// the profile.
	Open *float64 `json:"-"`
	// Waits are where the command waits, nil where that was not seen.
	Waits *Waits `json:"waits,omitempty"`
	// Surprises are shares that are not what was to be expected.
	Surprises []Surprise `json:"surprises,omitempty"`
	// Notes are things to know that are no findings: lost samples, missing
	// symbols, a profile too small to judge.
	Notes []string `json:"notes,omitempty"`
	// Looked says what was looked at, for the reader of an empty list.
	Looked string `json:"looked_at,omitempty"`
	// Unjudged says that the profile counts what no rule is about, so that an
	// empty list is no answer; Notes say what it counts.
	Unjudged bool `json:"-"`
}

// Keep leaves the first n findings and says how many more there are; 0 keeps all.
func (r *Report) Keep(n int) {
	if more := len(r.Findings) - n; n > 0 && more > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d more findings (-n 0 shows all)", more))
		r.Findings = r.Findings[:n]
	}
}
