package fix

// JSONVersion is the version of the JSON form. It grows when a field changes its
// meaning or goes.
const JSONVersion = 1

// JSON is what `whyhot fix --json` writes.
type JSON struct {
	Version     int      `json:"version"`
	Kind        string   `json:"kind"`
	What        string   `json:"what"`
	Applicable  bool     `json:"applicable"`
	Effect      string   `json:"effect,omitempty"`
	Refusals    []Reason `json:"refusals"`
	Assumptions []Reason `json:"assumptions"`
	Notes       []Reason `json:"notes"`
	Advice      []string `json:"advice,omitempty"` // by hand, where the fix is not applicable
	Diff        string   `json:"diff"`
}

// Reason is a sentence and the place it is about.
type Reason struct {
	Text string `json:"text"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// JSON is the proposal with its diff; root is as in Diff.
func (p *Proposal) JSON(root string) JSON {
	reasons := func(list []Remark) []Reason {
		out := make([]Reason, 0, len(list))
		for _, r := range list {
			out = append(out, Reason{Text: r.Text, File: r.File, Line: r.Line})
		}
		return out
	}
	return JSON{
		Version: JSONVersion, Kind: p.Kind, What: p.What, Applicable: p.Sound(), Effect: p.Effect,
		Refusals: reasons(p.Refusals), Assumptions: reasons(p.Assumptions), Notes: reasons(p.Notes), Advice: p.Advice,
		Diff: Diff(p.Changes, root),
	}
}
