package userrule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
)

const good = `matchers:
  - id: regex-in-loop
    message: a std::regex is compiled in every iteration
    matcher: |
      forStmt(hasDescendant(varDecl(hasName("slow")).bind("first"))).bind("loop")
    fix: ["move it out of the loop"]
    fixtures:
      - code: |
          void f(int n) {
            for (int i = 0; i < n; ++i) { // match
              int slow = i; (void)slow;
            }
            for (int i = 0; i < n; ++i) {
              int quick = i; (void)quick;
            }
          }
`

func TestParse(t *testing.T) {
	for _, tc := range []struct{ name, yaml, want string }{
		{"good", good, ""},
		{"another kind of file", "entries: []\n", ""},
		{"no matcher", "matchers:\n  - id: a\n    message: m\n", "no matcher"},
		{"no message", "matchers:\n  - id: a\n    matcher: stmt()\n", "no message"},
		{"own name", "matchers:\n  - id: alias-x\n    message: m\n    matcher: stmt()\n", "choose another"},
		{"bad id", "matchers:\n  - id: A b\n    message: m\n    matcher: stmt()\n", "lower-case letters"},
		{"unknown field", "matchers:\n  - id: a\n    massage: m\n", "massage"},
		{"bad language", "matchers:\n  - id: a\n    message: m\n    matcher: stmt()\n    fixtures: [{lang: rust, code: x}]\n", "not \"rust\""},
		{"no yaml", "matchers: [", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse([]byte(tc.yaml))
			if tc.name == "no yaml" {
				if err == nil {
					t.Fatal("no error")
				}
				return
			}
			if (err == nil) != (tc.want == "") || (err != nil && !strings.Contains(err.Error(), tc.want)) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLoad(t *testing.T) {
	dir := write(t, "r.yaml", good)
	rules, err := Load([]string{dir})
	if err != nil || len(rules) != 1 || rules[0].ID != "regex-in-loop" {
		t.Fatalf("got %v, %v", rules, err)
	}
	if _, err := Load([]string{dir, write(t, "s.yml", good)}); err == nil || !strings.Contains(err.Error(), "is also in") {
		t.Errorf("a rule twice: %v", err)
	}
	if rules, err := Load([]string{t.TempDir()}); err != nil || len(rules) > 0 {
		t.Errorf("an empty directory: %v, %v", rules, err)
	}
}

func TestCheck(t *testing.T) {
	binary := analyzertest.Path(t)
	for _, tc := range []struct{ name, old, replacement, want string }{
		{"right", "", "", ""},
		{"does not match", "slow = i; (void)slow", "other = i; (void)other", "does not match"},
		{"matches too much", "quick", "slow", "line 5 matches and should not"},
		{"no matcher expression", "hasDescendant(", "hasDescendent(", "hasDescendent"},
		{"does not compile", "int n", "intt n", "does not compile"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rules, err := Parse([]byte(strings.ReplaceAll(good, tc.old, tc.replacement)))
			if tc.old == "" {
				rules, err = Parse([]byte(good))
			}
			if err != nil {
				t.Fatal(err)
			}
			err = Check(t.Context(), binary, rules)
			if (err == nil) != (tc.want == "") || (err != nil && !strings.Contains(err.Error(), tc.want)) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
		})
	}
}
