package scripts

import (
	"os"
	"regexp"
	"strings"
)

// topLevel is what a script of R calls outside of its functions. R keeps no lines for that
// when it reads a script by --file, so that they are looked for in the text.
type topLevel struct {
	script string
	lines  map[int]string // without functions, comments and texts
	known  map[string]int32
}

func newTopLevel(script string) *topLevel {
	t := &topLevel{script: script, known: map[string]int32{}}
	if text, err := os.ReadFile(script); err == nil {
		t.lines = outsideFunctions(string(text))
	}
	return t
}

// calls is the line that calls a function, 0 where several do or none is found. It is false
// where there is no script.
func (t *topLevel) calls(function string) (line int32, ok bool) {
	if t.lines == nil {
		return 0, false
	}
	line, known := t.known[function]
	if !known {
		line = t.find(function)
		t.known[function] = line
	}
	return line, true
}

func (t *topLevel) find(function string) (line int32) {
	e := written(function)
	if e == nil {
		return 0
	}
	for n, text := range t.lines {
		if !e.MatchString(text) {
			continue
		}
		if line != 0 {
			return 0
		}
		line = int32(n) //nolint:gosec // a line
	}
	return line
}

// replacing are functions that assignments call, by what stands before the arrow.
var replacing = map[string]string{"[": `\]`, "[[": `\]\]`, "$": `\$\s*[\w.]+`, "@": `@\s*[\w.]+`}

// written is how a call of a function is written; nil where that cannot be told from other
// things.
func written(function string) *regexp.Regexp {
	name, method, _ := strings.Cut(function, "<-")
	replaces := strings.Contains(function, "<-")
	switch {
	case replaces && method == "" && replacing[name] != "":
		return regexp.MustCompile(replacing[name] + `\s*<?<-`)
	case replaces && method == "" && isName.MatchString(name):
		return regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(name) + `\s*\(.*\)\s*<?<-`)
	case strings.HasPrefix(function, "%"):
		return regexp.MustCompile(regexp.QuoteMeta(function))
	case !isName.MatchString(function):
		return nil
	}
	return regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(function) + `\s*\(`)
}

var isName = regexp.MustCompile(`^[A-Za-z.][\w.]*$`)

// outsideFunctions are the lines of a script without what is in braces after "function", in
// quotes, or a comment.
func outsideFunctions(text string) map[int]string {
	out := map[int]string{}
	var line strings.Builder
	var bodies []int // how many braces are open where the body of a function begins
	var formals head
	number, depth := 1, 0
	quote := byte(0)
	for i := range len(text) + 1 {
		c := byte('\n')
		if i < len(text) {
			c = text[i]
		}
		switch {
		case c == '\n':
			out[number] = line.String()
			line.Reset()
			number++
			if quote == '#' {
				quote = 0
			}
			continue
		case quote != 0:
			if c == quote && (c == '`' || !isEscaped(text, i)) {
				quote = 0
			}
			continue
		case c == '"', c == '\'', c == '`', c == '#':
			quote = c
			continue
		}
		body := formals.read(text, i)
		switch c {
		case '{':
			if depth++; body {
				bodies = append(bodies, depth)
			}
		case '}':
			if n := len(bodies); n > 0 && bodies[n-1] == depth {
				bodies = bodies[:n-1]
			}
			depth--
		}
		if len(bodies) == 0 {
			line.WriteByte(c)
		}
	}
	return out
}

// head is what is known of the head of a function.
type head int

// While a head is read it is one more than the parentheses that are open.
const (
	none head = -2 // no head
	past head = -1 // its parameters were read
)

// read takes the next character of a script, and tells whether the body of a function begins
// with it.
func (h *head) read(text string, at int) bool {
	const word = "function"
	c := text[at]
	switch {
	case *h == none || *h == 0: // the zero value is none as well
		*h = none
		if strings.HasPrefix(text[at:], word) && isBoundary(text, at-1) && isBoundary(text, at+len(word)) {
			*h = 1
		}
	case *h == past && (c == ' ' || c == '\t' || c == '\r'):
	case *h == past:
		*h = none
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
