//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	duck "github.com/duckdb/duckdb-go-bindings"

	"whyhot/internal/host/dirlock"
	"whyhot/internal/store/engine"
)

// Options bound what DuckDB takes. Zero values mean the defaults.
type Options struct {
	Memory  int64 // bytes; default 1 GiB
	Threads int   // default: as many as there are processors
	Temp    int64 // bytes of temporary files beside the data; default 16 GiB
}

const begin = "BEGIN"

// How the rows of a part came there, in its name.
const (
	howAppended = "appended"
	howSorted   = "sorted"
)

const (
	fileName = "rows.duckdb"
	lockName = "lock"
	// stateTable is made with all tables of the dictionary.
	stateTable = "store_state"
	// madeName is an empty file that says that the database was made, so that one
	// that has gone is not taken for one that was never there.
	madeName = "made"
)

// Engine is an open database.
type Engine struct {
	dir  string
	lock *os.File
	db   *database

	committed atomic.Uint64

	// writing is held by what changes rows, one at a time: a commit, the switch to a
	// new part, the removal of parts. Whoever wants both takes rewriting first.
	writing sync.Mutex
	writer  *conn
	// rewriting is held while parts are written anew or removed.
	rewriting sync.Mutex
	// visible guards parts together with DuckDB's own snapshots: a commit ends, and a
	// question begins, under it.
	visible sync.RWMutex
	parts   map[dayOf][]part
	serial  int // of the part made last

	idle       chan *conn // for questions
	checkpoint checkpointer

	opts Options
	// using is held by whoever has a connection, and for itself by what opens the
	// database anew.
	using sync.RWMutex
	lost  error // why it could not be opened again
	// leastSlack is how many bytes that are not in use are too many.
	leastSlack int64
	shrunk     time.Time // when the file was last made smaller, or it was tried
}

var _ engine.Engine = (*Engine)(nil)

// database is a DuckDB instance.
type database struct{ db duck.Database }

// dayOf is a day of a table with time.
type dayOf struct {
	table *engine.Table
	day   uint32 // since the epoch
}

// part is one table of DuckDB.
type part struct {
	name   string
	serial int
	sorted bool // by Compact, with no two rows to merge; else as they were appended
	sealed bool // nothing is appended any more: it is being written anew
	rows   int64
}

// Open opens the database in a directory, which it makes if there is none.
func Open(dir string, o Options) (*Engine, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// DuckDB's own lock does not keep out the same process.
	lock, err := dirlock.Take(filepath.Join(dir, lockName), 0o600)
	switch {
	case errors.Is(err, dirlock.ErrTaken):
		return nil, fmt.Errorf("%s: %w", dir, engine.ErrInUse)
	case err != nil:
		return nil, err
	}
	e := &Engine{dir: dir, lock: lock, parts: map[dayOf][]part{}, idle: make(chan *conn, 8), opts: o, leastSlack: leastSlack}
	if err := e.open(); err != nil {
		e.abandon()
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, fileName), err)
	}
	e.checkpoint.start(e)
	return e, nil
}

func (e *Engine) open() error {
	fresh, err := e.fresh()
	if err != nil {
		return err
	}
	if err := removeCopy(e.dir); err != nil {
		return err
	}
	err = e.openDatabase()
	if fresh && errors.Is(err, engine.ErrDamaged) {
		if err := e.setAside(); err != nil {
			return err
		}
		err = e.openDatabase()
	}
	if err != nil {
		return err
	}
	if !fresh {
		return e.load()
	}
	// Copies of a directory may lack files that are empty: a database that has its tables
	// was made, whatever says so. They came in one transaction.
	names, err := e.writer.tables(context.Background())
	switch {
	case err != nil:
		return damaged(err)
	case !slices.Contains(names, stateTable):
		return e.create()
	}
	return errors.Join(made(e.dir), e.load())
}

// openDatabase opens the file, and the connection of the one who writes.
func (e *Engine) openDatabase() error {
	db, err := openDatabase(e.dir, e.opts)
	if err != nil {
		return opening(err)
	}
	if e.writer, err = db.connect(); err != nil {
		duck.Close(&db.db)
		return err
	}
	e.db = db
	return nil
}

// closeDatabase closes it with all connections, which nobody may be using.
func (e *Engine) closeDatabase() {
	for len(e.idle) > 0 {
		(<-e.idle).close()
	}
	if e.writer != nil {
		e.writer.close()
		e.writer = nil
	}
	if e.db != nil {
		duck.Close(&e.db.db)
		e.db = nil
	}
}

// connect gives a connection that its caller closes.
func (e *Engine) connect() (*conn, error) {
	e.using.RLock()
	if e.lost != nil {
		e.using.RUnlock()
		return nil, e.lost
	}
	c, err := e.db.connect()
	if err != nil {
		e.using.RUnlock()
		return nil, err
	}
	c.end = e.using.RUnlock
	return c, nil
}

// damaged says what can be done.
func damaged(err error) error {
	return fmt.Errorf("%w: %w; to recover, move the directory away and bring back a copy, or import an export; the journal has what came last", engine.ErrDamaged, err)
}

// opening tells DuckDB's reasons not to open a file apart.
func opening(err error) error {
	switch text := err.Error(); {
	case strings.Contains(text, "we can only read versions"), strings.Contains(text, "newer version of DuckDB"):
		return fmt.Errorf("%w (%w)", engine.ErrNewer, err)
	case strings.Contains(text, "Could not set lock on file"):
		return fmt.Errorf("%w (%w)", engine.ErrInUse, err)
	case strings.Contains(text, "Permission denied"), strings.Contains(text, "No space left"), strings.Contains(text, "Too many open files"), strings.Contains(text, "Out of Memory"):
		return err
	}
	return damaged(err)
}

func openDatabase(dir string, o Options) (*database, error) {
	var config duck.Config
	if duck.CreateConfig(&config) == duck.StateError {
		return nil, errors.New("DuckDB gives no configuration")
	}
	defer duck.DestroyConfig(&config)
	const no = "false"
	memory, tempSize := o.Memory, o.Temp
	if memory <= 0 {
		memory = 1 << 30
	}
	if tempSize <= 0 {
		tempSize = 16 << 30
	}
	settings := [][2]string{
		{"memory_limit", strconv.FormatInt(memory/1000, 10) + "KB"},
		{"temp_directory", filepath.Join(dir, "temp")},
		{"max_temp_directory_size", strconv.FormatInt(tempSize/1000, 10) + "KB"},
		{"autoinstall_known_extensions", no},
		{"autoload_known_extensions", no},
		{"checkpoint_threshold", "1TB"}, // see checkpointer
	}
	if o.Threads > 0 {
		settings = append(settings, [2]string{"threads", strconv.Itoa(o.Threads)})
	}
	for _, s := range settings {
		if duck.SetConfig(config, s[0], s[1]) == duck.StateError {
			return nil, fmt.Errorf("DuckDB refuses the setting %s=%s", s[0], s[1])
		}
	}
	db := &database{}
	var text string
	if duck.OpenExt(filepath.Join(dir, fileName), &db.db, config, &text) == duck.StateError {
		return nil, errors.New(strings.TrimSpace(text))
	}
	if err := db.confine(dir); err != nil {
		duck.Close(&db.db)
		return nil, err
	}
	return db, nil
}

// confine leaves DuckDB no files but those of a directory, where copies of the database
// are made. It cannot be undone while the database is open.
func (db *database) confine(dir string) error {
	c, err := db.connect()
	if err != nil {
		return err
	}
	defer c.close()
	ctx := context.Background()
	if err := c.exec(ctx, fmt.Sprintf("SET allowed_directories = ['%s']", quoted(dir))); err != nil {
		return err
	}
	return c.exec(ctx, "SET enable_external_access = false")
}

// create makes the tables of the dictionary and says that they are there.
func (e *Engine) create() error {
	ctx := context.Background()
	statements := []string{begin, "CREATE TABLE " + stateTable + " (version BIGINT NOT NULL, committed UBIGINT NOT NULL)", fmt.Sprintf("INSERT INTO %s VALUES (%d, 0)", stateTable, engine.Version)}
	for _, t := range engine.Tables() {
		if !t.Timed {
			statements = append(statements, definition(t, t.Name))
		}
	}
	for _, s := range append(statements, "COMMIT", "CHECKPOINT") {
		if err := e.writer.exec(ctx, s); err != nil {
			return err
		}
	}
	return made(e.dir)
}

// quoted is text between the quotes of SQL.
func quoted(text string) string { return strings.ReplaceAll(text, "'", "''") }

// definition is the statement that makes a table.
func definition(t *engine.Table, name string) string {
	columns := make([]string, 0, len(t.Columns))
	for _, c := range t.Columns {
		_, sql := duckType(c.Type)
		columns = append(columns, c.Name+" "+sql+" NOT NULL")
	}
	return fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(columns, ", "))
}

// load reads what there is.
func (e *Engine) load() error {
	ctx := context.Background()
	var version, committed int64
	if err := e.writer.one(ctx, "SELECT version, committed::BIGINT FROM "+stateTable, &version, &committed); err != nil {
		return damaged(err)
	}
	if version > engine.Version {
		return fmt.Errorf("%w: its schema is version %d, this program knows up to %d; use the whyhot that wrote it or a later one", engine.ErrNewer, version, engine.Version)
	}
	e.committed.Store(uint64(committed))
	names, err := e.writer.tables(ctx)
	if err != nil {
		return damaged(err)
	}
	for _, t := range engine.Tables() {
		if !t.Timed && !slices.Contains(names, t.Name) {
			return damaged(fmt.Errorf("the table %s is missing", t.Name))
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, unfinished) {
			if err := e.writer.exec(ctx, "DROP TABLE "+name); err != nil {
				return damaged(err)
			}
			continue
		}
		of, p, ok := parsePart(name)
		if !ok {
			continue
		}
		if err := e.writer.one(ctx, "SELECT count(*) FROM "+name, &p.rows); err != nil {
			return damaged(err)
		}
		e.parts[of] = append(e.parts[of], p)
		e.serial = max(e.serial, p.serial)
	}
	return nil
}

// unfinished begins the name of a part that Compact has not finished. One that is
// there when the database is opened was given up.
const unfinished = "unfinished_"

// newPart names a part that is to be made: the table, the day since the epoch, how its rows came
// there and a number.
func (e *Engine) newPart(of dayOf, sorted bool) part {
	e.visible.Lock()
	defer e.visible.Unlock()
	e.serial++
	how := howAppended
	if sorted {
		how = howSorted
	}
	return part{name: fmt.Sprintf("%s_%d_%s_%d", of.table.Name, of.day, how, e.serial), serial: e.serial, sorted: sorted}
}

// parsePart reads a part's name.
func parsePart(name string) (dayOf, part, bool) {
	cells := strings.Split(name, "_")
	if len(cells) != 4 {
		return dayOf{}, part{}, false
	}
	i := slices.IndexFunc(engine.Tables(), func(t *engine.Table) bool { return t.Timed && t.Name == cells[0] })
	day, dayErr := strconv.ParseUint(cells[1], 10, 32)
	serial, serialErr := strconv.Atoi(cells[3])
	if i < 0 || dayErr != nil || serialErr != nil || cells[2] != howSorted && cells[2] != howAppended {
		return dayOf{}, part{}, false
	}
	return dayOf{engine.Tables()[i], uint32(day)}, part{name: name, serial: serial, sorted: cells[2] == howSorted}, true
}

// Committed is the number of the last commit.
func (e *Engine) Committed() uint64 { return e.committed.Load() }

// Close ends the use of the database. What is under way is waited for.
func (e *Engine) Close() error {
	e.checkpoint.stop()
	e.rewriting.Lock()
	defer e.rewriting.Unlock()
	e.writing.Lock()
	defer e.writing.Unlock()
	e.visible.Lock()
	defer e.visible.Unlock()
	e.abandon()
	return nil
}

// abandon gives up what is open.
func (e *Engine) abandon() {
	e.closeDatabase()
	_ = e.lock.Close()
}

// reader lends a connection for a question.
func (e *Engine) reader() (*conn, error) {
	e.using.RLock()
	select {
	case c := <-e.idle:
		c.end = e.using.RUnlock
		return c, nil
	default:
	}
	defer e.using.RUnlock()
	return e.connect()
}

func (e *Engine) release(c *conn) {
	end := c.end
	c.end = nil
	select {
	case e.idle <- c:
	default:
		c.close()
	}
	end()
}
