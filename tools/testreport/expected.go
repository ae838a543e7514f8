package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

// expectation is a test that may be skipped for a reason. A star in Test or Says
// stands for anything.
type expectation struct {
	Test string `yaml:"test"` // "PACKAGE TEST"
	Says string `yaml:"says"` // what it gives as the reason: for another one it may not be skipped
	Why  string `yaml:"why"`  // why that is all right
}

func readExpected(path string) ([]expectation, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []expectation
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, e := range list {
		if e.Test == "" || e.Says == "" || e.Why == "" {
			return nil, fmt.Errorf("%s: entry %d (%q) lacks test, says or why", path, i+1, e.Test)
		}
	}
	if len(list) == 0 {
		return nil, errors.New(path + " is empty")
	}
	return list, nil
}

// match returns the expectation that covers a skipped test, or nil.
func match(list []expectation, r result) *expectation {
	for i, e := range list {
		if glob(e.Test, r.String()) && glob(e.Says, r.Reason) {
			return &list[i]
		}
	}
	return nil
}

// glob is path.Match without its respect for slashes, which names of tests have.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	ok, err := regexp.MatchString("^(?s:"+strings.Join(parts, ".*")+")$", text)
	return err == nil && ok
}
