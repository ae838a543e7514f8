// Package rootfs is the file system of an image: its layers, put on top of each other.
//
// It owns the tree of names, with deletions (whiteouts) as the OCI image specification
// has them, and the contents of the files that somebody will read, in one temporary
// file. It takes layers as tar streams and gives an fs.FS. Nothing is ever written
// under a name that a layer chose, and no link leads out of the tree. It imports
// nothing of this module.
package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Limits bound what foreign layers may cost.
type Limits struct {
	Entries int   // names in the tree
	Layer   int64 // bytes of one layer, unpacked
	File    int64 // bytes of a file whose contents are kept; larger ones have none
	Kept    int64 // bytes kept of all
}

// DefaultLimits are far above what images have: the largest public ones, with machine
// learning libraries, have some 300,000 files and 30 GB.
func DefaultLimits() Limits {
	return Limits{Entries: 4_000_000, Layer: 256 << 30, File: 1 << 30, Kept: 32 << 30}
}

// ErrTooLarge is the error of an image beyond the limits.
var ErrTooLarge = errors.New("larger than is read")

// FS is the file system. Its contents lie in a temporary file that has no name any
// more: it is gone with the process.
type FS struct {
	// Keep says of which regular files the contents are wanted.
	Keep func(name string, mode fs.FileMode, size int64) bool

	limits  Limits
	root    *node
	entries int
	kept    int64
	spool   *os.File
}

type node struct {
	name     string
	mode     fs.FileMode
	size     int64
	link     string // of a symbolic link
	at       int64  // where its contents are, -1 where they were not kept
	layer    int    // that it came with
	children map[string]*node
}

func (n *node) dir() bool { return n.mode.IsDir() }

// New is an empty file system.
func New(limits Limits, keep func(name string, mode fs.FileMode, size int64) bool) (*FS, error) {
	spool, err := os.CreateTemp("", "whyhot-images-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(spool.Name()); err != nil {
		return nil, errors.Join(err, spool.Close())
	}
	return &FS{Keep: keep, limits: limits, spool: spool, root: &node{name: ".", mode: fs.ModeDir | 0o755, children: map[string]*node{}}}, nil
}

// Close gives the contents back.
func (f *FS) Close() error { return f.spool.Close() }

// Layer is the number of the layer that a name came with, 0 for none.
func (f *FS) Layer(name string) int {
	n, _, err := f.find(name)
	if err != nil {
		return 0
	}
	return n.layer
}

// Real is a name without the symbolic links on its way.
func (f *FS) Real(name string) (string, error) {
	_, at, err := f.find(name)
	return at, err
}

// maxLinks is how many symbolic links Linux follows for one name.
const maxLinks = 40

// find walks to a name as chroot'ed processes do: ".." of the root is the root.
func (f *FS) find(name string) (n *node, at string, err error) {
	// Names in layers are bytes, as those of Linux: a file may be called in Latin-1.
	if !fs.ValidPath(strings.ToValidUTF8(name, "_")) {
		return nil, "", fs.ErrInvalid
	}
	todo := strings.Split(name, "/")
	way := []*node{f.root}
	for links := 0; len(todo) > 0; {
		word := todo[0]
		todo = todo[1:]
		here := way[len(way)-1]
		switch word {
		case "", ".":
			continue
		case "..":
			way = way[:max(1, len(way)-1)]
			continue
		}
		next := here.children[word]
		if next == nil {
			return nil, "", fs.ErrNotExist
		}
		if next.mode&fs.ModeSymlink != 0 {
			if links++; links > maxLinks {
				return nil, "", errors.New("too many levels of symbolic links")
			}
			if path.IsAbs(next.link) {
				way = way[:1]
			}
			todo = slices.Concat(strings.Split(next.link, "/"), todo)
			continue
		}
		way = append(way, next)
	}
	names := make([]string, 0, len(way))
	for _, n := range way[1:] {
		names = append(names, n.name)
	}
	at = strings.Join(names, "/")
	if at == "" {
		at = "."
	}
	return way[len(way)-1], at, nil
}

// Open is that of fs.FS.
func (f *FS) Open(name string) (fs.File, error) {
	n, _, err := f.find(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	switch {
	case n.dir():
		return &openDir{node: n}, nil
	case n.at < 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("its contents were not kept")}
	}
	return newOpenFile(n, f.spool), nil
}

// Stat is that of fs.StatFS.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	n, _, err := f.find(name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return info{n}, nil
}

// ReadDir is that of fs.ReadDirFS.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, _, err := f.find(name)
	if err == nil && !n.dir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	return n.list(), nil
}

func (n *node) list() []fs.DirEntry {
	out := make([]fs.DirEntry, 0, len(n.children))
	for _, c := range n.children {
		out = append(out, fs.FileInfoToDirEntry(info{c}))
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

func (f *FS) tooMany() error {
	return fmt.Errorf("%w: more than %d files", ErrTooLarge, f.limits.Entries)
}
