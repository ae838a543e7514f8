package syscalls

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

// A script that starts many processes is not in their stacks. Where the command names it, its text
// tells the lines that start them.
//
// Example. Of ./run.sh, which has exec bash report.sh, which has . ./lib.sh: the awk in a function
// of lib.sh that a loop of report.sh calls.

// mostScripts bounds what is read: a build of many parts would name too much.
const mostScripts = 20

// startedAt is a line that starts programs on each pass, or on each use of a variable.
type startedAt struct {
	file     string
	line     int
	text     string
	variable string // of make, "" of a shell
}

var (
	scriptName = regexp.MustCompile(`[\w./-]+\.(?:sh|bash|mk)\b|\b(?:GNU)?[mM]akefile\b`)
	runsMake   = regexp.MustCompile(`(?:^|[;&|(]\s*|\bexec\s+|\s)(?:g?make)\b`)
	oneLiner   = regexp.MustCompile(`^\s*(?:function\s+)?([\w-]+)\s*\(\)\s*[{(](.+)[})]`)
	longer     = regexp.MustCompile(`^\s*(?:function\s+([\w-]+)|([\w-]+)\s*\(\))`)
	// In the script of an awk between quotes a loop has a single bracket.
	loopBegins = regexp.MustCompile(`(?:^|[|;])\s*(?:for\s+(?:\w|\(\()|(?:while|until)\s+[^\s(]|(?:while|until)\s+\(\()`)
	forHeader  = regexp.MustCompile(`^\s*for\b[^;]*(?:;\s*do)?\s*$`)
	loopEnds   = regexp.MustCompile(`(?:^|[;\s])done\b`)
	// perTarget is what a value has that is another one in each target, or on each call.
	perTarget = regexp.MustCompile(`(?:^|[^$])\$[({]?[@<*^+?%0-9]`)
	// recursive is a variable of make whose value is made again at each use.
	recursive = regexp.MustCompile(`^\s*(?:export\s+)?([\w.-]+)\s*=\s*.*\$[({]shell\s+(.*)`)
)

// scripts are the shell scripts and makefiles of a command, each with its lines.
func scripts(s judge.Subject) (paths []string, texts [][]string) {
	if s.Facts == nil {
		return nil, nil
	}
	add := func(path string) bool {
		if slices.Contains(paths, path) || len(paths) == mostScripts {
			return false
		}
		lines, ok := s.Facts.Source(path)
		if ok {
			paths, texts = append(paths, path), append(texts, lines)
		}
		return ok
	}
	addMake := func(dir string) {
		_ = add(filepath.Join(dir, "GNUmakefile")) || add(filepath.Join(dir, "makefile")) || add(filepath.Join(dir, "Makefile"))
	}
	for i, word := range s.Profile.Meta.Command {
		if i == 0 && runsMake.MatchString(filepath.Base(word)) {
			addMake("")
		}
		if lines, ok := s.Facts.Source(word); ok && (judge.IsShell(word, lines) || filepath.Ext(word) == ".mk") {
			add(word)
		}
	}
	for i := 0; i < len(texts); i++ {
		dir := filepath.Dir(paths[i])
		for _, line := range texts[i] {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			for _, name := range scriptName.FindAllString(line, -1) {
				add(filepath.Join(dir, name))
			}
			if judge.IsShell(paths[i], texts[i]) && runsMake.MatchString(line) {
				addMake(dir)
			}
		}
	}
	return paths, texts
}

// startedIn are the lines of scripts that start some programs again and again.
func startedIn(paths []string, texts [][]string, programs []string) (out []startedAt) {
	if len(programs) == 0 {
		return nil
	}
	var names []string
	for _, p := range programs {
		if p == "gawk" || p == "mawk" { // what awk is a link to
			p = "awk"
		}
		names = append(names, regexp.QuoteMeta(p))
	}
	runs := regexp.MustCompile(`(?:^|[;&|({` + "`" + `!]|\b(?:then|do|else|if|while|xargs|exec|shell)\b)\s*(?:\w+=\S*\s+)*(?:[\w./-]*/)?(?:` + strings.Join(names, "|") + `)\b`)
	again := calledAgain(paths, texts)
	for i, lines := range texts {
		if isShell(paths[i], lines) {
			walkShell(lines, func(n int, function, body string, inLoop bool) {
				if runs.MatchString(body) && (inLoop || again[function]) {
					out = append(out, startedAt{paths[i], n + 1, strings.TrimSpace(lines[n]), ""})
				}
			})
		}
		if judge.IsShell(paths[i], lines) {
			continue
		}
		for n, line := range lines {
			m := recursive.FindStringSubmatch(withoutComment(line))
			if m != nil && runs.MatchString("shell "+m[2]) && !perTarget.MatchString(m[2]) && isUsed(texts, m[1]) {
				out = append(out, startedAt{paths[i], n + 1, strings.TrimSpace(line), m[1]})
			}
		}
	}
	return out
}

// walkShell goes through the lines of a shell script: of each it tells the function that it is in,
// "" for none, its commands, and whether a loop is around them.
func walkShell(lines []string, tell func(n int, function, body string, inLoop bool)) {
	within, depth := "", 0
	for n, line := range lines {
		code := withoutComment(line)
		function, body := within, code
		if m := oneLiner.FindStringSubmatch(code); m != nil {
			function, body = m[1], m[2]
		} else if m := longer.FindStringSubmatch(code); m != nil {
			within, body = m[1]+m[2], ""
		}
		once := forHeader.MatchString(code) // what it goes through is made once
		if loopBegins.MatchString(code) && !once {
			depth++
		}
		tell(n, function, body, depth > 0)
		if once {
			depth++
		}
		if loopEnds.MatchString(code) && depth > 0 {
			depth--
		}
		if strings.HasPrefix(code, "}") || strings.HasPrefix(code, ")") {
			within = ""
		}
	}
}

// isUsed says whether a variable of make is used: of what is not, the value is never made.
func isUsed(texts [][]string, variable string) bool {
	return slices.ContainsFunc(texts, func(lines []string) bool {
		return slices.ContainsFunc(lines, func(l string) bool {
			return strings.Contains(l, "$("+variable+")") || strings.Contains(l, "${"+variable+"}") || strings.Contains(l, "$("+variable+":")
		})
	})
}

// isShell says whether a file is a script of a shell, or one that shells read.
func isShell(path string, lines []string) bool {
	ext := filepath.Ext(path)
	return judge.IsShell(path, lines) || ext == ".sh" || ext == ".bash"
}

// calledAgain are the functions of scripts that loops call, or that such functions call.
func calledAgain(paths []string, texts [][]string) map[string]bool {
	callers := map[string]map[string]bool{} // by function: those that call it, "" for a loop
	var functions []string
	for _, lines := range texts {
		for _, line := range lines {
			if m := longer.FindStringSubmatch(line); m != nil {
				functions = append(functions, m[1]+m[2])
			}
		}
	}
	for i, lines := range texts {
		if !isShell(paths[i], lines) {
			continue
		}
		walkShell(lines, func(_ int, from, body string, inLoop bool) {
			for _, f := range functions {
				if f == from || !isWordOf(body, f) {
					continue
				}
				if callers[f] == nil {
					callers[f] = map[string]bool{}
				}
				if inLoop {
					callers[f][""] = true
				} else if from != "" {
					callers[f][from] = true
				}
			}
		})
	}
	again := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for f, by := range callers {
			for from := range by {
				if !again[f] && (from == "" || again[from]) {
					again[f], changed = true, true
				}
			}
		}
	}
	return again
}

func isWordOf(code, name string) bool {
	for at := 0; ; {
		n := strings.Index(code[at:], name)
		if n < 0 {
			return false
		}
		begin, end := at+n, at+n+len(name)
		if (begin == 0 || !isNameByte(code[begin-1])) && (end == len(code) || !isNameByte(code[end])) {
			return true
		}
		at = end
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c == '$' || c == '/' || c == '.' || c == '=' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// withoutComment is a line of a shell or of make without its comment.
func withoutComment(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return ""
	}
	if at := strings.Index(line, " # "); at >= 0 {
		return line[:at]
	}
	return line
}

// lookedUp is what to do where a tool reads a whole file for each line of another.
const lookedUp = "A file that is looked up for each line: read it once into an array (declare -A) before the loop"

var (
	readsFile = regexp.MustCompile(`\b(?:awk|grep|sed|look|join)\b`)
	fed       = regexp.MustCompile(`\|\s*\w*(?:awk|grep|sed)\b|<<<|<\(`) // by a pipe or a text
)

// setLines adds to a finding the lines of scripts that start the processes. The first is its place,
// where they are few.
func setLines(f *finding.Finding, at []startedAt) {
	const most, width = 4, 100
	for _, x := range at[:min(most, len(at))] {
		text := x.text
		if len(text) > width {
			text = strings.ToValidUTF8(text[:width], "") + "…"
		}
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("%s:%d: %s", filepath.Base(x.file), x.line, text)})
	}
	if len(at) == 0 || len(at) > most {
		return
	}
	f.Place.File, f.Place.Line = at[0].file, at[0].line
	f.Title = fmt.Sprintf("%s (%s:%d)", f.Title, filepath.Base(at[0].file), at[0].line)
	if x := at[0]; x.variable == "" && readsFile.MatchString(x.text) && !fed.MatchString(x.text) {
		if i := slices.Index(f.Fix.Steps, lookedUp); i > 0 {
			f.Fix.Steps = slices.Insert(slices.Delete(f.Fix.Steps, i, i+1), 0, lookedUp)
		}
	}
	var variables []string
	for _, x := range at {
		if x.variable != "" {
			variables = append(variables, x.variable)
		}
	}
	if len(variables) > 0 {
		if !strings.HasPrefix(f.Fix.Steps[0], "make:") {
			f.Fix.Steps = append([]string{""}, f.Fix.Steps...)
		}
		f.Fix.Steps[0] = fmt.Sprintf("make: write %s with := instead of =, so that $(shell …) runs once, and not at each use in each target", strings.Join(variables, " and "))
	}
}
