// Package shellwords splits a command line into words as a POSIX shell does for
// quotes and backslashes. It expands nothing: no variables, no globs, no
// substitutions.
//
// It takes text and gives words. It must not import another package of this
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
