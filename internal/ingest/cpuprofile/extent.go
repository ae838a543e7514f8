package cpuprofile

import (
	"regexp"
	"strings"
	"unicode/utf16"

	"whyhot/internal/profile"
)

// Source gives the lines of a file that a profile names; ok is false where it is not on
// this machine.
type Source func(path string) (lines []string, ok bool)

// extents tell which lines are a function's own.
//
// V8 books a tick in code that it inlined on the function around it, with the line that
// the inlined function has in its own file. As a line of the outer function's file that
// number is wrong.
type extents struct {
	source Source
	files  map[string]*script // nil where there is no text
	ends   map[start]int32
}

// start is where a function begins, from 0.
type start struct {
	file, name   string
	line, column int
}

// script is a file of JavaScript.
type script struct {
	lines []string
	text  string
	at    []int // where in text each line begins
}

func newExtents(source Source) *extents {
	return &extents{source: source, files: map[string]*script{}, ends: map[start]int32{}}
}

// has says whether a line can be one of a function. Without the source, only a line before
// the function is known not to be.
func (e *extents) has(n *node, line int32) bool {
	fn := function(n)
	if fn.StartLine == 0 {
		return true
	}
	if line < fn.StartLine {
		return false
	}
	at := start{profile.LocalFile(fn.File), n.CallFrame.FunctionName, int(fn.StartLine) - 1, int(n.CallFrame.ColumnNumber)}
	end, known := e.ends[at]
	if !known {
		if s := e.script(at.file); s != nil {
			end = s.end(at)
		}
		e.ends[at] = end
	}
	return end == 0 || line <= end
}

func (e *extents) script(path string) *script {
	s, known := e.files[path]
	if known || e.source == nil {
		return s
	}
	if lines, ok := e.source(path); ok {
		s = &script{lines: lines, text: strings.Join(lines, "\n"), at: make([]int, len(lines))}
		for i, next := 0, 0; i < len(lines); i++ {
			s.at[i] = next
			next += len(lines[i]) + 1
		}
	}
	e.files[path] = s
	return s
}

// lastName is the name that the source of a function can have: area of Shape.area.
var lastName = regexp.MustCompile(`[\p{L}\p{N}_$]+$`)

// end is the last line of the function that begins at a place: that of the file where the
// text there is none, since the file may have changed, or the function is the file.
func (s *script) end(of start) int32 {
	whole := int32(len(s.lines)) //nolint:gosec // a file has fewer lines
	if of.line >= len(s.lines) || of.name == "" && of.line == 0 && of.column == 0 {
		return whole
	}
	line := s.lines[of.line]
	if of.name != "" && !strings.Contains(line, lastName.FindString(of.name)) {
		return whole
	}
	end, ok := functionEnd(s.text, s.at[of.line]+bytesOf(line, of.column))
	if !ok {
		return whole
	}
	return int32(strings.Count(s.text[:end], "\n")) + 1 //nolint:gosec // as above
}

// bytesOf is the length in bytes of the first UTF-16 units of a text, as V8 counts columns.
func bytesOf(text string, units int) int {
	for i, r := range text {
		if units <= 0 {
			return i
		}
		units -= max(utf16.RuneLen(r), 1)
	}
	return len(text)
}
