package analyzer

// The layers of the analyser. Without the IR layer no code is generated.
const (
	LayerAST = "ast"
	LayerIR  = "ir"
)

// ASTRequest is the AST layer's part of a request.
type ASTRequest struct {
	Layers    []string   `json:"layers,omitempty"`     // none: the IR layer alone
	ASTRules  []string   `json:"ast_rules,omitempty"`  // none: all
	Accessors []string   `json:"accessors,omitempty"`  // names for alias-loop-condition-name; none: the usual ones
	UserRules []UserRule `json:"user_rules,omitempty"` // of the user
}

// UserRule is a Clang AST-matcher expression under a name.
type UserRule struct {
	ID      string `json:"id"`
	Matcher string `json:"matcher"`
}

// ASTReply is the AST layer's part of an answer.
type ASTReply struct {
	Matches []Match `json:"matches,omitempty"`
	// Sites are the calls of the matched functions, by linkage name (by name where
	// there is none): once, not once a match.
	Sites map[string][]Site `json:"sites,omitempty"`
	// Hoists are of the loops that the answer names.
	Hoists []Hoist `json:"hoists,omitempty"`
	// Functions hold the places that the answer names.
	Functions  []Function `json:"functions,omitempty"`
	RuleErrors []string   `json:"rule_errors,omitempty"` // user rules that clang did not understand
}

// Hoist is what the fix of that name would read into locals before a loop.
type Hoist struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Column int      `json:"column"`
	Values []string `json:"values"` // as the source writes them
	// Kept are what the loop changes: in locals that the fix writes back wherever the
	// loop ends.
	Kept []string `json:"kept,omitempty"`
	// Updates are what the loop changes by its own name besides: a local would have to be
	// written back, which the fix cannot show to be right.
	Updates []Update `json:"updates,omitempty"`
	// Stays is where the loop reads again what stays in memory.
	Stays []Stay `json:"stays,omitempty"`
	// Refusal says why there is none: what the loop may change itself must not be read
	// once.
	Refusal string `json:"refusal,omitempty"`
}

// Update is an object that a loop changes, and the first line where it does.
type Update struct {
	Text string `json:"text"`
	Line int    `json:"line"`
}

// Span is a range of source text. EndColumn is one past the last character.
type Span struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Text      string `json:"text"` // the first line of it, shortened
}

// Site is one call of a matched inline function.
type Site struct {
	Where    *Span  `json:"where"`
	Function string `json:"function"`
}

// Written says what a blamed store writes to and how far a change of its type
// would reach: "local", "unit", "project" or "system".
type Written struct {
	Type        string `json:"type"`
	Declaration string `json:"declaration"`
	Where       *Span  `json:"where"`
	Scope       string `json:"scope"`
}

// Match is one match of a rule of the AST layer.
type Match struct {
	Rule     string   `json:"rule"`
	Function string   `json:"function"`
	Linkage  string   `json:"linkage"`
	Place    Span     `json:"place"` // the loop, or where there is none the second access
	InLoop   bool     `json:"in_loop"`
	Depth    int      `json:"depth"`
	Weak     bool     `json:"weak"`     // store and load are both inside library functions
	Location string   `json:"location"` // what is read again, as the source writes it
	First    *Span    `json:"first"`
	Write    *Span    `json:"write"`
	Second   *Span    `json:"second"`
	Ends     *Span    `json:"ends"` // where what was made is destroyed
	Written  *Written `json:"written"`
	Sites    []Site   `json:"-"` // from ASTReply.Sites
	Notes    []string `json:"notes"`
}

// giveSites hands every match the calls of its function.
func (r *ASTReply) giveSites() {
	for i := range r.Matches {
		m := &r.Matches[i]
		key := m.Linkage
		if key == "" {
			key = m.Function
		}
		m.Sites = r.Sites[key]
	}
}

// Stay is a line where a loop reads again what an edit leaves in memory.
type Stay struct {
	Line  int `json:"line"`
	Bytes int `json:"bytes"` // of what is read, 0 where that is not known
}
