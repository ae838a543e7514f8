// Package shrink makes smaller inputs of one: its first half, its first quarter, and so on,
// by records.
//
// It owns the formats that can be cut without breaking them: text by lines, CSV with its
// header, JSON lines, a JSON array or an object that holds one, and FASTA or FASTQ by
// sequences. It takes a file and gives files in a directory with the number of records in
// each. It must never import another package of this module.
package shrink

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Input is one file and how much is in it.
type Input struct {
	Path    string
	Records int
	Unit    string // what a record is: "lines", "rows", "elements"
}

// fewest is how many records the smallest part must have.
const fewest = 8

// largest is the most that is read of a file.
const largest = 1 << 30

// Halves writes parts of the file at path into dir, the smallest first and the whole last:
// halved times times. The whole is the file itself.
func Halves(path, dir string, times int) ([]Input, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the input: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("cannot halve %s: it is not a regular file", path)
	case info.Size() > largest:
		return nil, fmt.Errorf("cannot halve %s: it is larger than 1 GiB; give smaller ones, as in --input small,medium,large", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the input: %w", err)
	}
	cut, err := cutterOf(path, text)
	if err != nil {
		return nil, fmt.Errorf("cannot halve %s: %w; give several files instead: --input small,medium,large", path, err)
	}
	if cut.records>>times < fewest {
		return nil, fmt.Errorf("cannot halve %s: it has only %d %s; give a larger file", path, cut.records, cut.unit)
	}
	ext := filepath.Ext(path)
	var inputs []Input
	for i := times; i > 0; i-- {
		n := cut.records >> i
		part := filepath.Join(dir, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(filepath.Base(path), ext), n, ext))
		if err := os.WriteFile(part, cut.first(n), 0o600); err != nil {
			return nil, fmt.Errorf("writing a part of the input: %w", err)
		}
		inputs = append(inputs, Input{part, n, cut.unit})
	}
	return append(inputs, Input{path, cut.records, cut.unit}), nil
}

// cutter cuts one text.
type cutter struct {
	records int
	unit    string
	first   func(n int) []byte
}

func cutterOf(path string, text []byte) (*cutter, error) {
	if len(text) == 0 {
		return nil, errors.New("it is empty")
	}
	if bytes.IndexByte(text[:min(len(text), 1<<16)], 0) >= 0 {
		return nil, errors.New("it is binary")
	}
	switch trimmed := bytes.TrimLeft(text, " \t\r\n"); {
	case len(trimmed) > 0 && (trimmed[0] == '[' || trimmed[0] == '{'):
		if c := jsonCutter(text); c != nil {
			return c, nil
		}
	case len(trimmed) > 0 && trimmed[0] == '<':
		return nil, errors.New("it is XML or HTML, which has no records that can be left out safely")
	case len(trimmed) > 0 && trimmed[0] == '>':
		return sequences(text, '>'), nil
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv":
		return csvCutter(path, text)
	case ".fastq", ".fq":
		return grouped(text, 4, "sequences"), nil
	}
	return grouped(text, 1, "lines"), nil
}

// grouped cuts text into so many lines each.
func grouped(text []byte, lines int, unit string) *cutter {
	ends := make([]int, 0, 1024)
	for i, n := 0, 0; i < len(text); {
		next := bytes.IndexByte(text[i:], '\n')
		if next < 0 {
			ends = append(ends, len(text))
			break
		}
		i += next + 1
		if n++; n%lines == 0 {
			ends = append(ends, i)
		}
	}
	return cutAt(text, ends, unit)
}

// sequences cuts text where a line begins with mark.
func sequences(text []byte, mark byte) *cutter {
	var ends []int
	for i := 1; i < len(text); i++ {
		if text[i] == mark && text[i-1] == '\n' {
			ends = append(ends, i)
		}
	}
	return cutAt(text, append(ends, len(text)), "sequences")
}

func cutAt(text []byte, ends []int, unit string) *cutter {
	return &cutter{len(ends), unit, func(n int) []byte { return text[:ends[n-1]] }}
}

// csvCutter keeps the first row, which is the header, and cuts behind whole rows: a field
// in quotes may have line breaks.
func csvCutter(path string, text []byte) (*cutter, error) {
	r := csv.NewReader(bytes.NewReader(text))
	if strings.EqualFold(filepath.Ext(path), ".tsv") {
		r.Comma = '\t'
	}
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	var ends []int
	for {
		_, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("it is not valid CSV: %w", err)
		}
		ends = append(ends, int(r.InputOffset()))
	}
	if len(ends) < 2 {
		return nil, errors.New("it has no rows below its header")
	}
	return cutAt(text, ends[1:], "rows"), nil
}

// jsonCutter cuts the elements of an array that is the whole text or, in an object,
// most of it. It gives nil for what is neither, such as JSON lines.
func jsonCutter(text []byte) *cutter {
	if !json.Valid(text) {
		return nil
	}
	begin, ends := elements(text)
	if len(ends) < fewest {
		return nil
	}
	tail := text[ends[len(ends)-1]:]
	return &cutter{len(ends), "elements", func(n int) []byte {
		return bytes.Join([][]byte{text[:begin], text[begin:ends[n-1]], tail}, nil)
	}}
}

// elements finds the longest array at the top or one level below it: where its first
// element begins, and where each ends.
func elements(text []byte) (begin int, ends []int) {
	dec := json.NewDecoder(bytes.NewReader(text))
	top, err := dec.Token()
	if err != nil {
		return 0, nil
	}
	if top == json.Delim('[') {
		return array(dec)
	}
	if top != json.Delim('{') {
		return 0, nil
	}
	for dec.More() {
		if _, err := dec.Token(); err != nil { // the key
			return 0, nil
		}
		start := int(dec.InputOffset())
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return 0, nil
		}
		if len(value) == 0 || value[0] != '[' {
			continue
		}
		offset := start + bytes.IndexByte(text[start:], '[')
		inner := json.NewDecoder(bytes.NewReader(text[offset:]))
		if _, err := inner.Token(); err != nil {
			return 0, nil
		}
		if b, e := array(inner); len(e) > len(ends) {
			begin, ends = b+offset, e
			for i := range ends {
				ends[i] += offset
			}
		}
	}
	return begin, ends
}

// array reads the elements that follow a bracket.
func array(dec *json.Decoder) (begin int, ends []int) {
	begin = int(dec.InputOffset())
	for dec.More() {
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return begin, nil
		}
		ends = append(ends, int(dec.InputOffset()))
	}
	return begin, ends
}
