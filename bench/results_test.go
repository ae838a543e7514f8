package bench

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

var update = flag.Bool("update", false, "write RESULTS.md again")

type results struct {
	Areas []area `yaml:"areas"`
}

type area struct {
	Name string `yaml:"name"`
	Page string `yaml:"page"`
	Rows []row  `yaml:"rows"`
}

type row struct {
	What     string `yaml:"what"`
	Question string `yaml:"question"`
	Aim      string `yaml:"aim"`
	Today    string `yaml:"today"`
	Met      *bool  `yaml:"met"`
	Date     string `yaml:"date"`
	Load     string `yaml:"load"`
	Command  string `yaml:"command"`
}

const (
	atAGlance = 12 // rows
	mostRows  = 8  // of an area
)

// met is how a row stands to its aim.
func (r *row) met() string {
	switch {
	case r.Met == nil:
		return "–"
	case *r.Met:
		return "met"
	}
	return "**missed**"
}

// oneNumber is a cell: a number with its unit, or a part of a whole.
var oneNumber = regexp.MustCompile(`^[\d.,]+(?: of [\d.,]+)?(?:×|%| [a-zA-Z]+)*(?: [a-zA-Z]+)*(?: \([\d.,]+[–][\d.,]+\))?$`)

// wrong says what is wrong with a row, "" for nothing.
func (r *row) wrong() string {
	switch _, err := time.Parse(time.DateOnly, r.Date); {
	case r.What == "" || r.Command == "" || r.Load == "":
		return "what, load and command have to be given"
	case err != nil:
		return "the date " + r.Date + " is none"
	case !oneNumber.MatchString(r.Today):
		return fmt.Sprintf("today is %q: one number, with its interval in brackets", r.Today)
	case (r.Aim == "") != (r.Met == nil):
		return "an aim is met or missed, and only an aim is"
	case r.Question != "" && r.Aim == "":
		return "a row at a glance has an aim"
	}
	return ""
}

func read(t *testing.T) results {
	t.Helper()
	text, err := os.ReadFile("results.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all results
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func page(all results) string {
	var b strings.Builder
	b.WriteString("# Results\n\nGenerated from `results.yaml` by `go test ./bench -run Results -update`; do not edit. Ratios are of medians of interleaved runs, with a bootstrap 95% interval. The page of an area has its methods, all numbers, and what was measured before.\n\nMachine: a virtual machine with 2 cores of an AMD EPYC, 24 GiB, Debian 12, Linux 6.18. Load is the number of runnable processes while it was measured; on a busy machine, trust CPU time more than elapsed time.\n\n## At a glance\n\n| question | aim | today | |\n|---|---|---|---|\n")
	for _, a := range all.Areas {
		for _, r := range a.Rows {
			if r.Question != "" {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Question, r.Aim, r.Today, r.met())
			}
		}
	}
	for _, a := range all.Areas {
		fmt.Fprintf(&b, "\n## %s\n\n[Methods and history](%s)\n\n| what | aim | today | | date | load | command |\n|---|---|---|---|---|---|---|\n", a.Name, a.Page)
		for _, r := range a.Rows {
			aim := r.Aim
			if aim == "" {
				aim = "–"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | `%s` |\n", r.What, aim, r.Today, r.met(), r.Date, r.Load, r.Command)
		}
	}
	return b.String()
}

func TestResultsAreReadable(t *testing.T) {
	all := read(t)
	questions := 0
	for _, a := range all.Areas {
		if len(a.Rows) > mostRows {
			t.Errorf("%s has %d rows, %d at most: the others belong on %s", a.Name, len(a.Rows), mostRows, a.Page)
		}
		if _, err := os.Stat(a.Page); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		for _, r := range a.Rows {
			if why := r.wrong(); why != "" {
				t.Errorf("%s: %s: %s", a.Name, r.What, why)
			}
			if r.Question != "" {
				questions++
			}
		}
	}
	if questions != atAGlance {
		t.Errorf("%d rows have a question, %d are seen at a glance", questions, atAGlance)
	}
	want := page(all)
	if *update {
		if err := os.WriteFile("RESULTS.md", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("RESULTS.md"); err != nil || string(got) != want {
		t.Errorf("RESULTS.md is not made from results.yaml (%v): go test ./bench -run Results -update", err)
	}
}

func TestRowsThatSayTooMuchAreFound(t *testing.T) {
	yes := true
	good := row{What: "w", Aim: "≥ 2×", Today: "2.86× less CPU (2.63–3.03)", Met: &yes, Date: "2026-11-22", Load: "14", Command: "c"}
	if why := good.wrong(); why != "" {
		t.Error(why)
	}
	for name, change := range map[string]func(*row){
		"two numbers": func(r *row) { r.Today = "12 to 53 ms" },
		"prose":       func(r *row) { r.Today = "2×; 3× before" },
		"no verdict":  func(r *row) { r.Met = nil },
		"no aim":      func(r *row) { r.Aim = "" },
		"no date":     func(r *row) { r.Date = "yesterday" },
		"no command":  func(r *row) { r.Command = "" },
		"no load":     func(r *row) { r.Load = "" },
	} {
		r := good
		if change(&r); r.wrong() == "" {
			t.Errorf("%s: not found", name)
		}
	}
}

var (
	toBench = regexp.MustCompile(`\]\([^)]*bench/[^)]*\)`)
	figure  = regexp.MustCompile(`\d[\d.,]*(?:×|%)`)
)

// notThere lists the figures of lines, each a paragraph, that lead to a benchmark and that the results do
// not have.
func notThere(text, has string) []string {
	var out []string
	for p := range strings.SplitSeq(text, "\n") {
		if !toBench.MatchString(p) {
			continue
		}
		for _, f := range figure.FindAllString(toBench.ReplaceAllString(p, ""), -1) {
			if !strings.Contains(has, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// Where the README or a guide quotes a figure and leads to its benchmark, the results have it.
func TestQuotedFiguresAreResults(t *testing.T) {
	has, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := []string{"../README.md"}
	if err := filepath.WalkDir("../docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "decisions" || d.Name() == "rules") {
			return filepath.SkipDir // they say what was measured then
		}
		if err == nil && filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	quoted := 0
	for _, p := range pages {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		quoted += len(toBench.FindAllString(string(text), -1))
		for _, f := range notThere(string(text), string(has)) {
			t.Errorf("%s quotes %s and leads to a benchmark, but bench/RESULTS.md does not have it", p, f)
		}
	}
	if quoted == 0 {
		t.Error("no page leads to a benchmark")
	}
	if got := notThere("It is 9.9× as fast ([measured](bench/x.md)).\n\n7.7× is of something else.\n", "1.1×"); len(got) != 1 || got[0] != "9.9×" {
		t.Errorf("found %q", got)
	}
}
