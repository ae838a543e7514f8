package engine

import (
	"context"
	"errors"
)

// ErrRewritten says that the dictionary was replaced since a mark: its numbers may mean
// something else.
var ErrRewritten = errors.New("the dictionary was rewritten")

// Mark is how far somebody has read the tables without time.
type Mark struct {
	// Generation counts how often these tables were replaced.
	Generation uint64
	// Commit is the last one that was whole.
	Commit uint64
	// Last is the last row that was read, by the name of its table. nil: nothing was read.
	Last map[string]Place
}

// Place is where a row is in its table: rows of later commits come after it.
type Place struct {
	Commit uint64
	Row    uint32
}

// Follower reads a database that another process writes to. Several goroutines may call it.
type Follower interface {
	Tail
	// Sum and Stats are as those of an Engine.
	Sum(ctx context.Context, q Query) (*Sums, error)
	Stats(ctx context.Context) ([]TableStats, error)
	// Now tells the generation of the dictionary and the last whole commit. A sum that was read
	// before has no number of a later generation.
	Now(ctx context.Context) (Mark, error)
	// Close ends the use of the database.
	Close() error
}

// Tail gives what was added to the tables without time.
type Tail interface {
	// Added gives the rows after a mark, in the order of Tables, and the mark after them. What
	// a row refers to is in these rows or was in earlier ones. All that sums refer to that were
	// read before is in them, too; names of addresses alone come when their commit is whole.
	// It is ErrRewritten where the tables were replaced since.
	Added(ctx context.Context, from Mark, yield func(*Block) error) (Mark, error)
}
