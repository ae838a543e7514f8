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
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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

// Table finds kernel symbols by address.
type Table struct{ symbols []Symbol }

const page = 4096

// entry is one line of the list.
type entry struct {
	Symbol
	text  bool
	local bool
}

// Parse reads the list.
func Parse(r io.Reader) (*Table, error) {
	var all []entry
	hidden := true
	names := map[string]string{} // modules
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		e, err := parseLine(in.Bytes(), names)
		if err != nil {
			return nil, fmt.Errorf("kernel symbols, line %d: %w", n, err)
		}
		if e.Low == 0 {
			continue // per-CPU variables of some kernels, or all hidden
		}
		hidden = false
		all = append(all, e)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("kernel symbols: %w", err)
	}
	if hidden {
		return nil, ErrHidden
	}
	return build(all), nil
}

func parseLine(line []byte, modules map[string]string) (entry, error) {
	addr, rest, ok := bytes.Cut(line, []byte{' '})
	if !ok || len(rest) < 3 || rest[1] != ' ' {
		return entry{}, fmt.Errorf("%q is not \"address type name\"", shorten(line))
	}
	low, err := strconv.ParseUint(string(addr), 16, 64)
	if err != nil {
		return entry{}, fmt.Errorf("%q is no hexadecimal address", shorten(addr))
	}
	e := entry{Symbol: Symbol{Low: low}}
	switch rest[0] {
	case 't':
		e.text, e.local = true, true
	case 'T', 'W', 'w':
		e.text = true
	}
	name, module, _ := bytes.Cut(rest[2:], []byte{'\t'})
	e.Name = string(name)
	if len(module) > 0 {
		m := strings.Trim(string(module), "[] ")
		if _, seen := modules[m]; !seen {
			modules[m] = m
		}
		e.Module = modules[m]
	}
	return e, nil
}

func shorten(b []byte) []byte { return b[:min(len(b), 80)] }

func build(all []entry) *Table {
	slices.SortStableFunc(all, func(a, b entry) int {
		switch {
		case a.Low != b.Low:
			return order(a.Low < b.Low)
		case a.text != b.text:
			return order(a.text)
		case a.local != b.local:
			return order(b.local)
		}
		return alias.Compare(a.Name, b.Name)
	})
	t := &Table{}
	for i := 0; i < len(all); {
		next := i + 1
		for next < len(all) && all[next].Low == all[i].Low {
			next++
		}
		if e := all[i]; e.text {
			e.High = (e.Low+page-1)&^(page-1) + page
			if next < len(all) && (all[next].Module == e.Module || all[next].Low < e.High) {
				e.High = all[next].Low
			}
			t.symbols = append(t.symbols, e.Symbol)
		}
		i = next
	}
	return t
}

func order(first bool) int {
	if first {
		return -1
	}
	return 1
}

// Find returns the symbol that holds addr.
func (t *Table) Find(addr uint64) (Symbol, bool) {
	i, exact := slices.BinarySearchFunc(t.symbols, addr, func(s Symbol, a uint64) int {
		switch {
		case s.Low < a:
			return -1
		case s.Low > a:
			return 1
		}
		return 0
	})
	if !exact {
		i--
	}
	if i < 0 || addr >= t.symbols[i].High {
		return Symbol{}, false
	}
	return t.symbols[i], true
}

// Address returns the address of the symbol of that name in the kernel proper.
func (t *Table) Address(name string) (uint64, bool) {
	for i := range t.symbols {
		if t.symbols[i].Name == name && t.symbols[i].Module == "" {
			return t.symbols[i].Low, true
		}
	}
	return 0, false
}

// Len is the number of text symbols.
func (t *Table) Len() int { return len(t.symbols) }
