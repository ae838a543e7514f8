package catalog

// Summary is an entry in the JSON of `whyhot rules list` and `rules show`.
type Summary struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Type        string   `json:"type"` // Replacement or Antipattern
	Ecosystem   string   `json:"ecosystem"`
	Family      string   `json:"family"`
	Why         string   `json:"why"`
	ReplaceWith string   `json:"replace_with,omitempty"`
	Kind        string   `json:"kind"` // of fix
	Steps       []string `json:"steps"`
	// Low and High bound the fraction of the matched share that the fix may save.
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
	Basis    string   `json:"basis"`
	Verified string   `json:"verified,omitempty"` // what we measured, in words
	Trials   []Trial  `json:"trials,omitempty"`
	Caveats  []string `json:"caveats,omitempty"`
	Licence  string   `json:"licence,omitempty"`
	Links    []string `json:"links,omitempty"`
	General  bool     `json:"general,omitempty"` // holds for nearly every program
	File     string   `json:"file,omitempty"`
}

// Summary says what the entry advises, without how it is matched.
func (e *Entry) Summary() Summary {
	return Summary{
		ID: e.ID, Title: e.Title, Type: e.Type, Ecosystem: e.Ecosystem, Family: e.Family, Why: e.Why,
		ReplaceWith: e.ReplaceWith, Kind: e.Swap.Kind, Steps: e.Swap.Steps,
		Low: e.Reduction.Low, High: e.Reduction.High, Basis: e.Reduction.Basis,
		Verified: e.Verified, Trials: e.Trials, Caveats: e.Caveats, Licence: e.Licence, Links: e.Links, General: e.Fallback, File: e.File,
	}
}

// In lists the entries of an ecosystem, all for "".
func (c *Catalog) In(ecosystem string) []*Entry {
	var out []*Entry
	for i := range c.Entries {
		if ecosystem == "" || c.Entries[i].Ecosystem == ecosystem {
			out = append(out, &c.Entries[i])
		}
	}
	return out
}
