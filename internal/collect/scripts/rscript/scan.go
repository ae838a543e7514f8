package rscript

import (
	"slices"
	"strings"
)

// scanner goes through a text once.
type scanner struct {
	text   string
	line   strings.Builder
	open   int   // parentheses, brackets and braces
	bodies []int // how many are open where the body of a function begins
	head   head
	begin  int // line of the outermost expression
}

// scan fills in what is known of the lines of a script, which are counted from 1.
func (s *Script) scan(text string) {
	c := scanner{text: text, begin: 1}
	s.outside, s.code, s.begins = []string{""}, []string{""}, []int{0}
	var code strings.Builder
	quote := byte(0)
	for i := range len(text) + 1 {
		at := byte('\n')
		if i < len(text) {
			at = text[i]
		}
		switch {
		case at == '\n':
			s.outside, s.code, s.begins = append(s.outside, c.line.String()), append(s.code, code.String()), append(s.begins, c.begin)
			c.line.Reset()
			code.Reset()
			if c.open == 0 {
				c.begin = len(s.begins)
			}
			if quote == '#' {
				quote = 0
			}
			continue
		case quote != 0:
			if at == quote && (at == '`' || !isEscaped(text, i)) {
				quote = 0
			}
			if quote != '#' && at != '"' && at != '\'' {
				code.WriteByte(at) // names of functions may be in quotes
			}
			continue
		case at == '"', at == '\'', at == '`', at == '#':
			quote = at
			continue
		}
		code.WriteByte(at)
		c.step(at, i)
	}
}

func (c *scanner) step(at byte, i int) {
	body := c.head.read(c.text, i)
	switch at {
	case '{', '(', '[':
		if c.open++; body && at == '{' {
			c.bodies = append(c.bodies, c.open)
		}
	case '}', ')', ']':
		if n := len(c.bodies); n > 0 && c.bodies[n-1] == c.open {
			c.bodies = c.bodies[:n-1]
		}
		c.open = max(c.open-1, 0)
	}
	if len(c.bodies) == 0 {
		c.line.WriteByte(at)
	}
}

// head is what is known of the head of a function: 0 for none, past where its parameters were
// read, else one more than the parentheses that are open.
type head int

const past head = -1

// read takes the next character of a script, and tells whether the body of a function begins
// with it.
func (h *head) read(text string, at int) bool {
	const word = "function"
	c := text[at]
	switch {
	case *h == 0:
		if strings.HasPrefix(text[at:], word) && isBoundary(text, at-1) && isBoundary(text, at+len(word)) {
			*h = 1
		}
	case *h == past && (c == ' ' || c == '\t' || c == '\r'):
	case *h == past:
		*h = 0
		return true
	case c == '(':
		*h++
	case c == ')':
		if *h--; *h <= 1 {
			*h = past
		}
	}
	return false
}

// isEscaped tells whether a character of a text in quotes has a backslash before it.
func isEscaped(text string, at int) bool {
	n := 0
	for at-1-n >= 0 && text[at-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// isBoundary tells whether a name ends before, or begins after, a place of a text.
func isBoundary(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return true
	}
	c := text[at]
	return c != '.' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// only is the one line that all of an expression's matches are in, 0 where there are several.
func only(lines []int) int {
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) == 1 {
		return lines[0]
	}
	return 0
}
