// Command reader names addresses by DWARF alone, either with whyhot's reader
// (internal/elfinfo/dwarf) or with the standard library's (debug/dwarf), and prints
// them as bench/symbol does, names as in the binary. Files are opened, addresses sorted
// into units and units read on all processors in both.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"whyhot/internal/elfinfo/dwarf"
	"whyhot/internal/elfinfo/elffile"
)

// frame is one function at an address.
type frame struct {
	function, file string
	line           int
}

func main() {
	obj := flag.String("obj", "", "the binary")
	which := flag.String("reader", "own", "own or std")
	allocs := flag.Bool("allocs", false, "print what was allocated to standard error")
	flag.Parse()
	if err := run(*obj, *which, *allocs, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(obj, which string, allocs bool, in io.Reader, out io.Writer) error {
	addrs, err := read(in)
	if err != nil {
		return err
	}
	var answers [][]frame
	switch which {
	case "own":
		answers, err = own(obj, addrs)
	case "std":
		answers, err = std(obj, addrs)
	default:
		err = fmt.Errorf("no reader %q", which) //nolint:err113 // for the person at the terminal
	}
	if err != nil {
		return err
	}
	if allocs {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprintf(os.Stderr, "%s: %d MB in %d objects\n", which, m.TotalAlloc>>20, m.Mallocs)
	}
	w := bufio.NewWriterSize(out, 1<<20)
	for _, frames := range answers {
		if len(frames) == 0 {
			frames = []frame{{}}
		}
		for _, fr := range frames {
			for _, text := range []string{fr.function, "\n", fr.file, ":", strconv.Itoa(fr.line), "\n"} {
				if text == "" {
					text = "??"
				}
				_, _ = w.WriteString(text) // Flush tells
			}
		}
		_ = w.WriteByte('\n') // Flush tells
	}
	return w.Flush()
}

// own is whyhot's reader.
func own(obj string, addrs []uint64) ([][]frame, error) {
	f, err := elffile.Open(obj)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := dwarf.Open(f, nil, f.CodeRanges())
	if err != nil {
		return nil, err
	}
	answers := make([][]frame, len(addrs))
	err = info.Lookup(context.Background(), addrs, func() func(int, []dwarf.Frame) {
		return func(i int, frames []dwarf.Frame) {
			for _, fr := range frames {
				answers[i] = append(answers[i], frame{fr.Function.Symbol, fr.File, int(fr.Line)})
			}
		}
	})
	return answers, err
}

func read(in io.Reader) ([]uint64, error) {
	var out []uint64
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		a, err := strconv.ParseUint(strings.TrimPrefix(lines.Text(), "0x"), 16, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, lines.Err()
}
