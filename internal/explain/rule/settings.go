package rule

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

// setting is where the command that was recorded sets a variable of the environment, or a
// directive of a program's configuration, that an entry's advice is about: `GOGC=8` in
// run.sh, `gzip_comp_level 9` in nginx.conf. The program does what it is told to.
type setting struct {
	file       string // "" for the command itself
	line       int
	name, text string
}

// variable is a name of the environment in an advice: with an underscore, one that a runtime is
// known by, or one that the advice sets. JSON, FILE and AS are words of an advice, and variables
// of a script that mean something else.
var variable = regexp.MustCompile(`\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|(?:GO|PYTHON|RUBY|NODE|JAVA|OCAML|GHC|MAKE|MALLOC|OMP)[A-Z0-9]{2,}|LANG|TZ)\b|\b[A-Z][A-Z0-9]+\b(?:=)`)

// variables are those that an entry sets or speaks of.
func variables(c *catalog.Entry) []string {
	var out []string
	for _, kv := range c.Swap.Env {
		name, _, _ := strings.Cut(kv, "=")
		out = append(out, name)
	}
	return append(out, spoken(c, variable)...)
}

// spoken are the names in an entry's advice.
func spoken(c *catalog.Entry, of *regexp.Regexp) (out []string) {
	for _, step := range c.Swap.Steps {
		for _, name := range of.FindAllString(step, -1) {
			out = append(out, strings.TrimSuffix(name, "="))
		}
	}
	return out
}

// beside is a file as a script names it, from its own directory.
func beside(script, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(script), path)
}

func isComment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "#") }

// assignment is one of a shell: at the beginning of a command, or of export.
var assignment = regexp.MustCompile(`(?:^|[\s;&|])([A-Z][A-Z0-9_]+)=("[^"]*"|'[^']*'|[^\s;&|]*)`)

// settings finds them in the command's words, in the shell scripts that it names, and in the
// files of settings that these name.
func (e *engine) settings(c *catalog.Entry) []setting {
	names, directives := variables(c), spoken(c, directiveName)
	if len(names)+len(directives) == 0 {
		return nil
	}
	out := e.directed(directives, "", 0, strings.Join(e.p.Meta.Command, " "))
	for _, word := range e.p.Meta.Command {
		if name, _, sets := strings.Cut(word, "="); sets && slices.Contains(names, name) && !slices.Contains(c.Swap.Env, word) {
			out = append(out, setting{name: name, text: word})
			continue
		}
		lines, ok := e.script(word)
		if !ok {
			continue
		}
		out = append(out, assigned(c, names, word, lines)...)
		for n, line := range lines {
			out = append(out, e.directed(directives, word, n+1, line)...)
		}
		for _, path := range sourced(word, lines) {
			if lines, ok := e.facts.Source(path); ok {
				out = append(out, assigned(c, names, path, lines)...)
			}
		}
	}
	return out
}

// assigned are the settings that a file makes.
func assigned(c *catalog.Entry, names []string, path string, lines []string) []setting {
	var out []setting
	for n, line := range lines {
		if isComment(line) {
			continue
		}
		for _, m := range assignment.FindAllStringSubmatch(line, -1) {
			if slices.Contains(names, m[1]) && !slices.Contains(c.Swap.Env, m[1]+"="+m[2]) { // as is advised
				out = append(out, setting{path, n + 1, m[1], m[1] + "=" + m[2]})
			}
		}
	}
	return out
}

// reads is how a script takes a file of settings.
var reads = regexp.MustCompile(`(?:^|[\s;&|])(?:\.|source)\s+["']?([\w./-]+)|--env-file[= ]["']?([\w./-]+)`)

// sourced are the files whose settings a script takes, which it names from its own directory.
func sourced(script string, lines []string) []string {
	var out []string
	for _, line := range lines {
		if isComment(line) {
			continue
		}
		for _, m := range reads.FindAllStringSubmatch(line, -1) {
			out = append(out, beside(script, m[1]+m[2]))
		}
	}
	return out
}

// script is the text of a shell script that a word of a command names.
func (e *engine) script(word string) (lines []string, ok bool) {
	if strings.HasPrefix(word, "-") || e.facts == nil {
		return nil, false
	}
	lines, ok = e.facts.Source(word)
	return lines, ok && judge.IsShell(word, lines)
}

// tell adds to a finding where the command sets what its advice is about.
func (s setting) tell(f *finding.Finding) {
	where := "the command"
	if s.file != "" {
		where = fmt.Sprintf("%s:%d", filepath.Base(s.file), s.line)
		if f.Place.File == "" {
			f.Place.File, f.Place.Line = filepath.Clean(s.file), s.line
		}
	}
	f.Evidence = slices.Insert(f.Evidence, min(1, len(f.Evidence)), finding.Evidence{Kind: "setting", Text: where + " sets " + s.text})
	f.Fix.Steps = slices.Insert(slices.Clone(f.Fix.Steps), 0, fmt.Sprintf("%s sets %s: try it without, or with another value", where, s.text))
}
