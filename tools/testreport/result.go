package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Outcomes of a test, as `go test -json` names them.
const (
	pass = "pass"
	fail = "fail"
	skip = "skip"
)

// result is what became of one test. A package that failed without a test, for
// example because it does not compile, is a result without a name.
type result struct {
	Suite   string  `json:"suite"`
	Test    string  `json:"test"`
	Outcome string  `json:"outcome"`
	Seconds float64 `json:"seconds"`
	Reason  string  `json:"reason,omitempty"` // what a skipped test said
	// FailedAtFirst: it passed only when its package was run again.
	FailedAtFirst bool `json:"failed_at_first,omitempty"`
}

func (r result) String() string {
	if r.Test == "" {
		return r.Suite
	}
	return r.Suite + " " + r.Test
}

// writeResults leaves no half of a file: the summary reads whole ones only.
func writeResults(path string, results []result) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // renamed by then
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, r := range results {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func readResults(path string) ([]result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []result
	for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
		var r result
		if err := dec.Decode(&r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, r)
	}
	return out, nil
}
