package referee

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/trial/rebuild/tree"
)

// Baseline is a tree as it was at one time.
type Baseline struct {
	root  string            // of the original
	dir   string            // of the copy
	files map[string]string // of the original by path, as state has it
	kept  map[string]string // of the copy
	sum   string
}

// Keep copies the tree at root into a new directory in private. What a build makes
// (objects, programs) is no part of it.
func Keep(ctx context.Context, root, private string) (*Baseline, error) {
	source, err := tree.Scan(ctx, root, tree.Options{})
	if err != nil {
		return nil, err
	}
	if err := source.Room(private, 1); err != nil {
		return nil, err
	}
	b := &Baseline{root: source.Root(), dir: filepath.Join(private, "tree")}
	if b.dir, err = os.MkdirTemp(private, "baseline-"); err != nil {
		return nil, fmt.Errorf("keeping the tree: %w", err)
	}
	b.dir = filepath.Join(b.dir, "tree")
	if b.files, err = states(ctx, source); err != nil {
		return nil, err
	}
	if err := source.Copy(ctx, b.dir, nil); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if b.kept, err = statesAt(ctx, b.dir); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.sum = sum(b.files)
	return b, nil
}

// Sum is a hash of the tree as it was: the paths, modes and contents of its sources.
func (b *Baseline) Sum() string { return b.sum }

// Root is the original's directory.
func (b *Baseline) Root() string { return b.root }

// Against has the baseline compared with another tree than the one it is a copy of.
func (b *Baseline) Against(root string) { b.root = root }

// Close removes the copy.
func (b *Baseline) Close() error { return tree.Remove(filepath.Dir(b.dir)) }

// Sum is the hash of the tree at root as it is now, as Baseline has it.
func Sum(ctx context.Context, root string) (string, error) {
	now, err := statesAt(ctx, root)
	return sum(now), err
}

// whole says that the copy is as it was made.
func (b *Baseline) whole(ctx context.Context) error {
	now, err := statesAt(ctx, b.dir)
	if err != nil {
		return fmt.Errorf("the kept baseline cannot be read: %w", err)
	}
	for path := range now {
		if now[path] != b.kept[path] {
			return fmt.Errorf("the kept baseline was edited: %s; make a new handle", path)
		}
	}
	if len(now) != len(b.kept) {
		return errors.New("the kept baseline was edited: files are gone; make a new handle")
	}
	return nil
}

// change is a file that is no longer as it was.
type change struct {
	path          string
	before, after []byte
	was, is       bool // it existed, it exists
	mode          fs.FileMode
	opaque        bool // no patch can carry it: a link, or no text
}

// changes are the files of the original that differ now, and the tree's hash.
func (b *Baseline) changes(ctx context.Context) (list []change, now string, err error) {
	source, err := tree.Scan(ctx, b.root, tree.Options{})
	if err != nil {
		return nil, "", err
	}
	files, err := states(ctx, source)
	if err != nil {
		return nil, "", err
	}
	paths := map[string]bool{}
	for p := range files {
		paths[p] = true
	}
	for p := range b.files {
		paths[p] = true
	}
	moves := source.Moves(b.dir)
	for p := range paths {
		if files[p] == b.files[p] {
			continue
		}
		c := change{path: p, was: b.files[p] != "", is: files[p] != "", mode: 0o644}
		if c.was {
			if c.before, err = os.ReadFile(filepath.Join(b.dir, p)); err != nil {
				return nil, "", err
			}
		}
		full := filepath.Join(b.root, p)
		if info, err := os.Lstat(full); err == nil {
			c.mode = info.Mode()
		}
		if c.is {
			if c.after, err = os.ReadFile(full); err != nil {
				return nil, "", err
			}
			// The copy speaks of itself where the original speaks of itself.
			c.after = []byte(tree.Rebase(string(c.after), moves))
		}
		c.opaque = c.mode&fs.ModeSymlink != 0 || bytes.IndexByte(c.before, 0) >= 0 || bytes.IndexByte(c.after, 0) >= 0
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return list, sum(files), nil
}

func statesAt(ctx context.Context, dir string) (map[string]string, error) {
	source, err := tree.Scan(ctx, dir, tree.Options{})
	if err != nil {
		return nil, err
	}
	return states(ctx, source)
}

// states are mode and content of each file of a tree that no build makes.
func states(ctx context.Context, s *tree.Source) (map[string]string, error) {
	out := map[string]string{}
	for _, f := range s.Files() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		full := filepath.Join(s.Root(), f.Path)
		if f.Mode&fs.ModeSymlink != 0 {
			to, err := os.Readlink(full)
			if err != nil {
				return nil, err
			}
			// A copy's links lead into the copy.
			out[f.Path] = "link " + filepath.Base(to)
			continue
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return nil, fmt.Errorf("reading the tree: %w", err)
		}
		if isBuilt(f.Path, data) {
			continue
		}
		h := sha256.Sum256(data)
		out[f.Path] = fmt.Sprintf("%o %s", f.Mode.Perm()&0o111, hex.EncodeToString(h[:]))
	}
	return out, nil
}

// builtNames are the endings of what compilers and interpreters leave beside sources.
var builtNames = []string{".o", ".lo", ".la", ".pyc", ".gcda", ".gcno", ".class", ".rlib", ".rmeta"}

// isBuilt says whether a build, and nobody by hand, makes a file.
func isBuilt(path string, data []byte) bool {
	return bytes.HasPrefix(data, []byte("\x7fELF")) || bytes.HasPrefix(data, []byte("!<arch>\n")) ||
		slices.Contains(builtNames, filepath.Ext(path))
}

func sum(files map[string]string) string {
	paths := make([]string, 0, len(files))
	for p := range files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	h := sha256.New()
	for _, p := range paths {
		_, _ = fmt.Fprintf(h, "%q %s\n", p, files[p]) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}
