package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// linked is a module that a program has in it.
type linked struct {
	path, version string
	licences      []string // by their SPDX names
	texts         []string // files of licences and notices
}

// What is passed on has to come with the texts of its licences: "licences" of a program
// is where they are gathered.
func (r *release) licences(p *program) string {
	return filepath.Join(r.work, "licences", p.arch+"-"+p.name+".txt")
}

// readLicences finds out what is linked into each program, under which licences, and
// gathers their texts.
func (r *release) readLicences(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(r.work, "licences"), 0o755); err != nil {
		return err
	}
	known := map[string]*linked{}
	for _, p := range r.programs {
		if strings.HasPrefix(p.name, "whyhot-analyzer") || strings.HasSuffix(p.name, ".so") {
			continue
		}
		list := exec.CommandContext(ctx, "go", "list", "-deps", "-tags="+p.tags(),
			"-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}", "./cmd/"+p.name)
		list.Dir, list.Env = r.root, p.environment()
		out, err := list.Output()
		if err != nil {
			return fmt.Errorf("go list for %s: %w", p.name, describe(err))
		}
		goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
		if err != nil {
			return fmt.Errorf("go env: %w", describe(err))
		}
		lines := []string{"std\t" + strings.TrimPrefix(runtime.Version(), "go") + "\t" + strings.TrimSpace(string(goroot))}
		for line := range strings.Lines(string(out)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "whyhot\t") {
				lines = append(lines, line)
			}
		}
		slices.Sort(lines)
		for _, line := range slices.Compact(lines) {
			fields := strings.Split(line, "\t")
			if known[line] == nil {
				if known[line], err = readModule(fields[0], fields[1], fields[2]); err != nil {
					return err
				}
			}
			p.modules = append(p.modules, known[line])
		}
		if err := r.gather(p); err != nil {
			return err
		}
	}
	return nil
}

var textsOfLicences = []string{"LICENSE", "LICENCE", "COPYING", "UNLICENSE", "NOTICE", "PATENTS"}

func readModule(path, version, dir string) (*linked, error) {
	m := &linked{path: path, version: version}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !slices.ContainsFunc(textsOfLicences, func(s string) bool { return strings.HasPrefix(name, s) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		m.texts = append(m.texts, filepath.Join(dir, e.Name()))
		for _, match := range licensecheck.Scan(text).Match {
			m.licences = append(m.licences, match.ID)
		}
	}
	if len(m.texts) == 0 {
		return nil, fmt.Errorf("%s %s: no licence in %s", path, version, dir)
	}
	slices.Sort(m.licences)
	m.licences = slices.Compact(m.licences)
	return m, nil
}

func (r *release) gather(p *program) error {
	var b strings.Builder
	fmt.Fprintf(&b, "What is linked into %s, and the texts of its licences.\n", p.name)
	for _, m := range p.modules {
		for _, path := range m.texts {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n==== %s %s: %s\n\n%s\n", m.path, m.version, filepath.Base(path), strings.TrimSpace(string(text)))
		}
	}
	return os.WriteFile(r.licences(p), []byte(b.String()), 0o600)
}
