package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// sourceMatch is what an entry asks of the source text, with the lines that were
// looked at.
type sourceMatch struct {
	*catalog.Source

	known map[profile.Line]bool
}

// inSource says whether the text of a line is what a set asks for; true where it
// asks for nothing.
func (e *engine) inSource(s setID, line profile.Line) bool {
	m := e.bySource[s]
	if m == nil {
		return true
	}
	is, known := m.known[line]
	if !known {
		text, ok := e.facts.Source(e.p.Function(line.Function).File)
		is = ok && (m.Line == nil && m.has(text) || line.Line > 0 && int(line.Line) <= len(text) && m.matches(text, int(line.Line)-1))
		m.known[line] = is
	}
	return is
}

// has says whether the file has a line that the set asks for; of an entry that asks for no
// line of its own.
func (m *sourceMatch) has(text []string) bool {
	re, err := catalog.About(m.Has, "")
	return err == nil && slices.ContainsFunc(text, re.MatchString)
}

// matches looks at the line and at what the file says of what it uses.
//
// Example, of an entry about lists that are searched:
//
//	line     \bin (\w+)\s*:       if word not in seen:    $1 is seen
//	defined  ^\s*$1\s*=           seen = []               the nearest above
//	as       =\s*\[\]                                     is an empty list
//	has      \b$1\.append\(       seen.append(word)       which grows
func (m *sourceMatch) matches(text []string, at int) bool {
	if m.Line == nil {
		return false
	}
	found := m.Line.Regexp().FindStringSubmatch(text[at])
	if found == nil {
		return false
	}
	about := func(pattern string) func(line string) bool {
		re, err := catalog.About(pattern, found[len(found)-1])
		if err != nil {
			return func(string) bool { return false }
		}
		return re.MatchString
	}
	if m.NotLine != "" && about(m.NotLine)(text[at]) {
		return false
	}
	if m.Has != "" && !slices.ContainsFunc(text, about(m.Has)) {
		return false
	}
	if m.Defined == "" {
		return true
	}
	defined := about(m.Defined)
	for i := at; i >= 0; i-- {
		if defined(text[i]) {
			return about(m.As)(text[i])
		}
	}
	return false
}

// matchedLine is the line of the matched function that has most of the cost, 0
// where lines do not matter to the entry or none has.
func (e *engine) matchedLine(v *verdict, id profile.FunctionID) int32 {
	if v.entry.Match.Source.Line == nil {
		return 0
	}
	var most int64
	line := int32(0)
	for l, w := range v.trace.lines {
		if l.Function == id && (w > most || w == most && l.Line < line) {
			most, line = w, l.Line
		}
	}
	return line
}

// readSource shows the line that a finding rests on, and fits the advice to it.
func (e *engine) readSource(v *verdict, f *finding.Finding) {
	c := v.entry
	if c.Match.Source.Line == nil && len(c.Swap.Cases) == 0 {
		return
	}
	text, ok := e.facts.Source(f.Place.File)
	if !ok || f.Place.Line < 1 || f.Place.Line > len(text) {
		return
	}
	line := statement(text[f.Place.Line-1:])
	for i := range c.Swap.Cases {
		if k := &c.Swap.Cases[i]; k.Line.MatchString(line) {
			f.Evidence = append(f.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("In the source, %s: %s", k.Why, line)})
			f.Fix.Steps = append(append([]string(nil), k.Steps...), f.Fix.Steps[len(c.Swap.Steps):]...)
			return
		}
	}
	if c.Match.Source.Line != nil {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("Line %d: %s", f.Place.Line, line)})
	}
}

// statement is the first line with those that continue it: while a parenthesis is
// open, three more at most.
func statement(lines []string) string {
	const most = 4
	var words []string
	open := 0
	for _, l := range lines[:min(most, len(lines))] {
		words = append(words, strings.TrimSpace(l))
		open += strings.Count(l, "(") - strings.Count(l, ")")
		if open <= 0 {
			break
		}
	}
	return cmp.Or(strings.Join(words, " "), "(an empty line)")
}
