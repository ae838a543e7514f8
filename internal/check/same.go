package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/check/reads"
	"whyhot/internal/elfinfo/loaded"
	"whyhot/internal/trial/run"
)

// same says whether both sides run the same: whether all of their trees that a run opens
// has the same bytes. What is outside of the trees is the same file for both.
func (c *checking) same(ctx context.Context) (bool, error) {
	differ, err := differing(ctx, c.stage.path(baseSide, ""), c.stage.path(headSide, ""))
	if err != nil {
		return false, err
	}
	if len(differ) == 0 {
		c.identical("the change builds the same files, byte by byte: nothing was run")
		return true, nil
	}
	sections := map[string]bool{}
	for i := range c.commands {
		same, err := c.sameRun(ctx, &c.commands[i], sections)
		if err != nil || !same {
			return false, err
		}
	}
	c.identical("everything of the tree that a run opens has the same bytes; %s", differText(differ))
	if len(sections) > 0 {
		c.notef("the build is not reproducible: %s differ in parts that are not loaded (debug information, build ID), and what is loaded is the same", strings.Join(slices.Sorted(keys(sections)), ", "))
	}
	return true, nil
}

func differText(paths []string) string {
	const few = 3
	if len(paths) <= few {
		return "no run opens " + strings.Join(paths, ", ")
	}
	return fmt.Sprintf("no run opens the %d files that differ, such as %s", len(paths), strings.Join(paths[:few], ", "))
}

func keys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// sameRun runs a command once on each side and compares what the two opened. Where that
// cannot be seen, it is not the same.
func (c *checking) sameRun(ctx context.Context, k *task, sections map[string]bool) (bool, error) {
	var seen [2]reads.Opened
	for side := range seen {
		if err := c.setUp(ctx, side, k); err != nil {
			return false, err
		}
		c.listener.Step("watching what a run reads")
		if err := c.stage.put(side); err != nil {
			return false, err
		}
		watch, err := reads.Start(c.stage.Place())
		if err != nil {
			return false, nil //nolint:nilerr // too many directories, say: then it is measured
		}
		res, runErr := c.runner.Run(ctx, run.Spec{
			Args: c.words(k), Env: c.environ(k), Dir: c.stage.at(side, k.Dir), Stdin: c.stdin(k), Timeout: k.Timeout,
		})
		opened, err := watch.Stop()
		if runErr != nil {
			return false, c.cannotRun(runErr)
		}
		if res.End.Failed() && !k.IgnoreFailure {
			return false, failed(side, k, res)
		}
		if err != nil {
			return false, nil //nolint:nilerr // as above
		}
		seen[side] = opened
	}
	base, head := c.stage.path(baseSide, ""), c.stage.path(headSide, "")
	for path := range both(seen[0].Files, seen[1].Files) {
		equal, err := sameFile(filepath.Join(base, path), filepath.Join(head, path))
		if err != nil {
			return false, err
		}
		if equal {
			continue
		}
		x, errX := loaded.Sum(filepath.Join(base, path))
		y, errY := loaded.Sum(filepath.Join(head, path))
		if errX != nil || errY != nil || x != y {
			return false, nil //nolint:nilerr // no program: its bytes count
		}
		sections[path] = true
	}
	for dir := range both(seen[0].Lists, seen[1].Lists) {
		if !slices.Equal(names(filepath.Join(base, dir)), names(filepath.Join(head, dir))) {
			return false, nil
		}
	}
	return true, nil
}

// setUp prepares a side for a command of a suite.
func (c *checking) setUp(ctx context.Context, side int, k *task) error {
	if k.Setup == "" {
		return nil
	}
	return c.shell(ctx, side, "setup", fmt.Sprintf("the setup of %q fails", k.Name), k.Setup, nil)
}

func failed(side int, k *task, res *run.Result) error {
	whose := [...]string{"before the change", "after the change"}[side]
	return &StepError{Says: fmt.Sprintf("%s fails %s: %s", k.Name, whose, res.End), Tail: strings.TrimSpace(res.StderrTail)}
}

func (c *checking) cannotRun(err error) error {
	if start, ok := errors.AsType[*run.StartError](err); ok {
		return &StepError{Says: start.Error()}
	}
	return err
}

func both(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, m := range []map[string]bool{a, b} {
		for k := range m {
			out[k] = true
		}
	}
	return out
}

// isText says whether a file is read by people and not by programs.
func isText(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".rst", ".adoc", ".txt":
		return true
	}
	return false
}

// names are the entries of a directory but documentation; nil where there is none.
func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if !isText(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out
}

// differing are the paths of files that two trees do not have alike.
func differing(ctx context.Context, a, b string) ([]string, error) {
	kinds := map[string]int{}
	for bit, root := range []string{a, b} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			kinds[rel] |= 1 << bit
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("comparing the builds: %w", err)
		}
	}
	var out []string
	for rel := range kinds {
		equal := false
		if kinds[rel] == 1|1<<1 {
			var err error
			if equal, err = sameFile(filepath.Join(a, rel), filepath.Join(b, rel)); err != nil {
				return nil, err
			}
		}
		if !equal {
			out = append(out, rel)
		}
	}
	slices.Sort(out)
	return out, nil
}

// sameFile compares two files: kind, right to be executed and bytes. Two that are not there
// are the same.
func sameFile(a, b string) (bool, error) {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	if errors.Is(errX, fs.ErrNotExist) && errors.Is(errY, fs.ErrNotExist) {
		return true, nil
	}
	if errX != nil || errY != nil || x.Mode() != y.Mode() {
		return false, nil //nolint:nilerr // one that is not there is not the same
	}
	if x.Mode()&fs.ModeSymlink != 0 {
		to, errX := os.Readlink(a)
		other, errY := os.Readlink(b)
		return to == other, errors.Join(errX, errY)
	}
	if !x.Mode().IsRegular() || x.Size() != y.Size() {
		return !x.Mode().IsRegular(), nil
	}
	return sameBytes(a, b)
}

func sameBytes(a, b string) (bool, error) {
	f, err := os.Open(a)
	if err != nil {
		return false, fmt.Errorf("comparing the builds: %w", err)
	}
	defer func() { _ = f.Close() }()
	g, err := os.Open(b)
	if err != nil {
		return false, fmt.Errorf("comparing the builds: %w", err)
	}
	defer func() { _ = g.Close() }()
	const chunk = 256 << 10
	x, y := make([]byte, chunk), make([]byte, chunk)
	for {
		n, errX := io.ReadFull(f, x)
		m, errY := io.ReadFull(g, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if errX != nil || errY != nil {
			return ended(errX) && ended(errY), nil
		}
	}
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
