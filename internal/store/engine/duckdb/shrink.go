//go:build cgo

package duckdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/store/engine"
)

// When the file is copied into a smaller one. DuckDB uses again what was freed in the
// middle of its file, and gives back only what lies at the end. A copy costs a write of
// all that is in use, so that beside the work of a server it has to give back much.
const (
	leastSlack   = 256 << 20
	partSlack    = 0.5 // of what is in use
	shrinkEvery  = 24 * time.Hour
	leastAsked   = 16 << 20 // when all is to be compacted
	partAsked    = 0.1
	quietMoment  = 10 * time.Second // how long the end of all questions is waited for
	copyName     = fileName + ".copy"
	copyDatabase = "copy_of_rows"
)

// shrink copies the database into a new file and puts that in the place of the old one,
// where it pays.
//
// Parts that are sorted are never written to again, so they are copied while commits
// and questions go on. What may still grow (the parts that are appended to, the
// dictionary) is copied with commits held back. Then the database is closed, at a
// moment when nobody asks, the copy takes its name, and it is opened again. A crash
// before the renaming leaves the old file, one after it the new: both have the same rows.
func (e *Engine) shrink(ctx context.Context, all bool) error {
	e.rewriting.Lock()
	defer e.rewriting.Unlock()
	if !all && time.Since(e.shrunk) < shrinkEvery {
		return nil
	}
	used, free, err := e.sizes(ctx)
	if err != nil {
		return err
	}
	least, share := e.leastSlack, partSlack
	if all {
		least, share = min(least, leastAsked), partAsked
	}
	if free < least || float64(free) < share*float64(used) {
		return nil
	}
	e.shrunk = time.Now()
	err = e.copyAndSwitch(ctx)
	if err == nil || errors.Is(err, errAsked) { // another day
		return nil
	}
	return fmt.Errorf("making %s smaller: %w", fileName, err)
}

// errAsked says that there was no moment without a question.
var errAsked = errors.New("questions were asked all the time")

// sizes are how many bytes of the file are in use, and how many are not.
func (e *Engine) sizes(ctx context.Context) (used, free int64, err error) {
	c, err := e.connect()
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	sql := "SELECT (block_size * used_blocks)::BIGINT, (block_size * free_blocks)::BIGINT FROM pragma_database_size() WHERE database_name = current_database()"
	return used, free, c.one(ctx, sql, &used, &free)
}

// copyAndSwitch is called with rewriting held, so that no part goes away.
func (e *Engine) copyAndSwitch(ctx context.Context) (err error) {
	if err := removeCopy(e.dir); err != nil {
		return err
	}
	defer func() {
		if err != nil { // of the copy nothing is left
			err = errors.Join(err, removeCopy(e.dir))
		}
	}()
	sorted := e.sorted()
	err = e.copying(ctx, func(c *conn) error {
		for _, name := range sorted {
			if err := c.copyTable(ctx, name, ""); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	if err := e.copying(ctx, func(c *conn) error { return c.copyRest(ctx, sorted) }); err != nil {
		return err
	}
	return e.switchToCopy(ctx)
}

// sorted are the parts to which nothing is written any more.
func (e *Engine) sorted() []string {
	e.visible.RLock()
	defer e.visible.RUnlock()
	var names []string
	for _, parts := range e.parts {
		for _, p := range parts {
			if p.sorted {
				names = append(names, p.name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// copying runs f on a connection that reaches the copy, and has what it wrote on disk.
func (e *Engine) copying(ctx context.Context, f func(c *conn) error) error {
	c, err := e.connect()
	if err != nil {
		return err
	}
	defer c.close()
	path := filepath.Join(e.dir, copyName)
	if err := c.exec(ctx, fmt.Sprintf("ATTACH '%s' AS %s", quoted(path), copyDatabase)); err != nil {
		return err
	}
	err = f(c)
	if err == nil {
		err = c.exec(ctx, "CHECKPOINT "+copyDatabase)
	}
	return errors.Join(err, c.exec(context.WithoutCancel(ctx), "DETACH "+copyDatabase))
}

// copyRest copies all tables but those that were copied, and sees to it that the copy
// has all rows. It is called with writing held.
func (c *conn) copyRest(ctx context.Context, done []string) error {
	tables, err := c.tables(ctx)
	if err != nil {
		return err
	}
	for _, name := range tables {
		if slices.Contains(done, name) {
			continue
		}
		if err := c.copyTable(ctx, name, definitionOfCopy(name)); err != nil {
			return err
		}
	}
	for _, name := range tables {
		var before, after int64
		if err := c.one(ctx, fmt.Sprintf("SELECT (SELECT count(*) FROM %s), (SELECT count(*) FROM %s.%[1]s)", name, copyDatabase), &before, &after); err != nil {
			return err
		}
		if before != after {
			return fmt.Errorf("%d of %d rows of %s were copied", after, before, name)
		}
	}
	return nil
}

// definitionOfCopy is the statement that makes the copy of a table to which rows are
// appended, "" for others: their columns are what Compact made of them.
func definitionOfCopy(name string) string {
	if of, p, ok := parsePart(name); ok && !p.sorted {
		return definition(of.table, copyDatabase+"."+name)
	}
	for _, t := range engine.Tables() {
		if !t.Timed && t.Name == name {
			return definition(t, copyDatabase+"."+name)
		}
	}
	return ""
}

// tables are those of the database itself, in the order in which they were made.
func (c *conn) tables(ctx context.Context) ([]string, error) {
	var names []string
	err := c.query(ctx, "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() ORDER BY table_oid", func(ch chunk) error {
		names = append(names, texts(ch, 0)...)
		return nil
	})
	return names, err
}

// copyTable copies a table in the order of its rows. made is the statement that makes
// the copy, "" where its columns are those of the table.
func (c *conn) copyTable(ctx context.Context, name, made string) error {
	if made == "" {
		return c.exec(ctx, fmt.Sprintf("CREATE TABLE %s.%s AS FROM %[2]s", copyDatabase, name))
	}
	if err := c.exec(ctx, made); err != nil {
		return err
	}
	return c.exec(ctx, fmt.Sprintf("INSERT INTO %s.%s FROM %[2]s", copyDatabase, name))
}

// switchToCopy closes the database, gives the copy its name and opens it. It is called
// with rewriting and writing held.
func (e *Engine) switchToCopy(ctx context.Context) error {
	copied, file := filepath.Join(e.dir, copyName), filepath.Join(e.dir, fileName)
	if err := without(copied + ".wal"); err != nil {
		return err
	}
	if err := e.waitUntilQuiet(ctx); err != nil {
		return err
	}
	defer e.using.Unlock()
	e.closeDatabase()
	// A log that is left belongs to the old file.
	err := without(file + ".wal")
	if err == nil {
		err = os.Rename(copied, file)
	}
	if err == nil {
		err = wholefile.SyncDir(e.dir)
	}
	e.lost = e.openDatabase()
	return errors.Join(err, e.lost)
}

// without is an error when there is such a file.
func without(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return cmp.Or(err, fmt.Errorf("%s is still there", filepath.Base(path)))
}

// waitUntilQuiet takes using for itself. Questions are not held up by one that takes
// long: it gives up rather.
func (e *Engine) waitUntilQuiet(ctx context.Context) error {
	for until := time.Now().Add(quietMoment); !e.using.TryLock(); {
		if time.Now().After(until) {
			return errAsked
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// removeCopy removes what an attempt that did not end has left.
func removeCopy(dir string) error {
	var errs []error
	for _, name := range []string{copyName, copyName + ".wal"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
