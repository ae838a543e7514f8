package bolt

import (
	"bufio"
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"slices"
)

// Samples are how often an instruction of a program was the current one, by its
// address in the ELF file's own numbering.
type Samples map[uint64]int64

// WriteSamples writes samples as BOLT reads profiles without branch records:
//
//	no_lbr cycles
//	1 SYMBOL OFFSET COUNT
//
// with the offset in hexadecimal. BOLT gives local symbols a number behind a
// slash, counted by name in the order of addresses, since several may share a
// name. It returns how many of the samples fell into a known function.
func WriteSamples(program, to string, samples Samples) (used int64, err error) {
	f, err := os.Create(to)
	if err != nil {
		return 0, fmt.Errorf("profile for BOLT: %w", err)
	}
	used, _, err = Encode(f, program, samples)
	if e := f.Close(); err == nil && e != nil {
		err = fmt.Errorf("profile for BOLT: %w", e)
	}
	return used, err
}

// Encode is WriteSamples to a writer. It also says how many functions have samples.
func Encode(to io.Writer, program string, samples Samples) (used int64, hot int, err error) {
	functions, err := functionsOf(program)
	if err != nil {
		return 0, 0, err
	}
	w := bufio.NewWriter(to)
	used, hot = write(w, functions, samples)
	if err := w.Flush(); err != nil {
		return 0, 0, fmt.Errorf("profile for BOLT: %w", err)
	}
	return used, hot, nil
}

func write(w io.Writer, functions []function, samples Samples) (used int64, hot int) {
	last := -1
	addresses := make([]uint64, 0, len(samples))
	for a := range samples {
		addresses = append(addresses, a)
	}
	slices.Sort(addresses)
	_, _ = fmt.Fprintln(w, "no_lbr cycles") // errors stay with the buffer
	for _, a := range addresses {
		i, exact := slices.BinarySearchFunc(functions, a, func(f function, a uint64) int { return cmp.Compare(f.address, a) })
		if !exact {
			i--
		}
		if i < 0 || a >= functions[i].address+functions[i].size {
			continue
		}
		_, _ = fmt.Fprintf(w, "1 %s %x %d\n", functions[i].name, a-functions[i].address, samples[a])
		used += samples[a]
		if i != last {
			last = i
			hot++
		}
	}
	return used, hot
}

type function struct {
	name          string
	address, size uint64
}

// functionsOf lists the functions by address, one for each address.
func functionsOf(program string) ([]function, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("profile for BOLT: %w", err)
	}
	defer func() { _ = f.Close() }()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("profile for BOLT: symbols of %s: %w", program, err)
	}
	slices.SortStableFunc(symbols, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	locals := map[string]int{}
	var out []function
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF || s.Size == 0 {
			continue
		}
		name := s.Name
		if elf.ST_BIND(s.Info) == elf.STB_LOCAL {
			locals[name]++
			name = fmt.Sprintf("%s/%d", name, locals[name])
		}
		if n := len(out); n > 0 && out[n-1].address == s.Value {
			continue // another name of the same code
		}
		out = append(out, function{name, s.Value, s.Size})
	}
	return out, nil
}
