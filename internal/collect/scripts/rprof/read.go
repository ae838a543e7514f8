package rprof

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Call is a function that has been called and has not returned.
type Call struct {
	Function string // "" for a program's outermost level
	File     string // of the line; Unnamed where R did not name it
	Line     int    // that it executes; 0 where it is not known
}

// Unnamed is the file of functions that were read from standard input or by --file.
const Unnamed = "-"

// Sample is one, innermost call first.
type Sample struct {
	Calls []Call
	End   int64 // of its line in the file
	at    time.Duration
}

// Profile is what a file has.
type Profile struct {
	Interval time.Duration
	Samples  []Sample
}

const (
	intervalKey = "sample.interval="
	fileKey     = "#File "
)

// Read reads a file. Its last line may be incomplete, when R ended by a signal.
func Read(text string) (*Profile, error) {
	header, rest, whole := strings.Cut(text, "\n")
	_, interval, found := strings.Cut(header, intervalKey)
	us, err := strconv.ParseUint(strings.TrimSpace(interval), 10, 31)
	if !whole || !found || err != nil || us == 0 {
		return nil, fmt.Errorf("this is no output of Rprof: it begins with %.60q", header)
	}
	if !strings.Contains(header, "line profiling") {
		return nil, errors.New("the output of Rprof is without lines of source files")
	}
	p := &Profile{Interval: time.Duration(us) * time.Microsecond} //nolint:gosec // at most 31 bits
	files := map[string]string{}
	at := int64(len(header) + 1)
	for line := range strings.Lines(rest) {
		at += int64(len(line))
		if !strings.HasSuffix(line, "\n") {
			break
		}
		line = strings.TrimSuffix(line, "\n")
		if named, isFile := strings.CutPrefix(line, fileKey); isFile {
			number, name, _ := strings.Cut(named, ": ")
			if name == "" {
				name = Unnamed
			}
			files[number] = name
			continue
		}
		p.Samples = append(p.Samples, Sample{Calls: calls(line, files), End: at})
	}
	p.dropInherited()
	return p, nil
}

// dropInherited takes the lines from functions that have none of their own. R keeps the line of
// the last function that has lines: rbind, called at line 9, is written as if it executed line 9,
// and so is what rbind calls. A function that is at another line than its caller in one sample
// has lines in all of them, so that recursion on one line keeps its own.
func (p *Profile) dropInherited() {
	own := map[string]bool{}
	for _, s := range p.Samples {
		for i, c := range s.Calls {
			if c.Line > 0 && !inherited(s.Calls, i) {
				own[c.Function] = true
			}
		}
	}
	for _, s := range p.Samples {
		for i := range s.Calls {
			if c := &s.Calls[i]; c.Line > 0 && !own[c.Function] {
				c.File, c.Line = "", 0
			}
		}
	}
}

// inherited reports whether a call is at the line of its caller.
func inherited(calls []Call, i int) bool {
	return i+1 < len(calls) && calls[i].Line == calls[i+1].Line && calls[i].File == calls[i+1].File
}

// calls reads the words of a sample: names in quotes, and before each name the line that the
// function executes, where that is known. A line after the last name is of the outermost level.
func calls(line string, files map[string]string) (out []Call) {
	var next Call
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if quoted, isName := strings.CutPrefix(line, `"`); isName {
			end := strings.Index(quoted+" ", `" `)
			if end < 0 {
				break
			}
			next.Function = quoted[:end]
			out = append(out, next)
			next = Call{}
			line = quoted[min(end+1, len(quoted)):]
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		line = rest
		number, in, isLine := strings.Cut(word, "#")
		if n, err := strconv.ParseUint(in, 10, 31); isLine && err == nil {
			next.File, next.Line = files[number], int(n) //nolint:gosec // at most 31 bits
		}
	}
	if next.Line > 0 {
		out = append(out, next)
	}
	return out
}
