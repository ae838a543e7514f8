package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// request is one that should be refused, or be taken at a bounded cost.
type request struct {
	name     string
	body     []byte // protobuf, or JSON where text
	gzip     []byte // in place of body: sent over HTTP as it is, said to be gzip
	text     bool
	statuses []int // of HTTP, that are right
}

const limit = 16 << 20 // whyhot receive's --max-message

func bytesField(n protowire.Number, inner []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), inner)
}

func varint(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// fill repeats a part until it takes size bytes.
func fill(part []byte, size int) []byte { return bytes.Repeat(part, size/len(part)) }

// profileOf is a request with one profile that has the given fields.
func profileOf(fields, dictionary []byte) []byte {
	return join(bytesField(1, bytesField(2, bytesField(2, fields))), bytesField(2, dictionary))
}

func bomb(size int) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for block := make([]byte, 1<<20); size > 0; size -= len(block) {
		if _, err := z.Write(block); err != nil {
			panic(err) // a buffer takes all
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func deepValue(depth int) []byte {
	var v []byte
	for range depth {
		v = bytesField(5, bytesField(1, v))
	}
	return v
}

// dictionaryWithLabels has n attributes k="0", "1", …, and the given fields.
func dictionaryWithLabels(n int, more ...[]byte) []byte {
	out := join(bytesField(5, nil), bytesField(5, []byte("k")), bytesField(6, nil))
	for i := range n {
		out = append(out, bytesField(6, join(varint(1, 1), bytesField(2, bytesField(1, []byte(fmt.Sprint(i))))))...)
	}
	return append(out, join(more...)...)
}

// samplesWithLabels are n samples on stack 1, each with its own label.
func samplesWithLabels(n int) []byte {
	var out []byte
	for i := range n {
		out = append(out, bytesField(2, join(varint(1, 1), bytesField(2, binary.AppendUvarint(nil, uint64(i+1))), bytesField(4, []byte{1})))...)
	}
	return out
}

func requests() []request {
	refused, large := []int{400}, []int{413}
	empty := []byte{0x12, 0} // an empty message in field 2
	sharing := samplesWithLabels(100_000)
	long := bytesField(7, bytesField(1, make([]byte, 4<<20)))
	list := bytesField(6, join(varint(1, 1), bytesField(2, bytesField(5, fill(bytesField(1, bytesField(1, []byte("x"))), 1<<20)))))
	return []request{
		{name: "gzip of 1 GiB of zeros", gzip: bomb(1 << 30), statuses: large},
		{name: "gzip that breaks off", gzip: bomb(8 << 20)[:4000], statuses: refused},
		{name: "gzip in gzip in gzip", gzip: bomb(1 << 20), statuses: refused},
		{name: "8 million empty locations", body: bytesField(2, fill(empty, limit-64)), statuses: large},
		{name: "1 million empty profiles", body: bytesField(1, bytesField(2, fill(empty, 2_000_000))), statuses: []int{200, 413}},
		{name: "5 million strings", body: bytesField(2, fill([]byte{0x2a, 1, 'a'}, limit-64)), statuses: []int{200, 413}},
		{name: "one sample of 16 million values", body: profileOf(bytesField(2, bytesField(4, make([]byte, limit-64))), nil), statuses: []int{200, 413}},
		{name: "negative indices", body: profileOf(bytesField(2, join(varint(1, 1<<64-1), bytesField(4, []byte{1}))), nil), statuses: refused},
		{name: "an index out of its table", body: profileOf(bytesField(2, join(varint(1, 7), bytesField(4, []byte{1}))), nil), statuses: refused},
		{name: "attribute in a resource without a table", body: bytesField(1, bytesField(1, bytesField(1, varint(3, 99)))), statuses: []int{200, 400}},
		{name: "a value 100,000 lists deep", body: bytesField(1, bytesField(1, bytesField(1, bytesField(2, deepValue(2000))))), statuses: refused},
		{name: "100,000 samples share 4 million frames", body: profileOf(sharing, dictionaryWithLabels(100_000, bytesField(2, nil), bytesField(7, nil), long)), statuses: large},
		{name: "10,000 samples share a list of 150,000", body: profileOf(fill(bytesField(2, join(bytesField(2, []byte{1}), bytesField(4, []byte{1}))), 90_000), join(bytesField(5, nil), bytesField(5, []byte("k")), bytesField(6, nil), list)), statuses: []int{200, 413}},
		{name: "values whose sum is out of range", body: profileOf(fill(bytesField(2, bytesField(4, binary.AppendUvarint(nil, 1<<62))), 1000), nil), statuses: refused},
		{name: "not protobuf", body: bytes.Repeat([]byte{0xff}, limit-64), statuses: refused},
		{name: "larger than taken", body: make([]byte, limit+1), statuses: large},
		{name: "JSON of a million objects", body: []byte(`{"resourceProfiles":[` + strings.Repeat("{},", 1_350_000) + `{}]}`), text: true, statuses: large},
		{name: "JSON of open lists", body: []byte(`{"resourceProfiles":` + strings.Repeat("[", 4_000_000)), text: true, statuses: refused},
		{name: "JSON with negative indices", body: []byte(`{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"samples":[{"stackIndex":-1,"values":["1"]}]}]}]}]}`), text: true, statuses: refused},
		{name: "JSON of a long number", body: []byte(`{"dictionary":{"stackTable":[{"locationIndices":[` + strings.Repeat("9", 4_000_000) + `]}]}}`), text: true, statuses: []int{400, 413}},
		{name: "JSON with a string of 4 MB of escapes", body: []byte(`{"dictionary":{"stringTable":["` + strings.Repeat(`\u0000`, 690_000) + `"]}}`), text: true, statuses: []int{200, 413}},
		{name: "JSON larger than taken", body: bytes.Repeat([]byte(" "), limit/4+1), text: true, statuses: large},
	}
}
