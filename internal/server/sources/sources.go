// Package sources reads the text of source files for who looks at a profile line by line.
//
// It owns which directories may be read, and how a path that a compiler wrote on another
// machine is found below them. It takes directories and paths and gives text. It must
// never read outside of the directories, whatever a path says or a link points to, and
// imports nothing of the server.
package sources

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrNone says that no directory has the file.
var ErrNone = errors.New("no source directory has this file")

// maxSize bounds what is given of a file: sources are smaller.
const maxSize = 4 << 20

// Tree is the directories that may be read. Close ends it. The zero Tree has none.
type Tree struct{ roots []*os.Root }

// Open takes the directories, the one to look into first before the others.
func Open(dirs []string) (*Tree, error) {
	t := &Tree{}
	for _, dir := range dirs {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("source directory: %w", err), t.Close())
		}
		t.roots = append(t.roots, root)
	}
	return t, nil
}

// Close closes the directories.
func (t *Tree) Close() error {
	errs := make([]error, 0, len(t.roots))
	for _, r := range t.roots {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Empty says that there are no directories.
func (t *Tree) Empty() bool { return t == nil || len(t.roots) == 0 }

// Read gives the text of a file by the path that debug information has: the file with
// the longest end of that path below a directory. Of /build/app-1.2/src/io/read.c it is
// src/io/read.c in a directory that has that. It is ErrNone where there is none.
func (t *Tree) Read(file string) (string, error) {
	parts, ok := split(file)
	if !ok || t.Empty() {
		return "", ErrNone
	}
	for from := range parts {
		name := path.Join(parts[from:]...)
		for _, r := range t.roots {
			text, err := read(r, name)
			if err == nil {
				return text, nil
			}
			if !errors.Is(err, ErrNone) {
				return "", err
			}
		}
	}
	return "", ErrNone
}

// split gives the parts of a path. What is hidden is no source, and may be a secret.
func split(file string) ([]string, bool) {
	const most = 64
	clean := path.Clean("/" + strings.ReplaceAll(file, `\`, "/"))
	parts := strings.Split(strings.TrimPrefix(clean, "/"), "/")
	hidden := slices.ContainsFunc(parts, func(p string) bool { return p == "" || strings.HasPrefix(p, ".") })
	return parts, !hidden && len(parts) <= most && !strings.ContainsRune(file, 0)
}

// read takes a regular file of text. The root refuses what leads out of it.
func read(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil, !info.Mode().IsRegular():
		return "", ErrNone // also what leads out, and what may not be looked at
	case info.Size() > maxSize:
		return "", fmt.Errorf("%s has %d MiB; sources are smaller", name, info.Size()>>20)
	}
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", ErrNone
	}
	if err != nil {
		return "", fmt.Errorf("reading a source file: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSize))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("reading a source file: %w", err)
	}
	if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
		return "", fmt.Errorf("%s is no text", name)
	}
	return string(text), nil
}
