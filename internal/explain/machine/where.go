package machine

import (
	"fmt"
	"path/filepath"
)

// Flags are those of the compiler that mend what a rule finds, "" where that takes more.
func Flags(rule string) string { return rules[rule].flags }

// where says which loop it is, or which load: what it is called.
func (l *Loop) where(what string) string {
	text := fmt.Sprintf("the %s at %x-%x", what, l.Start, l.End)
	if l.Function != "" {
		text += " in " + l.Function
	}
	if l.Line > 0 {
		text += fmt.Sprintf(" (%s:%d)", filepath.Base(l.File), l.Line)
	}
	return text
}
