//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"

	"whyhot/internal/store/engine"
)

// conn is one connection: one goroutine uses it at a time.
type conn struct {
	c   duck.Connection
	end func() // its use has ended; it may be nil
}

// failure is an error that DuckDB gave.
type failure struct {
	kind duck.ErrorType
	text string
}

func (f *failure) Error() string { return strings.TrimSpace(f.text) }

// Is lets what branches on the errors of engines see them.
func (f *failure) Is(target error) bool {
	switch target {
	case engine.ErrDamaged:
		return f.kind == duck.ErrorTypeFatal && strings.Contains(f.text, "orrupt") || f.kind == duck.ErrorTypeErrorIO && strings.Contains(f.text, "orrupt")
	case context.Canceled:
		return f.kind == duck.ErrorTypeInterrupt
	}
	return false
}

func (db *database) connect() (*conn, error) {
	var c duck.Connection
	if duck.Connect(db.db, &c) == duck.StateError {
		return nil, errors.New("DuckDB gives no connection")
	}
	return &conn{c: c}, nil
}

func (c *conn) close() {
	duck.Disconnect(&c.c)
	if c.end != nil {
		c.end()
	}
}

// interruptible runs f and interrupts what it does on the connection when ctx ends.
// Again and again: an interrupt that comes before the query has begun has no effect.
func (c *conn) interruptible(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return f()
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		for {
			duck.Interrupt(c.c)
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	err := f()
	close(done)
	<-gone // or it would interrupt the next query
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// exec runs a statement without an answer.
func (c *conn) exec(ctx context.Context, sql string) error {
	return c.query(ctx, sql, nil)
}

// query runs a statement and gives its answer, which is complete by then, in chunks.
func (c *conn) query(ctx context.Context, sql string, yield func(chunk) error) error {
	return c.interruptible(ctx, func() error {
		var res duck.Result
		defer duck.DestroyResult(&res)
		if duck.Query(c.c, sql, &res) == duck.StateError {
			return &failure{duck.ResultErrorType(&res), duck.ResultError(&res)}
		}
		if yield == nil {
			return nil
		}
		//lint:ignore SA1019 it is the only way to know the size
		most := int(duck.ResultChunkCount(res) * duck.VectorSize()) //nolint:staticcheck // deprecated, and the only way to know the size
		return fetch(ctx, &res, most, yield)
	})
}

// stream runs a query and gives its answer while DuckDB works on it, so that it may
// exceed the memory.
func (c *conn) stream(ctx context.Context, sql string, yield func(chunk) error) error {
	return c.interruptible(ctx, func() error {
		var stmt duck.PreparedStatement
		defer duck.DestroyPrepare(&stmt)
		if duck.Prepare(c.c, sql, &stmt) == duck.StateError {
			return errors.New(duck.PrepareError(stmt))
		}
		var pending duck.PendingResult
		defer duck.DestroyPending(&pending)
		if duck.PendingPreparedStreaming(stmt, &pending) == duck.StateError {
			return errors.New(duck.PendingError(pending))
		}
		var res duck.Result
		defer duck.DestroyResult(&res)
		if duck.ExecutePending(pending, &res) == duck.StateError {
			return &failure{duck.ResultErrorType(&res), duck.ResultError(&res)}
		}
		return fetch(ctx, &res, 0, yield)
	})
}

func fetch(ctx context.Context, res *duck.Result, most int, yield func(chunk) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		ch := duck.FetchChunk(*res)
		if ch.Ptr == nil {
			if text := duck.ResultError(res); text != "" {
				return &failure{duck.ResultErrorType(res), text}
			}
			return nil
		}
		n := int(duck.DataChunkGetSize(ch))
		var err error
		if n > 0 {
			err = yield(chunk{ch, n, most})
		}
		duck.DestroyDataChunk(&ch)
		if err != nil || n == 0 {
			return err
		}
	}
}

// chunk is a piece of an answer. What is read from it is copied, for it goes away.
type chunk struct {
	c    duck.DataChunk
	n    int
	most int // that the whole answer can have, 0 if not known
}

// more appends a column to what came before it.
func more[T uint32 | int64](before []T, ch chunk, column int) []T {
	if before == nil {
		before = make([]T, 0, ch.most)
	}
	return append(before, values[T](ch, column)...)
}

// values is a column of fixed size; T is the Go type of DuckDB's.
func values[T uint8 | uint32 | uint64 | int64 | duck.StringT](ch chunk, column int) []T {
	v := duck.DataChunkGetVector(ch.c, duck.IdxT(column))
	return unsafe.Slice((*T)(duck.VectorGetData(v)), ch.n) //nolint:gosec // a vector has as many values as its chunk has rows
}

func texts(ch chunk, column int) []string {
	out := make([]string, ch.n)
	for i, s := range values[duck.StringT](ch, column) {
		out[i] = duck.StringTData(&s)
	}
	return out
}

// one reads a row of numbers (BIGINT).
func (c *conn) one(ctx context.Context, sql string, into ...*int64) error {
	rows := 0
	err := c.query(ctx, sql, func(ch chunk) error {
		rows += ch.n
		for i, p := range into {
			*p = values[int64](ch, i)[0]
		}
		return nil
	})
	if err == nil && rows != 1 {
		return fmt.Errorf("%d rows, not one, answer %s", rows, sql)
	}
	return err
}

// duckType is the type of a column in DuckDB.
func duckType(t engine.Type) (duck.Type, string) {
	switch t {
	case engine.Uint8:
		return duck.TypeUTinyInt, "UTINYINT"
	case engine.Uint32:
		return duck.TypeUInteger, "UINTEGER"
	case engine.Uint64:
		return duck.TypeUBigInt, "UBIGINT"
	case engine.Int64:
		return duck.TypeBigInt, "BIGINT"
	case engine.Text:
	}
	return duck.TypeVarchar, "VARCHAR"
}

// append writes rows of a block to a table; chosen are their positions, nil for all.
func (c *conn) append(table string, b *engine.Block, chosen []int32) error {
	var a duck.Appender
	defer duck.AppenderDestroy(&a)
	if duck.AppenderCreate(c.c, "", table, &a) == duck.StateError {
		return appenderError(a)
	}
	types := make([]duck.LogicalType, len(b.Columns))
	for i, column := range b.Table.Columns {
		t, _ := duckType(column.Type)
		types[i] = duck.CreateLogicalType(t)
		defer duck.DestroyLogicalType(&types[i])
	}
	ch := duck.CreateDataChunk(types)
	defer duck.DestroyDataChunk(&ch)
	size, rows := int(duck.VectorSize()), b.Len()
	if chosen != nil {
		rows = len(chosen)
	}
	for from := 0; from < rows; from += size {
		n := min(size, rows-from)
		duck.DataChunkReset(ch)
		for i := range b.Columns {
			v := duck.DataChunkGetVector(ch, duck.IdxT(i))
			switch column := b.Columns[i].(type) {
			case []uint8:
				put(v, column, chosen, from, n)
			case []uint32:
				put(v, column, chosen, from, n)
			case []uint64:
				put(v, column, chosen, from, n)
			case []int64:
				put(v, column, chosen, from, n)
			case []string:
				for k := range n {
					duck.VectorAssignStringElement(v, duck.IdxT(k), column[at(chosen, from+k)])
				}
			}
		}
		duck.DataChunkSetSize(ch, duck.IdxT(n))
		if duck.AppendDataChunk(a, ch) == duck.StateError {
			return appenderError(a)
		}
	}
	if duck.AppenderClose(a) == duck.StateError {
		return appenderError(a)
	}
	return nil
}

func at(chosen []int32, i int) int {
	if chosen == nil {
		return i
	}
	return int(chosen[i])
}

func put[T uint8 | uint32 | uint64 | int64](v duck.Vector, column []T, chosen []int32, from, n int) {
	into := unsafe.Slice((*T)(duck.VectorGetData(v)), n) //nolint:gosec // n is at most the size of a vector
	if chosen == nil {
		copy(into, column[from:from+n])
		return
	}
	for i, at := range chosen[from : from+n] {
		into[i] = column[at]
	}
}

func appenderError(a duck.Appender) error {
	data := duck.AppenderErrorData(a)
	defer duck.DestroyErrorData(&data)
	return &failure{duck.ErrorDataErrorType(data), duck.ErrorDataMessage(data)}
}
