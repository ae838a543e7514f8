package main

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is one of protocol buffers, written field by field.
type message []byte

func (m message) bytes(field protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

func (m message) text(field protowire.Number, v string) message { return m.bytes(field, []byte(v)) }

func (m message) number(field protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v)) //nolint:gosec // as int64 is written
}

func (m message) float(field protowire.Number, v float32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// fields calls f with each field: number for those that are numbers, inner for those
// that are bytes.
func fields(data []byte, f func(field protowire.Number, number int64, inner []byte) error) error {
	for len(data) > 0 {
		field, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		var number uint64
		var inner []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			inner, size = protowire.ConsumeBytes(data)
		default:
			size = protowire.ConsumeFieldValue(field, kind, data)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		if err := f(field, int64(number), inner); err != nil { //nolint:gosec // as int64 is read
			return err
		}
	}
	return nil
}

// numbers reads the packed numbers of a field.
func numbers(data []byte) ([]int64, error) {
	var all []int64
	for len(data) > 0 {
		n, size := protowire.ConsumeVarint(data)
		if size < 0 {
			return nil, protowire.ParseError(size)
		}
		all = append(all, int64(n)) //nolint:gosec // as int64 is read
		data = data[size:]
	}
	return all, nil
}
