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
	Root        string   `json:"root,omitempty"` // the directory that the paths of Diff are relative to

	// Valid says that there is a patch that may be applied; where not, Reasons say why and
	// ByHand what a person does.
	Valid   bool     `json:"valid"`
	Reasons []string `json:"reasons,omitempty"`
	ByHand  []string `json:"by_hand,omitempty"`
	Covers  *Covers  `json:"covers,omitempty"`
	// Others are further kinds of patch, each sound by itself.
	Others []Other `json:"others,omitempty"`
}

// Covers is how much of the finding the patch is about.
type Covers struct {
	Places   int      `json:"places,omitempty"`
	OfPlaces int      `json:"of_places,omitempty"`
	Share    *float64 `json:"share,omitempty"`    // of the CPU
	OfShare  float64  `json:"of_share,omitempty"` // that of the finding
}

// Other is a kind of patch that competes with the one that is shown.
type Other struct {
	Kind   string  `json:"kind"`
	What   string  `json:"what"`
	Effect string  `json:"effect,omitempty"`
	Covers *Covers `json:"covers,omitempty"`
}

// NoPatch is what `whyhot fix --json` writes where there is no patch at all.
func NoPatch(reason string, byHand []string) JSON {
	return JSON{Version: JSONVersion, Refusals: []Reason{{Text: reason}}, Assumptions: []Reason{}, Notes: []Reason{},
		Advice: byHand, Reasons: []string{reason}, ByHand: byHand}
}

func (c Coverage) json() *Covers {
	if c.Of == 0 && c.Share == nil {
		return nil
	}
	return &Covers{Places: c.Places, OfPlaces: c.Of, Share: c.Share, OfShare: c.Whole}
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
	out := JSON{
		Version: JSONVersion, Kind: p.Kind, What: p.What, Applicable: p.Sound(), Effect: p.Effect,
		Refusals: reasons(p.Refusals), Assumptions: reasons(p.Assumptions), Notes: reasons(p.Notes), Advice: p.Advice,
		Diff: Diff(p.Changes, root), Root: root, Valid: p.Sound(), Covers: p.Covers.json(),
	}
	if !p.Sound() {
		for _, r := range p.Refusals {
			out.Reasons = append(out.Reasons, r.Text)
		}
		out.ByHand = p.Advice
	}
	for i := range p.Others {
		q := &p.Others[i]
		out.Others = append(out.Others, Other{Kind: q.Kind, What: q.What, Effect: q.Effect, Covers: q.Covers.json()})
	}
	return out
}
