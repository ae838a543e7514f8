package judge

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"

	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
)

// Versus is the trial of a change that the reader makes by hand: the same command, in a
// copy of the directory.
func (s *Subject) Versus(id string) finding.Command {
	run := s.Program()
	return finding.Command{Verb: "try", Program: run, Args: []string{
		"--profile", s.File(), "--finding", id, "--versus", "changed=" + commandLine(run), "--dir", "changed=../changed",
	}}
}

// File is how the user calls the profile, or the word that asks for its name.
func (s *Subject) File() string { return cmp.Or(s.Path, "FILE") }

// Program is the recorded command line for a trial, or the words that ask for it.
func (s *Subject) Program() []string { return finding.ProgramOr(s.Profile.Meta.Command) }

// commandLine writes a command line as one word of another; a placeholder as it is.
func commandLine(words []string) string {
	if len(words) == 1 && words[0] == finding.YourCommand {
		return words[0]
	}
	return shellwords.Join(words)
}

// Times writes how often something was done: 1,204,000.
func Times(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// CallsOf writes how many calls were counted; where counting ended before the calls did, as how
// many at least: "52,629 or more".
func CallsOf(c *profile.FunctionCalls) string {
	if c.Stopped {
		return Times(c.Count) + " or more"
	}
	return Times(c.Count)
}

// Where names a place in a title: its function with the line, or what of these is known.
func Where(p finding.Place) string {
	const width = 64 // of a name: the place has it whole
	p.Function = symname.Shorten(p.Function, width)
	switch {
	case p.File == "" || p.Line == 0:
		return cmp.Or(p.Function, filepath.Base(p.Binary))
	case p.Function == "":
		return fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line)
	}
	return fmt.Sprintf("%s (%s:%d)", p.Function, filepath.Base(p.File), p.Line)
}

// shebang is the first line of a shell script.
var shebang = regexp.MustCompile(`^#!.*\b(ba|da|z|k)?sh\b`)

// IsShell says whether a text is a script of a shell.
func IsShell(path string, lines []string) bool {
	return filepath.Ext(path) == ".sh" || len(lines) > 0 && shebang.MatchString(lines[0])
}
