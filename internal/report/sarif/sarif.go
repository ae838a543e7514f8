// Package sarif writes findings in the form that code-scanning services and editors
// collect them in: SARIF 2.1.0, a standard of OASIS.
//
// It owns the part of the format that whyhot uses. It takes data and gives JSON, and
// imports nothing of this module.
package sarif

import (
	"encoding/json"
	"io"
)

const (
	version = "2.1.0"
	schema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// The levels of a result (section 3.27.10 of the standard).
const (
	Warning = "warning"
	Note    = "note"
)

// Run is what one tool said of one thing (3.14).
type Run struct {
	Tool       Tool           `json:"tool"`
	Automation *Automation    `json:"automationDetails,omitempty"`
	Results    []Result       `json:"results"` // never null: null means that nothing was run
	Properties map[string]any `json:"properties,omitempty"`
}

// Tool is the program (3.18).
type Tool struct {
	Driver Driver `json:"driver"`
}

// Driver is its main part (3.19).
type Driver struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Rules   []Rule `json:"rules"`
}

// Rule is one rule of the tool (3.49).
type Rule struct {
	ID      string `json:"id"`
	Short   *Text  `json:"shortDescription,omitempty"`
	Full    *Text  `json:"fullDescription,omitempty"`
	Help    *Text  `json:"help,omitempty"`
	HelpURI string `json:"helpUri,omitempty"`
}

// Text is a message (3.11, 3.12).
type Text struct {
	Text string `json:"text"`
}

// Automation tells runs apart: of one image and of another (3.17).
type Automation struct {
	ID string `json:"id"`
}

// Result is one finding (3.27).
type Result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      Text              `json:"message"`
	Rank         *float64          `json:"rank,omitempty"` // 0 to 100
	Locations    []Location        `json:"locations,omitempty"`
	Flows        []Flow            `json:"codeFlows,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Properties   map[string]any    `json:"properties,omitempty"`
}

// Location is where it is (3.28).
type Location struct {
	Physical *Physical `json:"physicalLocation,omitempty"`
	Logical  []Logical `json:"logicalLocations,omitempty"`
	Message  *Text     `json:"message,omitempty"`
}

// Flow is a way through the program (3.36), with one thread here.
type Flow struct {
	Threads []Thread `json:"threadFlows"`
}

// Thread is the way of one thread (3.37).
type Thread struct {
	Steps []Step `json:"locations"`
}

// Step is a place on the way (3.38).
type Step struct {
	Location Location `json:"location"`
}

// Physical is a file (3.29).
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   *Region  `json:"region,omitempty"`
}

// Region is a part of a file by lines (3.30).
type Region struct {
	Start int `json:"startLine"`
	End   int `json:"endLine,omitempty"`
}

// Artifact names it (3.4).
type Artifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

// Logical is a part of a program, such as a package (3.33).
type Logical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// Write writes runs as one document.
func Write(w io.Writer, runs []Run) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []Run  `json:"runs"`
	}{schema, version, runs})
}
