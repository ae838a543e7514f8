//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"whyhot/internal/store/engine"
)

// maxDense bounds the array of a dense sum: 4 M stacks, 100 MB.
const maxDense = 4 << 20

// dense says whether a sum is by stack over everything. Stacks are numbered from 0 on, and
// nearly all of them occur: they are added up in an array here. DuckDB's hash table of as
// many groups misses the processor's cache with each row, which is most of the time that
// it takes.
func dense(q *engine.Query) bool {
	return len(q.By) == 1 && q.By[0] == engine.ColStack && q.Groups == nil && q.Series == nil && q.Table != engine.Thinned
}

// cell is the sum of one stack.
type cell struct {
	count, value int64
	seen         bool
}

// cells are reused: they are emptied when they are given back.
var cells = sync.Pool{New: func() any { return new([]cell) }}

// sumDense is false where stacks have too large numbers, or a sum exceeds 64 bits.
func (c *conn) sumDense(ctx context.Context, q *engine.Query, parts []string, into *engine.Sums) (bool, error) {
	selects, weight := make([]string, len(parts)), "events::BIGINT * period"
	if q.Events {
		weight = "0::BIGINT"
	}
	for i, p := range parts {
		selects[i] = fmt.Sprintf("SELECT %s, events::BIGINT, %s FROM %s WHERE %s", engine.ColStack, weight, p, where(*q))
	}
	p, _ := cells.Get().(*[]cell)
	sums := *p
	rows := 0
	err := c.stream(ctx, strings.Join(selects, " UNION ALL "), func(ch chunk) error {
		stacks, counts, weights := values[uint32](ch, 0), values[int64](ch, 1), values[int64](ch, 2)
		for i, s := range stacks {
			if int(s) >= len(sums) {
				if s >= maxDense {
					return errNotDense
				}
				sums = append(sums, make([]cell, int(s)+1-len(sums))...)
				sums = sums[:cap(sums)]
			}
			x := &sums[s]
			count, value := x.count+counts[i], x.value+weights[i]
			if overflows(x.count, counts[i], count) || overflows(x.value, weights[i], value) {
				return errNotDense // DuckDB knows whether all of it fits
			}
			if !x.seen {
				rows++
			}
			*x = cell{count, value, true}
		}
		return nil
	})
	if err == nil {
		into.Keys[0], into.Counts, into.Values = make([]uint32, 0, rows), make([]int64, 0, rows), make([]int64, 0, rows)
		for s := range sums {
			if x := &sums[s]; x.seen {
				into.Keys[0] = append(into.Keys[0], uint32(s))
				into.Counts, into.Values = append(into.Counts, x.count), append(into.Values, x.value)
			}
		}
	}
	clear(sums)
	*p = sums
	cells.Put(p)
	if errors.Is(err, errNotDense) {
		return false, nil
	}
	return err == nil, err
}

// errNotDense ends a sum that is for DuckDB.
var errNotDense = errors.New("no dense sum")

// overflows says whether sum is not a + b: both have one sign, and it has the other.
func overflows(a, b, sum int64) bool { return (a^sum)&(b^sum) < 0 }
