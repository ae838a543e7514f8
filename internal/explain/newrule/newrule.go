// Package newrule drafts catalogue entries for those who keep their own.
//
// It owns the text of a draft, with a profile in which the entry finds something and
// one in which it is silent. It takes an ID, names of functions and, if there are any,
// folded stacks of a real profile, and gives a YAML file that passes every check. It
// must never write one: the command does.
package newrule

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"whyhot/internal/explain/catalog"
)

// Draft is what a new entry is about.
type Draft struct {
	ID        string
	Ecosystem string
	Functions []string // names; none: a placeholder
	Schema    string   // what editors are told to check the file with; "" for nothing
	// Folded is a real profile, whose hottest stacks become the tests; "" for none.
	Folded string
}

// File is the name of the draft's file.
func (d Draft) File() string { return d.ID + ".yaml" }

// placeholder stands for a function that nobody named.
const placeholder = "acme::OldTokenizer::next"

//go:embed entry.yaml.tmpl
var files embed.FS

var entry = template.Must(template.New("entry.yaml.tmpl").Funcs(template.FuncMap{
	"single": func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
	"write":  func(what string) string { return catalog.Unwritten + " " + what },
}).ParseFS(files, "entry.yaml.tmpl"))

// Text gives the file.
func (d Draft) Text() ([]byte, error) {
	if !idForm.MatchString(d.ID) {
		return nil, fmt.Errorf("%q is no ID: use lower-case words joined by hyphens, such as our-old-tokenizer", d.ID)
	}
	if !slices.Contains(catalog.Ecosystems, d.Ecosystem) {
		return nil, fmt.Errorf("--ecosystem %s: one of %s", d.Ecosystem, strings.Join(catalog.Ecosystems, ", "))
	}
	if len(d.Functions) == 0 {
		if d.Folded != "" {
			return nil, errors.New("a profile without a function: say with --function which of its functions the rule is about")
		}
		d.Functions = []string{placeholder}
	}
	var patterns []string
	for _, f := range d.Functions {
		if strings.TrimSpace(f) == "" {
			return nil, errors.New("--function: an empty name")
		}
		patterns = append(patterns, pattern(f))
	}
	found, silent := d.made()
	if d.Folded != "" {
		var err error
		if found, silent, err = taken(d.Folded, patterns); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	err := entry.Execute(&out, map[string]any{
		"ID": d.ID, "Ecosystem": d.Ecosystem, "Schema": d.Schema, "Patterns": patterns, "Found": found, "Silent": silent,
		"Real": d.Folded != "",
	})
	return out.Bytes(), err
}

var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// pattern matches a function by its name, whatever its arguments: a name that is a part
// of another, such as next of next_line, is not that other.
func pattern(name string) string {
	end := ""
	if last := name[len(name)-1]; last == '_' || last >= '0' && last <= '9' || last >= 'A' && last <= 'Z' || last >= 'a' && last <= 'z' {
		end = `\b`
	}
	return "^" + regexp.QuoteMeta(name) + end
}

// made are a program that spends a fifth in the functions, and one that does not.
func (d Draft) made() (found, silent []string) {
	const program = "app;main_[app];"
	for _, f := range d.Functions {
		found = append(found, program+"parse_[app];"+f+"_[app] "+strconv.Itoa(200/len(d.Functions)))
	}
	work := program + "work_[app] "
	return append(found, work+"800"), []string{program + "parse_[app] 50", work + "950"}
}

// mark is what stands behind a frame's name: its binary, or its source file.
var mark = regexp.MustCompile(`_\[[^\[\]]*\]$| \([^()]*:\d+\)$`)

func name(frame string) string { return mark.ReplaceAllString(frame, "") }

// stack is a line of folded stacks.
type stack struct {
	frames []string
	weight float64
}

func (s stack) line() string {
	return strings.Join(s.frames, ";") + " " + strconv.Itoa(max(1, int(s.weight+0.5)))
}

// kept is how many stacks of each sort a test takes of a real profile.
const kept = 4

// taken are the hottest stacks of a real profile with the functions and those without,
// in the proportion that the profile has them, as 1000 samples; and the same program
// without the functions: what they ran goes.
func taken(folded string, patterns []string) (found, silent []string, err error) {
	match := regexp.MustCompile(strings.Join(patterns, "|"))
	var with, without []stack
	all, matched := 0.0, 0.0
	for line := range strings.Lines(folded) {
		text, number, ok := cutLast(strings.TrimSpace(line))
		weight, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			continue
		}
		s := stack{strings.Split(text, ";"), weight}
		all += weight
		if at := slices.IndexFunc(s.frames[1:], func(f string) bool { return match.MatchString(name(f)) }); at >= 0 {
			matched += weight
			with = append(with, s)
		} else {
			without = append(without, s)
		}
	}
	if len(with) == 0 {
		return nil, nil, errors.New("the profile has no such function: `whyhot top` lists the names of those it has")
	}
	share := matched / all
	hottest(with, 1000*share)
	hottest(without, 1000*(1-share))
	for _, s := range with[:min(kept, len(with))] {
		found = append(found, s.line())
		at := slices.IndexFunc(s.frames[1:], func(f string) bool { return match.MatchString(name(f)) })
		if rest := s.frames[:at+1]; len(rest) > 1 {
			s.frames = rest
			silent = append(silent, s.line())
		}
	}
	for _, s := range without[:min(kept, len(without))] {
		found, silent = append(found, s.line()), append(silent, s.line())
	}
	if len(silent) == 0 {
		return nil, nil, errors.New("every stack of the profile begins with the function: name one that others call")
	}
	return found, silent, nil
}

// hottest puts the hottest stacks first and has those that are kept weigh as much as
// all of them together.
func hottest(list []stack, total float64) {
	slices.SortStableFunc(list, func(a, b stack) int { return -cmp.Compare(a.weight, b.weight) })
	sum := 0.0
	for _, s := range list[:min(kept, len(list))] {
		sum += s.weight
	}
	for i := range list {
		list[i].weight *= total / sum
	}
}

func cutLast(line string) (before, after string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}
