package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestPatternsTried(t *testing.T) {
	checkAll(t, map[string]written{
		"a table of Python": {"/me/a.py", `
def classify(line):
    for rule, name in RULES:
        m = rule.search(line)  @1
        if m:
            return name
for l in LINES:
    show(classify(l))  @3
`, "classify@1 pattern_search", "classify@3", profile.KindPython, RuleTried, "@1 on each"},
		"of Go": {"/me/a.go", `
func classify(line string) string {
	for _, rule := range rules {
		if rule.re.MatchString(line) {  @1
			return rule.name
		}
	}
	show(line)  @3
	return ""
}
`, "classify@1 regexp.(*Regexp).MatchString", "classify@3", profile.KindGo, RuleTried, "@1 on each"},
		"written down": {"/me/a.js", `
function classify(line) {
  if (LOGIN.test(line)) return 'login';  @2
  if (LOGOUT.test(line)) return 'logout';
  if (FAILED.test(line)) return 'failed';  @1
  if (OPENED.test(line)) return 'opened';
  if (CLOSED.test(line)) return 'closed';
  show(line);  @3
}
`, "classify@1 RegExp.test", "classify@3", profile.KindJS, RuleTried, "@2 on each"},
		"one for each line": {"/me/a.py", `
def classify(lines):
    for line in lines:
        m = RULE.search(line)  @1
        if m:
            break
        show(line)  @3
`, "classify@1 pattern_search", "classify@3", profile.KindPython, "", ""},
		"all that fit": {"/me/a.py", `
def classify(line):
    for rule, name in RULES:
        m = rule.search(line)  @1
        add(m, name)
    show(line)  @3
`, "classify@1 pattern_search", "classify@3", profile.KindPython, "", ""},
	})
}
