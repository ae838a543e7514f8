// Package inside counts calls of functions inside of interpreters, where the kernel sees
// none: how often each was called, with how many different arguments, and whether the same
// arguments gave the same result.
//
// It owns the counters, which are programs in the language that they count, and how they get
// into the interpreter: by a variable of the environment. It takes functions and gives
// numbers. Of arguments and results only hashes are kept, and only until the process ends.
// It must never import a judge or a report.
//
// A counter reads a list of functions (wanted) from the file that WHYHOT_COUNT_FUNCTIONS
// names, and takes those of its own language. When its process ends, and once a second, it
// writes what it counted (counted), with a sentence about each function that it had to leave
// alone, as PID.json into the directory that WHYHOT_COUNT_RESULTS names. It counts all calls,
// and looks at the arguments and results of the first ones of each function; when that has
// taken a second of a function, it looks at every second call only, then at every fourth, and
// so on. It leaves out functions that it has not found, or cannot count.
package inside

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// Function is one whose calls are to be counted, as profiles name it.
type Function struct {
	Name string
	File string
	Line int32 // where it begins, 0 where that is not known
	Kind profile.Kind
	// Machine is the file of the virtual machine that ran it, "" where that is not known.
	Machine string
}

const (
	namesVariable   = "WHYHOT_COUNT_FUNCTIONS" // a file
	resultsVariable = "WHYHOT_COUNT_RESULTS"   // a directory
)

// language is one whose functions can be counted.
type language struct {
	kind profile.Kind
	name string // counted.Language
	file string // the counter, in the directory of the run; "" where build makes it
	text []byte
	// beside has other files of the directory: name, text.
	beside map[string]string
	// build makes the counter of functions in a directory, or adds to it, or says why they cannot
	// be counted; nil where file and beside are all there is.
	build func(dir string, functions []Function) (notCounted string, err error)
	// variable and value make an interpreter load the counter; old is what the variable has.
	variable string
	value    func(dir, old string) string
	// more are other variables that it takes, "NAME=value".
	more func(dir string) []string
	// silent are the reasons why an interpreter may not have counted.
	silent string
}

var languages = []*language{&python, &ruby, &node, &perl, &php, &java}

// Counts says whether functions of a kind can be counted.
func Counts(k profile.Kind) bool {
	return slices.ContainsFunc(languages, func(l *language) bool { return l.kind == k })
}

// Run is a run in which functions are counted.
type Run struct {
	// Environment has what the command needs, nil where nothing is counted.
	Environment []string
	results     string
	languages   []*language
	wanted      []wanted
	notCounted  []string
}

// wanted is a function in the list for a counter.
type wanted struct {
	Language string `json:"language"`
	Name     string `json:"name"`
	File     string `json:"file"`
	Line     int32  `json:"line,omitempty"`
}

// Prepare puts the counters into a private directory.
func Prepare(dir string, functions []Function) (*Run, error) {
	run := &Run{results: filepath.Join(dir, "counted")}
	list := []wanted{}
	for _, l := range languages {
		of := slices.DeleteFunc(slices.Clone(functions), func(f Function) bool { return f.Kind != l.kind })
		if len(of) == 0 {
			continue
		}
		notCounted, err := l.prepare(filepath.Join(dir, l.name), of)
		if err != nil {
			return nil, err
		}
		if notCounted != "" {
			run.notCounted = append(run.notCounted, notCounted)
			continue
		}
		run.languages = append(run.languages, l)
		for _, f := range of {
			list = append(list, wanted{l.name, f.Name, f.File, f.Line})
		}
	}
	if len(list) == 0 {
		return run, nil
	}
	run.wanted = list
	text, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("naming functions: %w", err)
	}
	if err := os.Mkdir(run.results, 0o700); err != nil {
		return nil, fmt.Errorf("making a directory for the run: %w", err)
	}
	names := filepath.Join(dir, "functions.json")
	if err := os.WriteFile(names, text, 0o600); err != nil {
		return nil, fmt.Errorf("preparing the run: %w", err)
	}
	run.Environment = append(os.Environ(), namesVariable+"="+names, resultsVariable+"="+run.results)
	for _, l := range run.languages {
		run.Environment = append(run.Environment, l.variable+"="+l.value(filepath.Join(dir, l.name), os.Getenv(l.variable)))
		if l.more != nil {
			run.Environment = append(run.Environment, l.more(filepath.Join(dir, l.name))...)
		}
	}
	return run, nil
}

// prepare puts the counter into a directory of its own, or says why it cannot count.
func (l *language) prepare(dir string, functions []Function) (notCounted string, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("making a directory for the run: %w", err)
	}
	if l.file != "" {
		if err := os.WriteFile(filepath.Join(dir, l.file), l.text, 0o600); err != nil {
			return "", fmt.Errorf("preparing the run: %w", err)
		}
	}
	for name, text := range l.beside {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("preparing the run: %w", err)
		}
	}
	if l.build == nil {
		return "", nil
	}
	return l.build(dir, functions)
}

// counted is what one process counted.
type counted struct {
	Language  string                  `json:"language"`
	Way       string                  `json:"way"`
	Functions []profile.FunctionCalls `json:"functions"`
	// NotCounted are sentences of which functions the counter left alone.
	NotCounted []string `json:"not_counted"`
}

// Result is what all processes counted.
type Result struct {
	Functions  []profile.FunctionCalls
	NotCounted []string // why not, a sentence each
	Ways       []string // how, where a language has more ways than one
}

// Read sums what all processes counted. What was looked at is that of the process with most
// calls of the function: hashes of two processes do not compare.
func (r *Run) Read() (*Result, error) {
	out := &Result{NotCounted: slices.Clone(r.notCounted)}
	if len(r.languages) == 0 {
		return out, nil
	}
	files, err := filepath.Glob(filepath.Join(r.results, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("looking for results: %w", err)
	}
	type key struct {
		name, file string
		line       int32
	}
	sums, most := map[key]*profile.FunctionCalls{}, map[key]uint64{}
	var order []key
	heard := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading what was counted: %w", err)
		}
		var c counted
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("reading what was counted in %s: %w", filepath.Base(file), err)
		}
		heard[c.Language] = true
		if c.Way != "" && !slices.Contains(out.Ways, c.Way) {
			out.Ways = append(out.Ways, c.Way)
		}
		for _, why := range c.NotCounted {
			if !slices.Contains(out.NotCounted, why) {
				out.NotCounted = append(out.NotCounted, why)
			}
		}
		for _, f := range c.Functions {
			k := key{f.Name, f.File, f.Line}
			if sums[k] == nil {
				sums[k] = &profile.FunctionCalls{Name: f.Name, File: f.File, Line: f.Line}
				order = append(order, k)
			}
			all := sums[k].Count + f.Count
			if f.Count > most[k] {
				most[k] = f.Count
				*sums[k] = f
			}
			sums[k].Count = all
		}
	}
	for _, k := range order {
		out.Functions = append(out.Functions, *sums[k])
	}
	for _, l := range r.languages {
		if !heard[l.name] {
			out.NotCounted = append(out.NotCounted, l.silent)
		}
	}
	var missing []string
	for _, w := range r.wanted {
		known := slices.ContainsFunc(out.NotCounted, func(why string) bool { return strings.HasPrefix(why, w.Name+": ") })
		if heard[w.Language] && !known && sums[key{w.Name, w.File, w.Line}] == nil && sums[key{w.Name, w.File, 0}] == nil {
			missing = append(missing, w.Name)
		}
	}
	if len(missing) > 0 {
		out.NotCounted = append(out.NotCounted, strings.Join(missing, ", ")+": no such function was loaded that can be counted")
	}
	return out, nil
}
