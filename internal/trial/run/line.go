package run

import (
	"strings"

	"whyhot/internal/host/shellwords"
)

// Words makes a command line the words of a command. What only a shell
// understands goes to one.
func Words(line string) ([]string, error) {
	if !needsShell(line) {
		return shellwords.Split(line)
	}
	if !strings.ContainsAny(line, "|&;()\n") {
		line = "exec " + line // no shell stays in between
	}
	return []string{"/bin/sh", "-c", line}, nil
}

// needsShell says whether a line has a character outside of quotes that a shell
// does something with.
func needsShell(line string) bool {
	quote := rune(0)
	escaped := false
	for _, c := range line {
		switch {
		case escaped:
			escaped = false
		case c == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
		case quote == '"':
			if c == '$' || c == '`' {
				return true
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.ContainsRune("|&;<>$`*?()~#\n", c):
			return true
		}
	}
	return false
}
