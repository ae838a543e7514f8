package referee

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial/rebuild/cache"
)

// Terms are how a change is judged.
type Terms struct {
	Build    string   // a command for the shell, "" where nothing is built
	Test     string   // a command for the shell that fails where the program is wrong
	Workload string   // what is measured, a command line
	Heldout  []string // workloads that the author of the change does not know
	// Harness are patterns (path.Match; DIR/** for all below) of the files that measure
	// or test: both sides have the baseline's.
	Harness []string
	// Products are files that the workload writes.
	Products []string
	// Preload and Env are a setting that is tried in place of the tree's change, which
	// then is on neither side.
	Preload, Env []string
	// WhatIf is a finding that a build is measured as if it were fixed, also in place of
	// the tree's change; BuildDir has its compile_commands.json, from the root.
	WhatIf, BuildDir string
	Budget           time.Duration // of each measurement
	Rounds           int           // exactly so many, 0 for as many as it takes
	Seed             *uint64
	// Private is a directory of the referee's own: builds and temporary files.
	Private string
	// Layouts is how many layouts of the code decide on a small difference.
	Layouts int
}

func (t *Terms) check() error {
	switch {
	case strings.TrimSpace(t.Workload) == "":
		return errors.New("no workload: say which command is measured")
	case t.Private == "":
		return errors.New("a referee needs a directory of its own")
	}
	for _, p := range t.Harness {
		if _, err := path.Match(strings.TrimSuffix(p, "/**"), ""); err != nil {
			return errors.New("harness: invalid pattern " + p)
		}
	}
	return nil
}

// setting says that a setting is tried.
func (t *Terms) setting() bool { return len(t.Preload)+len(t.Env) > 0 || t.WhatIf != "" }

// measures says whether a file is part of what measures: one that a pattern names, the
// configuration that names them, and inputs that command lines name.
func (t *Terms) measures(root, file string) bool {
	if file == ConfigName || slices.ContainsFunc(t.Harness, func(p string) bool { return matches(p, file) }) {
		return true
	}
	for _, line := range append([]string{t.Workload}, t.Heldout...) {
		if slices.Contains(named(root, line, true), file) {
			return true
		}
	}
	return slices.Contains(named(root, t.Test, false), file)
}

// ConfigName is the file of a tree that says what may be run and what measures.
const ConfigName = ".whyhot.yaml"

func matches(pattern, file string) bool {
	if dir, all := strings.CutSuffix(pattern, "/**"); all {
		return strings.HasPrefix(file, dir+"/")
	}
	ok, err := path.Match(pattern, file)
	return ok && err == nil
}

// named are the files of a tree that a command line names. The program itself, or the
// first file behind an interpreter of the system, is what is changed, not what measures.
func named(root, line string, program bool) []string {
	words, err := shellwords.Split(line)
	if err != nil {
		return nil
	}
	var out []string
	for _, w := range words {
		if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
			w = value
		}
		rel := filepath.Clean(w)
		if filepath.IsAbs(w) {
			if rel, err = filepath.Rel(root, w); err != nil {
				continue
			}
		}
		if !filepath.IsLocal(rel) {
			continue
		}
		info, err := os.Stat(filepath.Join(root, rel))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		out = append(out, filepath.ToSlash(rel))
	}
	if program && len(out) > 0 && (filepath.Clean(words[0]) == out[0] || interpreter.MatchString(filepath.Base(words[0]))) {
		out = out[1:]
	}
	return out
}

// interpreter matches programs whose first file is the program that is changed.
var interpreter = regexp.MustCompile(`^(python|pypy|perl|node|deno|bun|ruby|php|lua|luajit|java|Rscript|guile|tclsh|awk|gawk|mawk|bash|dash|sh)[0-9.]*$`)

// builds is where builds are kept between measurements.
func (t *Terms) builds() *cache.Cache {
	const most = 4 << 30
	return cache.In(filepath.Join(t.Private, "builds"), most)
}
