// Package engine says what keeps the rows of one project, and what it is asked.
//
// It owns the tables (schema.go), the blocks in which rows come and go, and the
// interface that DuckDB, ClickHouse and the memory implement in packages below. It
// must never know what a stack or a service is: to an engine they are numbers.
//
// Engines answer one kind of question: rows of a time range, chosen by group or
// series, aggregated to a few columns. Everything else (top, trees, call graphs) is
// worked out of such sums elsewhere, so that the SQL stays small enough to mean the
// same on every engine.
package engine

import (
	"context"
	"errors"
)

// Engine keeps the tables of one project. Several goroutines may call it; Commit and
// Compact are called by one at a time.
type Engine interface {
	// Commit writes the blocks, all or none, and is durable when it returns. A commit
	// is known by its number, which grows: one that was made before, perhaps by a
	// process that was killed in the middle of it, is finished and not repeated.
	Commit(ctx context.Context, number uint64, blocks []*Block) error
	// Committed is the number of the last commit that is whole, 0 for none.
	Committed() uint64
	// Scan gives the rows of a table in blocks. Of a table with time only those of
	// minutes in [from, to), in no order; of others all, in the order in which they
	// were written. An error of yield ends it.
	Scan(ctx context.Context, t *Table, from, to uint32, yield func(*Block) error) error
	// Sum aggregates. It stops when ctx ends. Where a part of the rows cannot be reached the
	// sums are of the others, and say so; where nothing can, it is ErrAway.
	Sum(ctx context.Context, q Query) (*Sums, error)
	// Drop removes the rows of whole days before the given minute, which is the first
	// of a day (UTC).
	Drop(ctx context.Context, t *Table, before uint32) error
	// Replace puts other rows in the place of those of all tables without time, all of them
	// or none, and is durable when it returns. Tables of which there is no block are empty
	// then. It is no commit, and is not called beside one.
	Replace(ctx context.Context, blocks []*Block) error
	// Compact puts rows in order and merges those that differ in nothing but their
	// count, where that pays by now. Sums stay the same all the while. With all set it
	// does so whether it pays or not.
	Compact(ctx context.Context, all bool) error
	// Stats tells what the tables take. Where a part of the rows cannot be reached it gives
	// what the others take, and ErrAway.
	Stats(ctx context.Context) ([]TableStats, error)
	// Close ends the use of the engine.
	Close() error
}

// Errors that an engine's constructor gives (wrapped).
var (
	// ErrNewer says that a later version of the program wrote the store.
	ErrNewer = errors.New("the store was written by a newer version of whyhot")
	// ErrDamaged says that what is stored cannot be read.
	ErrDamaged = errors.New("the store is damaged")
	// ErrInUse says that another process has it.
	ErrInUse = errors.New("the store is in use by another process")
)

// ErrAway says that what keeps the rows, or the part of it that is needed, cannot be reached
// now. Nothing is known to be wrong with it: the same call may succeed later.
var ErrAway = errors.New("the database cannot be reached")

// ErrSuperseded says that another process has the database since: what this one began is not
// made, or is for the other to finish.
var ErrSuperseded = errors.New("another server writes to the database now")

// HeldError says which process has a database that several share. It is ErrInUse.
type HeldError struct {
	By string // the URL at which it is reached, "" where that is not known
}

func (e *HeldError) Error() string {
	if e.By == "" {
		return "another server writes to the database"
	}
	return "the server at " + e.By + " writes to the database"
}

// Unwrap makes it ErrInUse.
func (e *HeldError) Unwrap() error { return ErrInUse }

// Shared is an engine whose database several processes share. One of them has it.
type Shared interface {
	// Lost is closed when another process has it.
	Lost() <-chan struct{}
	// Certain says that no other process can have it yet.
	Certain() bool
}

// Query chooses rows and says by what they are added up.
type Query struct {
	Table    *Table // Samples, Hourly, Thinned or Activity
	From, To uint32 // minutes, [From, To)
	// Level is that of Thinned, which has no sums across levels.
	Level uint32
	// Groups and Series keep the rows of these; nil keeps all, an empty list none.
	// They are sorted and distinct.
	Groups, Series []uint32
	// By are the columns of the sums' keys, of ColMinute, ColGroup, ColSeries and
	// ColStack; none gives one row.
	By []string
	// Events asks for counts alone: all Sums.Values are 0, and none is too large.
	Events bool
	// Step rounds minutes down to a multiple of it, 0 does not.
	Step uint32
}

// Sums are the answer: a row for each combination of keys that occurs, in no order.
// Without keys it is one row, or none when no row was chosen.
type Sums struct {
	Keys   [][]uint32 // by position in Query.By, then by row
	Counts []int64    // how often the sampler fired
	Values []int64    // sum of count × period; 0 where Query.Events was asked for
	// Missing names the parts whose rows are not in it: they could not be reached.
	Missing []string
}

// Len is the number of rows.
func (s *Sums) Len() int { return len(s.Counts) }

// TableStats is what one table holds. Bytes are those on disk as far as the engine
// can tell for one table, else 0.
type TableStats struct {
	Table string
	Rows  int64
	Bytes int64
	// First and Last are the range of minutes of a table with time, [First, Last].
	First, Last uint32
}
