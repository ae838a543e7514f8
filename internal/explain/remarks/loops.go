package remarks

import (
	"strconv"
	"strings"
)

// span is a loop in source text, by its lines.
type span struct{ line, end int }

// innermost is the shortest loop around a line.
func innermost(loops []span, line int) (best span, ok bool) {
	for _, l := range loops {
		if line >= l.line && line <= l.end && (!ok || l.end-l.line < best.end-best.line) {
			best, ok = l, true
		}
	}
	return best, ok
}

// nth is the number of a loop among those that begin in the function that begins on a line.
func nth(loops []span, from, line int) string {
	n := 0
	for _, l := range loops {
		if l.line >= from && l.line <= line {
			n++
		}
	}
	return strconv.Itoa(n)
}

// loopsOf finds the loops of C, C++ and Rust by their words and brackets: for, while,
// do and loop, up to the end of the block or statement behind. It knows comments and
// literals, but no macros: a loop that is made by one is not found.
//
// Example: "for (;;)\n  if (x) {\n }\n" is one loop, lines 1 to 3.
func loopsOf(text string) []span {
	t := &lexer{text: text, line: 1}
	var out []span
	for {
		w := t.next()
		if w == "" {
			return out
		}
		if isLoop(w) {
			out = t.loop(w, out)
		}
	}
}

func isLoop(word string) bool {
	return word == "for" || word == "while" || word == "do" || word == "loop"
}

// loop reads on from behind a loop's word to its end.
func (t *lexer) loop(word string, out []span) []span {
	l := span{line: t.line}
	at := len(out)
	out = append(out, l)
	depth, blocks := 0, false
	for {
		w := t.next()
		switch {
		case w == "":
			return out[:at] // it has no end
		case w == "(" || w == "[":
			depth++
		case w == ")" || w == "]":
			depth--
			if depth < 0 {
				return out[:at]
			}
		case w == "{":
			if depth == 0 {
				blocks = true
			}
			out = t.block(out)
			if depth == 0 && !t.continues() {
				out[at].end = t.line
				if word == "do" && t.peekWord() == "while" {
					t.next() // it is no loop of its own
				}
				return out
			}
		case w == "}":
			return out[:at]
		case w == ";" && depth == 0:
			if word == "do" && !blocks && t.peekWord() == "while" {
				continue
			}
			out[at].end = t.line
			return out
		case isLoop(w) && depth == 0 && (word != "do" || w != "while"):
			out = t.loop(w, out) // its body is another loop
			out[at].end = t.line
			return out
		}
	}
}

// block reads to the end of one that has begun.
func (t *lexer) block(out []span) []span {
	for {
		switch w := t.next(); {
		case w == "" || w == "}":
			return out
		case w == "{":
			out = t.block(out)
		case isLoop(w):
			out = t.loop(w, out)
		}
	}
}

// continues says whether a statement goes on behind a block.
func (t *lexer) continues() bool { return t.peekWord() == "else" }

func (t *lexer) peekWord() string {
	at := *t
	return at.next()
}

type lexer struct {
	text string
	at   int
	line int
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// next is a word or a sign, "" at the end.
func (t *lexer) next() string {
	for t.at < len(t.text) {
		rest := t.text[t.at:]
		switch c := rest[0]; {
		case c == '\n':
			t.line++
			t.at++
		case strings.HasPrefix(rest, "//"):
			t.skip(strings.IndexByte(rest, '\n'))
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end >= 0 {
				end += 4
			}
			t.skip(end)
		case c == '"':
			t.skip(literal(rest, '"'))
		case c == '\'' && isCharacter(rest):
			t.skip(literal(rest, '\''))
		case isWord(c):
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			t.at += n
			return rest[:n]
		case strings.IndexByte("(){}[];", c) >= 0:
			t.at++
			return rest[:1]
		default:
			t.at++
		}
	}
	return ""
}

// isCharacter tells 'x' from the lifetimes of Rust and from 1'000.
func isCharacter(rest string) bool {
	return len(rest) > 2 && (rest[1] == '\\' || rest[2] == '\'')
}

// literal is the length of one with its quotes, -1 where it has no end.
func literal(rest string, quote byte) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return -1
}

// skip passes over n bytes, or all of them.
func (t *lexer) skip(n int) {
	if n < 0 {
		n = len(t.text) - t.at
	}
	n = min(n, len(t.text)-t.at)
	t.line += strings.Count(t.text[t.at:t.at+n], "\n")
	t.at += n
}
