package engine

// Version is that of the schema. A store says which one it was written in.
//
//	1  the first
//	2  numbers of stacks, groups and series are in any order, with gaps, and given out again;
//	   those of functions are not their positions
const Version = 2

// Type is that of a column.
type Type uint8

// The types. Text is UTF-8 of any length.
const (
	Uint8 Type = iota
	Uint32
	Uint64
	Int64
	Text
)

// Column is one column of a table. None may be absent.
type Column struct {
	Name string
	Type Type
}

// Table is one table.
type Table struct {
	Name    string
	Columns []Column
	// Timed tables have a column "minute", are removed by the day, and are merged by
	// Compact: their rows are sorted by Order, and those that are equal in all columns
	// but the summed ones become one. Others are only added to.
	Timed  bool
	Order  []string
	Summed []string
}

// Names of the columns that queries speak of.
const (
	ColMinute = "minute" // minutes since the epoch, UTC
	ColGroup  = "grp"    // service and version
	ColSeries = "series" // group, host, container, …
	ColStack  = "stack"
	ColPeriod = "period" // weight of one event, in the project's unit
	ColCount  = "events"
	ColValue  = "value"
	ColLevel  = "level"
	colKind   = "kind"
)

// MinutesPerDay is the length of the spans that Drop removes.
const MinutesPerDay = 24 * 60

// The tables with time. The weight of a row is count × period: a period that hardly
// ever changes costs next to nothing on disk, a weight a row would cost most of it.
var (
	// Samples are the rows as they were sent, added up by the minute.
	Samples = &Table{
		Name: "samples", Timed: true,
		Columns: []Column{{ColMinute, Uint32}, {ColGroup, Uint32}, {ColSeries, Uint32}, {ColStack, Uint32}, {ColPeriod, Int64}, {ColCount, Uint32}},
		Order:   []string{ColGroup, ColSeries, ColMinute, ColStack, ColPeriod}, Summed: []string{ColCount},
	}
	// Hourly is Samples by the hour, without hosts and containers. Its minute is the
	// first of the hour.
	Hourly = &Table{
		Name: "hourly", Timed: true,
		Columns: []Column{{ColMinute, Uint32}, {ColGroup, Uint32}, {ColStack, Uint32}, {ColPeriod, Int64}, {ColCount, Uint32}},
		Order:   []string{ColGroup, ColMinute, ColStack, ColPeriod}, Summed: []string{ColCount},
	}
	// Thinned holds, for each level n from 2 on, an event of Samples with probability
	// 5^-n.
	Thinned = &Table{
		Name: "thinned", Timed: true,
		Columns: []Column{{ColLevel, Uint8}, {ColMinute, Uint32}, {ColGroup, Uint32}, {ColSeries, Uint32}, {ColStack, Uint32}, {ColPeriod, Int64}, {ColCount, Uint32}},
		Order:   []string{ColLevel, ColGroup, ColSeries, ColMinute, ColStack, ColPeriod}, Summed: []string{ColCount},
	}
	// Activity is Samples by the hour, without stacks.
	Activity = &Table{
		Name: "activity", Timed: true,
		Columns: []Column{{ColMinute, Uint32}, {ColGroup, Uint32}, {ColSeries, Uint32}, {ColPeriod, Int64}, {ColCount, Uint32}},
		Order:   []string{ColGroup, ColSeries, ColMinute, ColPeriod}, Summed: []string{ColCount},
	}
)

// Batches are the identities of what was taken: the numbers first to last of an origin,
// at the time when they were taken.
var Batches = &Table{
	Name: "batches", Timed: true,
	Columns: []Column{{ColMinute, Uint32}, {"origin", Text}, {"first", Uint64}, {"last", Uint64}},
	Order:   []string{ColMinute, "origin", "first", "last"},
}

// The dictionary: what the numbers in the tables above stand for. 0 is the unknown or empty
// one and has no row. Stacks, groups and series have the ids that rows refer to. Others
// refer to each other by position in their table, from 1 on: that is their id, but for
// functions, whose id is what readers know them by.
var (
	// Mappings are binaries.
	Mappings = &Table{Name: "mappings", Columns: []Column{{"id", Uint32}, {"path", Text}, {"build_id", Text}}}
	// Functions are as profile.Function.
	Functions = &Table{Name: "functions", Columns: []Column{
		{"id", Uint32}, {"name", Text}, {"system_name", Text}, {"file", Text}, {"start_line", Uint32}, {"mapping", Uint32}, {colKind, Uint8},
	}}
	// Locations are frames: an address in a mapping's file, or a function and line.
	Locations = &Table{Name: "locations", Columns: []Column{
		{"id", Uint32}, {"mapping", Uint32}, {"address", Uint64}, {colKind, Uint8}, {"function", Uint32}, {"line", Uint32},
	}}
	// Resolved are the names of addresses that were found later, innermost first, by
	// position. Of several generations the highest counts. A function 0 says that
	// none was found.
	Resolved = &Table{Name: "resolved", Columns: []Column{
		{"location", Uint32}, {"generation", Uint32}, {"position", Uint32}, {"function", Uint32}, {"line", Uint32},
	}}
	// Nodes are the frames of all stacks, each below its caller. 0 is the root.
	Nodes = &Table{Name: "nodes", Columns: []Column{{"id", Uint32}, {"parent", Uint32}, {"location", Uint32}}}
	// Stacks are the nodes at which samples ended. Stack 0 ends at the root.
	Stacks = &Table{Name: "stacks", Columns: []Column{{"id", Uint32}, {"node", Uint32}}}
	// Groups are programs in a version of a service.
	Groups = &Table{Name: "groups", Columns: []Column{{"id", Uint32}, {"service", Text}, {"version", Text}, {"process", Text}}}
	// Series are what sends: where a group runs.
	Series = &Table{Name: "series", Columns: []Column{
		{"id", Uint32}, {"grp", Uint32}, {"host", Text}, {"container", Text}, {"labels", Text},
	}}
	// Documents are small things that change: of one kind and key the last one counts.
	Documents = &Table{Name: "documents", Columns: []Column{{colKind, Text}, {"doc_key", Text}, {"body", Text}, {"written", Int64}}}
)

// Tables are all there are, in the order in which they must be written: what others
// refer to goes first.
func Tables() []*Table {
	return []*Table{
		Mappings, Functions, Locations, Resolved, Nodes, Stacks, Groups, Series, Documents,
		Samples, Hourly, Thinned, Activity, Batches,
	}
}
