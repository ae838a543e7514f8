package main

import (
	"bufio"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
)

// point is a test's line in the Test Anything Protocol, version 13 and 14. Node
// indents the tests of a suite.
var point = regexp.MustCompile(`^\s*(not )?ok \d+(?: - )?(.*)$`)

// directive ends a test's line: "# SKIP why" or "# TODO why".
var directive = regexp.MustCompile(`(?i) # (skip|todo)\b[: ]*(.*)$`)

// readTAP returns the results of a TAP stream. A test that is to be done counts
// as skipped, whatever came of it, as the protocol says that it must not fail a run.
func readTAP(in io.Reader, suite string) ([]result, error) {
	var out []result
	begun := false
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := lines.Text()
		begun = begun || strings.HasPrefix(line, "TAP version ")
		m := point.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		r := result{Suite: suite, Test: m[2], Outcome: pass}
		if path.Base(r.Test) == path.Base(suite) { // the file as a whole, which Node names where it failed
			r.Test = ""
		}
		if m[1] != "" {
			r.Outcome = fail
		}
		if d := directive.FindStringSubmatch(r.Test); d != nil {
			r.Test = strings.TrimSuffix(r.Test, d[0])
			r.Outcome, r.Reason = skip, d[2]
		}
		out = append(out, r)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if !begun {
		return nil, errors.New(suite + ": no TAP stream: it does not begin with \"TAP version\"")
	}
	return out, nil
}
