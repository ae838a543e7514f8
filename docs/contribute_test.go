package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	rulepages "whyhot/docs/rules"
	"whyhot/internal/explain"
	"whyhot/internal/host/tooltest"
)

// step is what a page of docs/contribute says to do to one file: a new one, or lines that
// go behind a line.
var step = regexp.MustCompile("(?ms)^(?:New file `([^`]+)`|In `([^`]+)`, after `([^`]+)`):\n\n```\\w+\n(.*?)^```$")

// follow does what a page says, in a copy, and gives for each file of the tree the copy.
func follow(t *testing.T, page string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, m := range step.FindAllStringSubmatch(read(t, "contribute/"+page), -1) {
		if m[1] != "" {
			files[m[1]] = m[4]
			continue
		}
		text, edited := files[m[2]]
		if !edited {
			text = read(t, filepath.Join("..", m[2]))
		}
		if strings.Count(text, m[3]+"\n") != 1 {
			t.Fatalf("%s: %s has not one line that ends in %q", page, m[2], m[3])
		}
		files[m[2]] = strings.Replace(text, m[3]+"\n", m[3]+"\n"+m[4], 1)
	}
	if len(files) == 0 {
		t.Fatalf("%s says nothing to do", page)
	}
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files[name] = at
	}
	return files
}

func TestAnEntryIsAddedAsItsPageSays(t *testing.T) {
	files := follow(t, "entry.md")
	dir := filepath.Dir(files["catalog/antipatterns/example-tokenizer.yaml"])
	rules, err := explain.LoadRules(dir)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := rules.Check(t.Context()); err != nil || done.Entries != 1 || done.Tests != 2 {
		t.Errorf("%+v, %v", done, err)
	}
}

// overlaid runs go with the files of a page in place of those of the tree, which is not
// touched.
func overlaid(t *testing.T, files map[string]string, args ...string) string {
	t.Helper()
	replaced := map[string]map[string]string{"Replace": {}}
	for name, at := range files {
		full, err := filepath.Abs(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		replaced["Replace"][full] = at
	}
	text, err := json.Marshal(replaced)
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", append([]string{args[0], "-overlay", overlay}, args[1:]...)...).CombinedOutput() //nolint:gosec // of this test
	if err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestAFormatIsAddedAsItsPageSays(t *testing.T) {
	out := overlaid(t, follow(t, "format.md"), "test", "-vet=off", "-run", "^TestTally$", "-v", "whyhot/internal/ingest")
	if !strings.Contains(out, "--- PASS: TestTally") {
		t.Error(out)
	}
}

// compiled has clang check the C++ files of a page, with the ids of the rules that have a page then.
func compiled(t *testing.T, files map[string]string, rule string) {
	t.Helper()
	page, err := os.ReadFile(files["docs/rules/"+rule+".md"])
	if err != nil || !strings.HasPrefix(string(page), "# "+rule+": ") {
		t.Fatalf("%s has no page that begins with its id: %v", rule, err)
	}
	var ids strings.Builder
	for _, id := range append(slices.Clone(rulepages.IDs()), rule) {
		ids.WriteString("\"" + id + "\",\n")
	}
	generated := t.TempDir()
	if err := os.WriteFile(filepath.Join(generated, "rule_ids.inc"), []byte(ids.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		t.Skip("compiles a C++ file")
	}
	clang := tooltest.Find(t, "clang++-19")
	if _, err := os.Stat(llvmHeaders); err != nil {
		tooltest.Missingf(t, "no headers of LLVM 19")
	}
	for name, at := range files {
		if !strings.HasPrefix(name, "analyzer/src/") || filepath.Ext(name) != ".cpp" {
			continue
		}
		copied := strings.TrimSuffix(at, strings.TrimPrefix(name, "analyzer/src/"))
		tooltest.Run(t, clang, "-fsyntax-only", "-std=c++20", "-fno-rtti", "-fno-exceptions", "-I"+copied, "-I../analyzer/src", "-I"+generated, "-isystem", llvmHeaders, at)
	}
}

const llvmHeaders = "/usr/lib/llvm-19/include"

func TestASourceRuleIsAddedAsItsPageSays(t *testing.T) {
	files := follow(t, "source-rule.md")
	overlaid(t, files, "build", "whyhot/internal/explain/source/astfinding")
	compiled(t, files, "rand-in-loop")
}

func TestAMachineRuleIsAddedAsItsPageSays(t *testing.T) {
	files := follow(t, "machine-rule.md")
	overlaid(t, files, "build", "whyhot/internal/explain/machine")
	compiled(t, files, "machine-float-division")
}
