// Command compare counts how often two symbolisers gave the same answer and
// sorts the differences into kinds.
//
// It takes two files in llvm-symbolizer's form with names as in the binary (not
// demangled): a line with the function and one with file:line[:column] for each
// frame, an empty line after each address. Names are demangled here, both in the
// same way, so that what is compared is which function was found and not how a
// demangler spells it: the C1 and C2 variants of a constructor are one function.
// Paths are compared after "." and ".." are resolved, columns are not compared.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"sort"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

type frame struct {
	function, file string
	line           int
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compare THEIRS OURS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(theirs, ours string, out io.Writer) error {
	a, err := read(theirs)
	if err != nil {
		return err
	}
	b, err := read(ours)
	if err != nil {
		return err
	}
	if len(a) != len(b) {
		return fmt.Errorf("%s has %d answers, %s has %d", theirs, len(a), ours, len(b))
	}
	same := 0
	kinds := map[string]int{}
	example := map[string]string{}
	for i := range a {
		kind := differ(a[i], b[i])
		if kind == "" {
			same++
			continue
		}
		kinds[kind]++
		if example[kind] == "" {
			example[kind] = fmt.Sprintf("answer %d: %v / %v", i+1, a[i], b[i])
		}
	}
	_, _ = fmt.Fprintf(out, "%d addresses, %d the same: %.3f%%\n", len(a), same, 100*float64(same)/float64(len(a)))
	names := make([]string, 0, len(kinds))
	for k := range kinds {
		names = append(names, k)
	}
	sort.Slice(names, func(i, j int) bool { return kinds[names[i]] > kinds[names[j]] })
	for _, k := range names {
		_, _ = fmt.Fprintf(out, "%8d  %s\n          %.400s\n", kinds[k], k, example[k])
	}
	return nil
}

// differ names the kind of the first difference, "" for none.
func differ(a, b []frame) string {
	if len(a) != len(b) {
		return "number of frames"
	}
	for i := range a {
		where := "inlined frame"
		if i == len(a)-1 {
			where = "outermost frame"
		}
		switch x, y := a[i], b[i]; {
		case x.function != y.function:
			return "function of the " + where
		case x.file != y.file && x.line == 0 && y.line == 0:
			return "file of the " + where + " where neither has a line"
		case x.file != y.file:
			return "file of the " + where
		case x.line != y.line:
			return "line of the " + where
		}
	}
	return ""
}

func read(name string) ([][]frame, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	known := map[string]string{}
	var out [][]frame
	var cur []frame
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		if in.Text() == "" {
			out = append(out, cur)
			cur = nil
			continue
		}
		symbol := in.Text()
		fn, ok := known[symbol]
		if !ok {
			fn = demangle.Filter(symbol)
			known[symbol] = fn
		}
		if !in.Scan() {
			return nil, fmt.Errorf("%s: a function without a position at the end", name)
		}
		fr := frame{function: fn}
		fr.file, fr.line = position(in.Text())
		cur = append(cur, fr)
	}
	return out, in.Err()
}

func position(text string) (file string, line int) {
	parts := strings.Split(text, ":")
	var numbers []int
	for len(parts) > 1 && len(numbers) < 2 {
		n, err := strconv.Atoi(strings.Replace(parts[len(parts)-1], "?", "0", 1))
		if err != nil {
			break
		}
		numbers = append(numbers, n)
		parts = parts[:len(parts)-1]
	}
	if len(numbers) > 0 {
		line = numbers[len(numbers)-1]
	}
	file = strings.Join(parts, ":")
	if file != "??" {
		file = path.Clean(file)
	}
	return file, line
}
