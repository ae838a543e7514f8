package cpuprofile

import (
	"slices"
	"strings"
)

// lexer goes through JavaScript token by token. It knows what brackets do not count in:
// comments, strings, templates, regular expressions.
type lexer struct {
	source string
	at     int
	// value: the last token ends a value, so that a slash divides.
	value bool
	deep  int // templates in templates
}

// Tokens; others are their character.
const (
	tokenEnd   = 0
	tokenWord  = 'a'
	tokenText  = '"'
	tokenArrow = '>'
)

// mostDeep bounds templates in templates: a source may be anything.
const mostDeep = 100

// functionEnd is the offset after the function whose parameters begin at an offset, which is
// where V8 says that a function is; ok is false where there is none.
func functionEnd(source string, at int) (offset int, ok bool) {
	l := &lexer{source: source, at: at}
	switch l.next() {
	case '(':
		if !l.close() {
			return 0, false
		}
	case tokenWord: // the parameter of an arrow function, or a class
	default:
		return 0, false
	}
	for {
		switch l.next() {
		case tokenWord, '.':
		case '(':
			if !l.close() {
				return 0, false
			}
		case '{':
			ok = l.close()
			return l.at, ok
		case tokenArrow:
			return l.body()
		default:
			return 0, false
		}
	}
}

// body is what an arrow function gives: a block, or a value, which ends where what is around
// it ends. A line without a semicolon does not end it here: better a line too many.
func (l *lexer) body() (offset int, ok bool) {
	for first := true; ; first = false {
		before := l.at
		switch t := l.next(); t {
		case '{', '(', '[':
			if !l.close() {
				return 0, false
			}
			if first && t == '{' {
				return l.at, true
			}
		case ',', ';', ')', ']', '}':
			return before, true
		case tokenEnd:
			return 0, false
		default:
		}
	}
}

// close goes behind the bracket that closes the last one; false where there is none.
func (l *lexer) close() bool {
	for open := 1; open > 0; {
		switch l.next() {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		case tokenEnd:
			return false
		default:
		}
	}
	return true
}

// next is the next token.
func (l *lexer) next() byte {
	for l.at < len(l.source) {
		c := l.source[l.at]
		rest := l.source[l.at:]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.at++
		case strings.HasPrefix(rest, "//"):
			l.skip("\n")
		case strings.HasPrefix(rest, "/*"):
			l.at += len("/*")
			l.skip("*/")
		case c == '\'' || c == '"':
			l.quoted(c)
			l.value = true
			return tokenText
		case c == '`':
			if !l.template() {
				return tokenEnd
			}
			l.value = true
			return tokenText
		case isWord(c):
			l.value = !slices.Contains(operators, l.word())
			return tokenWord
		case c == '/' && !l.value && l.expression():
			l.value = true
			return tokenText
		case strings.HasPrefix(rest, "=>"):
			l.at += len("=>")
			l.value = false
			return tokenArrow
		default:
			l.at++
			l.value = c == ')' || c == ']'
			if c == tokenArrow {
				return '<' // a comparison
			}
			return c
		}
	}
	return tokenEnd
}

// operators are words after which a value begins.
var operators = strings.Fields("return typeof case in of delete void throw new instanceof else do await yield")

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '#' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func (l *lexer) word() string {
	from := l.at
	for l.at < len(l.source) && isWord(l.source[l.at]) {
		l.at++
	}
	return l.source[from:l.at]
}

// skip goes behind a text, or to the end.
func (l *lexer) skip(until string) {
	if i := strings.Index(l.source[l.at:], until); i >= 0 {
		l.at += i + len(until)
		return
	}
	l.at = len(l.source)
}

// quoted goes behind a string, which ends with its line at the latest.
func (l *lexer) quoted(quote byte) {
	for l.at++; l.at < len(l.source); l.at++ {
		switch l.source[l.at] {
		case '\\':
			l.at++
		case '\n':
			return
		case quote:
			l.at++
			return
		default:
		}
	}
	l.at = len(l.source)
}

// template goes behind a template and the values in it; false where it has no end.
func (l *lexer) template() bool {
	if l.deep++; l.deep > mostDeep {
		return false
	}
	defer func() { l.deep-- }()
	for l.at++; l.at < len(l.source); {
		switch {
		case l.source[l.at] == '\\':
			l.at += len(`\x`)
		case l.source[l.at] == '`':
			l.at++
			return true
		case strings.HasPrefix(l.source[l.at:], "${"):
			l.at += len("${")
			l.value = false
			if !l.close() {
				return false
			}
		default:
			l.at++
		}
	}
	l.at = len(l.source)
	return false
}

// expression goes behind a regular expression; false where the slash begins none.
func (l *lexer) expression() bool {
	class := false
	for i := l.at + 1; i < len(l.source); i++ {
		switch l.source[i] {
		case '\\':
			i++
		case '\n':
			return false
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				l.at = i + 1
				l.word() // its flags
				return true
			}
		default:
		}
	}
	return false
}
