package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// Each help is one screen: nobody reads more.
func TestHelpOfTryIsOneScreen(t *testing.T) {
	const lines, columns = 52, 100
	for _, words := range []string{"try", "try build", "try suite", "try again", "try list"} {
		var out bytes.Buffer
		root := newRoot()
		root.SetArgs(append(strings.Fields(words), "--help"))
		root.SetOut(&out)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		text := strings.TrimRight(out.String(), "\n")
		if n := 1 + strings.Count(text, "\n"); n > lines || n < 5 {
			t.Errorf("%s --help has %d lines, want at most %d", words, n, lines)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if utf8.RuneCountInString(line) > columns {
				t.Errorf("%s --help has a line of more than %d columns: %s", words, columns, line)
			}
		}
	}
}
