package growth

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"whyhot/internal/explain/growth/primitive"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// rules of what operations do.
var throughRules = map[primitive.Does]string{
	primitive.Copies: RuleWholeCopy, primitive.Moves: RuleWholeCopy, primitive.Sorts: RuleWholeCopy,
	primitive.Searches: RuleListSearch, primitive.Walks: RuleListWalk,
}

// placed looks for the place in the program's script where the runtime does not say which line
// runs. It is false where the operation is told only by what the script says, and it says nothing.
func (w *Through) placed(of sources) bool {
	if w.Loop != "" {
		return w.repeats(of)
	}
	if w.Line > 0 || len(w.Source) == 0 {
		return true
	}
	if text, ok := of.lines(w.File); ok { // of code that a JIT compiler has optimised only the function is known
		if at := w.Written(text); len(at) > 0 {
			w.set(w.File, at)
			return true
		}
	}
	which, at := w.WrittenIn(of.texts)
	if len(at) == 0 {
		return w.Function != ""
	}
	w.set(of.paths[which], at)
	return true
}

// repeats tells whether the line, or that of a caller, is in a loop. Where the row says how
// the operation is written, the line must be so.
func (w *Through) repeats(of sources) bool {
	if text, ok := of.lines(w.File); len(w.Source) > 0 && (!ok || w.Line < 1 || int(w.Line) > len(text) || len(w.Written(text[w.Line-1:w.Line])) == 0) {
		return false
	}
	for _, at := range append([]Place{w.Place}, w.Callers...) {
		if text, ok := of.lines(at.File); ok && w.Row.Repeats(text, int(at.Line)) {
			return true
		}
	}
	return false
}

// set places it in a script.
func (w *Through) set(script string, at []int) {
	w.File = script
	if len(at) == 1 {
		w.Line = int32(at[0]) //nolint:gosec // a line of a file
		return
	}
	w.Lines = at
}

// sources are the files of text of a program: its script first, then those that it loads.
type sources struct {
	paths []string
	texts [][]string
	facts judge.Facts
	// named are all files that the shell script of the command names.
	named []string
}

// lines are those of a file that a profile names.
func (of sources) lines(path string) ([]string, bool) {
	if of.facts == nil || path == "" {
		return nil, false
	}
	return of.facts.Source(path)
}

// mostFiles bounds a program: a search through more would name too much.
const mostFiles = 20

// loads is how scripts name other files of their program: without their ending in Lua, with it
// in R and Tcl; and modules of Haskell.
var loads = regexp.MustCompile(`\b(?:require|require_file|dofile|loadfile|source)\b[\s(]*["']?([\w./-]+)|^import\s+(?:qualified\s+)?([A-Z][\w.]*)`)

// sourcesOf are those of the program that a command runs.
func sourcesOf(s judge.Subject) (p sources) {
	p.facts = s.Facts
	path, lines := scriptOf(s)
	if path == "" {
		path, lines = compiledOf(s)
	}
	if path == "" {
		return p
	}
	for _, word := range s.Profile.Meta.Command {
		if text, ok := s.Facts.Source(word); ok && !strings.HasPrefix(word, "-") && filepath.Ext(word) != "" && judge.IsShell(word, text) {
			p.named = append(p.named, filesIn(word, text)...)
		}
	}
	p.paths, p.texts = []string{path}, [][]string{lines}
	end := filepath.Ext(path)
	for i := 0; i < len(p.texts) && len(p.texts) < mostFiles; i++ {
		for _, line := range p.texts[i] {
			for _, m := range loads.FindAllStringSubmatch(line, -1) {
				name := m[1] + m[2]
				if !strings.HasSuffix(name, end) && filepath.Ext(name) != ".ex" {
					name = strings.ReplaceAll(name, ".", "/") + end
				}
				at := filepath.Join(filepath.Dir(path), name)
				if slices.Contains(p.paths, at) || len(p.paths) == mostFiles {
					continue
				}
				if lines, ok := s.Facts.Source(at); ok {
					p.paths, p.texts = append(p.paths, at), append(p.texts, lines)
				}
			}
		}
	}
	return p
}

// scriptOf is the script that a command runs: its first word that is a file of text here.
// Where that is a shell script, it is the first other file that this one names: of
// `bash run.sh`, which has `lua src/spill.lua`, the latter.
func scriptOf(s judge.Subject) (path string, lines []string) {
	if s.Facts == nil {
		return "", nil
	}
	for _, word := range s.Profile.Meta.Command {
		path, isFile := strings.CutPrefix(word, "--file=")
		if !isFile && strings.HasPrefix(word, "-") || filepath.Ext(path) == "" {
			continue
		}
		if lines, ok := s.Facts.Source(path); ok {
			if !judge.IsShell(path, lines) {
				return path, lines
			}
			return namedIn(s.Facts, path, lines)
		}
	}
	return "", nil
}

// namedIn is the first file of text that a shell script names, from its own directory on.
func namedIn(facts judge.Facts, shell string, lines []string) (path string, text []string) {
	for _, word := range filesIn(shell, lines) {
		if text, ok := facts.Source(word); ok && !judge.IsShell(word, text) {
			return word, text
		}
	}
	return "", nil
}

// filesIn are the words of a shell script that look like names of files, from its own
// directory on.
func filesIn(shell string, lines []string) []string {
	separates := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'();&|<>=`, r) }
	var out []string
	for _, line := range lines {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, word := range strings.FieldsFunc(line, separates) {
			if filepath.Ext(word) == "" {
				continue
			}
			if !filepath.IsAbs(word) {
				word = filepath.Join(filepath.Dir(shell), word)
			}
			out = append(out, word)
		}
	}
	return out
}

// mostLines are those of a script that a finding names where several write the operation.
const mostLines = 5

func (w *Through) found(of *frames) judge.Found {
	p := of.p
	f := told(p, throughRules[w.Does], w.Place, w.Share, w.Cure)
	f.Samples, f.Yields = w.Samples, true
	f.Place.Binary = w.Binary
	f.Title = w.title()
	f.Evidence = append(f.Evidence, finding.Evidence{Kind: "growth", Share: &w.Share,
		Text: fmt.Sprintf("%s in %s: %s %s the whole %s on each call, in %s", percent.Text(w.Share), w.subject(), w.Operation, w.Does, w.Container, w.Name)})
	if w.Turns > 0 {
		f.Evidence = []finding.Evidence{{Kind: "growth", Share: &w.Share,
			Text: fmt.Sprintf("%s below %s, and it starts at least %d times in the recording, with other work between", percent.Text(w.Share), w.subject(), w.Turns)}}
	}
	if len(w.Beside) > 0 && w.Beside[0] > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "growth", Text: "the same in lines " + numbers(w.Beside)})
	}
	if len(w.Lines) > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "growth", Text: fmt.Sprintf("the runtime does not say which line runs; %s has it in lines %s", filepath.Base(w.File), numbers(w.Lines))})
	}
	for _, o := range w.OrElse {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "growth", Text: fmt.Sprintf("or it is %s, which %s the whole %s: line %s", o.Operation, o.Does, o.Container, numbers(o.at()))})
	}
	if len(w.Lines) == 0 && w.Binary != "" && w.Line > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "growth", Text: "the runtime does not say which line runs; it is the one line of the script that has the operation"})
	}
	f.Gain = w.gain(of)
	return f
}

// at are the lines of a script.
func (w *Through) at() []int {
	if w.Line > 0 {
		return []int{int(w.Line)}
	}
	return w.Lines
}

func numbers(of []int) string {
	var out []string
	for _, n := range of[:min(mostLines, len(of))] {
		out = append(out, fmt.Sprint(n))
	}
	if len(of) > mostLines {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// subject is where it is, in a sentence.
func (w *Through) subject() string {
	switch {
	case w.Function != "":
		return where(w.Place)
	case w.File != "" && w.Line > 0:
		return fmt.Sprintf("%s:%d", filepath.Base(w.File), w.Line)
	case w.File != "":
		return filepath.Base(w.File)
	}
	return filepath.Base(w.Binary)
}

// title names the operation, what it does and where.
func (w *Through) title() string {
	at := w.Place
	if w.Turns > 0 {
		at := w.subject()
		if w.File != "" && w.Line > 0 {
			at = fmt.Sprintf("%s:%d", filepath.Base(w.File), w.Line)
		}
		return fmt.Sprintf("A list is sorted repeatedly (%s)", at)
	}
	switch {
	case at.File != "" && at.Line > 0:
		return fmt.Sprintf("%s %s the whole %s (%s:%d)", w.Operation, w.Does, w.Container, filepath.Base(at.File), at.Line)
	case at.Function != "":
		return fmt.Sprintf("%s %s the whole %s in %s", w.Operation, w.Does, w.Container, at.Function)
	}
	return fmt.Sprintf("%s %s the whole %s (%s)", w.Operation, w.Does, w.Container, w.subject())
}

// leastKept is the part of an operation's time that goes away where the cure removes it: what
// the cure itself costs is not known.
const leastKept, likelyKept = 0.5, 0.9

// gain is the share, since the cure removes the call, with what allocating and collecting its
// copies costs elsewhere at the upper end.
func (w *Through) gain(f *frames) *finding.Gain {
	margin := finding.ShareError(w.Share, f.p.Count())
	high := min(1, w.Share+margin)
	if w.Does == primitive.Copies {
		high = min(1, high+upkeepBeside(f, w.Samples))
	}
	return &finding.Gain{Low: leastKept * w.Share, Likely: likelyKept * w.Share, High: high, Reach: w.Share,
		Basis: percent.Text(w.Share) + " of the CPU is in the operation, which the change removes; half of it or more goes away where the " + w.Container + " is long"}
}

// upkeepBeside is the part of a profile that frees, collects and faults in memory outside of
// some samples.
func upkeepBeside(f *frames, rows []int32) float64 {
	p := f.p
	var beside []int32
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if k := f.path(s.Stack).kind; k == Collect || k == Free || k == Fault {
			if _, among := slices.BinarySearch(rows, int32(i)); !among { //nolint:gosec // rows are numbered so
				beside = append(beside, int32(i)) //nolint:gosec // rows are numbered so
			}
		}
	}
	return p.Share(beside)
}
