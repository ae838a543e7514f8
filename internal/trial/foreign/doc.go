// Package foreign reads results that other tools measured: the JSON of Google
// Benchmark (--benchmark_out_format=json) and of hyperfine (--export-json).
//
// It owns the two formats and takes bytes; it gives named series of values. It
// must never import another package of this module.
//
// The formats: github.com/google/benchmark, docs/user_guide.md, "Output
// Formats"; github.com/sharkdp/hyperfine, README, "Exporting results".
package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Series is what one benchmark took, one value a repetition.
type Series struct {
	Name   string
	Unit   string // "seconds", or what the tool calls a rate
	Higher bool   // more is better
	Values []float64
	// Summarized says that the file holds the median (or mean) of so many
	// repetitions only, as the one value; 0 when Values are the repetitions.
	Summarized int
}

const seconds = "seconds"

// The tools, as Results.Tool names them.
const (
	GoogleBenchmark = "Google Benchmark"
	Hyperfine       = "hyperfine"
)

// Results is one file.
type Results struct {
	Path   string
	Tool   string
	Series []Series
	Notes  []string // what the file itself says against its numbers
}

// Time is which of the times to take.
type Time string

// The times. hyperfine has CPU times as means only, so they cannot be used.
const (
	Real Time = "real"
	CPU  Time = "cpu"
)

// Read reads a file of either kind; "-" is stdin.
func Read(path string, stdin io.Reader, t Time) (*Results, error) {
	read := os.ReadFile
	if path == "-" {
		read = func(string) ([]byte, error) { return io.ReadAll(stdin) }
	}
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	r, err := Parse(data, t)
	if err != nil {
		return nil, fmt.Errorf("reading results: %s: %w", path, err)
	}
	r.Path = path
	return r, nil
}

// Parse reads the bytes of a file.
func Parse(data []byte, t Time) (*Results, error) {
	var probe struct {
		Benchmarks *json.RawMessage `json:"benchmarks"`
		Results    *json.RawMessage `json:"results"`
	}
	if err := json.Unmarshal(data, &probe); err != nil {
		return nil, jsonError(data, err)
	}
	var r *Results
	var err error
	switch {
	case probe.Benchmarks != nil:
		r, err = parseGoogle(data, t)
	case probe.Results != nil:
		r, err = parseHyperfine(data, t)
	default:
		return nil, errors.New("neither the JSON of Google Benchmark (it would have \"benchmarks\") nor of hyperfine (it would have \"results\")")
	}
	if err != nil {
		return nil, err
	}
	if len(r.Series) == 0 {
		return nil, errors.New(r.Tool + " measured nothing: no benchmark in the file has a time")
	}
	return r, nil
}

func jsonError(data []byte, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + strings.Count(string(data[:min(int(syntax.Offset), len(data))]), "\n")
		return fmt.Errorf("not JSON: line %d: %w", line, err)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("byte %d: %s cannot be %s", kind.Offset, kind.Field, kind.Value)
	}
	return err
}
