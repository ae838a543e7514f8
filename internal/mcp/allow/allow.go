// Package allow says what an agent may have run.
//
// It owns the file .whyhot.yaml of a tree and what it allows: commands, directories,
// the network, and how a change is tried. It takes the file as it is when the server
// starts, so that nobody widens it by an edit, and answers questions. It runs nothing.
package allow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"whyhot/internal/host/shellwords"
	"whyhot/internal/host/yamldoc"
)

// Name is the file in the root.
const Name = ".whyhot.yaml"

// File is the configuration as it is written.
type File struct {
	// Commands may be recorded and measured: lines, with a last word * for any arguments.
	Commands []string `yaml:"commands"`
	// Directories beside the root may be read, and be the directory of commands.
	Directories []string `yaml:"directories"`
	Budget      string   `yaml:"budget"`  // of one measurement, such as 2m
	Network     bool     `yaml:"network"` // whyhot may ask servers and fetch debug information
	Try         Try      `yaml:"try"`
	Editor      Editor   `yaml:"editor"`
}

// Try is how a change is judged.
type Try struct {
	Build    string   `yaml:"build"`
	Test     string   `yaml:"test"`
	Workload string   `yaml:"workload"`
	Heldout  []string `yaml:"heldout"`
	Harness  []string `yaml:"harness"`
	Products []string `yaml:"products"`
	BuildDir string   `yaml:"build_dir"` // of compile_commands.json
}

const (
	usualBudget = time.Minute
	mostBudget  = time.Hour
)

// Rules are what is allowed in one root.
type Rules struct {
	Root   string // without symbolic links
	Try    Try
	Budget time.Duration

	network  bool
	patterns [][]string
	dirs     []string
	mu       sync.Mutex
	agreed   [][]string // commands that the user was asked about
}

// Load reads the rules of a root; without the file, nothing may be run.
func Load(root string) (*Rules, error) {
	full, err := filepath.Abs(root)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return nil, fmt.Errorf("--root: %w", err)
	}
	var f File
	path := filepath.Join(full, Name)
	if err := yamldoc.Read(path, &f); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return New(full, f)
}

// New makes rules of a file's content.
func New(root string, f File) (*Rules, error) {
	r := &Rules{Root: root, Try: f.Try, Budget: usualBudget, network: f.Network}
	if f.Budget != "" {
		d, err := time.ParseDuration(f.Budget)
		if err != nil || d <= 0 || d > mostBudget {
			return nil, fmt.Errorf("%s: invalid budget %q: must be a time such as 90s or 2m, at most %s", Name, f.Budget, mostBudget)
		}
		r.Budget = d
	}
	lines := f.Commands
	if f.Try.Workload != "" { // the user has written it down to be run
		lines = append(slices.Clip(lines), f.Try.Workload)
	}
	for _, line := range lines {
		words, err := shellwords.Split(line)
		if err != nil || len(words) == 0 || words[0] == "*" {
			return nil, fmt.Errorf("%s: invalid command %q: must be a command line whose first word is a program", Name, line)
		}
		r.patterns = append(r.patterns, words)
	}
	for _, dir := range f.Directories {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		full, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: directories: %w", Name, err)
		}
		r.dirs = append(r.dirs, full)
	}
	return r, nil
}

// RefusedError says what is not allowed and which line would allow it.
type RefusedError struct {
	What string
	Add  string // to the configuration
	// Command is what the user may be asked about, nil where an answer changes nothing.
	Command []string
}

func (e *RefusedError) Error() string { return e.What }

// Command says whether a command may be run.
func (r *Rules) Command(words []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.agreed, func(a []string) bool { return slices.Equal(a, words) }) ||
		slices.ContainsFunc(r.patterns, func(p []string) bool { return matches(p, words) }) {
		return nil
	}
	line := shellwords.Join(words)
	return &RefusedError{
		What: "the user's configuration does not allow this command: " + line,
		Add:  "commands:\n  - " + yamlText(line), Command: words,
	}
}

// Agree has a command allowed that the user was asked about, while the server runs.
func (r *Rules) Agree(words []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.agreed = append(r.agreed, slices.Clone(words))
}

func matches(pattern, words []string) bool {
	if last := len(pattern) - 1; pattern[last] == "*" {
		return len(words) >= last && slices.Equal(pattern[:last], words[:last])
	}
	return slices.Equal(pattern, words)
}

// Path gives a path as the file system has it, where it may be read. Relative ones
// start at the root.
func (r *Rules) Path(path string) (string, error) {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(r.Root, full)
	}
	full, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	if r.Within(full) {
		return full, nil
	}
	return "", &RefusedError{
		What: path + " is outside of the root and of the allowed directories",
		Add:  "directories:\n  - " + yamlText(filepath.Dir(full)),
	}
}

// Within says whether a path without symbolic links is in an allowed directory.
func (r *Rules) Within(full string) bool {
	return slices.ContainsFunc(append([]string{r.Root}, r.dirs...), func(dir string) bool {
		rel, err := filepath.Rel(dir, full)
		return err == nil && (rel == "." || filepath.IsLocal(rel))
	})
}

// Network says whether servers may be asked.
func (r *Rules) Network() error {
	if r.network {
		return nil
	}
	return &RefusedError{What: "the user's configuration does not allow the network", Add: "network: true"}
}

// Edited says whether the file was changed since the rules were read.
func (r *Rules) Edited(since time.Time) bool {
	info, err := os.Stat(filepath.Join(r.Root, Name))
	return err == nil && info.ModTime().After(since)
}

// yamlText writes a text so that YAML reads it as one.
func yamlText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
