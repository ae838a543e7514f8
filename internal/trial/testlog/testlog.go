// Package testlog names the tests that failed, from what a test run wrote.
//
// It owns the forms in which test runners name them. It takes the text and gives
// names; where it knows no form, none. It runs nothing and imports no other
// package of this module.
package testlog

import (
	"regexp"
	"slices"
	"strings"
)

// forms are the lines in which runners name a failed test; the first group that
// matched is the name.
var forms = []*regexp.Regexp{
	regexp.MustCompile(`^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Not Run|Subprocess aborted|Child aborted|ILLEGAL|BUS_ERROR|Exception: \w+|[A-Z_ ]+)\)`), // CTest's summary
	regexp.MustCompile(`^\s*\d+/\d+ Test +#\d+: (\S+) .*\*\*\*`),             // CTest
	regexp.MustCompile(`^\[  FAILED  \] ([\w/.:<>]+\.[\w/.:<>]+)`),           // GoogleTest
	regexp.MustCompile(`^\s*--- FAIL: (\S+)`),                                // go test
	regexp.MustCompile(`^(?:FAIL|ERROR|XPASS): (\S.*?)\s*$`),                 // automake, dejagnu, unittest
	regexp.MustCompile(`^(?:FAILED|ERROR) (\S+::\S+|\S+\.py)`),               // pytest
	regexp.MustCompile(`^\s*\d+/\d+ (\S.*?)\s+(?:FAIL|TIMEOUT|ERROR)\b`),     // Meson
	regexp.MustCompile(`^test (\S+) \.\.\. FAILED`),                          // cargo
	regexp.MustCompile(`^not ok (?:\d+)?\s*-?\s*((?:[^#\s]|#\w|\s[^#\s])+)`), // TAP
	regexp.MustCompile(`^(\S+\.t) +\(Wstat: [1-9]`),                          // prove
	regexp.MustCompile(`^\S+\(\d+\): (?:fatal )?error: in "([^"]+)"`),        // Boost.Test
	regexp.MustCompile(`^TEST CASE:  (.+?)\s*$`),                             // doctest, which prints those that fail
	regexp.MustCompile(`^\[ERROR\] {3}?([\w.]+[.:#]\w+)(?::\d+)? `),          // Maven
	regexp.MustCompile(`^\s+✕ (.+?)(?: \(\d+ ms\))?$`),                       // Jest
}

// catch2 is the rule under a name: the name stands between two of them.
var catch2 = regexp.MustCompile(`^-{60,}$`)

// Failed are the names of the tests that failed, each once, in the order of the
// text.
func Failed(text string) []string {
	var out []string
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	name := "" // of the test case of Catch2 that the text is in
	for i, line := range lines {
		for _, re := range forms {
			if m := re.FindStringSubmatch(line); m != nil {
				add(m[1])
				break
			}
		}
		switch {
		case catch2.MatchString(line) && slices.ContainsFunc(lines[min(i+2, len(lines)):min(i+6, len(lines))], catch2.MatchString):
			name = strings.TrimSpace(lines[i+1]) // sections follow on lines of their own
		case strings.HasSuffix(line, ": FAILED:"):
			add(name)
		}
	}
	return out
}
