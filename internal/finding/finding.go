// Package finding is the central noun: one sentence an engineer can act on,
// with the ladder of certainty it has climbed.
//
// It owns the Finding, its stable identity (identity.go), the estimate of its gain, the
// ranking (rank.go) and the JSON form (published as docs/finding.schema.json). It takes
// facts from rules, analyses and trials and gives data that every report prints.
// It must never import another package of this module but profile.
package finding

// SchemaVersion is the version of the JSON form. It grows when a field changes
// its meaning or goes; a new optional field does not change it.
const SchemaVersion = 1

// Certainty is how far up the ladder a finding has climbed.
type Certainty string

// The ladder. Refuted is a trial's answer too: it measured no gain.
const (
	Suspected Certainty = "suspected" // a pattern matched
	Confirmed Certainty = "confirmed" // something independent agrees
	Proved    Certainty = "proved"    // an interleaved A/B run measured a gain
	Refuted   Certainty = "refuted"   // an interleaved A/B run measured none
)

// Place is where the cost is. Unknown fields stay empty and are left out.
type Place struct {
	Binary   string `json:"binary,omitempty"`
	BuildID  string `json:"build_id,omitempty"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	EndLine  int    `json:"end_line,omitempty"`
}

// Evidence is one fact that speaks for the finding.
type Evidence struct {
	Kind  string   `json:"kind"` // "symbol", "mapping", "caller", "version", "remark", "claim", "trial", …
	Text  string   `json:"text"`
	Share *float64 `json:"share,omitempty"` // fraction of all samples, where the fact has one
}

// Fix is what to change. Kind is one of preload, package, env, flag, code,
// config, build, cli (another program on the command line).
type Fix struct {
	Kind    string   `json:"kind"`
	Steps   []string `json:"steps"`
	Diff    string   `json:"diff,omitempty"`
	Caveats []string `json:"caveats,omitempty"`
	Licence string   `json:"licence,omitempty"`
	// Preload are the libraries to preload, Env the NAME=VALUE to set, by which the fix
	// can be tried without a change to the program. Where both are empty the change
	// comes first, and then a trial of the changed program.
	Preload []string `json:"preload,omitempty"`
	Env     []string `json:"env,omitempty"`
}

// Interval is a measured ratio with its 95 % interval.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Trial is what an A/B run said of the finding. SpeedUp is baseline time over
// variant time: above 1 the variant is faster.
type Trial struct {
	Variant string   `json:"variant"`
	Command []string `json:"command"`
	Runs    int      `json:"runs"`
	SpeedUp Interval `json:"speed_up"`
	Verdict Verdict  `json:"verdict"`
}

// Copy is what became of a source loop in one function: its own, or one that it
// was inlined into.
type Copy struct {
	Function string `json:"function"` // linkage name
	State    string `json:"state"`    // CopyConfirmed, CopySuspected or CopyFine
}

// The states of copies.
const (
	CopyConfirmed = "confirmed"
	CopySuspected = "suspected" // no edit has an effect there
	CopyFine      = "fine"      // nothing stops the compiler there
)

// Cost is where a profile shows what a finding costs, where that is in what its
// lines call. Lines are those of source files of the build.
type Cost struct {
	From Place // these lines with all that they call
	Ends Place // the destructors that this line calls
	// ArgumentsOf are names of a function, the linkage name first: what its callers
	// call on the line of the call to make and destroy its arguments.
	ArgumentsOf []string
}

// Site is one of the places of a finding that has several: one cause, seen in
// many loops and declarations.
type Site struct {
	Place

	Kind  string   `json:"kind"`            // SiteLoop or SiteDeclaration
	Text  string   `json:"text,omitempty"`  // what is there
	Of    []string `json:"of,omitempty"`    // of a loop: the names of its declarations
	Share *float64 `json:"share,omitempty"` // of all samples: what ran on its lines
}

// The kinds of sites.
const (
	SiteLoop        = "loop" // or a line in one
	SiteDeclaration = "declaration"
)

// Finding is one row of every report.
type Finding struct {
	ID        string    `json:"id"`
	Rule      string    `json:"rule"`
	Title     string    `json:"title"`
	Certainty Certainty `json:"certainty"`
	Place     Place     `json:"place"`
	Share     Share     `json:"share"`
	Gain      *Gain     `json:"gain,omitempty"`
	Accesses  []Access  `json:"accesses,omitempty"`
	Worlds    []World   `json:"worlds,omitempty"`
	Source    *Excerpt  `json:"source,omitempty"`
	Copies    []Copy    `json:"copies,omitempty"` // of a loop
	// PaidBy are the lines of the program's own code that pay, dearest first; none where
	// the place is the line, or no stack has one.
	PaidBy   []HotLine  `json:"paid_by,omitempty"`
	Sites    []Site     `json:"sites,omitempty"` // where one cause has several: hottest loops first, then declarations
	Evidence []Evidence `json:"evidence"`
	Fix      Fix        `json:"fix"`
	Next     Command    `json:"next,omitzero"`
	See      []Command  `json:"see,omitempty"` // commands that show more of it
	Links    []string   `json:"links,omitempty"`
	Trials   []Trial    `json:"trials,omitempty"`
	// Bill is what the share costs, nil where nobody gave prices.
	Bill *Bill `json:"cost,omitempty"`
	// Cost says where a profile shows it, nil for the place's lines.
	Cost *Cost `json:"-"`
	// Minor says why a true finding can give back little, or that only a profile shows
	// whether it matters; "" where it is worth a look as it is. Short reports count these and do not list them.
	Minor string `json:"minor,omitempty"`
	// After is the finding whose change takes this one's cost along or makes it smaller: it
	// is looked at again after that. Such a finding is minor.
	After string `json:"after,omitempty"`
	// General advice holds for nearly every program (PGO, LTO).
	General bool `json:"general,omitempty"`
	// Aside names the program itself, or all of it (jq is interpreted): true of
	// every run, and about none alone. It comes after all others, and Worked leaves it out.
	Aside bool `json:"aside,omitempty"`
	// Foremost is what has to be mended before the others mean anything: a build without
	// optimisation, or with a sanitiser.
	Foremost bool `json:"foremost,omitempty"`
	// SameAs are the ids that the finding has where less was looked at: without the
	// source, a loop is known by its machine code.
	SameAs []string `json:"same_as,omitempty"`
}
