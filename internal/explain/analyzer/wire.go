package analyzer

// protocolVersion is the version of the NDJSON protocol that both sides speak.
const protocolVersion = 1

// Request asks for the analysis of one unit.
type Request struct {
	Directory  string   `json:"directory"`
	Arguments  []string `json:"arguments"`
	Predicates []string `json:"predicates,omitempty"`
	Functions  []string `json:"functions,omitempty"` // linkage names; none means all
	Remarks    bool     `json:"remarks,omitempty"`
	ASTRequest
	FixRequest
	Blame    bool `json:"blame,omitempty"`    // which writes must change together
	Cycles   bool `json:"cycles,omitempty"`   // throughput of every candidate in every world
	Assembly bool `json:"assembly,omitempty"` // its machine code there
	At       *At  `json:"at,omitempty"`       // loops around a line instead of candidates
	// EveryLoop also follows loops that are no candidates: a control group.
	EveryLoop bool `json:"every_loop,omitempty"`
	// Preamble keeps the unit's leading #includes compiled for the next request. It is no
	// part of what is asked: the answer is the same.
	Preamble bool `json:"preamble,omitempty"`
	// Whole, with Preamble, has all of the unit analysed, whatever an earlier request found in
	// its functions.
	Whole bool `json:"whole,omitempty"`
	// Machine asks of a binary instead of a unit.
	Machine *MachineRequest `json:"machine,omitempty"`
	// Record is a file in LLVM's bitstream of remarks, asked of instead of a unit.
	Record string `json:"record,omitempty"`
}

// At names a source line. The file is compared from its end.
type At struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Point is a source position; a []Point is an inlining chain, innermost first.
type Point struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Function string `json:"function,omitempty"` // linkage name
}

// Access is one load or store of a candidate.
type Access struct {
	Kind  string  `json:"kind"` // "first", "load", "write" or "call"
	Type  string  `json:"type"` // LLVM's name of the type moved
	Where []Point `json:"where"`
}

// LoopState is a loop in one world.
type LoopState struct {
	Present            bool    `json:"present"`
	Idiom              bool    `json:"idiom"`          // replaced by a library call, or deleted
	FullyUnrolled      bool    `json:"fully_unrolled"` // its body stands once for every iteration
	Vectorised         bool    `json:"vectorised"`
	VectorWidth        int     `json:"vector_width"`
	Interleave         int     `json:"interleave"`
	Unroll             int     `json:"unroll"`
	Calls              int     `json:"calls"`
	Reloads            int     `json:"reloads"`
	LoadsPerIteration  float64 `json:"loads_per_iteration"` // of the source loop
	StoresPerIteration float64 `json:"stores_per_iteration"`
	// Of an average iteration: what stands on a branch that is hardly taken
	// counts for less than one. A nest is the loop with its sub-loops.
	UsualLoads     float64 `json:"usual_loads"`
	UsualNestLoads float64 `json:"usual_nest_loads"`
	UsualNestCalls float64 `json:"usual_nest_calls"`

	Cycles   map[string]float64 `json:"cycles,omitempty"` // per source iteration, by CPU; llvm-mca's model
	Assembly string             `json:"assembly,omitempty"`
	Remarks  []Remark           `json:"remarks,omitempty"`
}

// The worlds a loop is compiled in.
const (
	WorldWritten = "written"
	WorldRetyped = "retyped"
	WorldHoisted = "hoisted"
	WorldPlacebo = "placebo"
)

// Candidate is a loop that repeats loads for no reason but the blamed stores.
type Candidate struct {
	Predicate      string               `json:"predicate"`
	Function       string               `json:"function"` // linkage name of the function the loop ended up in
	Start          []Point              `json:"start"`
	EndLine        int                  `json:"end_line"`  // of the loop, in the file of Start[0]; 0 unknown
	Enclosing      [][]Point            `json:"enclosing"` // starts of the loops around it, inner first
	Depth          int                  `json:"depth"`
	Innermost      bool                 `json:"innermost"`
	MostIterations int                  `json:"most_iterations"` // 0 when nothing bounds them
	Carries        bool                 `json:"carries"`         // goes on only while what it overwrites had one certain value
	Capacity       int                  `json:"capacity"`        // elements of the smallest array that it walks along; 0 unknown
	Part           float64              `json:"part"`            // of the instructions of its source function
	Pads           bool                 `json:"pads"`            // fills up to a small power of two
	Digits         bool                 `json:"digits"`          // has an iteration for each byte of a number
	Counts         bool                 `json:"counts"`          // an iteration loads what the one before stored
	Loads          []Access             `json:"loads"`
	Writes         []Access             `json:"writes"`
	SlowCalls      []Access             `json:"slow_calls,omitempty"` // that may change what is loaded again, on paths hardly taken
	Worlds         map[string]LoopState `json:"worlds"`
	Confirmed      bool                 `json:"confirmed"`
	Reach          []string             `json:"reach"` // the worlds whose edit has an effect
	Effect         string               `json:"effect"`
	Effects        map[string]string    `json:"effects,omitempty"` // of each world of Reach
	Groups         [][]int              `json:"groups,omitempty"`  // of Writes: each group must change type together
	// Fine are copies of this loop, or of others in the same inline function of a
	// library, that are no candidates: nothing is loaded again there.
	Fine []FineCopy `json:"fine,omitempty"`
}

// FineCopy is a copy of a loop by inlining, and the function it is in.
type FineCopy struct {
	Function string  `json:"function"`
	Start    []Point `json:"start"`
}

// Remark is one optimisation remark of the world as written.
type Remark struct {
	Kind     string  `json:"kind"`
	Pass     string  `json:"pass"`
	Name     string  `json:"name"`
	Function string  `json:"function"`
	Message  string  `json:"message"`
	Where    []Point `json:"where"`
}

// SourceLoop is a loop before any pass.
type SourceLoop struct {
	Function string `json:"function"` // linkage name
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	EndLine  int    `json:"end_line"`
	Depth    int    `json:"depth"`
}

// Reply is the answer to one request.
type Reply struct {
	Errors         []string    `json:"errors"`
	Notes          []string    `json:"notes,omitempty"`  // what of the command line was left out
	Dependencies   []string    `json:"dependencies"`     // every file the front end read
	Absent         []string    `json:"absent,omitempty"` // files whose appearance would change the answer
	Unoptimised    bool        `json:"unoptimised"`
	StrictAliasing bool        `json:"strict_aliasing"`
	Loops          int         `json:"loops"`
	Candidates     []Candidate `json:"candidates"`
	Remarks        []Remark    `json:"remarks"`
	// SourceLoops are the loops of all functions as the source has them, with
	// Request.Remarks.
	SourceLoops []SourceLoop `json:"source_loops,omitempty"`
	// Undefined lists the names of Request.Functions that the unit does not define.
	Undefined []string `json:"undefined,omitempty"`
	ASTReply
	FixReply
	Machine         *MachineReply `json:"machine,omitempty"`
	Record          *recordReply  `json:"record,omitempty"`
	Preamble        string        `json:"preamble,omitempty"` // "made" or "used", "" where there was none
	Reused          int           `json:"reused,omitempty"`   // functions of which an earlier request with Preamble said all that there is
	FrontEndSeconds float64       `json:"front_end_seconds"`
	AnalysisSeconds float64       `json:"analysis_seconds"`
}
