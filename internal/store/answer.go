package store

import (
	"errors"
	"regexp"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/profile/where"
)

// Selection chooses samples. Times are rounded outwards to whole minutes. A list
// keeps samples with one of its values; an empty list keeps all.
type Selection struct {
	From, To  time.Time // [From, To)
	Service   []string
	Version   []string
	Host      []string
	Container []string
	Process   []string
	// Where keeps samples whose labels meet a condition; nil keeps all.
	Where *where.Expr
	// Exact has the answer come from all samples. Otherwise it may come from a level
	// of the ladder, where that is much less to read; Basis says so.
	Exact bool
	// Only has Top, Tree, Callgraph, Groups and History speak of some functions alone; nil of
	// all. Other questions do not ask it.
	Only *Only
}

// aheadOf is by how much the clock of whoever asks up to now may be behind, or its question
// have waited.
const aheadOf = 10 * time.Second

// WholeMinutes is the range that is answered for one that was asked at a time now. A store
// tells no times within a minute apart, so both ends go down to the minute: of two ranges that
// touch, none has a minute of the other. What goes up to now has the running minute, too: the
// end of it is not over. At least a minute is left.
func WholeMinutes(from, to, now time.Time) (time.Time, time.Time) {
	upToNow := !to.Before(now.Add(-aheadOf))
	from, end := from.Truncate(time.Minute), to.Truncate(time.Minute)
	if (upToNow && end.Before(to)) || !from.Before(end) {
		end = end.Add(time.Minute)
	}
	return from, end
}

// Only are the functions that an answer speaks of. What others did counts for the nearest
// function above that is kept, and for Rest where there is none.
type Only struct {
	// Keep is asked about each function that occurs, but for the unknown one, which is never kept.
	Keep func(f *Function) bool
	Rest string // its name
}

// Basis says what an answer rests on.
type Basis struct {
	From, To time.Time // as rounded
	// Covered is how much of that is between the first and the last sample of the store, of
	// any series: what a weight is divided by for cores.
	Covered time.Duration
	// Count and Value are the events and the weight that the answer is made of,
	// scaled up to all where it comes from a level of the ladder.
	Count, Value int64
	Unit         string // of Value: "nanoseconds"
	// Level is 0 for an exact answer; of level n an event was read with probability
	// 5^-n: all of them, or of a long range only those of the minutes beside its whole
	// hours.
	Level int
	// Read is the number of events that were read: Count, or fewer by a level. Where only a
	// part is from a level it is that of equally weighted events that tell as much.
	Read int64
	// ShareError is half of the 95 % interval of a share of one half, the widest: of
	// reading only a level, beside the sampling error that the samples themselves
	// have. 0 for an exact answer.
	ShareError float64
	// Cut is the weight of stacks that were cut because the dictionary or the stack
	// was at its bound. Merged is that of series that were put together because there
	// are too many, in whole hours.
	Cut, Merged int64
}

// FunctionID is a function of a store. It stays the same for as long as a sample with the
// function is kept, and no other function has it before four thousand million others were
// new; 0 is the unknown one.
type FunctionID uint32

// Function is what is known of a function.
type Function struct {
	ID        FunctionID
	Name      string // demangled, "" for an unnamed address of Binary
	System    string // as in the symbol table, "" when the same
	File      string
	StartLine int32
	Binary    string // path
	BuildID   string
	Kind      profile.Kind
}

// TopOptions choose the rows of Top.
type TopOptions struct {
	Total bool           // sort by total, else by self
	Limit int            // rows; 0 for all
	Match *regexp.Regexp // keeps functions whose name, symbol or binary matches
	// Keep, where it is set, is asked about each function that Match keeps.
	Keep func(f *Function, self int64) bool
}

// TopRow is one function.
type TopRow struct {
	Function    Function
	Self, Total int64
}

// Top is what is hot. Selves of all rows, before Limit and Match, add up to
// Basis.Value.
type Top struct {
	Basis Basis
	Rows  []TopRow
	// Functions is how many there are in all, Matched how many of them are kept;
	// MatchedSelf is what those add up to, and MatchedTotal the weight of stacks with
	// one of them.
	Functions, Matched        int
	MatchedSelf, MatchedTotal int64
}

// TreeOptions choose the shape of a tree.
type TreeOptions struct {
	FromLeaf bool         // callers below callees, from the leaves on
	Focus    FunctionID   // only stacks with this function, from it on; 0 for all
	Path     []FunctionID // the subtree below this path from the root, itself included
	Depth    int          // levels below the root; 0 for all
	// MinShare leaves out nodes below this share of the tree's root; those left out
	// are counted in their parent's Hidden.
	MinShare float64
	MaxNodes int // the largest ones; 0 for all
	// Events asks for those behind the share of each node; not with FromLeaf or Focus.
	Events bool
}

// Tree is a calling-context tree in preorder, by column; node 0 is the root. The
// children of a node come by falling Total.
type Tree struct {
	Basis    Basis
	Function []FunctionID // the root's is 0
	Parent   []int32      // -1 for the root
	Self     []int64
	Total    []int64
	// Hidden is the number of children that were left out of each node.
	Hidden []int32
	// Events is the effective sample size of the selection, and NodeEvents that of each
	// node's share of it, as Groups has them; 0 and nil where they were not asked for.
	Events     int64
	NodeEvents []int64
	// Functions are those that occur, by ID.
	Functions map[FunctionID]Function
}

// Edge is a caller or callee.
type Edge struct {
	Function Function
	Total    int64
}

// Callgraph is one function between its callers and callees; see view.Sandwich for
// how recursion is counted.
type Callgraph struct {
	Basis                         Basis
	Function                      Function
	Self, Total, Recursive, Entry int64
	Callers, Callees              []Edge
}

// Dimension is what series are told apart by: one of the columns that all have, or the key of
// any other label.
type Dimension string

// The columns that all series have.
const (
	ByService   Dimension = "service"
	ByVersion   Dimension = "version"
	ByHost      Dimension = "host"
	ByContainer Dimension = "container"
	ByProcess   Dimension = "process"
)

// Dimensions lists these columns.
func Dimensions() []Dimension {
	return []Dimension{ByService, ByVersion, ByHost, ByContainer, ByProcess}
}

// LabelValue is one value of a dimension and its weight in a selection.
type LabelValue struct {
	Value       string
	Count       int64
	Weight      int64
	First, Last time.Time // rounded to hours where the range is long
}

// Timeline is weight over time.
type Timeline struct {
	Basis Basis
	By    Dimension // "" for one line
	Start time.Time // of the first step
	Step  time.Duration
	Steps int
	Lines []TimelineLine // by falling weight
	// Others is how many lines are added up in the last one, whose Value is "".
	Others int
}

// TimelineLine is one line. Weight has a value for each step, in Basis.Unit.
type TimelineLine struct {
	Value  string
	Weight []int64
}

// History is how much of the CPU functions took, over time.
type History struct {
	Basis Basis
	Start time.Time // of the first step
	Step  time.Duration
	// Weight is by function, as they were asked for, and then by step.
	Weight [][]int64
}

// Receipt says what became of a batch.
type Receipt struct {
	Duplicate bool // it was taken before, and counts once
	Samples   int64
	// Warnings are what the sender should know although the batch was taken.
	Warnings []string
}

// Document is a small thing that changes: a finding, a trial. Of one kind and key the
// last one written counts.
type Document struct {
	Kind, Key string
	Body      []byte // JSON
	Written   time.Time
}

// Stats is what a store holds.
type Stats struct {
	Tables []TableStats
	// Missing says that a part of the tables could not be reached, and is not in Tables.
	Missing bool
	Journal JournalStats
	// Sizes of the dictionary, which is held in memory.
	Mappings, Functions, Locations, Nodes, Stacks, Series int
	Bytes                                                 int64 // on disk, all
	Memory                                                int64 // of the dictionary, about
	Unresolved                                            int   // addresses that have no name yet
	// Bounds that were met: stacks cut, series merged, samples dropped for their time.
	CutStacks, MergedSeries, DroppedSamples int64
	// Bounds are what there may be, and how near it is.
	Bounds []Bound
	// Files are what the parts of the project's directory take, by size.
	Files []FileStats
}

// Bound is one that a store has.
type Bound struct {
	Name        string // "frames"
	Used, Limit int64
	// Warning says what happens at the bound, and what can be done; "" while it is far.
	Warning string
}

// FileStats is what one part of the directory takes: a file, or a directory of the engine's,
// the journal's or of debug information.
type FileStats struct {
	Name  string
	Bytes int64
}

// TableStats is one table.
type TableStats struct {
	Name        string
	Rows, Bytes int64
	First, Last time.Time
}

// JournalStats is what was taken and is not in the engine yet.
type JournalStats struct {
	Segments int
	Bytes    int64
	// Failing is why the engine does not take it, or why nothing can be added to it; ""
	// when all is well.
	Failing string
}

// Errors of a store.
var (
	// ErrBusy says that the engine is behind, or the disk full: come again.
	ErrBusy = errors.New("the store cannot take more now")
	// ErrUnknownFunction says that there is no such function.
	ErrUnknownFunction = errors.New("no such function")
	// ErrTooLarge says that an answer would take more than the bound; ask for less.
	ErrTooLarge = errors.New("the answer is too large")
)

// BatchError says what is wrong with a batch: it will never be taken.
type BatchError struct{ Err error }

func (e *BatchError) Error() string { return e.Err.Error() }
func (e *BatchError) Unwrap() error { return e.Err }
