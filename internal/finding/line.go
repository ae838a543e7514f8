package finding

import (
	"fmt"
	"strconv"
	"strings"
)

// Line is a line of a source file as people name it: FILE:LINE, or FILE where the line is
// not known.
type Line struct {
	File string
	Line int // from 1; 0 where it is not known
}

func (l Line) String() string {
	if l.Line == 0 {
		return l.File
	}
	return fmt.Sprintf("%s:%d", l.File, l.Line)
}

// ParseLine reads FILE:LINE. The file may have colons of its own.
func ParseLine(text string) (Line, error) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return Line{}, fmt.Errorf("%q is not FILE:LINE", text)
	}
	line, err := strconv.Atoi(text[i+1:])
	if err != nil || line < 1 {
		return Line{}, fmt.Errorf("%q is not FILE:LINE: the line is a number from 1", text)
	}
	return Line{File: text[:i], Line: line}, nil
}

// IsLine says whether a text is FILE:LINE, and not the id of a finding.
func IsLine(text string) bool {
	_, err := ParseLine(text)
	return err == nil
}
