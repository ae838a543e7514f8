// Package buildreport has compilers report what they do: it runs a build (or, for
// just-in-time compilers, the program) with the switches that make them write it down.
//
// It owns the switches and where they go in a command line. It takes a command and
// gives a directory with the reports. It must never read them, nor know a profile.
package buildreport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/host/environ"
	"whyhot/internal/host/shellwords"
)

// Options are the user's wishes.
type Options struct {
	Command []string
	// Dir gets the reports; it exists.
	Dir string
	// Packages are the import paths of Go that are wanted beside those that the command
	// names.
	Packages       []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the command, and fails as it does.
func Run(ctx context.Context, o Options) error {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	o.Dir = dir
	p, err := plan(o)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	cmd.Env = environ.Set(os.Environ(), p.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Stdin, o.Stdout, o.Stderr
	for _, keep := range p.keep {
		f, err := os.Create(filepath.Join(dir, keep.file))
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // what matters has been read or failed by then
		if keep.stderr {
			cmd.Stderr = f
		} else {
			cmd.Stdout = f
		}
	}
	if err := cmd.Run(); err != nil {
		for _, keep := range p.keep {
			_ = showEnd(filepath.Join(dir, keep.file), o.Stderr)
		}
		return fmt.Errorf("%s: %w", shellwords.Join(p.command), err)
	}
	return nil
}

// showEnd shows the last lines of what was kept: why it failed is among them.
func showEnd(path string, w io.Writer) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const most = 4096
	_, err = w.Write(text[max(0, len(text)-most):])
	return err
}

// planned is the command that is run in place of the user's.
type planned struct {
	command []string
	env     []string
	keep    []stream
}

// stream is an output that is the report.
type stream struct {
	file   string
	stderr bool
}

var makers = []struct {
	is   func(program string) bool
	plan func(o Options) (planned, error)
}{
	{named("go"), planGo},
}

const able = "whyhot makes the reports of go (build, install, test, run); of others, make them as docs/guide/remarks.md says and name the files"

func plan(o Options) (planned, error) {
	if len(o.Command) == 0 {
		return planned{}, errors.New("missing command after --")
	}
	program := filepath.Base(o.Command[0])
	for _, m := range makers {
		if m.is(program) {
			return m.plan(o)
		}
	}
	return planned{}, fmt.Errorf("%s: %s", o.Command[0], able)
}

func named(names ...string) func(string) bool {
	return func(program string) bool { return slices.Contains(names, program) }
}

// planGo has the packages recompiled: a switch with a directory that is new is in no
// cache. Patterns that match no package do nothing.
func planGo(o Options) (planned, error) {
	at := slices.IndexFunc(o.Command[1:], func(w string) bool { return !strings.HasPrefix(w, "-") }) + 1
	if at == 0 || !slices.Contains([]string{"build", "install", "test", "run"}, o.Command[at]) {
		return planned{}, fmt.Errorf("%s: not a command of go that compiles: build, install, test, run", shellwords.Join(o.Command))
	}
	own := func(w string) bool { return strings.HasPrefix(strings.TrimLeft(w, "-"), "gcflags") }
	if slices.ContainsFunc(o.Command, own) || slices.ContainsFunc(strings.Fields(os.Getenv("GOFLAGS")), own) {
		return planned{}, errors.New("the build has -gcflags of its own: add -json=0,DIR to them, build, and give whyhot the DIR")
	}
	flag := "-json=0," + o.Dir
	words := append(slices.Clone(o.Command[:at+1]), "-gcflags="+flag)
	for _, p := range o.Packages {
		words = append(words, "-gcflags="+p+"="+flag)
	}
	return planned{command: append(words, o.Command[at+1:]...)}, nil
}
