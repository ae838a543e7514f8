package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// event is a line of `go test -json`, see `go doc test2json`; the build-…
// actions are those of `go help buildjson`.
type event struct {
	Action  string  `json:"Action"`
	Package string  `json:"Package"`
	Test    string  `json:"Test"`
	Elapsed float64 `json:"Elapsed"`
	Output  string  `json:"Output"`
}

// runner keeps what every unfinished test has said, since it matters only if the
// test fails or is skipped.
type runner struct {
	out     io.Writer
	said    map[string]map[string]*strings.Builder // by package and test
	results []result
	failed  bool
}

// readGo shows a run as `go test` does without -v, and returns each test's result.
func readGo(in io.Reader, out io.Writer) (results []result, failed bool, err error) {
	r := &runner{out: out, said: map[string]map[string]*strings.Builder{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			if err := r.line(line); err != nil {
				return nil, false, err
			}
		}
		if errors.Is(err, io.EOF) {
			return r.results, r.failed, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

func (r *runner) line(line string) error {
	var e event
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil {
		return r.show(line) // what the go command itself says
	}
	switch e.Action {
	case "output":
		if e.Test == "" {
			return r.packageLine(e.Output)
		}
		fmt.Fprint(r.keep(e.Package, e.Test), e.Output)
	case "build-output":
		return r.show(e.Output)
	case pass, fail, skip:
		return r.end(e)
	}
	return nil
}

func (r *runner) show(text string) error {
	_, err := io.WriteString(r.out, text)
	return err
}

// packageLine shows a line of a package as a whole, but for those that -v alone adds.
func (r *runner) packageLine(line string) error {
	if line == "PASS\n" || strings.HasPrefix(line, "testing: warning: no tests to run") {
		return nil
	}
	return r.show(line)
}

func (r *runner) keep(pkg, test string) *strings.Builder {
	tests := r.said[pkg]
	if tests == nil {
		tests = map[string]*strings.Builder{}
		r.said[pkg] = tests
	}
	if tests[test] == nil {
		tests[test] = &strings.Builder{}
	}
	return tests[test]
}

func (r *runner) end(e event) error {
	if e.Test == "" {
		return r.endPackage(e)
	}
	said := r.keep(e.Package, e.Test).String()
	delete(r.said[e.Package], e.Test)
	res := result{Suite: e.Package, Test: e.Test, Outcome: e.Action, Seconds: e.Elapsed}
	if e.Action == skip {
		res.Reason = reason(said)
	}
	r.results = append(r.results, res)
	if e.Action == fail {
		r.failed = true
		return r.show(said)
	}
	return nil
}

// endPackage shows what tests said that never ended, as after a panic.
func (r *runner) endPackage(e event) error {
	unfinished := r.said[e.Package]
	delete(r.said, e.Package)
	if e.Action != fail {
		return nil
	}
	r.failed = true
	known := false
	for _, res := range r.results {
		known = known || res.Suite == e.Package && res.Outcome == fail
	}
	if !known {
		r.results = append(r.results, result{Suite: e.Package, Outcome: fail, Seconds: e.Elapsed})
	}
	for _, said := range unfinished {
		if err := r.show(said.String()); err != nil {
			return err
		}
	}
	return nil
}

// What `go test -v` adds to a test's own words.
var (
	frame    = regexp.MustCompile(`^\s*(=== |--- )`)
	position = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)
	// skipLine is the command of a testscript that ends it; its whole log stands before.
	skipLine = regexp.MustCompile(`^\s*> (?:\[.*\] )?skip '?(.*?)'?\n?$`)
)

// reason is the last that a skipped test logged, in one line.
func reason(said string) string {
	var words []string
	for line := range strings.Lines(said) {
		if frame.MatchString(line) {
			continue
		}
		if m := skipLine.FindStringSubmatch(line); m != nil {
			return m[1]
		}
		if position.MatchString(line) {
			words = words[:0]
			line = position.ReplaceAllString(line, "")
		}
		words = append(words, strings.Fields(line)...)
	}
	return strings.Join(words, " ")
}
