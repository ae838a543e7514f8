package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// excerptSize is how many bytes of a line are shown, around what differs.
const excerptSize = 240

// Lines are the first lines that differ, of the reference and of a run.
type Lines struct {
	Number         int64 // from 1, 0 where there is no difference or it is too far behind to count
	Reference, Run string
}

// excerpts cuts the lines that differ out of a reference and of what a run wrote
// in place of its rest.
func excerpts(ref *reference, at int64, rest []byte) (Lines, error) {
	number, begin, err := lineAt(ref, at)
	if err != nil {
		return Lines{}, err
	}
	const before = excerptSize / 2
	cut := ""
	if at-begin > before {
		begin, cut = at-before, "…"
	}
	common := make([]byte, at-begin)
	if _, err := ref.file.ReadAt(common, begin); err != nil && !errors.Is(err, io.EOF) {
		return Lines{}, fmt.Errorf("reading the output to compare with: %w", err)
	}
	was := make([]byte, excerptSize-len(common))
	n, err := ref.file.ReadAt(was, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return Lines{}, fmt.Errorf("reading the output to compare with: %w", err)
	}
	line := func(end []byte) string {
		if len(common) == 0 && len(end) == 0 {
			return ""
		}
		end, _, _ = bytes.Cut(end, []byte("\n"))
		return cut + printable(append(bytes.Clone(common), end[:min(len(end), cap(was))]...))
	}
	return Lines{Number: number, Reference: line(was[:n]), Run: line(rest)}, nil
}

// lineAt is the number of the line that holds an offset, and where it begins.
func lineAt(ref *reference, at int64) (number, begin int64, err error) {
	const most = 64 << 20 // bytes to count lines in
	if at > most {
		return 0, max(0, at-excerptSize), nil
	}
	number = 1
	buf := make([]byte, 64<<10)
	for from := int64(0); from < at; {
		n, err := ref.file.ReadAt(buf[:min(int64(len(buf)), at-from)], from)
		if n == 0 && err != nil {
			return 0, 0, fmt.Errorf("reading the output to compare with: %w", err)
		}
		number += int64(bytes.Count(buf[:n], []byte("\n")))
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			begin = from + int64(i) + 1
		}
		from += int64(n)
	}
	return number, begin, nil
}

// printable is a line as it is where it is text, else with its bytes written out.
func printable(line []byte) string {
	text := string(bytes.TrimRight(line, "\r"))
	odd := func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }
	if utf8.ValidString(text) && strings.IndexFunc(text, odd) < 0 {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}
