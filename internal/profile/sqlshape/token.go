package sqlshape

import (
	"strings"
	"unicode/utf8"
)

// Dialect is whose SQL a text is.
type Dialect uint8

// The dialects. They differ in what quotes and backslashes mean.
const (
	Postgres Dialect = iota
	MariaDB
	SQLite
)

// kind is what a token is.
type kind uint8

const (
	word     kind = iota // a keyword or a name
	quoted               // a name in quotes
	text                 // a literal
	number               // a literal
	param                // a place for a value
	operator             // or a punctuation mark
)

// token is a piece of a text. attached: nothing stands between it and the one before.
type token struct {
	kind     kind
	text     string
	attached bool
}

// is says whether a token is a word, in any case.
func (t token) is(words ...string) bool {
	if t.kind != word {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(t.text, w) {
			return true
		}
	}
	return false
}

func (t token) op(text string) bool { return t.kind == operator && t.text == text }

func (t token) isLiteral() bool { return t.kind == text || t.kind == number || t.kind == param }

// scanner cuts a text.
type scanner struct {
	rest      string
	dialect   Dialect
	backslash bool // escapes in all strings
	out       []token
	gap       bool // before the next token
	open      bool // the text ended within a string or a quoted name
}

// scan gives the tokens of a text; open says that it ended within one.
func scan(s string, d Dialect, backslash bool) (tokens []token, open bool) {
	c := scanner{rest: s, dialect: d, backslash: backslash}
	for c.rest != "" && !c.open {
		c.next()
	}
	return c.out, c.open
}

func (c *scanner) add(k kind, n int) {
	c.out = append(c.out, token{kind: k, text: c.rest[:n], attached: !c.gap})
	c.rest, c.gap = c.rest[n:], false
}

func (c *scanner) skip(n int) { c.rest, c.gap = c.rest[n:], true }

func (c *scanner) next() {
	s := c.rest
	b := s[0]
	switch {
	case b <= ' ':
		c.skip(1)
	case strings.HasPrefix(s, "--"), b == '#' && c.dialect == MariaDB:
		c.skip(through(s, "\n"))
	case strings.HasPrefix(s, "/*"):
		c.comment()
	case b == '\'':
		c.quote(text, 1, b, c.backslash)
	case b == '"':
		c.doubleQuote()
	case b == '`':
		c.quote(quoted, 1, b, false)
	case b == '[' && c.dialect == SQLite:
		c.bracket()
	case b == '$':
		c.dollar()
	case isDigit(b), b == '.' && len(s) > 1 && isDigit(s[1]) && !c.afterName():
		c.add(number, numberLength(s))
	case isWordStart(b):
		c.word()
	case b == '?':
		c.add(param, 1+digits(s[1:]))
	case b == ':' && len(s) > 1 && isWordStart(s[1]), b == '@' && len(s) > 1 && isWordStart(s[1]) && c.dialect == SQLite:
		c.add(param, 1+wordLength(s[1:]))
	case b == '@' && c.dialect == MariaDB:
		n := 1
		for n < len(s) && s[n] == '@' {
			n++
		}
		c.add(word, n+wordLength(s[n:]))
	default:
		c.add(operator, operatorLength(s))
	}
}

// afterName: a dot follows a name, and begins no number.
func (c *scanner) afterName() bool {
	if len(c.out) == 0 || c.gap {
		return false
	}
	k := c.out[len(c.out)-1].kind
	return k == word || k == quoted
}

// comment passes over a comment. PostgreSQL's have others inside.
func (c *scanner) comment() {
	depth, at := 1, 2
	for at < len(c.rest) && depth > 0 {
		switch {
		case strings.HasPrefix(c.rest[at:], "*/"):
			depth--
			at++
		case strings.HasPrefix(c.rest[at:], "/*") && c.dialect == Postgres:
			depth++
			at++
		}
		at++
	}
	c.skip(min(at, len(c.rest)))
}

// quote takes what is in quotes; a quote inside is written twice, or behind a backslash.
// from is where its contents begin.
func (c *scanner) quote(k kind, from int, mark byte, backslash bool) {
	for at := from; at < len(c.rest); at++ {
		switch {
		case c.rest[at] == '\\' && backslash:
			at++
		case c.rest[at] != mark:
		case at+1 < len(c.rest) && c.rest[at+1] == mark:
			at++
		default:
			c.add(k, at+1)
			return
		}
	}
	c.open = true
	c.add(text, len(c.rest)) // it may be a value
}

// doubleQuote is about "…": a name in PostgreSQL, a value in MariaDB. SQLite takes it for a
// value where no such name is: it is one where a value is usual.
func (c *scanner) doubleQuote() {
	k := quoted
	if c.dialect == MariaDB {
		k = text
	}
	c.quote(k, 1, '"', c.backslash && c.dialect == MariaDB)
	if c.dialect != SQLite || c.open {
		return
	}
	last := &c.out[len(c.out)-1]
	if strings.HasPrefix(c.rest, ".") || len(c.out) == 1 {
		return
	}
	before := c.out[len(c.out)-2]
	if before.is("like", "glob", "match", "regexp", "values", "between", "then", "else", "escape") || before.isLiteral() ||
		before.kind == operator && !before.op(".") && !before.op(",") && !before.op("(") || c.inValues() {
		last.kind = text
	}
}

// inValues says whether the last token is within the parentheses of IN or VALUES.
func (c *scanner) inValues() bool {
	depth := 0
	for i := len(c.out) - 2; i >= 0; i-- {
		t := c.out[i]
		switch {
		case t.op(")"):
			depth++
		case t.op("(") && depth > 0:
			depth--
		case t.op("("):
			return i > 0 && (c.out[i-1].is("in", "values") || c.out[i-1].op(","))
		case depth == 0 && t.is("select", "from", "where"):
			return false
		}
	}
	return false
}

func (c *scanner) bracket() {
	end := strings.IndexByte(c.rest, ']')
	if end < 0 {
		c.open = true
		c.add(text, len(c.rest))
		return
	}
	c.add(quoted, end+1)
}

// dollar is $1, $name or $tag$…$tag$.
func (c *scanner) dollar() {
	s := c.rest
	n := 1
	for n < len(s) && isWordPart(s[n]) && s[n] != '$' {
		n++
	}
	if c.dialect == Postgres && n < len(s) && s[n] == '$' && (n == 1 || !isDigit(s[1])) {
		end := strings.Index(s[n+1:], s[:n+1])
		if end < 0 {
			c.open = true
			c.add(text, len(s))
			return
		}
		c.add(text, n+1+end+n+1)
		return
	}
	if n == 1 {
		c.add(operator, 1)
		return
	}
	c.add(param, n)
}

// word takes a word, or a string that a letter introduces: E'…', X'…', N'…', B'…', U&'…'.
func (c *scanner) word() {
	n := wordLength(c.rest)
	after := c.rest[n:]
	switch prefix := strings.ToLower(c.rest[:n]); {
	case len(after) > 0 && after[0] == '\'' && (prefix == "e" || prefix == "x" || prefix == "n" || prefix == "b"):
		c.quote(text, n+1, '\'', c.backslash || prefix == "e")
	case prefix == "u" && strings.HasPrefix(after, "&'"):
		c.quote(text, n+2, '\'', false)
	case prefix == "u" && strings.HasPrefix(after, `&"`):
		c.quote(quoted, n+2, '"', false)
	default:
		c.add(word, n)
	}
}

func through(s, end string) int {
	if at := strings.Index(s, end); at >= 0 {
		return at + len(end)
	}
	return len(s)
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isWordStart(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_' || b >= utf8.RuneSelf
}

func isWordPart(b byte) bool { return isWordStart(b) || isDigit(b) || b == '$' }

func wordLength(s string) int {
	n := 0
	for n < len(s) && isWordPart(s[n]) {
		n++
	}
	return n
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// numberLength is that of 1, 1.5, .5, 1e-9, 0xFF, 1_000.
func numberLength(s string) int {
	n := 0
	for n < len(s) {
		exponent := n > 0 && (s[n-1] == 'e' || s[n-1] == 'E') && (s[n] == '-' || s[n] == '+') && !strings.HasPrefix(s, "0x")
		if !isWordPart(s[n]) && s[n] != '.' && !exponent {
			break
		}
		n++
	}
	return n
}

// operators are those of several characters, longest first.
var operators = []string{"->>", "<=>", "!~*", "::", "||", "<=", ">=", "<>", "!=", "->", "==", ":=", "@>", "<@", "~*", "!~", "<<", ">>", "#>", "&&", "..."}

func operatorLength(s string) int {
	for _, op := range operators {
		if strings.HasPrefix(s, op) {
			return len(op)
		}
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}
