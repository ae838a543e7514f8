package finding

import (
	"errors"
	"slices"
	"strings"

	"whyhot/internal/host/shellwords"
)

// Command is a command line of whyhot's that goes on from a finding, as words. A report
// writes it for the shell; in JSON it is that text.
//
// Example. {Verb: "try build", Args: {"--profile", "p.pb.gz", "--cflags=-O2"}, Program:
// {"./app", "big file"}} is whyhot try build --profile p.pb.gz --cflags=-O2 -- ./app 'big file'.
type Command struct {
	Verb string   // the subcommand, "" for no command
	Args []string // its flags and arguments, unquoted
	// Program is the command line behind "--", which is run; none where the verb runs nothing.
	Program []string
}

// What the reader has to fill in, where the recording does not know it.
const (
	YourCommand = "<your command>"
	YourBuild   = "<your build command>"
)

// URL is the word that whoever shows a command replaces by the address of the server.
const URL = "URL"

// ProgramOr is a recorded command line, or the words that ask the reader for it.
func ProgramOr(recorded []string) []string {
	if len(recorded) == 0 {
		return []string{YourCommand}
	}
	return recorded
}

// IsZero says that there is no command.
func (c Command) IsZero() bool { return c.Verb == "" }

// Tries says that the command measures a change.
func (c Command) Tries() bool { return c.Verb == "try" || c.Verb == "try build" }

// Has says whether a flag is given.
func (c Command) Has(flag string) bool { return slices.Contains(c.Args, flag) }

// With is the command with words behind its own, before the program.
func (c Command) With(words ...string) Command {
	c.Args = slices.Concat(c.Args, words)
	return c
}

// Without is the command without flags that take a value.
func (c Command) Without(flags ...string) Command {
	var kept []string
	for i := 0; i < len(c.Args); i++ {
		if slices.Contains(flags, c.Args[i]) {
			i++ // its value
			continue
		}
		kept = append(kept, c.Args[i])
	}
	c.Args = kept
	return c
}

// At is the command with the address of a server for URL.
func (c Command) At(server string) Command {
	c.Args = slices.Clone(c.Args)
	for i, word := range c.Args {
		if word == URL {
			c.Args[i] = server
		}
	}
	return c
}

const (
	program = "whyhot"
	behind  = " -- "
	asked   = "<your " // how every placeholder for a program begins
)

// String writes the command for a shell. A placeholder for the program has no quotes: it
// is no word.
func (c Command) String() string {
	if c.IsZero() {
		return ""
	}
	text := program + " " + c.Verb
	if len(c.Args) > 0 {
		text += " " + shellwords.Join(c.Args)
	}
	switch {
	case len(c.Program) == 1 && strings.HasPrefix(c.Program[0], asked):
		text += behind + c.Program[0]
	case len(c.Program) > 0:
		text += behind + shellwords.Join(c.Program)
	}
	return text
}

// MarshalText is the command for a shell.
func (c Command) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Command) UnmarshalText(text []byte) error {
	*c = Command{}
	line := string(text)
	if line == "" {
		return nil
	}
	if at := strings.LastIndex(line, behind+asked); at >= 0 && strings.HasSuffix(line, ">") {
		c.Program = []string{line[at+len(behind):]}
		line = line[:at]
	}
	words, err := shellwords.Split(line)
	if err != nil {
		return err
	}
	if len(words) < 2 || words[0] != program {
		return errors.New("a command that goes on from a finding begins with " + program + " and a verb: " + line)
	}
	words = words[1:]
	if at := slices.Index(words, "--"); at >= 0 && c.Program == nil {
		words, c.Program = words[:at], words[at+1:]
	}
	c.Verb, words = words[0], words[1:]
	if c.Verb == "try" && len(words) > 0 && words[0] == "build" {
		c.Verb, words = "try build", words[1:]
	}
	c.Args = words
	return nil
}
