package main

import (
	"fmt"
	"io"
	"slices"
)

// failedSuites writes the packages in which a test failed, one a line.
func failedSuites(out io.Writer, path string) error {
	results, err := readResults(path)
	if err != nil {
		return err
	}
	var suites []string
	for _, r := range results {
		if r.Outcome == fail && !slices.Contains(suites, r.Suite) {
			suites = append(suites, r.Suite)
		}
	}
	for _, suite := range suites {
		if _, err := fmt.Fprintln(out, suite); err != nil {
			return err
		}
	}
	return nil
}

// runAgain puts the second run of some packages in the place of the first. What failed
// in the first alone passed, and says that it did not at first; the summary lists it.
// A test that the second run does not have stays failed. For example: A failed and B
// passed, then both passed; A has failed at first.
func runAgain(firstPath, secondPath string) error {
	first, err := readResults(firstPath)
	if err != nil {
		return err
	}
	second, err := readResults(secondPath)
	if err != nil {
		return err
	}
	var merged []result
	failed := map[string]bool{}
	for _, r := range first {
		again := slices.ContainsFunc(second, func(s result) bool { return s.Suite == r.Suite })
		if !again {
			merged = append(merged, r)
			continue
		}
		if r.Outcome != fail {
			continue
		}
		failed[r.String()] = true
		if !slices.ContainsFunc(second, func(s result) bool { return s.String() == r.String() }) && r.Test != "" {
			merged = append(merged, r)
		}
	}
	for _, r := range second {
		r.FailedAtFirst = r.Outcome == pass && (failed[r.String()] || failed[r.Suite]) // the suite: it failed as a whole
		merged = append(merged, r)
	}
	if err := writeResults(firstPath, merged); err != nil {
		return err
	}
	if slices.ContainsFunc(merged, func(r result) bool { return r.Outcome == fail }) {
		return errFailed
	}
	return nil
}
