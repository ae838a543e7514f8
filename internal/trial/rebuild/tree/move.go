package tree

import (
	"bytes"
	"strings"
)

// Move is a path that means another one in a copy.
type Move struct{ From, To string }

// Rebase replaces whole paths and their beginnings in a text: the move /a → /b
// makes -I/a/x from -I/b/x's original, and leaves /ab, /x/a and a/a alone.
func Rebase(text string, moves []Move) string {
	return string(rebase([]byte(text), moves))
}

func rebase(text []byte, moves []Move) []byte {
	for _, m := range moves {
		text = rebaseOne(text, []byte(m.From), []byte(m.To))
	}
	return text
}

func rebaseOne(text, from, to []byte) []byte {
	if len(from) == 0 || !bytes.Contains(text, from) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/16)
	done := 0
	for at := 0; ; {
		i := bytes.Index(text[at:], from)
		if i < 0 {
			return append(out, text[done:]...)
		}
		begin, end := at+i, at+i+len(from)
		if startsPath(text[:begin]) && endsName(text[end:]) {
			out = append(append(out, text[done:begin]...), to...)
			done = end
		}
		at = end
	}
}

func inName(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c == '~' || c == '+' ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func endsName(rest []byte) bool {
	if len(rest) == 0 || !inName(rest[0]) {
		return true
	}
	// The full stop at the end of a sentence.
	return rest[0] == '.' && (len(rest) == 1 || !inName(rest[1]) && rest[1] != '/')
}

// startsPath says whether a path can begin behind the text: a name or a closing
// brace in front would be its earlier part, except for the letters of an option
// such as -I.
func startsPath(before []byte) bool {
	i := len(before)
	for i > 0 && inName(before[i-1]) {
		i--
	}
	word := string(before[i:])
	free := i == 0 || !strings.ContainsRune("/})", rune(before[i-1]))
	if word == "" {
		return free
	}
	letters := strings.Trim(strings.TrimLeft(word, "-"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return free && word[0] == '-' && letters == ""
}
