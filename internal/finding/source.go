package finding

// The roles of an access: what a reader looks at first, second and third.
const (
	RoleFirst  = "first"  // loaded (or touched) here,
	RoleWrite  = "write"  // written here,
	RoleSecond = "second" // and therefore loaded again here
)

// Access is one place in the source that the finding is about. Columns count
// from 1; 0 is not known.
type Access struct {
	Role   string `json:"role"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
	Text   string `json:"text,omitempty"` // as the source writes it
	Type   string `json:"type,omitempty"` // what is moved
}

// The fates of a loop in a world.
const (
	FateScalar     = "scalar"
	FateVectorised = "vectorised"
	FateUnrolled   = "unrolled"     // its iterations stand one after the other
	FateReplaced   = "library call" // or deleted
	FateUnknown    = "unknown"      // no counterpart of the loop was found
)

// World is the loop as one counterfactual compilation left it. Loads, Stores
// and Cycles are those of one iteration of the source loop; they are not known
// where there is no loop left.
type World struct {
	Name       string             `json:"name"`
	Fate       string             `json:"fate"`
	Edit       bool               `json:"edit,omitempty"`    // a change that can be made, not what is or a placebo
	Reached    bool               `json:"reached,omitempty"` // the edit is better than the loop as written and than the placebo
	Advised    bool               `json:"advised,omitempty"` // by its edit the finding advises first, and its title speaks of it
	Partial    bool               `json:"partial,omitempty"` // the edit that is advised may give less: not all that the loop loads again is in its reach
	Patched    bool               `json:"patched,omitempty"` // the edit is the machine-written patch, compiled
	Width      int                `json:"width,omitempty"`   // elements of a vector
	Interleave int                `json:"interleave,omitempty"`
	Unroll     int                `json:"unroll,omitempty"`
	Calls      int                `json:"calls,omitempty"`
	Loads      *float64           `json:"loads,omitempty"`
	Stores     *float64           `json:"stores,omitempty"`
	Cycles     map[string]float64 `json:"cycles,omitempty"` // by processor, of LLVM's machine model
}

// Excerpt is the source that a finding is about.
type Excerpt struct {
	File  string        `json:"file"`
	Lines []ExcerptLine `json:"lines"`
}

// ExcerptLine is one line of it. A gap in the numbers is a gap in the text.
type ExcerptLine struct {
	Number int      `json:"number"`
	Text   string   `json:"text"`
	Loop   bool     `json:"loop,omitempty"`  // part of the loop
	Marks  []string `json:"marks,omitempty"` // the roles of the accesses on it
	Share  *float64 `json:"share,omitempty"` // of all samples, while the line itself ran
}
