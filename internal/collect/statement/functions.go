package statement

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/profile/sqlshape"
)

// role is what a call of a function means.
type role uint8

const (
	// begins: a statement begins, whose text is an argument.
	begins role = iota
	// names: so, and from now on a handle stands for it.
	names
	// uses: the statement of a handle begins.
	uses
	// steps: a statement begins, or goes on; its text is at an offset from the handle.
	steps
	// ends: the statement of a handle ends.
	ends
	// tells: a statement begins, or without a text ends.
	tells
	// refers: the statement that goes on has a query prepared for itself, of which only is kept
	// which foreign key it checks.
	refers
	// nests: within a statement another one begins, whose text is at an offset from the handle.
	nests
	// leaves: the one of a handle ends, and what it was within goes on.
	leaves
)

// isInner says whether such calls tell of statements within others, of which there may be very
// many for one that a client sends.
func (r role) isInner() bool { return r == nests || r == leaves }

// function is one that is given a statement. Arguments are counted from 1, 0 is none.
type function struct {
	symbol string
	prefix bool // the symbol begins so: a mangled name with arguments that versions add
	role   role
	text   int // a string
	length int // of the text, below 0 where it ends with a zero byte
	handle int
	name   int // a string that is a part of the handle
	offset int32
	runs   bool
}

// sourceText is where PostgreSQL's QueryDesc has its text, behind what kind it is and its plan
// (src/include/executor/execdesc.h, from version 10 on; before, there is a null pointer).
const sourceText = 16

// System is one side of a database.
type System struct {
	name     string // of OpenTelemetry: db.system.name
	client   bool   // it waits for a server most of the time
	library  bool   // the statement runs within the library, in the thread that calls it
	dialect  sqlshape.Dialect
	file     *regexp.Regexp
	function []function
}

var systems = []*System{
	{
		name: "postgresql", dialect: sqlshape.Postgres, file: regexp.MustCompile(`^postgres(ql)?$`),
		function: []function{
			{symbol: "pgstat_report_activity", role: tells, text: 2},
			{symbol: "PortalDefineQuery", role: begins, text: 3, runs: true},
			{symbol: "SPI_prepare", role: refers, text: 1},
			{symbol: "standard_ExecutorStart", role: nests, handle: 1, offset: sourceText},
			{symbol: "standard_ExecutorEnd", role: leaves, handle: 1},
		},
	},
	{
		name: "mariadb", dialect: sqlshape.MariaDB, file: regexp.MustCompile(`^(mariadbd|mysqld)$`),
		function: []function{
			{symbol: "_Z11mysql_parseP3THDPcj", prefix: true, role: begins, text: 2, length: 3, runs: true},
			{symbol: "_ZN18Prepared_statement7prepareEPKcj", role: names, handle: 1, text: 2, length: 3},
			{symbol: "_ZN18Prepared_statement12execute_loopE", prefix: true, role: uses, handle: 1, runs: true},
		},
	},
	{
		name: sqlite, library: true, dialect: sqlshape.SQLite, file: regexp.MustCompile(`^(libsqlite3.*\.so|_sqlite3.*\.so|better_sqlite3\.node|node_sqlite3\.node|pdo_sqlite\.so)`),
		function: []function{
			{symbol: "sqlite3_step", role: steps, handle: 1},
			{symbol: "sqlite3_prepare_v2", role: begins, text: 2, length: 3},
			{symbol: "sqlite3_prepare_v3", role: begins, text: 2, length: 3},
			{symbol: "sqlite3_prepare", role: begins, text: 2, length: 3},
			{symbol: "sqlite3_reset", role: ends, handle: 1},
			{symbol: "sqlite3_finalize", role: ends, handle: 1},
		},
	},
	{
		name: "postgresql", client: true, library: true, dialect: sqlshape.Postgres, file: regexp.MustCompile(`^libpq[-.].*so`),
		function: []function{
			{symbol: "PQexec", role: begins, text: 2, runs: true},
			{symbol: "PQexecParams", role: begins, text: 2, runs: true},
			{symbol: "PQsendQuery", role: begins, text: 2, runs: true},
			{symbol: "PQsendQueryParams", role: begins, text: 2, runs: true},
			{symbol: "PQprepare", role: names, handle: 1, name: 2, text: 3},
			{symbol: "PQsendPrepare", role: names, handle: 1, name: 2, text: 3},
			{symbol: "PQexecPrepared", role: uses, handle: 1, name: 2, runs: true},
			{symbol: "PQsendQueryPrepared", role: uses, handle: 1, name: 2, runs: true},
		},
	},
	{
		name: "mariadb", client: true, library: true, dialect: sqlshape.MariaDB, file: regexp.MustCompile(`^lib(mariadb|mysqlclient).*\.so`),
		function: []function{
			{symbol: "mysql_real_query", role: begins, text: 2, length: 3, runs: true},
			{symbol: "mysql_stmt_prepare", role: names, handle: 1, text: 2, length: 3},
			{symbol: "mysql_stmt_execute", role: uses, handle: 1, runs: true},
		},
	},
}

// Name is what OpenTelemetry calls it.
func (s *System) Name() string { return s.name }

const sqlite = "sqlite"

// linked is SQLite within a program, which no name of a file tells.
var linked = systemNamed(sqlite)

func systemNamed(name string) *System {
	for _, s := range systems {
		if s.name == name {
			return s
		}
	}
	return nil
}

// systemOf is the system whose functions a file has by its name, nil for none.
func systemOf(path string) *System {
	base := filepath.Base(strings.TrimSuffix(path, " (deleted)"))
	for _, s := range systems {
		if s.file.MatchString(base) {
			return s
		}
	}
	return nil
}

// nested: statements are executed within others, and seen.
func (s *System) nested() bool {
	return slices.ContainsFunc(s.function, func(f function) bool { return f.role == nests })
}

// stateful: a call may go on with what the thread is at.
func (s *System) stateful() bool { return s.name == sqlite }
