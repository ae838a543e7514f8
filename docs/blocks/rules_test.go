package blocks

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// rules are blocks.yaml.
type rules struct {
	// Instead: what a page leaves to the reader, or gives more time than a test has.
	Instead []instead `yaml:"instead"`
	// Until: commands that run until they are interrupted, which is done once they say
	// something.
	Until []until `yaml:"until"`
	// Status: commands that end with another status than 0, which the page says.
	Status []status `yaml:"status"`
	// Skip: commands that are not run.
	Skip []skip `yaml:"skip"`
	// Skipped commands of all pages; fewer are an error, too: lower the number.
	Skipped int `yaml:"skipped"`
}

type instead struct {
	Of   string `yaml:"of"` // a regular expression
	With string `yaml:"with"`
	In   string `yaml:"in"` // on this page alone
	Why  string `yaml:"why"`

	re   *regexp.Regexp
	used bool
}

type until struct {
	Command string `yaml:"command"` // how it begins
	Says    string `yaml:"says"`    // a regular expression

	used bool
}

type status struct {
	Command string `yaml:"command"`
	Is      int    `yaml:"is"`
	Why     string `yaml:"why"`

	used bool
}

type skip struct {
	Command string `yaml:"command"` // how it begins
	In      string `yaml:"in"`      // on this page alone
	Why     string `yaml:"why"`

	used bool
}

func readRules(t *testing.T) *rules {
	t.Helper()
	text, err := os.ReadFile("blocks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var r rules
	if err := yaml.UnmarshalWithOptions(text, &r, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	for i := range r.Instead {
		if r.Instead[i].re, err = regexp.Compile(r.Instead[i].Of); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range r.Skip {
		if s.Why == "" || s.Command == "" {
			t.Errorf("blocks.yaml: a skip without a reason or a command: %+v", s)
		}
	}
	return &r
}

// skips says whether a command is not run.
func (r *rules) skips(c command) bool {
	i := slices.IndexFunc(r.Skip, func(s skip) bool {
		return strings.HasPrefix(c.text, s.Command) && (s.In == "" || s.In == c.page)
	})
	if i < 0 {
		return false
	}
	r.Skip[i].used = true
	return true
}

// typed is a command as it is run.
func (r *rules) typed(c command, values map[string]string) string {
	text := c.text
	for i := range r.Instead {
		s := &r.Instead[i]
		if s.In != "" && s.In != c.page || !s.re.MatchString(text) {
			continue
		}
		s.used = true
		text = s.re.ReplaceAllString(text, os.Expand(s.With, func(name string) string {
			if value, ok := values[name]; ok {
				return value
			}
			return "${" + name + "}" // a group of the expression
		}))
	}
	return text
}

func (r *rules) until(text string) *until {
	i := slices.IndexFunc(r.Until, func(u until) bool { return strings.HasPrefix(text, u.Command) })
	if i < 0 {
		return nil
	}
	r.Until[i].used = true
	return &r.Until[i]
}

func (r *rules) status(text string) int {
	i := slices.IndexFunc(r.Status, func(s status) bool { return strings.HasPrefix(text, s.Command) })
	if i < 0 {
		return 0
	}
	r.Status[i].used = true
	return r.Status[i].Is
}

// unused are the rules that no command of any page made use of.
func (r *rules) unused() []string {
	var out []string
	for _, s := range r.Instead {
		if !s.used {
			out = append(out, "instead: "+s.Of)
		}
	}
	for _, u := range r.Until {
		if !u.used {
			out = append(out, "until: "+u.Command)
		}
	}
	for _, s := range r.Status {
		if !s.used {
			out = append(out, "status: "+s.Command)
		}
	}
	for _, s := range r.Skip {
		if !s.used {
			out = append(out, "skip: "+s.Command)
		}
	}
	return out
}
