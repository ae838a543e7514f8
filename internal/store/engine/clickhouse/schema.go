package clickhouse

import (
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/store/engine"
)

// Columns and tables beside those of the schema.
const (
	colCommit = "commit_number"
	colRow    = "row_number"

	tableVersion = "store_version" // the schema's version
	tableShards  = "store_shards"  // addresses of the shards that have tables
	tableCommits = "store_commits" // numbers of the commits that are whole
	// tableDictionaries says which tables of the dictionary count: the row of the highest
	// number does, and has their generation, which is 0 where there is no row.
	tableDictionaries = "store_dictionaries"
	tableEpochs       = "store_epochs"  // the processes that had the database
	tableIntents      = "store_intents" // commits of a shared database, before they are made
)

// counted says that a table has counts: it is spread over the shards, and its markers
// are rows of group 0. Others are on the first shard alone, and have columns for the
// commit and the row in it, which their markers use as well.
func counted(t *engine.Table) bool { return len(t.Summed) > 0 }

// local is a table's name on each shard.
func local(t *engine.Table) string { return localOf(t, 0) }

// localOf is the name of a table of a generation. Of what is no dictionary there is one.
func localOf(t *engine.Table, generation uint64) string {
	if t.Timed || generation == 0 {
		return t.Name + "_local"
	}
	return fmt.Sprintf("%s_%d_local", t.Name, generation)
}

func columnType(t engine.Type) string {
	switch t {
	case engine.Uint8:
		return "UInt8"
	case engine.Uint32:
		return "UInt32"
	case engine.Uint64:
		return "UInt64"
	case engine.Int64:
		return "Int64"
	case engine.Text:
	}
	return "String"
}

func columnsSQL(t *engine.Table) string {
	var out []string
	for _, c := range t.Columns {
		kind := columnType(c.Type)
		if slices.Contains(t.Summed, c.Name) {
			kind = "UInt64" // sums of it
		}
		out = append(out, c.Name+" "+kind)
	}
	if !counted(t) {
		out = append(out, colCommit+" UInt64", colRow+" UInt32")
	}
	return strings.Join(out, ", ")
}

// definition is the statement that makes a shard's table of a generation.
func (m making) definition(t *engine.Table, generation uint64) string {
	name, partition, order := localOf(t, generation), "", colCommit+", "+colRow
	kind := m.engine("MergeTree", "", name)
	if counted(t) {
		kind = m.engine("SummingMergeTree", "("+strings.Join(t.Summed, ", ")+")", name)
	}
	if t.Timed {
		partition = fmt.Sprintf(" PARTITION BY intDiv(%s, %d)", engine.ColMinute, engine.MinutesPerDay)
		order = strings.Join(t.Order, ", ")
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s (%s) ENGINE = %s%s ORDER BY (%s)%s", m.database, name, columnsSQL(t), kind, partition, order, m.settings)
}

// own are the statements that make the tables of the engine itself; the last one is
// that whose presence says that all are there.
func (m making) own() []string {
	out := make([]string, 0, 4)
	for _, t := range [][2]string{{tableVersion, "version UInt64"}, {tableShards, "address String"}, {tableDictionaries, "number UInt64, generation UInt64"}, {tableCommits, "number UInt64"}} {
		name, _, _ := strings.Cut(t[1], " ")
		out = append(out, m.table(t[0], t[1], name, ""))
	}
	return out
}

// table is the statement that makes a table of the engine itself.
func (m making) table(name, columns, order, partition string) string {
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s (%s) ENGINE = %s%s ORDER BY %s%s", m.database, name, columns, m.engine("MergeTree", "", name), partition, order, m.settings)
}

func (m making) intents() string {
	return m.table(tableIntents, "number UInt64, data String", "number", fmt.Sprintf(" PARTITION BY intDiv(number, %d)", perPartition))
}

// durable are the settings of tables on a server of that version: rows are on disk
// when it says that it has them. Before 20.10 a server cannot be asked for that.
func durable(major, minor int) string {
	if major > 20 || major == 20 && minor >= 10 {
		return " SETTINGS fsync_after_insert = 1, fsync_part_directory = 1"
	}
	return ""
}

// sumSQL is the query of a sum. It keeps the periods apart, for ClickHouse adds and
// multiplies modulo 2^64: what becomes of count × period is checked in Go.
func sumSQL(from string, q engine.Query) string {
	keys := make([]string, 0, len(q.By)+1)
	for _, by := range append(slices.Clone(q.By), engine.ColPeriod) {
		if by == engine.ColMinute && q.Step > 1 {
			by = fmt.Sprintf("toUInt32(intDiv(minute, %d) * %d)", q.Step, q.Step)
		}
		keys = append(keys, by)
	}
	by := strings.Join(keys, ", ")
	if q.Events { // of all periods together, as one of 0
		by = strings.Join(keys[:len(q.By)], ", ")
		return fmt.Sprintf("SELECT %s, toInt64(0), sum(events) FROM %s WHERE %s GROUP BY %[1]s", by, from, where(q))
	}
	return fmt.Sprintf("SELECT %s, sum(events) FROM %s WHERE %s GROUP BY %s", by, from, where(q), by)
}

func where(q engine.Query) string {
	terms := []string{"grp > 0", fmt.Sprintf("minute >= %d AND minute < %d", q.From, q.To)}
	if q.Table == engine.Thinned {
		terms = append(terms, fmt.Sprintf("level = %d", q.Level))
	}
	if q.Groups != nil {
		terms = append(terms, oneOf(engine.ColGroup, q.Groups))
	}
	if q.Series != nil {
		terms = append(terms, oneOf(engine.ColSeries, q.Series))
	}
	return strings.Join(terms, " AND ")
}

func oneOf(column string, ids []uint32) string {
	return fmt.Sprintf("%s IN (%s)", column, strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]"))
}
