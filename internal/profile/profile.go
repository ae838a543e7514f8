package profile

import (
	"time"

	"whyhot/internal/profile/sqlshape"
)

// The IDs index the tables of one Profile; they mean nothing across profiles.
type (
	// MappingID is a row of the mapping table.
	MappingID uint32
	// FunctionID is a row of the function table.
	FunctionID uint32
	// LocationID is a row of the location table.
	LocationID uint32
	// StackID is a row of the stack table.
	StackID uint32
	// LabelSetID is a row of the label-set table.
	LabelSetID uint32
)

// Kind says what sort of code a function is, as far as the source of the
// profile tells.
type Kind uint8

// The kinds of code. KindUnknown is what a folded file without marks gives.
const (
	KindUnknown Kind = iota
	KindNative       // machine code from an ELF file
	KindKernel
	KindVDSO
	KindJIT // machine code from a JIT, named by a perf map or not at all
	KindPython
	KindJava
	KindJS
	KindGo
	KindRuby
	KindPHP
	KindPerl
	KindDotNet
	KindLua
	KindR
)

var kindNames = [...]string{
	"unknown", "native", "kernel", "vdso", "jit", "python", "java", "js", "go",
	"ruby", "php", "perl", "dotnet", "lua", "r",
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// IsScript says whether code of this kind runs from its source, in an interpreter or an engine
// that compiles while it runs.
func (k Kind) IsScript() bool {
	switch k { //nolint:exhaustive // the others are compiled before, by their owner or a machine's
	case KindPython, KindJS, KindRuby, KindPHP, KindPerl, KindLua, KindR:
		return true
	}
	return false
}

// Mapping is one binary or memory region that code ran from.
type Mapping struct {
	Path    string // as the kernel or runtime named it: "/usr/lib/x86_64-linux-gnu/libc.so.6", "[kernel.kallsyms]", "[vdso]"
	BuildID string // lower-case hex, "" when not known
	Start   uint64 // first address of the region
	Limit   uint64 // one past the last
	Offset  uint64 // file offset of Start
}

// Function is one named piece of code in one binary. Name is what a person
// reads; an unnamed piece of a known binary has Name "".
type Function struct {
	Name       string // demangled
	SystemName string // as in the symbol table, "" when the same as Name
	File       string
	StartLine  int32 // 0 when not known
	Mapping    MappingID
	Kind       Kind
}

// Line is one source position. Line is 0 when not known.
type Line struct {
	Function FunctionID
	Line     int32
}

// Location is one address, or one named frame where the source had no
// addresses (Address 0). Its lines are found with Profile.Lines.
type Location struct {
	Mapping   MappingID
	Address   uint64
	firstLine uint32
	numLines  uint32
}

// Label is one key with a text or a number value. The keys in use are the
// Label… constants; others are carried through.
type Label struct {
	Key  string
	Str  string
	Num  int64
	Unit string // of Num
}

// Label keys that the rest of the program understands.
const (
	LabelProcess = "process" // name of the executable or the process's comm
	LabelPID     = "pid"     // number
	LabelThread  = "thread"  // comm of the thread
	LabelTID     = "tid"     // number
	// LabelGoroutines is how many goroutines have waited at a stack, of which no thread is.
	LabelGoroutines = "goroutines"
	LabelContainer  = "container" // container ID
	LabelService    = "service.name"
	LabelStatement  = "db.query.text"  // an SQL statement without its values
	LabelDatabase   = "db.system.name" // postgresql, mariadb, sqlite
)

// ValueType names what Sample.Value counts, for example {"cpu", "nanoseconds"}
// or {"samples", "count"}.
type ValueType struct {
	Type string
	Unit string
}

// Meta is what is true of the whole profile.
type Meta struct {
	Source     string // where it came from: "perf.data", "pprof", "folded", "py-spy", …
	ValueType  ValueType
	PeriodType ValueType
	Period     int64 // Value per event, 0 when not known
	Start      time.Time
	Duration   time.Duration
	// Idle is how long CPUs had nothing to do during the recording, all of them together; 0 where
	// that is not known.
	Idle time.Duration
	// Range is the time that a server was queried for, as far as it tells times apart, and
	// Duration the part of it for which it has samples of anything. Zero for a recording.
	Range Range
	// Elapsed: the times of samples count from Start. Whoever moves Start moves them along.
	Elapsed  bool
	Lost     uint64   // events the recorder says it lost
	Coverage Coverage // of a recorded command
	Command  []string // the profiled command line, when known
	// Directory is where Command ran, when known: relative paths of source files are from there.
	Directory string
	Comments  []string
	// Calls are system calls that were counted during the recording or in another run of
	// the same command, by name.
	Calls []Calls
	// Functions are calls of functions that were counted in another run of the same command.
	Functions []FunctionCalls
	// Statements are those of databases that were seen during the recording.
	Statements []Statement
	// Branches are conditional jumps whose outcomes were followed during the recording.
	Branches []Branch
	// Warnings are things the reader had to pass over and that the user should
	// see once ("3 samples of unknown process skipped").
	Warnings []string
	// Recorded says that whyhot itself made the file, and showed Warnings and
	// what has no names when it did.
	Recorded bool
}

// TruncatedStack is the name of the function that stands for the part of a stack that is missing.
const TruncatedStack = "[truncated stack]"

// Range is a span of time: From is in it, Until is not.
type Range struct{ From, Until time.Time }

// Calls says how often a system call was made, by all processes of the command.
type Calls struct {
	// Name is that of the call. Where calls of a kind are not told apart, as by
	// /proc/PID/io, "read" and "write" are all of the kind.
	Name  string `json:"name"`
	Count uint64 `json:"count"`           // of calls
	Bytes uint64 `json:"bytes,omitempty"` // that they moved
	// Paths is how many different paths they named, up to what the counter could keep; 0
	// where that was not counted. Failed is how many of the calls found nothing.
	Paths  uint64 `json:"paths,omitempty"`
	Failed uint64 `json:"failed,omitempty"`
}

// FunctionCalls says how often a function was called, by all processes of the command.
type FunctionCalls struct {
	Name  string `json:"name"`
	File  string `json:"file,omitempty"`
	Line  int32  `json:"line,omitempty"` // where it begins, where it is asked for by that
	Count uint64 `json:"count"`
	// Different is how many different arguments there were, 0 where that was not counted.
	Different uint64 `json:"different,omitempty"`
	// Looked are the calls whose arguments and results were looked at, 0 for none: Different
	// and what follows are of these. Repeated of them had arguments that were there before,
	// Same of these gave the same result as then. Results is how many different results there
	// were, Nothing how many calls gave none (None, nil, undefined), and Plain how many gave
	// a number or a truth value. Cyclic are those of Repeated that came as many calls after the
	// last ones with their arguments as those after the ones before, and half as many as there are
	// different arguments or more: where a program does its whole job again and again.
	Looked   uint64 `json:"looked,omitempty"`
	Repeated uint64 `json:"repeated,omitempty"`
	Same     uint64 `json:"same,omitempty"`
	Results  uint64 `json:"results,omitempty"`
	Nothing  uint64 `json:"nothing,omitempty"`
	Plain    uint64 `json:"plain,omitempty"`
	Cyclic   uint64 `json:"cyclic,omitempty"`
	// Times are the nanoseconds of calls, with what they call: of the first, of the two from
	// the second on, of the four from the fourth on and so on. None where that was not seen, or the function calls
	// itself.
	Times []uint64 `json:"times,omitempty"`
	// FirstTime and AgainTime are the nanoseconds of the calls that were looked at: of those with
	// new arguments, and of those with known ones. Both 0 where that was not seen.
	FirstTime uint64 `json:"first_time,omitempty"`
	AgainTime uint64 `json:"again_time,omitempty"`
	// Contents: all arguments of machine code were told apart by what is in them, none by where an
	// object is.
	Contents bool `json:"contents,omitempty"`
	// Stopped: counting ended before the calls did, so that there were more of them than Count.
	Stopped bool `json:"stopped,omitempty"`
}

// CallsOf is what was counted of a function, nil for nothing.
func (p *Profile) CallsOf(id FunctionID) *FunctionCalls {
	fn := p.Function(id)
	for i := range p.Meta.Functions {
		c := &p.Meta.Functions[i]
		if c.Name == fn.Name && (c.File == "" || c.File == fn.File) && (c.Line == 0 || fn.StartLine == 0 || c.Line == fn.StartLine) && c.Count > 0 {
			return c
		}
	}
	return nil
}

// Statement is an SQL statement without its values, as LabelStatement of samples has it.
type Statement struct {
	System string `json:"system"` // LabelDatabase
	Text   string `json:"text"`
	// Client: it was seen where a program sends it, not where it is executed.
	Client bool `json:"client,omitempty"`
	// Runs is how often it was executed, Prepared how often it was parsed for that, and Steps
	// how often the next row was asked for, the end included; 0 where that is not known.
	Runs     uint64 `json:"runs,omitempty"`
	Prepared uint64 `json:"prepared,omitempty"`
	Steps    uint64 `json:"steps,omitempty"`
	// Inner is how often it was executed within another statement, by a function or a trigger;
	// Outer is within how many, and Within one of these.
	Inner  uint64 `json:"inner,omitempty"`
	Outer  uint64 `json:"outer,omitempty"`
	Within string `json:"within,omitempty"`
	// What SQLite counts of its work: rows that full scans of tables stepped to, rows put into
	// indexes that it makes for one execution, and operations of its virtual machine; 0 where
	// nobody counted them. DatabaseBytes are those of the files that the process had open.
	Scanned       uint64 `json:"scanned,omitempty"`
	Indexed       uint64 `json:"indexed,omitempty"`
	Operations    uint64 `json:"operations,omitempty"`
	DatabaseBytes uint64 `json:"database_bytes,omitempty"`
	// Watched is the part of the time in which that was counted: the numbers are what they
	// would be if the rest was alike.
	Watched float64 `json:"watched"`
	// Facts is what its values said, none of which is kept; see package sqlshape.
	Facts sqlshape.Facts `json:"facts"`
}

// Branch is a conditional jump of a hot loop whose outcomes were followed some thousand times.
type Branch struct {
	Path    string `json:"path"`           // of the binary
	Address uint64 `json:"address,string"` // virtual, in the file
	Seen    uint64 `json:"seen"`           // executions
	Taken   uint64 `json:"taken"`
	// Both is how many instructions the shortest ways on both sides have until they meet, 0
	// where they do not, or not soon, do what takes long, or access memory by what the jump asks.
	Both int `json:"both,omitempty"`
	// Of Judged executions a predictor with a long history foresaw all but Missed.
	Judged uint64 `json:"judged"`
	Missed uint64 `json:"missed"`
	// Leaves says of the jump that closes a loop which way ends it, Taken or Behind; "" for
	// other jumps. Of those Seen and Taken are known alone.
	Leaves string `json:"leaves,omitempty"`
}

// Ways of a jump.
const (
	Taken  = "taken"
	Behind = "behind" // what stands behind it
)

// Sample is one row.
type Sample struct {
	Stack  StackID
	Labels LabelSetID
	Time   int64 // ns since the epoch or boot, or since the start with Meta.Elapsed; 0 when the profile is aggregated
	Count  int64
	Value  int64
}

// Profile is one immutable profile. Callers must not change the slices that
// its methods return.
type Profile struct {
	Meta      Meta
	mappings  []Mapping
	functions []Function
	locations []Location
	lines     []Line
	stackEnd  []uint32 // end of stack i in stackLocs; it starts where i-1 ends
	stackLocs []LocationID
	labelSets [][]Label
	samples   []Sample
	waits     []Sample
	total     int64
	count     int64
}

// Samples returns all rows, in the order they were first seen.
func (p *Profile) Samples() []Sample { return p.samples }

// Waits are rows of threads that waited, off the CPU, where a recording saw them: Value is for
// how many nanoseconds, Count how often. They are no part of Samples and their sums.
func (p *Profile) Waits() []Sample { return p.waits }

// Total is the sum of all values.
func (p *Profile) Total() int64 { return p.total }

// Count is the number of times the sampler fired.
func (p *Profile) Count() int64 { return p.count }

// Weight is the value of some rows of Samples together.
func (p *Profile) Weight(rows []int32) int64 {
	var sum int64
	for _, row := range rows {
		sum += p.samples[row].Value
	}
	return sum
}

// Share is the part of the whole that some rows of Samples are.
func (p *Profile) Share(rows []int32) float64 {
	return float64(p.Weight(rows)) / float64(max(p.total, 1))
}

// NumMappings is the size of the mapping table, the unknown one included.
func (p *Profile) NumMappings() int { return len(p.mappings) }

// NumFunctions is the size of the function table, the unknown one included.
func (p *Profile) NumFunctions() int { return len(p.functions) }

// NumLocations is the size of the location table.
func (p *Profile) NumLocations() int { return len(p.locations) }

// NumStacks is the size of the stack table.
func (p *Profile) NumStacks() int { return len(p.stackEnd) }

// NumLabelSets is the size of the label-set table, the empty one included.
func (p *Profile) NumLabelSets() int { return len(p.labelSets) }

// Mapping returns row id of the mapping table.
func (p *Profile) Mapping(id MappingID) *Mapping { return &p.mappings[id] }

// Function returns row id of the function table.
func (p *Profile) Function(id FunctionID) *Function { return &p.functions[id] }

// Location returns row id of the location table.
func (p *Profile) Location(id LocationID) *Location { return &p.locations[id] }

// Lines returns the source positions of a location, innermost inlined callee
// first. A location that nobody symbolised has one line, of a function without
// a name in the location's mapping.
func (p *Profile) Lines(id LocationID) []Line {
	l := &p.locations[id]
	return p.lines[l.firstLine : l.firstLine+l.numLines]
}

// Stack returns the locations of a stack, leaf first.
func (p *Profile) Stack(id StackID) []LocationID {
	start := uint32(0)
	if id > 0 {
		start = p.stackEnd[id-1]
	}
	return p.stackLocs[start:p.stackEnd[id]]
}

// Labels returns a label set, sorted by key.
func (p *Profile) Labels(id LabelSetID) []Label { return p.labelSets[id] }

// Label returns the value of one key in a label set.
func (p *Profile) Label(id LabelSetID, key string) (Label, bool) {
	for _, l := range p.labelSets[id] {
		if l.Key == key {
			return l, true
		}
	}
	return Label{}, false
}
