package newrule_test

import (
	"strings"
	"testing"

	"whyhot/internal/explain"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/newrule"
)

const folded = `app;main_[app];work_[app] 700
app;main_[app];parse_[app];acme::Old::next(int)_[app];memcpy_[libc.so.6] 150
app;main_[app];parse_[app];acme::Old::next(int)_[app] 100
app;main_[app];acme::Old::next_line_[app] 50
`

// Every draft passes the checks and its own tests as it is.
func TestDraftsPass(t *testing.T) {
	for name, d := range map[string]newrule.Draft{
		"nothing said":     {},
		"a function":       {Functions: []string{"acme::Old::next"}},
		"operators":        {Functions: []string{"std::operator<< <char>", "it's::~T()"}},
		"a python frame":   {Functions: []string{"dumps"}, Ecosystem: "python", Folded: "py;main (a.py:3);dumps (json.py:12) 40\npy;main (a.py:3);work (a.py:9) 60\n"},
		"a real profile":   {Functions: []string{"acme::Old::next"}, Folded: folded},
		"two of a profile": {Functions: []string{"acme::Old::next", "memcpy"}, Folded: folded},
		"with a schema":    {Schema: "./x.json"},
	} {
		d.ID = "our-rule"
		if d.Ecosystem == "" {
			d.Ecosystem = "native"
		}
		text, err := d.Text()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := explain.CheckDraft(t.Context(), d.File(), text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

func TestARealProfileKeepsItsShares(t *testing.T) {
	text, err := newrule.Draft{ID: "our-rule", Ecosystem: "native", Functions: []string{"acme::Old::next"}, Folded: folded}.Text()
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Parse("x.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if e.Match.Any[0].Name[0].MatchString("acme::Old::next_line") || !e.Match.Any[0].Name[0].MatchString("acme::Old::next(int)") {
		t.Errorf("pattern %s", e.Match.Any[0].Name[0])
	}
	for _, want := range []string{"next(int)_[app];memcpy_[libc.so.6] 150\n", "next(int)_[app] 100\n", "work_[app] 700\n", "next_line_[app] 50\n"} {
		if !strings.Contains(e.Tests[0].Profile, want) {
			t.Errorf("no %q in\n%s", want, e.Tests[0].Profile)
		}
	}
	if got := e.Unwritten(); strings.Join(got, " ") != "title why swap.steps reduction.basis" {
		t.Errorf("to write: %v", got)
	}
}

func TestBadDrafts(t *testing.T) {
	for want, d := range map[string]newrule.Draft{
		"is no ID":                 {ID: "Our Rule", Ecosystem: "native"},
		"--ecosystem cobol":        {ID: "x", Ecosystem: "cobol"},
		"without a function":       {ID: "x", Ecosystem: "native", Folded: folded},
		"has no such function":     {ID: "x", Ecosystem: "native", Folded: folded, Functions: []string{"zzz"}},
		"empty name":               {ID: "x", Ecosystem: "native", Functions: []string{" "}},
		"begins with the function": {ID: "x", Ecosystem: "native", Folded: "app;main_[app] 5\n", Functions: []string{"main"}},
	} {
		if _, err := d.Text(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
