package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// pages are what the programs write about themselves, and the texts beside them.
type pages struct {
	// by the name of the program that they are about
	man, completions map[string][]file
	rules            []file
	deploy           []file // for containers and clusters
}

// file is one file of a package, or of an archive.
type file struct {
	from   string
	to     string // in the file system
	mode   os.FileMode
	config bool // people change it, and keep their change
}

// writePages asks the programs of this machine for what they say of themselves.
func (r *release) writePages(ctx context.Context) error {
	r.pages = pages{man: map[string][]file{}, completions: map[string][]file{}}
	for _, name := range []string{"whyhot", "whyhot-server"} {
		p := r.program(name, runtime.GOARCH)
		if p == nil {
			continue
		}
		if err := r.writeMan(ctx, p); err != nil {
			return err
		}
		if err := r.writeCompletions(ctx, p); err != nil {
			return err
		}
	}
	dir := filepath.Join(r.work, "pages", "rules")
	if err := r.ask(ctx, r.program("whyhot", runtime.GOARCH), "rules", "pages", dir); err != nil {
		return err
	}
	return each(dir, func(name string) error {
		r.pages.rules = append(r.pages.rules, file{filepath.Join(dir, name), "/usr/share/doc/whyhot/rules/" + name, 0o644, false})
		return nil
	})
}

func (r *release) writeMan(ctx context.Context, p *program) error {
	dir := filepath.Join(r.work, "pages", "man", p.name)
	if err := r.ask(ctx, p, "man", dir); err != nil {
		return err
	}
	return each(dir, func(name string) error {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		packed, err := compress(text)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, name+".gz")
		r.pages.man[p.name] = append(r.pages.man[p.name], file{path, "/usr/share/man/man1/" + name + ".gz", 0o644, false})
		return os.WriteFile(path, packed, 0o600)
	})
}

// shells are those that have completions, with the place of a program's.
var shells = map[string]string{
	"bash": "/usr/share/bash-completion/completions/%s",
	"zsh":  "/usr/share/zsh/vendor-completions/_%s",
	"fish": "/usr/share/fish/vendor_completions.d/%s.fish",
}

func (r *release) writeCompletions(ctx context.Context, p *program) error {
	for _, shell := range []string{"bash", "fish", "zsh"} {
		out, err := exec.CommandContext(ctx, p.path, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("%s completion %s: %w", p.name, shell, describe(err))
		}
		path := filepath.Join(r.work, "pages", p.name+"."+shell)
		if err := os.WriteFile(path, out, 0o600); err != nil {
			return err
		}
		r.pages.completions[p.name] = append(r.pages.completions[p.name], file{path, fmt.Sprintf(shells[shell], p.name), 0o644, false})
	}
	return nil
}

// ask has a program write into a directory of ours.
func (*release) ask(ctx context.Context, p *program, args ...string) error {
	if out, err := exec.CommandContext(ctx, p.path, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", p.name, strings.Join(args, " "), err, out)
	}
	return nil
}

// each calls do with the name of each file of a directory, in the order of their names.
func each(dir string, do func(name string) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := do(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// compress packs without a name and a time.
func compress(text []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w.ModTime = time.Time{}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
