// Package shellwords splits a command line into words as a POSIX shell does for
// quotes and backslashes, and writes words so that a shell takes them as they are.
// It expands nothing: no variables, no globs, no substitutions.
//
// It takes text and gives words, or words and gives text. It must not import another package of this
// module.
package shellwords

import (
	"fmt"
	"strings"
)

// Split splits a command line. A quote that is not closed is an error.
func Split(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && i+1 < len(s):
			next := s[i+1]
			if quote == '"' && !strings.ContainsRune("\\\"$`\n", rune(next)) {
				word.WriteByte(c)
			}
			word.WriteByte(next)
			in = true
			i++
		case quote == '"':
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a %c is not closed", quote)
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}

// Quote makes one word of a shell of s. A word that needs no quotes stays as it
// is.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Join makes a command line of words: Split gives them back.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}
