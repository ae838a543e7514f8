// Package perfmap reads the maps that runtimes with a just-in-time compiler
// write for profilers, /tmp/perf-PID.map.
//
// It takes text, one "START SIZE name" a line with hexadecimal numbers and no
// prefix (the format of tools/perf/Documentation/jit-interface.txt in the
// kernel tree), and gives an immutable Table. It does not look for the files and
// does not interpret the names.
package perfmap

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"whyhot/internal/elfinfo/interval"
)

// Symbol is one named piece of generated code.
type Symbol struct {
	Name      string
	Low, High uint64
}

// Table finds symbols by address.
type Table struct {
	symbols []Symbol
	index   interval.Map
	// Skipped is the number of lines that were not in the format. A runtime that
	// is killed while it writes leaves a torn last line.
	Skipped int
}

// maxLine bounds a line; names of generated code can be whole signatures.
const maxLine = 1 << 20

// Parse reads a map. Where entries overlap, memory was used again: the later
// line holds. A text without one good line is an error.
func Parse(r io.Reader) (*Table, error) {
	t := &Table{}
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		if s, ok := parseLine(line); ok {
			t.symbols = append(t.symbols, s)
		} else {
			t.Skipped++
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("perf map: %w", err)
	}
	if len(t.symbols) == 0 && t.Skipped > 0 {
		return nil, fmt.Errorf("perf map: none of %d lines is \"START SIZE name\" with hexadecimal numbers", t.Skipped)
	}
	t.build()
	return t, nil
}

func parseLine(line []byte) (Symbol, bool) {
	start, rest, ok := bytes.Cut(line, []byte{' '})
	if !ok {
		return Symbol{}, false
	}
	size, name, ok := bytes.Cut(bytes.TrimLeft(rest, " "), []byte{' '})
	if !ok {
		return Symbol{}, false
	}
	low, err := hex(start)
	if err != nil {
		return Symbol{}, false
	}
	n, err := hex(size)
	name = bytes.TrimSpace(name)
	if err != nil || n == 0 || low+n < low || len(name) == 0 {
		return Symbol{}, false
	}
	return Symbol{Name: string(name), Low: low, High: low + n}, true
}

// hex reads a number; some runtimes write the prefix that the format leaves out.
func hex(b []byte) (uint64, error) {
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		b = b[2:]
	}
	return strconv.ParseUint(string(b), 16, 64)
}

// build indexes the symbols so that a later line hides an earlier one wherever
// they overlap.
func (t *Table) build() {
	t.index = interval.BuildLayered(len(t.symbols), func(i int) interval.Span {
		return interval.Span{Low: t.symbols[i].Low, High: t.symbols[i].High, ID: int32(i)}
	})
}

// Find returns the symbol that holds addr.
func (t *Table) Find(addr uint64) (Symbol, bool) {
	id, ok := t.index.Find(addr)
	if !ok {
		return Symbol{}, false
	}
	return t.symbols[id], true
}

// Len is the number of entries.
func (t *Table) Len() int { return len(t.symbols) }
