package feedback

import (
	"bufio"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/elfinfo/elffile"
)

// spot is a place in a function: the line relative to the function's first, and the basic
// block on it.
type spot struct{ offset, disc int }

func (s spot) String() string {
	if s.disc == 0 {
		return strconv.Itoa(s.offset)
	}
	return fmt.Sprintf("%d.%d", s.offset, s.disc)
}

func (s spot) compare(o spot) int {
	return cmp.Or(cmp.Compare(s.offset, o.offset), cmp.Compare(s.disc, o.disc))
}

// call is a function that was inlined at a spot.
type call struct {
	at   spot
	name string
}

// counts is a function, or a copy of it that was inlined.
type counts struct {
	body  map[spot]*cost
	calls map[call]*counts
}

// cost is what was sampled at a spot, and how much code there is.
type cost struct{ samples, bytes int64 }

func newCounts() *counts { return &counts{map[spot]*cost{}, map[call]*counts{}} }

// spotOf is the compiler's name of a place. It keeps 16 bits of the line.
func spotOf(line, start int, disc uint32) spot {
	const bits = 0xffff
	return spot{(line - start) & bits, int(component(disc))}
}

// of gives the counts of a scope, made where there are none yet.
func of(functions map[string]*counts, s *scope) *counts {
	if s.parent == nil {
		f := functions[s.name]
		if f == nil {
			f = newCounts()
			functions[s.name] = f
		}
		return f
	}
	outer := of(functions, s.parent)
	at := call{spotOf(s.callLine, s.parent.start, s.callDisc), s.name}
	f := outer.calls[at]
	if f == nil {
		f = newCounts()
		outer.calls[at] = f
	}
	return f
}

// writeLLVM writes a sample profile as text. The compiler wants to know how often code
// ran, and samples say how long it took: they are divided by the size of the line's code,
// so that a line of many instructions does not look like one that runs often.
func writeLLVM(w io.Writer, samples map[uint64]int64, bin, debug *elffile.File, out *Summary) error {
	file, err := elf.Open(debug.Path())
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read from
	if !debug.HasData(".debug_info") {
		return fmt.Errorf("%w: %s has no debug information, by which the compiler finds its code: build with -g -fdebug-info-for-profiling, then record again", ErrNothing, bin.Path())
	}
	data, err := file.DWARF()
	if err != nil {
		return fmt.Errorf("debug information of %s: %w", debug.Path(), err)
	}
	sorted := slices.Sorted(maps.Keys(samples))
	functions := map[string]*counts{}
	discriminators := false
	r := reader{data, map[dwarf.Offset]*function{}}
	err = r.units(sorted, func(c code) {
		for i := range c.rows {
			row := &c.rows[i]
			discriminators = discriminators || row.disc != 0
			n := int64(0)
			for at, _ := slices.BinarySearch(sorted, row.low); at < len(sorted) && sorted[at] < row.high; at++ {
				n += samples[sorted[at]]
				samples[sorted[at]] = 0 // of a line table alone: no code is counted twice
			}
			s := c.innermost(row.low)
			if s == nil || s.name == "" || row.line == 0 || outermost(s).name == "" {
				continue
			}
			f := of(functions, s)
			at := spotOf(row.line, s.start, row.disc)
			if f.body[at] == nil {
				f.body[at] = &cost{}
			}
			f.body[at].samples += n * duplication(row.disc)
			f.body[at].bytes += int64(row.high - row.low)
			out.Used += n
		}
	})
	if err != nil {
		return fmt.Errorf("debug information of %s: %w", debug.Path(), err)
	}
	if !discriminators && out.Used > 0 {
		out.Notes = append(out.Notes, "the program was built without discriminators, by which blocks on one line are told apart: build with clang -g -fdebug-info-for-profiling")
	}
	return encode(w, functions, out)
}

func outermost(s *scope) *scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// scale keeps what division by the size of the code would round away.
const scale = 1000

func (c *cost) count() int64 {
	if c.samples == 0 {
		return 0
	}
	return max(1, c.samples*scale/max(1, c.bytes))
}

func (f *counts) total() int64 {
	sum := int64(0)
	for _, c := range f.body {
		sum += c.count()
	}
	for _, g := range f.calls {
		sum += g.total()
	}
	return sum
}

// encode writes functions with samples, most first, as LLVM's text form has them: the
// lines of a function, then what was inlined into it, one column further in.
func encode(to io.Writer, functions map[string]*counts, out *Summary) error {
	totals := map[string]int64{}
	for name, f := range functions {
		if t := f.total(); t > 0 {
			totals[name] = t
		}
	}
	names := slices.SortedFunc(maps.Keys(totals), func(a, b string) int {
		return cmp.Or(-cmp.Compare(totals[a], totals[b]), cmp.Compare(a, b))
	})
	out.Functions = len(names)
	w := bufio.NewWriter(to)
	for _, name := range names {
		f := functions[name]
		// The first line's count is what is known of how often the function was called.
		head := int64(0)
		if c := f.body[spot{}]; c != nil {
			head = c.count()
		}
		_, _ = fmt.Fprintf(w, "%s:%d:%d\n", name, totals[name], head) // errors stay with the buffer
		f.encode(w, 1)
	}
	return w.Flush()
}

func (f *counts) encode(w io.Writer, depth int) {
	indent := strings.Repeat(" ", depth)
	for _, at := range slices.SortedFunc(maps.Keys(f.body), spot.compare) {
		if n := f.body[at].count(); n > 0 {
			_, _ = fmt.Fprintf(w, "%s%s: %d\n", indent, at, n)
		}
	}
	calls := slices.SortedFunc(maps.Keys(f.calls), func(a, b call) int {
		return cmp.Or(a.at.compare(b.at), cmp.Compare(a.name, b.name))
	})
	for _, c := range calls {
		if g := f.calls[c]; g.total() > 0 {
			_, _ = fmt.Fprintf(w, "%s%s: %s:%d\n", indent, c.at, c.name, g.total())
			g.encode(w, depth+1)
		}
	}
}
