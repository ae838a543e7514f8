// Package columns writes columns of numbers and texts as bytes, and reads them back.
//
// It owns that form: the number of columns, then each with its type, its length and
// its values; numbers as variable-length integers (encoding/binary), signed ones as
// differences to the one before; texts with their length. It takes and gives slices.
// It must never know what a column means.
//
// What is read may be damaged: every length is checked against what is left before
// room is made for it.
package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The types, as written.
const (
	typeUint8 = iota
	typeUint32
	typeUint64
	typeInt64
	typeText
)

// Append writes columns: []uint8, []uint32, []uint64, []int64 or []string. Another
// type is a programmer's error and panics.
func Append(dst []byte, columns ...any) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(columns)))
	for _, c := range columns {
		dst = appendOne(dst, c)
	}
	return dst
}

func appendOne(dst []byte, column any) []byte {
	head := func(kind byte, n int) {
		dst = append(dst, kind)
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	switch c := column.(type) {
	case []uint8:
		head(typeUint8, len(c))
		dst = append(dst, c...)
	case []uint32:
		head(typeUint32, len(c))
		for _, v := range c {
			dst = binary.AppendUvarint(dst, uint64(v))
		}
	case []uint64:
		head(typeUint64, len(c))
		for _, v := range c {
			dst = binary.AppendUvarint(dst, v)
		}
	case []int64:
		head(typeInt64, len(c))
		before := int64(0)
		for _, v := range c {
			dst = binary.AppendVarint(dst, v-before)
			before = v
		}
	case []string:
		head(typeText, len(c))
		for _, v := range c {
			dst = binary.AppendUvarint(dst, uint64(len(v)))
			dst = append(dst, v...)
		}
	default:
		panic(fmt.Sprintf("a column cannot be a %T", column))
	}
	return dst
}

// errShort says that the bytes end too early.
var errShort = errors.New("columns: it ends too early")

// Read reads what Append wrote into the pointers given: *[]uint8, *[]uint32, … of the
// types that were written. It gives what follows.
func Read(data []byte, into ...any) (rest []byte, err error) {
	n, data, err := length(data)
	if err != nil {
		return nil, err
	}
	if n != len(into) {
		return nil, fmt.Errorf("columns: there are %d, not %d", n, len(into))
	}
	for i, to := range into {
		if data, err = readOne(data, to); err != nil {
			return nil, fmt.Errorf("%w (column %d of %d)", err, i+1, n)
		}
	}
	return data, nil
}

func length(data []byte) (int, []byte, error) {
	n, size := binary.Uvarint(data)
	if size <= 0 {
		return 0, nil, errShort
	}
	data = data[size:]
	if n > uint64(len(data)) { // each value takes a byte at least
		return 0, nil, errShort
	}
	return int(n), data, nil
}

func readOne(data []byte, to any) ([]byte, error) {
	if len(data) == 0 {
		return nil, errShort
	}
	kind := data[0]
	n, data, err := length(data[1:])
	if err != nil {
		return nil, err
	}
	switch to := to.(type) {
	case *[]uint8:
		if kind != typeUint8 {
			return nil, wrongType(kind)
		}
		*to = append((*to)[:0], data[:n]...)
		return data[n:], nil
	case *[]uint32:
		if kind != typeUint32 {
			return nil, wrongType(kind)
		}
		return numbers(data, n, to)
	case *[]uint64:
		if kind != typeUint64 {
			return nil, wrongType(kind)
		}
		return numbers(data, n, to)
	case *[]int64:
		if kind != typeInt64 {
			return nil, wrongType(kind)
		}
		return differences(data, n, to)
	case *[]string:
		if kind != typeText {
			return nil, wrongType(kind)
		}
		return texts(data, n, to)
	}
	panic(fmt.Sprintf("a column cannot be read into a %T", to))
}

func wrongType(kind byte) error { return fmt.Errorf("columns: type %d is not what was expected", kind) }

func numbers[T uint32 | uint64](data []byte, n int, to *[]T) ([]byte, error) {
	out := make([]T, n)
	for i := range out {
		v, size := binary.Uvarint(data)
		if size <= 0 {
			return nil, errShort
		}
		if out[i] = T(v); uint64(out[i]) != v {
			return nil, fmt.Errorf("columns: %d is too large", v)
		}
		data = data[size:]
	}
	*to = out
	return data, nil
}

func differences(data []byte, n int, to *[]int64) ([]byte, error) {
	out := make([]int64, n)
	before := int64(0)
	for i := range out {
		v, size := binary.Varint(data)
		if size <= 0 {
			return nil, errShort
		}
		before += v
		out[i] = before
		data = data[size:]
	}
	*to = out
	return data, nil
}

func texts(data []byte, n int, to *[]string) ([]byte, error) {
	out := make([]string, n)
	for i := range out {
		size, rest, err := length(data)
		if err != nil {
			return nil, err
		}
		out[i] = string(rest[:size])
		data = rest[size:]
	}
	*to = out
	return data, nil
}
