package engine

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// ErrOverflow says that a sum of count × period does not fit 64 bits.
var ErrOverflow = errors.New("a sum exceeds 64 bits")

// Check says what is wrong with blocks that are to be committed. Every engine asks it
// first, so that what one of them refuses all do:
//
//   - the table is one of Tables, and the columns have its types and one length
//   - ids of groups and series begin at 1
//   - events happened at least once, and no period is negative, so that a sum that
//     fits has no part that does not
//   - text is UTF-8
func Check(blocks []*Block) error {
	tables := Tables()
	for _, b := range blocks {
		if !slices.Contains(tables, b.Table) {
			return fmt.Errorf("%s is not a table of the schema", b.Table.Name)
		}
		if err := b.check(); err != nil {
			return fmt.Errorf("rows of %s: %w", b.Table.Name, err)
		}
	}
	return nil
}

// CheckReplace says what is wrong with blocks that are to take the place of others.
func CheckReplace(blocks []*Block) error {
	for _, b := range blocks {
		if b.Table.Timed {
			return fmt.Errorf("rows of %s have a time, and are not replaced", b.Table.Name)
		}
	}
	return Check(blocks)
}

func (b *Block) check() error {
	if len(b.Columns) != len(b.Table.Columns) {
		return fmt.Errorf("%d columns, not %d", len(b.Columns), len(b.Table.Columns))
	}
	for i, c := range b.Table.Columns {
		n, ok := length(b.Columns[i], c.Type)
		if !ok {
			return fmt.Errorf("%s is a %T", c.Name, b.Columns[i])
		}
		if n != b.Len() {
			return fmt.Errorf("%s has %d rows, not %d", c.Name, n, b.Len())
		}
		if err := checkValues(b, i); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}

func checkValues(b *Block, i int) error {
	name := b.Table.Columns[i].Name
	switch c := b.Columns[i].(type) {
	case []string:
		for _, s := range c {
			if !utf8.ValidString(s) {
				return fmt.Errorf("%.40q is not UTF-8", s)
			}
		}
	case []uint32:
		if b.Table.Timed && (name == ColGroup || name == ColSeries || name == ColCount) && slices.Contains(c, 0) {
			return errors.New("0 is none")
		}
	case []int64:
		if name == ColPeriod && len(c) > 0 && slices.Min(c) < 0 {
			return errors.New("is negative")
		}
	}
	return nil
}

func length(column any, t Type) (int, bool) {
	switch c := column.(type) {
	case []uint8:
		return len(c), t == Uint8
	case []uint32:
		return len(c), t == Uint32
	case []uint64:
		return len(c), t == Uint64
	case []int64:
		return len(c), t == Int64
	case []string:
		return len(c), t == Text
	}
	return 0, false
}

// Check says what is wrong with a query.
func (q Query) Check() error {
	if q.Table == nil || len(q.Table.Summed) == 0 {
		return errors.New("only tables with counts have sums")
	}
	has := func(name string) bool {
		return slices.ContainsFunc(q.Table.Columns, func(c Column) bool { return c.Name == name })
	}
	if q.Series != nil && !has(ColSeries) {
		return fmt.Errorf("%s has no series", q.Table.Name)
	}
	if q.Level != 0 && !has(ColLevel) {
		return fmt.Errorf("%s has no levels", q.Table.Name)
	}
	for i, by := range q.By {
		if !slices.Contains([]string{ColMinute, ColGroup, ColSeries, ColStack}, by) || !has(by) {
			return fmt.Errorf("%s has no sums by %q", q.Table.Name, by)
		}
		if slices.Contains(q.By[:i], by) {
			return fmt.Errorf("%s is named twice", by)
		}
	}
	for _, ids := range [][]uint32{q.Groups, q.Series} {
		for i := 1; i < len(ids); i++ {
			if ids[i] <= ids[i-1] {
				return errors.New("the ids of groups and series are to be sorted and distinct")
			}
		}
	}
	return nil
}
