// Command symbol names addresses with whyhot's symboliser and prints them as
// llvm-symbolizer does, for the comparison that run.sh makes.
//
// It reads one hexadecimal address a line and prints for each its frames,
// innermost first, as a line with the function and a line with file:line, then an
// empty line.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"whyhot/internal/symbol"
)

func main() {
	obj := flag.String("obj", "", "the binary")
	raw := flag.Bool("raw", false, "print names as in the file, not demangled")
	flag.Parse()
	if err := run(*obj, *raw, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(obj string, raw bool, in io.Reader, out io.Writer) error {
	file, err := symbol.Open(obj, symbol.Options{Parameters: true})
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	addrs, err := readAddrs(in)
	if err != nil {
		return err
	}
	answers, err := file.LookupAll(context.Background(), addrs)
	if err != nil {
		return err
	}
	for _, note := range file.Notes() {
		fmt.Fprintln(os.Stderr, note)
	}
	w := bufio.NewWriterSize(out, 1<<20)
	line := make([]byte, 0, 4096)
	for _, frames := range answers {
		line = line[:0]
		if len(frames) == 0 {
			line = append(line, "??\n??:0\n"...)
		}
		for _, fr := range frames {
			name := fr.Function.Name
			if raw && fr.Function.SystemName != "" {
				name = fr.Function.SystemName
			}
			line = appendText(line, name)
			line = append(line, '\n')
			line = appendText(line, fr.Function.File)
			line = append(line, ':')
			line = strconv.AppendInt(line, int64(fr.Line), 10)
			line = append(line, '\n')
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

func appendText(line []byte, text string) []byte {
	if text == "" {
		text = "??"
	}
	return append(line, text...)
}

func readAddrs(in io.Reader) ([]uint64, error) {
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
