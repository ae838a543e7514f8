package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options say what belongs to a tree.
type Options struct {
	Exclude []string // patterns of path.Match, for a name or for a path from the root
	WithVCS bool     // copy the version control's own directories too
	// Products are files, by their paths from the root, and directories, which the
	// measured program writes: they are copied, and no part of what is built.
	Products []string
}

// Source is a tree as it was found.
type Source struct {
	root    string // without symbolic links
	aliases []string
	entries []entry
	size    int64
	skipped []string
	written map[string]bool // Options.Products
}

type entry struct {
	rel  string
	mode fs.FileMode
	size int64
	time time.Time
}

var vcs = []string{".git", ".hg", ".svn", ".bzr", "CVS", "_darcs", ".jj", ".pijul"}

// Scan lists the tree at root. A pattern that path.Match does not understand and
// a file that cannot be listed are errors.
func Scan(ctx context.Context, root string, o Options) (*Source, error) {
	for _, p := range o.Exclude {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", p, err)
		}
	}
	logical, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	root, err = filepath.EvalSymlinks(logical)
	if err != nil {
		return nil, fmt.Errorf("the tree to build: %w", err)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("the tree to build: %s is not a directory", logical)
	}
	if root == "/" {
		return nil, errors.New("the tree to build cannot be the whole file system: go into the project's directory, or name it with --tree")
	}
	s := &Source{root: root, aliases: []string{root}, written: map[string]bool{}}
	for _, p := range o.Products {
		s.written[filepath.Clean(p)] = true
	}
	// The shell's own idea of the path, which build files may hold.
	for _, alias := range []string{logical, os.Getenv("PWD")} {
		if alias != root && samePlace(alias, root) && !slices.Contains(s.aliases, alias) {
			s.aliases = append(s.aliases, filepath.Clean(alias))
		}
	}
	err = filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("listing the tree: %w", err)
		}
		rel, err := filepath.Rel(root, full)
		if err != nil || rel == "." {
			return err
		}
		return s.add(full, rel, d, o)
	})
	return s, err
}

// product says that the measured program writes it.
func (s *Source) product(rel string) bool { return s.written[rel] }

// Stamp is when each file and directory was changed last, and how large it is.
type Stamp map[string]string

// Stamps are those of the tree.
func (s *Source) Stamps() Stamp {
	out := Stamp{}
	for _, e := range s.entries {
		text := "directory"
		if !e.mode.IsDir() {
			text = fmt.Sprint(e.size, e.time.UnixNano())
		}
		out[e.rel] = text
	}
	return out
}

// Since are the paths that came or changed after was.
func (s Stamp) Since(was Stamp) []string {
	var out []string
	for rel, text := range s {
		if was[rel] != text {
			out = append(out, rel)
		}
	}
	slices.Sort(out)
	return out
}

func samePlace(a, b string) bool {
	if !filepath.IsAbs(a) {
		return false
	}
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ia, ib)
}

func (s *Source) add(full, rel string, d fs.DirEntry, o Options) error {
	if excluded(rel, d.Name(), o.Exclude) || d.IsDir() && !o.WithVCS && slices.Contains(vcs, d.Name()) ||
		d.Type().IsRegular() && !o.WithVCS && d.Name() == ".git" || d.IsDir() && isCache(full) {
		s.skipped = append(s.skipped, rel)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone between listing and looking
	}
	if err != nil {
		return fmt.Errorf("listing the tree: %w", err)
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		s.size += info.Size()
	case mode.IsDir(), mode.Type() == fs.ModeSymlink:
	default:
		s.skipped = append(s.skipped, rel) // sockets, pipes and devices are nobody's source
		return nil
	}
	s.entries = append(s.entries, entry{rel, info.Mode(), info.Size(), info.ModTime()})
	return nil
}

func excluded(rel, name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.TrimSuffix(p, "/")
		byName, _ := path.Match(p, name) // patterns were checked before
		byPath, _ := path.Match(p, rel)
		return byName || byPath
	})
}

// isCache recognises the tag of bford.info/cachedir, which cargo, pytest and
// others put into directories that can be made again.
func isCache(dir string) bool {
	const signature = "Signature: 8a477f597d28d172789f06886806bc55"
	head := make([]byte, len(signature))
	f, err := os.Open(filepath.Join(dir, "CACHEDIR.TAG"))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	n, _ := f.Read(head)
	return string(head[:n]) == signature
}

// Root is the tree's path without symbolic links.
func (s *Source) Root() string { return s.root }

// File is a regular file or a symbolic link of a tree.
type File struct {
	Path string // from the root
	Mode fs.FileMode
	Size int64
}

// Files are all that Copy copies but directories, in the order of their paths.
func (s *Source) Files() []File {
	var out []File
	for _, e := range s.entries {
		if !e.mode.IsDir() {
			out = append(out, File{e.rel, e.mode, e.size})
		}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Size is the content of all files in bytes.
func (s *Source) Size() int64 { return s.size }

// Skipped are the paths that are not copied, directories without what is below
// them.
func (s *Source) Skipped() []string { return s.skipped }

// Rel is a directory's path from the root; ok is false outside of the tree.
func (s *Source) Rel(dir string) (rel string, ok bool) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	rel, err = filepath.Rel(s.root, dir)
	return rel, err == nil && filepath.IsLocal(rel)
}

// Changed is a path in the original whose content, kind or time is no longer
// what Scan saw, "" when there is none. Files that came since are not looked
// for: an editor's swap file is not a build's doing.
func (s *Source) Changed() string {
	for _, e := range s.entries {
		if e.mode.IsDir() || s.product(e.rel) {
			continue
		}
		info, err := os.Lstat(filepath.Join(s.root, e.rel))
		if err != nil || info.Mode() != e.mode || info.Size() != e.size || !info.ModTime().Equal(e.time) {
			return e.rel
		}
	}
	return ""
}
