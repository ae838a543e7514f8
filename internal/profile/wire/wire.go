// Package wire has what the forms have in common in which trees travel to a page: that
// of a report, in HTML, and that of the server, over HTTP.
//
// It owns the beginning (the length of a header, the header as JSON), the table of texts
// that a header has, and the column that says how nodes hang together. It takes and
// gives numbers, texts and bytes. It must never know what a profile is, nor what a
// page shows. web/src/data reads what is written here.
package wire

import (
	"encoding/binary"
	"encoding/json"
)

// Texts numbers texts by first use; "" has the number 0. Begin with NewTexts.
type Texts struct {
	List []string
	at   map[string]int
}

// NewTexts gives a table with "" in it.
func NewTexts() *Texts { return &Texts{[]string{""}, map[string]int{"": 0}} }

// Number gives the number of a text.
func (t *Texts) Number(s string) int {
	i, ok := t.at[s]
	if !ok {
		i = len(t.List)
		t.List = append(t.List, s)
		t.at[s] = i
	}
	return i
}

// AppendHeader writes a header as JSON, after its length in four bytes, the lowest first.
func AppendHeader(dst []byte, header any) ([]byte, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...), nil
}

// AppendStep writes where a node of a tree hangs, in the order in which each stands after
// its parent: how many levels up from the node before is its parent. For example, a node
// at depth 3 after one at depth 4 is 2: its parent, at depth 2, is two levels above. The
// root has depth 0 after one of -1, and is 0.
func AppendStep(dst []byte, before, depth int32) []byte {
	return binary.AppendUvarint(dst, uint64(before+1-depth))
}
