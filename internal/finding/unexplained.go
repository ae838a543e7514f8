package finding

// Unexplained is a function that holds much of the CPU and that no finding is
// about: where in it the time goes, for a reader who has to go on alone.
type Unexplained struct {
	Place Place `json:"place"`
	Share Share `json:"share"` // of what runs in it, or in what it calls of others, and in no finding
	// Into is the function of a library that holds the share, where Place is the line of the
	// program that leads there; nil where the function is the program's.
	Into *Place `json:"into,omitempty"`
	// Through are functions of libraries between both, innermost first, by which half of the share or
	// more goes.
	Through []string `json:"through,omitempty"`
	// Spread is over how many functions of the program the work is spread that runs below Place: the
	// share is inclusive then, and Lines are those that call it. 0 for one that has the share itself.
	Spread int       `json:"spread,omitempty"`
	Lines  []HotLine `json:"lines,omitempty"`
	// Callers are the calls by which half of the share or more is asked for, innermost first; without
	// recursion.
	Callers []HotLine `json:"callers,omitempty"`
	// Calls says how often it was called, with how many different arguments, "" where that was not
	// counted.
	Calls string `json:"calls,omitempty"`
	// Statements are those of SQL that it executes, without their values.
	Statements []HotStatement `json:"statements,omitempty"`
	// Machine is what the processor does there, by kinds of instructions: fractions
	// of all samples of the profile.
	Machine []Activity `json:"machine,omitempty"`
	Looked  string     `json:"looked_at"`
	See     []Command  `json:"see,omitempty"` // commands that show more of it
}

// HotStatement is a statement of SQL that a database's code executes.
type HotStatement struct {
	Text  string  `json:"text"`
	Share float64 `json:"share"` // of all samples
}

// HotLine is a line of it, of what was inlined there, or one that leads to Into.
type HotLine struct {
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Text     string  `json:"text,omitempty"`     // of the source
	Function string  `json:"function,omitempty"` // that it belongs to, where that is another one
	Share    float64 `json:"share"`              // of all samples
	Into     string  `json:"into,omitempty"`     // function of others that it calls for most of that
	// Instructions are the hottest of the line.
	Instructions []HotInstruction `json:"instructions,omitempty"`
}

// HotInstruction is an instruction that samples fell on. A slow one is often the
// one before, which it waits for.
type HotInstruction struct {
	Text  string  `json:"text"`
	Share float64 `json:"share"`
}

// Activity is a kind of instruction with its share of all samples.
type Activity struct {
	What  string  `json:"what"`
	Share float64 `json:"share"`
}
