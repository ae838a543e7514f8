package engine

import (
	"fmt"
	"math"
	"slices"
)

// Block is some rows of one table, by column.
type Block struct {
	Table   *Table
	Columns []any // []uint8, []uint32, []uint64, []int64 or []string, by position
}

// NewBlock makes an empty block with room for n rows.
func NewBlock(t *Table, n int) *Block {
	b := &Block{Table: t, Columns: make([]any, len(t.Columns))}
	for i, c := range t.Columns {
		switch c.Type {
		case Uint8:
			b.Columns[i] = make([]uint8, 0, n)
		case Uint32:
			b.Columns[i] = make([]uint32, 0, n)
		case Uint64:
			b.Columns[i] = make([]uint64, 0, n)
		case Int64:
			b.Columns[i] = make([]int64, 0, n)
		case Text:
			b.Columns[i] = make([]string, 0, n)
		}
	}
	return b
}

// Len is the number of rows.
func (b *Block) Len() int {
	switch c := b.Columns[0].(type) {
	case []uint8:
		return len(c)
	case []uint32:
		return len(c)
	case []uint64:
		return len(c)
	case []int64:
		return len(c)
	case []string:
		return len(c)
	}
	return 0
}

// Append adds a row. The values are of the columns' Go types: a wrong one is a
// programmer's error and panics.
func (b *Block) Append(values ...any) {
	if len(values) != len(b.Columns) {
		panic(fmt.Sprintf("a row of %s has %d columns, not %d", b.Table.Name, len(b.Columns), len(values)))
	}
	for i, v := range values {
		switch c := b.Columns[i].(type) {
		case []uint8:
			b.Columns[i] = append(c, as[uint8](v))
		case []uint32:
			b.Columns[i] = append(c, as[uint32](v))
		case []uint64:
			b.Columns[i] = append(c, as[uint64](v))
		case []int64:
			b.Columns[i] = append(c, as[int64](v))
		case []string:
			b.Columns[i] = append(c, as[string](v))
		}
	}
}

// Extend appends the rows of a block of the same table.
func (b *Block) Extend(other *Block) {
	for i := range b.Columns {
		switch c := b.Columns[i].(type) {
		case []uint8:
			b.Columns[i] = append(c, as[[]uint8](other.Columns[i])...)
		case []uint32:
			b.Columns[i] = append(c, as[[]uint32](other.Columns[i])...)
		case []uint64:
			b.Columns[i] = append(c, as[[]uint64](other.Columns[i])...)
		case []int64:
			b.Columns[i] = append(c, as[[]int64](other.Columns[i])...)
		case []string:
			b.Columns[i] = append(c, as[[]string](other.Columns[i])...)
		}
	}
}

// Uint32s is the column of that name, which must be of that type.
func (b *Block) Uint32s(name string) []uint32 { return column[[]uint32](b, name) }

// Uint64s is the column of that name, which must be of that type.
func (b *Block) Uint64s(name string) []uint64 { return column[[]uint64](b, name) }

// Int64s is the column of that name, which must be of that type.
func (b *Block) Int64s(name string) []int64 { return column[[]int64](b, name) }

// Uint8s is the column of that name, which must be of that type.
func (b *Block) Uint8s(name string) []uint8 { return column[[]uint8](b, name) }

// Texts is the column of that name, which must be of that type.
func (b *Block) Texts(name string) []string { return column[[]string](b, name) }

func column[T any](b *Block, name string) T {
	i := slices.IndexFunc(b.Table.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("%s has no column %s", b.Table.Name, name))
	}
	return as[T](b.Columns[i])
}

// SplitCounts sets the column of counts, which is the last one. A count that exceeds
// the column's type is spread over as many rows as it takes.
func (b *Block) SplitCounts(counts []uint64) {
	last := len(b.Columns) - 1
	out := make([]uint32, 0, len(counts))
	for _, n := range counts {
		out = append(out, uint32(min(n, math.MaxUint32)))
	}
	for i, n := range counts {
		for n > math.MaxUint32 {
			n -= math.MaxUint32
			for c := range last {
				b.Columns[c] = again(b.Columns[c], i)
			}
			out = append(out, uint32(min(n, math.MaxUint32)))
		}
	}
	b.Columns[last] = out
}

// again appends a column's value to it.
func again(column any, i int) any {
	switch c := column.(type) {
	case []uint8:
		return append(c, c[i])
	case []uint32:
		return append(c, c[i])
	case []uint64:
		return append(c, c[i])
	case []int64:
		return append(c, c[i])
	case []string:
		return append(c, c[i])
	}
	return nil
}

// as gives a value that is of a type, or panics.
func as[T any](v any) T {
	t, ok := v.(T)
	if !ok {
		panic(fmt.Sprintf("a column of %T has a %T", t, v))
	}
	return t
}
