package compdb

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// maxResponseDepth bounds response files that name each other.
const maxResponseDepth = 8

// splitShell splits a command as a POSIX shell does for quotes and
// backslashes; databases hold no expansions.
func splitShell(s string) ([]string, error) {
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

// expandResponseFiles puts the contents of @file in its place; a name that is
// no file is an argument like any other, as gcc and clang have it.
func expandResponseFiles(directory string, args []string, depth int) ([]string, error) {
	if depth > maxResponseDepth {
		return nil, errors.New("response files name each other without end")
	}
	out := make([]string, 0, len(args))
	for i, a := range args {
		name, ok := strings.CutPrefix(a, "@")
		if !ok || i == 0 {
			out = append(out, a)
			continue
		}
		data, err := os.ReadFile(absolute(directory, name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("response file %s does not exist (looked in %s); build once, so that it is written", a, directory)
		}
		if err != nil {
			return nil, fmt.Errorf("response file %s: %w", a, err)
		}
		words, err := splitShell(string(data))
		if err != nil {
			return nil, fmt.Errorf("response file %s: %w", a, err)
		}
		// Argument 0 of the nested list is no compiler: keep it out of the
		// exception for names above.
		nested, err := expandResponseFiles(directory, append([]string{""}, words...), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, nested[1:]...)
	}
	return out, nil
}
