package gate

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/check"
	"whyhot/internal/finding"
)

// slow is a result with everything in it, and with texts that try to be markup.
func slow() *check.Result {
	bound := 0.012
	share := 0.031
	r := &check.Result{
		Version: 1, Verdict: check.Slower, Says: "slower by 6.0% (5.1% to 6.9%)", Base: "origin/main", Ratio: 1.06, Low: 1.051, High: 1.069,
		Limit: 0.02, Level: 0.99, CPUSeconds: 192, Elapsed: 130, Repeat: []string{"whyhot", "check", "--base", "origin/main", "--", "./bench", "a b"},
		Commands: []check.Command{
			{Name: "parse | all", Verdict: check.Slower, Says: "slower <b>", Ratio: 1.06, Low: 1.051, High: 1.069, Rounds: 20},
			{Name: "write", Verdict: check.NotSlower, Says: "not slower", Bound: &bound, Ratio: 1, Low: 0.99, High: 1.01},
			{Name: "read", Verdict: check.Undecided, Says: "needs 3 minutes more"},
		},
	}
	for _, name := range []string{"split`line`", "std::vector<int>::push_back", "hash_find", "main"} {
		r.Functions = append(r.Functions, check.Function{
			Name: name, File: "src/split line.c", Line: 40, Before: 0.10, After: 0.14, Delta: 0.04, Edited: true,
			Callers: []check.Frame{{Function: "main", File: "src/main.c", Line: 9}, {Function: "libc_start", File: "/build/libc.c", Line: 3}},
		})
	}
	for i := range 30 {
		r.Findings = append(r.Findings, check.Finding{
			Finding: finding.Finding{
				ID: finding.ID("slow-loop", finding.Place{Function: "split`line`"}, string(rune('a'+i))), Rule: "slow-loop", Title: "Strings are copied in a loop",
				Certainty: finding.Confirmed, Place: finding.Place{Function: "split`line`", File: "src/split line.c", Line: 42 + i, EndLine: 44 + i},
				Fix: finding.Fix{Kind: "code", Steps: []string{"Move the copy out of the loop."}, Diff: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-```\n+y\n"},
			},
			Production: &share, Hot: "hot in production: 3.1% of web",
		})
	}
	return r
}

// official is the schema that OASIS publishes, as a module that is pinned has it: in a
// constant of its own, which the source is read for.
func official(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report", "v210", "sarif", "schema.go")
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(tree, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && text == "" {
			text, err = strconv.Unquote(l.Value)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// What is written is SARIF as its schema has it, without a field that the standard does
// not know, and stays within what code hosts take.
func TestSARIFIsValid(t *testing.T) {
	schema := official(t)
	empty := &check.Result{Version: 1, Verdict: check.Identical, Says: "identical"}
	for name, c := range map[string]struct {
		result *check.Result
		most   int
		want   int
	}{"slower": {slow(), DefaultResults, 10}, "all of it": {slow(), 0, 34}, "identical": {empty, DefaultResults, 0}} {
		var out bytes.Buffer
		if err := SARIF(&out, "1.0", c.result, c.most); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var report sarif.Report
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			t.Fatal(err)
		}
		if n := len(report.Runs[0].Results); n != c.want {
			t.Errorf("%s: %d results, want %d", name, n, c.want)
		}
	}
}

// A result is the same one after lines were added above it, and leads the way from main
// by files of the repository alone.
func TestSARIFHoldsOverLineShifts(t *testing.T) {
	prints := func(r *check.Result) []string {
		var out []string
		for _, it := range items(r, 0) {
			s := result(&it, 0)
			out = append(out, s.Fingerprints[fingerprint], s.Fingerprints[lineFingerprint])
		}
		return out
	}
	before, moved := slow(), slow()
	for i := range moved.Functions {
		moved.Functions[i].Line += 17
		moved.Functions[i].Callers[0].Line++
	}
	for i := range moved.Findings {
		moved.Findings[i].Place.Line += 17
	}
	a, b := prints(before), prints(moved)
	seen := map[string]bool{}
	for i := range a {
		if a[i] != b[i] || seen[a[i]] {
			t.Errorf("%s became %s, or is there twice", a[i], b[i])
		}
		seen[a[i]] = true
	}
	first := items(before, 1)[0]
	steps := result(&first, 0).Flows[0].Threads[0].Steps
	if len(steps) != 2 || steps[0].Location.Physical.Artifact.URI != "src/main.c" || steps[1].Location.Physical.Artifact.URI != "src/split%20line.c" {
		t.Errorf("%+v", steps)
	}
}

// A comment is a screen, begins with what it is found by, and texts of others stay text.
func TestMarkdownIsAScreen(t *testing.T) {
	var out bytes.Buffer
	r := slow()
	r.Commands[0].OutputDiffers = "line 2 of standard output"
	if err := Markdown(&out, r); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.HasPrefix(text, Marker+"\n### whyhot: slower, +6.0% (+5.1 to +6.9)\n") {
		t.Errorf("begins with %.120q", text)
	}
	if n := strings.Count(text, "\n"); n > 45 {
		t.Errorf("%d lines:\n%s", n, text)
	}
	for _, want := range []string{
		"| `` split`line` `` |", "`parse \\| all`", "````diff\n--- a/x", "whyhot check --base origin/main -- ./bench 'a b'", "3.2 CPU minutes", "29 more in the log",
		"hot in production: 3.1% of web", "std::vector<int>::push_back",
		"\n**The output differs from the base's**, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("misses %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "| `main` |") {
		t.Error("more than three functions")
	}
}

// GitLab's report is a list, also of nothing; JUnit fails what is slower and skips what is
// undecided.
func TestGitLabAndJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := GitLab(&out, slow(), DefaultResults); err != nil {
		t.Fatal(err)
	}
	var issues []map[string]any
	if err := json.Unmarshal(out.Bytes(), &issues); err != nil || len(issues) != 10 {
		t.Fatalf("%d issues, %v", len(issues), err)
	}
	if issues[0]["severity"] != "major" || issues[0]["fingerprint"] == "" || issues[0]["location"].(map[string]any)["path"] != "src/split line.c" {
		t.Errorf("%v", issues[0])
	}
	out.Reset()
	if err := GitLab(&out, &check.Result{Verdict: check.Identical}, 0); err != nil || strings.TrimSpace(out.String()) != "[]" {
		t.Errorf("%q %v", out.String(), err)
	}
	out.Reset()
	if err := JUnit(&out, slow()); err != nil {
		t.Fatal(err)
	}
	var s suites
	if err := xml.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Suite.Tests != 3 || s.Suite.Failures != 1 || s.Suite.Skipped != 1 || s.Suite.Cases[0].Failure == nil || s.Suite.Cases[0].Failure.Message != "slower <b>" ||
		s.Suite.Cases[1].Failure != nil || s.Suite.Cases[2].Skipped == nil {
		t.Errorf("%+v", s.Suite)
	}
}
