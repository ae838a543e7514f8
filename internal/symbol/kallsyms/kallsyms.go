// Package kallsyms names kernel addresses from the kernel's own list.
//
// It takes text in the form of /proc/kallsyms and gives an immutable Table. It
// knows neither profiles nor which kernel a profile comes from.
//
// The list has no sizes: a symbol reaches to the next one, text or data, of the
// same module; the last of a module reaches to the end of the page after it, as
// in perf.
package kallsyms

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"whyhot/internal/symbol/alias"
)

// ErrHidden is returned when the list has names but every address is zero:
// kernel.kptr_restrict hides them from this user.
var ErrHidden = errors.New("the kernel hides its addresses from this user (kernel.kptr_restrict)")

// Symbol is one named range of kernel code.
type Symbol struct {
	Name      string
	Module    string // "" for the kernel proper
	Low, High uint64
}

// Table finds kernel symbols by address. It keeps the list as it came and makes
// strings of the names that are asked for.
type Table struct {
	text    []byte
	symbols []entry // of code, sorted, one for an address
}

const page = 4096

// entry is one line of the list.
type entry struct {
	low, high uint64
	name      uint32 // where in the text; a module may follow
	text      bool
	local     bool
}

// maxList bounds the list; those of real kernels have some 10 MB.
const maxList = 1 << 30

// Parse reads the list.
func Parse(r io.Reader) (*Table, error) {
	// Room for the list of most kernels, which cannot be asked for its size.
	buf := bytes.NewBuffer(make([]byte, 0, 6<<20))
	if _, err := buf.ReadFrom(io.LimitReader(r, maxList)); err != nil {
		return nil, fmt.Errorf("kernel symbols: %w", err)
	}
	t := &Table{text: buf.Bytes()}
	const usual = 40 // bytes a line
	all := make([]entry, 0, len(t.text)/usual)
	hidden := true
	for n, at := 1, 0; at < len(t.text); n++ {
		line := t.line(at)
		e, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("kernel symbols, line %d: %w", n, err)
		}
		e.name += uint32(at)
		at += len(line) + 1
		if e.low == 0 {
			continue // per-CPU variables of some kernels, or all hidden
		}
		hidden = false
		all = append(all, e)
	}
	if hidden {
		return nil, ErrHidden
	}
	t.build(all)
	return t, nil
}

// line is the text from at to the end of its line.
func (t *Table) line(at int) []byte {
	line, _, _ := bytes.Cut(t.text[at:], []byte{'\n'})
	return line
}

func parseLine(line []byte) (entry, error) {
	var e entry
	at := 0
	for at < len(line) && at <= 16 {
		d := hexDigit(line[at])
		if d < 0 {
			break
		}
		e.low = e.low<<4 | uint64(d)
		at++
	}
	if bytes.IndexByte(line, ' ') < 0 || len(line) < at+4 && at > 0 {
		return entry{}, fmt.Errorf("%q is not \"address type name\"", shorten(line))
	}
	if at == 0 || at > 16 || line[at] != ' ' {
		addr, _, _ := bytes.Cut(line, []byte{' '})
		return entry{}, fmt.Errorf("%q is no hexadecimal address", shorten(addr))
	}
	if line[at+2] != ' ' {
		return entry{}, fmt.Errorf("%q is not \"address type name\"", shorten(line))
	}
	switch line[at+1] {
	case 't':
		e.text, e.local = true, true
	case 'T', 'W', 'w':
		e.text = true
	}
	e.name = uint32(at + 3)
	return e, nil
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func shorten(b []byte) []byte { return b[:min(len(b), 80)] }

// parts are the name and the module of an entry.
func (t *Table) parts(e *entry) (name, module []byte) {
	name, module, _ = bytes.Cut(t.line(int(e.name)), []byte{'\t'})
	return name, bytes.Trim(module, "[] ")
}

func (t *Table) build(all []entry) {
	// The kernel proper comes in order, modules may not.
	byAddress := func(a, b entry) int { return cmp.Compare(a.low, b.low) }
	if !slices.IsSortedFunc(all, byAddress) {
		slices.SortStableFunc(all, byAddress)
	}
	out := all[:0]
	for i := 0; i < len(all); {
		best, next := i, i+1
		for ; next < len(all) && all[next].low == all[i].low; next++ {
			if t.better(&all[next], &all[best]) {
				best = next
			}
		}
		if e := all[best]; e.text {
			e.high = (e.low+page-1)&^(page-1) + page
			if next < len(all) && (all[next].low < e.high || t.sameModule(&all[next], &e)) {
				e.high = all[next].low
			}
			out = append(out, e)
		}
		i = next
	}
	t.symbols = out
}

// better says whether a person would rather hear of a than of b, at one address.
func (t *Table) better(a, b *entry) bool {
	switch {
	case a.text != b.text:
		return a.text
	case a.local != b.local:
		return b.local
	}
	x, _ := t.parts(a)
	y, _ := t.parts(b)
	return alias.Compare(string(x), string(y)) < 0
}

func (t *Table) sameModule(a, b *entry) bool {
	_, x := t.parts(a)
	_, y := t.parts(b)
	return bytes.Equal(x, y)
}

// Find returns the symbol that holds addr.
func (t *Table) Find(addr uint64) (Symbol, bool) {
	i, exact := slices.BinarySearchFunc(t.symbols, addr, func(e entry, a uint64) int { return cmp.Compare(e.low, a) })
	if !exact {
		i--
	}
	if i < 0 || addr >= t.symbols[i].high {
		return Symbol{}, false
	}
	return t.symbol(&t.symbols[i]), true
}

func (t *Table) symbol(e *entry) Symbol {
	name, module := t.parts(e)
	return Symbol{Name: string(name), Module: string(module), Low: e.low, High: e.high}
}

// WriteFixed writes the list as it was read, without the symbols of code that the
// kernel makes and drops as it runs: BPF programs, trampolines.
func (t *Table) WriteFixed(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for at := 0; at < len(t.text); {
		line := t.line(at)
		at += len(line) + 1
		if bytes.HasSuffix(line, []byte("\t[bpf]")) || bytes.Contains(line, []byte("\t[__builtin__")) {
			continue
		}
		_, _ = out.Write(line) // Flush returns the first error
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}

// Address returns the address of the symbol of that name in the kernel proper,
// also where another symbol at the same address is the one that Find gives.
func (t *Table) Address(name string) (uint64, bool) {
	at := bytes.Index(t.text, []byte(" "+name+"\n"))
	if at < 0 {
		return 0, false
	}
	e, err := parseLine(t.line(bytes.LastIndexByte(t.text[:at], '\n') + 1))
	return e.low, err == nil
}

// Len is the number of text symbols.
func (t *Table) Len() int { return len(t.symbols) }
