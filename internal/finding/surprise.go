package finding

// Surprise is a share of the CPU that is not what was to be expected of it.
type Surprise struct {
	Kind    string `json:"kind"` // SurpriseFunction, SurpriseLibrary or SurpriseFamily
	Name    string `json:"name"`
	Binary  string `json:"binary,omitempty"` // of a function, without directories
	Against string `json:"against"`          // AgainstPast, AgainstPeers or AgainstPriors
	// Share is of all samples, what runs in it itself; Error is half of its 95 % interval.
	Share float64 `json:"share"`
	Error float64 `json:"error"`
	Usual Usual   `json:"usual"`
	Text  string  `json:"text"`             // one sentence
	Why   string  `json:"reason,omitempty"` // who calls it, or since when; "" where nothing stands out
}

// Usual is what the share was elsewhere.
type Usual struct {
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
	Number int     `json:"number"` // of profiles, windows or services
}

// The kinds of a Surprise.
const (
	SurpriseFunction = "function"
	SurpriseLibrary  = "library"
	SurpriseFamily   = "family"
)

// What a Surprise is held against.
const (
	AgainstPast   = "past"
	AgainstPeers  = "services"
	AgainstPriors = "priors"
)
