package engine

import (
	"fmt"
	"reflect"

	"whyhot/internal/store/columns"
)

// AppendBlocks writes blocks as bytes.
func AppendBlocks(dst []byte, blocks []*Block) []byte {
	names := make([]string, len(blocks))
	for i, b := range blocks {
		names[i] = b.Table.Name
	}
	dst = columns.Append(dst, names)
	for _, b := range blocks {
		dst = columns.Append(dst, b.Columns...)
	}
	return dst
}

// ReadBlocks reads what AppendBlocks wrote.
func ReadBlocks(data []byte) ([]*Block, error) {
	var names []string
	data, err := columns.Read(data, &names)
	if err != nil {
		return nil, err
	}
	tables := map[string]*Table{}
	for _, t := range Tables() {
		tables[t.Name] = t
	}
	var out []*Block
	for _, name := range names {
		t := tables[name]
		if t == nil {
			return nil, fmt.Errorf("%w: rows of a table %q", ErrNewer, name)
		}
		b := NewBlock(t, 0)
		into := make([]any, len(b.Columns))
		for i, c := range b.Columns {
			into[i] = reflect.New(reflect.TypeOf(c)).Interface()
		}
		if data, err = columns.Read(data, into...); err != nil {
			return nil, err
		}
		for i, c := range into {
			b.Columns[i] = reflect.ValueOf(c).Elem().Interface()
		}
		out = append(out, b)
	}
	return out, Check(out)
}
