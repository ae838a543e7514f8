package count

import (
	_ "embed" // the counter is a file of its own
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/profile"
)

// pythonCounter counts calls inside of Python. The interpreter imports it at start by the
// name sitecustomize, and it imports the one that it stands before.
//
//go:embed sitecustomize.py
var pythonCounter []byte

const (
	pythonWanted = "WHYHOT_COUNT_FUNCTIONS" // a file
	pythonGiven  = "WHYHOT_COUNT_RESULTS"   // a directory
)

// python prepares the counting of Python's functions; env is nil where there are none.
func python(dir string, functions []Function) (env []string, results string, err error) {
	type wanted struct {
		Name string `json:"name"`
		File string `json:"file"`
	}
	var list []wanted
	for _, f := range functions {
		if f.Symbol == "" && f.File != "" {
			list = append(list, wanted{f.Name, f.File})
		}
	}
	if len(list) == 0 {
		return nil, "", nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, "", fmt.Errorf("naming functions: %w", err)
	}
	results = filepath.Join(dir, "counted")
	names, module := filepath.Join(dir, "functions.json"), filepath.Join(dir, "module")
	for _, d := range []string{results, module} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, "", fmt.Errorf("making a directory for the run: %w", err)
		}
	}
	for file, content := range map[string][]byte{names: text, filepath.Join(module, "sitecustomize.py"): pythonCounter} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, "", fmt.Errorf("preparing the run: %w", err)
		}
	}
	path := module
	if old := os.Getenv("PYTHONPATH"); old != "" {
		path += string(os.PathListSeparator) + old
	}
	return append(os.Environ(), "PYTHONPATH="+path, pythonWanted+"="+names, pythonGiven+"="+results), results, nil
}

// pythonCounted is what one process counted.
type pythonCounted struct {
	Way       string                  `json:"way"`
	Functions []profile.FunctionCalls `json:"functions"`
}

// readPython sums what all processes counted: different arguments are those of the process
// with most calls, as hashes of two processes do not compare.
func readPython(dir string) (out []profile.FunctionCalls, way string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, "", fmt.Errorf("looking for results: %w", err)
	}
	type key struct{ name, file string }
	sums, most := map[key]*profile.FunctionCalls{}, map[key]uint64{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, "", fmt.Errorf("reading what was counted: %w", err)
		}
		var counted pythonCounted
		if err := json.Unmarshal(text, &counted); err != nil {
			return nil, "", fmt.Errorf("reading what was counted in Python: %w", err)
		}
		way = counted.Way
		for _, c := range counted.Functions {
			k := key{c.Name, c.File}
			if sums[k] == nil {
				sums[k] = &profile.FunctionCalls{Name: c.Name, File: c.File}
			}
			sums[k].Count += c.Count
			if c.Count > most[k] {
				most[k], sums[k].Different = c.Count, c.Different
			}
		}
	}
	for _, c := range sums {
		out = append(out, *c)
	}
	return out, strings.TrimSpace(way), nil
}
