package userrule

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	rulepages "whyhot/docs/rules"
	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/source/astfinding"
)

// Rule is one rule of a file's list "matchers".
type Rule struct {
	ID       string    `yaml:"id"`
	Message  string    `yaml:"message"`
	Matcher  string    `yaml:"matcher"`
	Fix      []string  `yaml:"fix"`
	Links    []string  `yaml:"links"`
	Fixtures []Fixture `yaml:"fixtures"`

	File string `yaml:"-"` // where the rule was read
}

// Fixture is a piece of source. Lines that end with "// match" must match, no
// other line may.
type Fixture struct {
	Code string `yaml:"code"`
	Lang string `yaml:"lang"` // "c++" (default) or "c"
}

var idPattern = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// families are the beginnings of names that are whyhot's own, beside those of its rules.
var families = []string{"alias-", "bitfield-", "machine-"}

func isBuiltin(id string) bool {
	return slices.Contains(rulepages.IDs(), id) || slices.ContainsFunc(families, func(p string) bool { return strings.HasPrefix(id, p) })
}

// Load reads every *.yaml and *.yml file below the directories that has a list
// "matchers".
func Load(dirs []string) ([]Rule, error) {
	var out []Rule
	seen := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isYAML(path) {
				return err
			}
			rules, err := readFile(path)
			if err != nil {
				return err
			}
			for _, r := range rules {
				if other, twice := seen[r.ID]; twice {
					return fmt.Errorf("%s: the rule %q is also in %s", path, r.ID, other)
				}
				seen[r.ID] = path
			}
			out = append(out, rules...)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading source rules: %w", err)
		}
	}
	slices.SortFunc(out, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

func isYAML(path string) bool {
	ext := filepath.Ext(path)
	return ext == ".yaml" || ext == ".yml"
}

func readFile(path string) ([]Rule, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rules, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range rules {
		rules[i].File = path
	}
	return rules, nil
}

// Parse reads one file's rules; a file of another kind has none.
func Parse(data []byte) ([]Rule, error) {
	var keys map[string]any
	if err := yaml.Unmarshal(data, &keys); err != nil {
		return nil, err
	}
	if _, ok := keys["matchers"]; !ok {
		return nil, nil
	}
	var file struct {
		Matchers []Rule `yaml:"matchers"`
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.DisallowUnknownField()).Decode(&file); err != nil {
		return nil, err
	}
	for i, r := range file.Matchers {
		if err := r.validate(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	return file.Matchers, nil
}

func (r Rule) validate() error {
	switch {
	case !idPattern.MatchString(r.ID):
		return fmt.Errorf("the id %q must be lower-case letters, digits and hyphens, starting with a letter", r.ID)
	case isBuiltin(r.ID):
		return fmt.Errorf("the id %q starts like a built-in rule; choose another", r.ID)
	case strings.TrimSpace(r.Matcher) == "":
		return fmt.Errorf("%s has no matcher", r.ID)
	case strings.TrimSpace(r.Message) == "":
		return fmt.Errorf("%s has no message", r.ID)
	}
	for i, f := range r.Fixtures {
		if f.Lang != "" && f.Lang != "c" && f.Lang != "c++" {
			return fmt.Errorf("%s, fixture %d: lang is c or c++, not %q", r.ID, i+1, f.Lang)
		}
		if strings.TrimSpace(f.Code) == "" {
			return errors.New(r.ID + ": a fixture has no code")
		}
	}
	return nil
}

// ForAnalyzer gives the rules as the analyser takes them.
func ForAnalyzer(rules []Rule) []analyzer.UserRule {
	out := make([]analyzer.UserRule, 0, len(rules))
	for _, r := range rules {
		out = append(out, analyzer.UserRule{ID: r.ID, Matcher: strings.TrimSpace(r.Matcher)})
	}
	return out
}

// ForReport gives what a finding of each rule says.
func ForReport(rules []Rule) map[string]astfinding.UserRule {
	out := map[string]astfinding.UserRule{}
	for _, r := range rules {
		out[r.ID] = astfinding.UserRule{Title: strings.TrimSpace(r.Message), Steps: r.Fix, Links: r.Links}
	}
	return out
}
