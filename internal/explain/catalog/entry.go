// Package catalog reads the knowledge base: entries that say what is slow, what
// is faster, how to swap and when the advice is moot.
//
// It owns the form of an entry, of a family and of a runtime mark, and every
// check that can be made without a profile. It takes YAML from any fs.FS (the
// embedded catalogue, a user's directory) and gives a Catalog, which it keeps on disk for the
// next start where KeepIn says so. It must never import a package that knows profiles, findings or
// rules; internal/explain/rule gives entries their meaning.
package catalog

// Entry is one piece of knowledge. The YAML keys are the contract with rule
// authors; docs/guide/rules.md explains each.
type Entry struct {
	ID          string      `yaml:"id"`
	Title       string      `yaml:"title"`
	Type        string      `yaml:"type"`
	Ecosystem   string      `yaml:"ecosystem"`
	Family      string      `yaml:"family"`
	Group       string      `yaml:"group"`
	Priority    int         `yaml:"priority"`
	Why         string      `yaml:"why"`
	Match       Match       `yaml:"match"`
	Unless      Unless      `yaml:"unless"`
	Versions    string      `yaml:"versions"`
	Packages    []Packages  `yaml:"packages"`
	Confirm     []Condition `yaml:"confirm"`
	ReplaceWith string      `yaml:"replace_with"`
	Candidates  []Candidate `yaml:"candidates"`
	Swap        Swap        `yaml:"swap"`
	Reduction   Reduction   `yaml:"reduction"`
	Claims      []Claim     `yaml:"claims"`
	Caveats     []string    `yaml:"caveats"`
	Licence     string      `yaml:"licence"`
	Links       []string    `yaml:"links"`
	Verified    string      `yaml:"verified"`
	Fallback    bool        `yaml:"fallback"`
	// Symptom: it tells what lines do and not why. A rule that reads the line and knows why they do
	// so leads, with the evidence of both.
	Symptom bool `yaml:"symptom"`
	// Own: it is about what programs write themselves, and not about a library.
	Own bool `yaml:"own"`
	// Aside says whether what is found names the program itself; nil where the form of the
	// entry tells (IsAside).
	Aside *bool `yaml:"aside"`
	// SourceRule is the source rule that finds the same cause in the source of a
	// build: what both find is one finding.
	SourceRule string `yaml:"source_rule"`

	Tests []Test `yaml:"tests"`

	// Trials are our own measurements, of built-in entries; they are not part of the
	// YAML either.
	Trials []Trial `yaml:"-"`

	// File is where the entry was read from; it is not part of the YAML.
	File string `yaml:"-"`
}

// The two types of entry.
const (
	Replacement = "replacement"
	Antipattern = "antipattern"
)

// Frame describes stack frames. Every key that is given must hold; inside a
// list one pattern is enough.
type Frame struct {
	Name       []Pattern `yaml:"name"`
	NotName    []Pattern `yaml:"not_name"`
	File       []Pattern `yaml:"file"`
	Library    []Pattern `yaml:"library"`
	NotLibrary []Pattern `yaml:"not_library"`
	Kind       []string  `yaml:"kind"`
	Unnamed    bool      `yaml:"unnamed"`    // only frames without a name
	NoLibrary  bool      `yaml:"no_library"` // only frames whose binary is not known
}

// Match says which samples an entry is about.
type Match struct {
	// Any lists alternatives: a frame matches when one of them does.
	Any []Frame `yaml:"any"`
	// Measure is "inclusive" (a sample counts once when any of its frames
	// matches) or "exclusive" (when the leaf does).
	Measure string `yaml:"measure"`
	// Inside, Outside and Leaf narrow it: some other frame nearer the root must
	// match, no frame of the stack may match, the leaf must match.
	Inside  []Frame `yaml:"inside"`
	Outside []Frame `yaml:"outside"`
	Leaf    []Frame `yaml:"leaf"`
	// Stays are frames whose work the change leaves as it is: samples in which a matched
	// frame calls one do not count.
	Stays []Frame `yaml:"stays"`
	// Runtime and Program narrow it to programs of a language runtime or name.
	Runtime []string  `yaml:"runtime"`
	Program []Pattern `yaml:"program"`
	// Seen asks for frames that must occur somewhere in the program's samples,
	// in SeenShare of them at least.
	Seen      []Frame `yaml:"seen"`
	SeenShare float64 `yaml:"seen_share"`
	// OwnFrames leaves inlined functions out: only frames that are functions of
	// their own in the machine code match.
	OwnFrames bool `yaml:"own_frames"`
	// ProcessSeconds silences it where the program's processes use less CPU than that, on
	// average: what is said of one that goes on for long is not so of many short ones. A
	// profile that does not tell processes apart passes.
	ProcessSeconds float64 `yaml:"process_seconds"`
	// Innermost leaves out samples in which the matched frame calls another function
	// of the same kinds: in a library that calls back, what is called is not its cost.
	Innermost bool `yaml:"innermost"`
	// OwnCaller silences it where most of the samples are asked for by the language's
	// standard library: what is advised is a change of the calling code.
	OwnCaller bool `yaml:"own_caller"`
	// Repeats asks that it goes on through the run: where samples have times, what is in few
	// tenths of them was done once, at start or between.
	Repeats bool `yaml:"repeats"`
	// Source narrows it to lines of source text.
	Source Source `yaml:"source"`
	// MinShare is the smallest share of the program's samples worth a word.
	MinShare float64 `yaml:"min_share"`
	// Place is what the finding points at: program, library, function (the
	// matched one that dominates) or caller (who calls into it).
	Place string `yaml:"place"`
}

// Source says what the source line of a matched frame looks like. In what is not
// compiled when the entry is read, $1 stands for group 1 of Line, taken literally.
// Where the source is not at hand nothing matches.
type Source struct {
	Line    *Pattern `yaml:"line"`
	NotLine string   `yaml:"not_line"` // what the line must not match
	// Defined finds definitions of what the line uses; of those above the line, the
	// nearest must match As.
	Defined string `yaml:"defined"`
	As      string `yaml:"as"`
	// Has must match some line of the file; without Line, any line of it will do.
	Has string `yaml:"has"`
}

// The measures of a Match.
const (
	Inclusive = "inclusive"
	Exclusive = "exclusive"
)

// The places that a finding may point at.
const (
	PlaceProgram  = "program"
	PlaceLibrary  = "library"
	PlaceFunction = "function"
	PlaceCaller   = "caller"
)

// Unless lists what makes the advice moot.
type Unless struct {
	MappedLibrary []Pattern `yaml:"mapped_library"`
	// Frames make it moot when FrameShare of the program's samples have one; by
	// default one sample is enough.
	Frames     []Frame   `yaml:"frames"`
	FrameShare float64   `yaml:"frame_share"`
	Runtime    []string  `yaml:"runtime"`
	Program    []Pattern `yaml:"program"`
}

// Packages are packages of one kind that have in them what the entry is about:
// whyhot images scan looks for them. Without a profile such a package is all that is
// known, so those belong here in which nothing else is.
type Packages struct {
	Kind string    `yaml:"kind"` // deb, npm, …
	Name []Pattern `yaml:"name"` // one of them must match
	// Min and Below are the lowest version, inclusive, and the first that is no longer
	// meant, as in a condition.
	Min   string `yaml:"min"`
	Below string `yaml:"below"`
	// Unless are packages of the same kind that make the advice moot.
	Unless []Pattern `yaml:"unless"`
}

// Condition is a fact about a binary on disk that can be looked up. Every key
// given must hold for the condition to hold. A condition that cannot be looked
// up leaves a finding suspected; one that fails silences it.
type Condition struct {
	// Of is "library" (the binary whose frames matched most) or "program".
	Of          string    `yaml:"of"`
	Defines     []Pattern `yaml:"defines"` // each must match a defined symbol
	Lacks       []Pattern `yaml:"lacks"`   // none may match a defined symbol
	Needed      []Pattern `yaml:"needed"`  // each must match a DT_NEEDED name
	NotNeed     []Pattern `yaml:"not_needed"`
	Package     *Pattern  `yaml:"package"`
	String      *Pattern  `yaml:"string"`       // text in the binary; group 1 is the version
	NoString    []Pattern `yaml:"not_string"`   // text that must not be in the binary
	Producer    *Pattern  `yaml:"producer"`     // some compile unit must be of it
	NotProducer *Pattern  `yaml:"not_producer"` // and not of this
	Static      *bool     `yaml:"static"`
	Min         string    `yaml:"min"`                // lowest version, inclusive
	Below       string    `yaml:"below"`              // first version that is no longer meant
	Text        string    `yaml:"text"`               // said when it holds; {version}, {package}, {binary}
	Needs       bool      `yaml:"needed_for_finding"` // unknown means no finding
}

// Candidate is one of several replacements that a trial decides between.
type Candidate struct {
	Name    string   `yaml:"name"`
	Preload string   `yaml:"preload"` // name that `whyhot try --preload` knows
	Package string   `yaml:"package"` // Debian package
	Licence string   `yaml:"licence"`
	Claims  []Claim  `yaml:"claims"`
	Caveats []string `yaml:"caveats"`
}

// Swap is how to change over.
type Swap struct {
	Kind    string   `yaml:"kind"` // one of SwapKinds
	Steps   []string `yaml:"steps"`
	Env     []string `yaml:"env"`     // K=V, for a trial by environment
	Try     string   `yaml:"try"`     // flags of `whyhot try build`, for a trial by another build
	Package string   `yaml:"package"` // Debian package or language package
	// Cases are other steps for calls that look a certain way in the source. The
	// first whose Line matches the place of the finding has its Steps shown instead.
	Cases []Case `yaml:"cases"`
}

// Case is a kind of call that the source tells apart.
type Case struct {
	Line  Pattern  `yaml:"line"`
	Why   string   `yaml:"why"` // what the line shows
	Steps []string `yaml:"steps"`
}

// Env is the kind of a change to what the program's environment says.
const Env = "env"

// SwapKinds are the kinds of change, as in finding.Fix.
var SwapKinds = []string{"preload", "package", Env, "flag", "code", "config", "build", "cli"}

// Reduction is which fraction of the matched share goes away, and how that is
// known. Low may be negative and High above 1 where the basis says why.
type Reduction struct {
	// Change says what the fix does to the work, one of Changes. It decides whether an
	// estimate is made from trials; an entry without it has its range as it is.
	Change string  `yaml:"change"`
	Low    float64 `yaml:"low"`
	High   float64 `yaml:"high"`
	Basis  string  `yaml:"basis"`
}

// What a fix does to the work that the samples show.
const (
	ChangeRemoved  = "removed"  // done once in place of again and again, or not at all
	ChangeReplaced = "replaced" // done by another implementation
	ChangeData     = "data"     // done in another way; the data decide how much that saves
	ChangeIndirect = "indirect" // as before: a setting, a build, a lock, the kernel makes it cheaper
)

// Changes lists the kinds of change.
var Changes = []string{ChangeRemoved, ChangeReplaced, ChangeData, ChangeIndirect}

// LeavesOutput says whether the kernel's part of writing and sending below the matched frames
// stays: another implementation writes as much. Page faults and reads do not count as such:
// trials show that they go with the old implementation's memory and files. What is not done
// any more writes nothing, and settings are often about the kernel.
func (e *Entry) LeavesOutput() bool {
	return e.Reduction.Change == ChangeReplaced || e.Reduction.Change == ChangeData
}

// Claim is a statement of somebody else. Only what was read may be shown.
type Claim struct {
	Text     string `yaml:"text"`
	Source   string `yaml:"source"`
	Evidence string `yaml:"evidence"` // read, part or recall
}

// How far a claim was checked against its source.
const (
	EvidenceRead   = "read"   // the cited text says it
	EvidencePart   = "part"   // the source was read, the statement is wider than it
	EvidenceRecall = "recall" // not checked: never shown
)

// Test is a profile and what the entry must say of it.
type Test struct {
	Name    string     `yaml:"name"`
	Profile string     `yaml:"profile"` // folded stacks
	Expect  string     `yaml:"expect"`  // found, confirmed or silent
	Why     string     `yaml:"why"`
	Facts   []TestFact `yaml:"facts"`
	// Sources are the texts of source files, by the path in the profile.
	Sources map[string]string `yaml:"sources"`
	// Says is a text that the finding must hold somewhere.
	Says string `yaml:"says"`
}

// What a test may expect.
const (
	ExpectFound     = "found"
	ExpectConfirmed = "confirmed"
	ExpectSilent    = "silent"
)

// TestFact stands in for a binary on disk.
type TestFact struct {
	Binary   string   `yaml:"binary"` // base name of the mapping
	Defines  []string `yaml:"defines"`
	Needed   []string `yaml:"needed"`
	Package  string   `yaml:"package"`
	Version  string   `yaml:"version"` // of the package
	Strings  []string `yaml:"strings"`
	Producer []string `yaml:"producer"`
	Static   bool     `yaml:"static"`
}

// Memory is work that another part of the program causes: what makes many objects
// causes the work of giving them back too, wherever that is done, and code that runs
// in a virtual machine that of its compiler and collector.
type Memory struct {
	Name     string  `yaml:"name"` // what giving back is called
	Makes    []Frame `yaml:"makes"`
	Releases []Frame `yaml:"releases"`
	// Apart says that Releases count only in stacks without Makes: threads of a virtual
	// machine's own. On other threads what was interrupted is known to have caused it.
	Apart bool `yaml:"apart"`
}

// Family groups symbols by what they do, for `top --by family`.
type Family struct {
	Name string  `yaml:"name"`
	Any  []Frame `yaml:"any"`
}

// Runtime is a language runtime and the frames that give it away.
type Runtime struct {
	Name string `yaml:"name"`
	// Interpreter is true where the user's code is not the machine code that
	// the profile shows: what the interpreter itself calls is not theirs to change.
	Interpreter bool    `yaml:"interpreter"`
	Any         []Frame `yaml:"any"`
}
