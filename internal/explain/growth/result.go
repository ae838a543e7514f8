package growth

import "whyhot/internal/explain/growth/exponent"

// Labels of samples from runs at several sizes.
const (
	LabelSize  = "grow_size"  // number, the unit says of what
	LabelRound = "grow_round" // number, from 0
)

// Factor is the growth of the input for which costs are foretold.
const Factor = 10

// Threshold is what the lower end of an exponent's interval must exceed for a cost to be
// called superlinear. n·log n has exponents up to 1.15 at the sizes of real inputs.
const Threshold = 1.2

// Result is what an experiment shows. Its JSON form is docs/grow.schema.json.
type Result struct {
	Version   int        `json:"version"`
	Command   []string   `json:"command,omitempty"`
	Unit      string     `json:"unit"` // of the sizes: n, bytes, lines, …
	Sizes     []Size     `json:"sizes"`
	Total     Cost       `json:"total"`
	Times10x  float64    `json:"times10x"`  // the CPU time at 10×, over that at the largest size
	Functions []Function `json:"functions"` // what grows faster than the input, the costliest at 10× first
	Others    []Other    `json:"others,omitempty"`
	Notes     []string   `json:"notes,omitempty"`
}

// Size is one size and what was measured at it.
type Size struct {
	N          float64 `json:"n"`
	Runs       int     `json:"runs"`
	Samples    int64   `json:"samples"`
	CPUSeconds float64 `json:"cpu_seconds"` // of one run, in the mean
}

// Cost is how a cost grows.
type Cost struct {
	Exponent float64 `json:"exponent"`
	Low      float64 `json:"low"` // of the 95% interval
	High     float64 `json:"high"`
	Share    float64 `json:"share"`  // of the CPU time at the largest size
	At10x    float64 `json:"at10x"`  // of the CPU time with ten times that
	Counts   []int64 `json:"counts"` // samples by size
	fit      exponent.Fit
}

// Place is a line of the program.
type Place struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int32  `json:"line,omitempty"`
}

// Function is a place whose cost grows faster than the input.
type Function struct {
	Place
	Cost

	Own       bool       `json:"own"` // false: code of the program itself is in none of the stacks
	Callers   []Place    `json:"callers,omitempty"`
	Operation *Operation `json:"operation,omitempty"`
	Cure      string     `json:"cure,omitempty"`
	Lines     []LineCost `json:"lines,omitempty"` // of the function, with a part in what grows
}

// LineCost is a line of a function that grows.
type LineCost struct {
	Line  int32   `json:"line"`
	Share float64 `json:"share"` // at the largest size
}

// Operation is what grows below a line.
type Operation struct {
	Kind  Kind    `json:"kind"`
	Name  string  `json:"name,omitempty"` // the function by which it is known
	Share float64 `json:"share"`          // of what grows
}

// Other is a function, with what it calls or alone, that was fitted.
type Other struct {
	Place
	Cost

	Self bool `json:"self"` // without what it calls
}

// At is the cost of one run at a size, in samples, as it was fitted.
func (c *Cost) At(n float64) float64 { return c.fit.At(n) }
