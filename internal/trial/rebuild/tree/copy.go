package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Copy makes the tree anew at to, which must not exist. tools are moves of
// programs, made in the files that tell a build which tools to run.
func (s *Source) Copy(ctx context.Context, to string, tools []Move) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("copying the tree: %w", err)
	}
	moves := s.Moves(to)
	configured := s.configured()
	for _, e := range s.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := moves
		if tellsTools(e.rel, configured) {
			m = slices.Concat(moves, tools)
		}
		err := s.copyEntry(e, to, m)
		if errors.Is(err, fs.ErrNotExist) && !exists(filepath.Join(s.root, e.rel)) {
			continue // gone since it was listed
		}
		if err != nil {
			return fmt.Errorf("copying %s: %w", filepath.Join(s.root, e.rel), enough(err, to))
		}
	}
	return s.finish(to)
}

// Moves are the paths of the original and what they are in the copy at to.
func (s *Source) Moves(to string) []Move {
	moves := make([]Move, len(s.aliases))
	for i, a := range s.aliases {
		moves[i] = Move{a, to}
	}
	return moves
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

func enough(err error, dir string) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: name a directory with more room with --work, or skip files with --exclude (now in %s)", err, dir)
	}
	return err
}

func (s *Source) copyEntry(e entry, to string, moves []Move) error {
	from, dest := filepath.Join(s.root, e.rel), filepath.Join(to, e.rel)
	switch {
	case e.mode.IsDir():
		return os.MkdirAll(dest, e.mode.Perm()|0o700)
	case e.mode&fs.ModeSymlink != 0:
		return s.copyLink(from, dest, moves)
	}
	return copyFile(from, dest, e, moves)
}

// copyLink keeps a link's meaning: relative links inside the tree stay as they
// are, all others name the same file as before, or its copy.
func (s *Source) copyLink(from, dest string, moves []Move) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(target) {
		full := filepath.Join(filepath.Dir(from), target)
		rel, err := filepath.Rel(s.root, full)
		if err != nil || !filepath.IsLocal(rel) {
			target = full
		}
	}
	return os.Symlink(Rebase(target, moves), dest)
}

func copyFile(from, dest string, e entry, moves []Move) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(dest, os.O_WRONLY|os.O_CREATE|os.O_EXCL, e.mode.Perm()|0o600)
	if err != nil {
		return err
	}
	defer func() {
		if e := out.Close(); err == nil {
			err = e
		}
	}()
	moved, product, err := look(in, e, moves)
	if err != nil {
		return err
	}
	switch {
	case moved != nil:
		_, err = out.Write(moved)
	case unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) == nil:
	default:
		_, err = io.Copy(out, in)
	}
	if err != nil {
		return err
	}
	when := e.time
	if product {
		when = longAgo
	}
	return os.Chtimes(dest, when, when)
}

// longAgo is the time of what a build makes: older than any source, and not the
// epoch, which some tools take for "no time".
var longAgo = time.Date(1981, 1, 1, 0, 0, 0, 0, time.UTC)

// look reads a file as far as needed to tell what it is. moved is its content
// with other paths, nil where it stays as it is.
func look(in *os.File, e entry, moves []Move) (moved []byte, product bool, err error) {
	const headSize, largest = 8000, 64 << 20
	head := make([]byte, headSize)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, false, err
	}
	head = head[:n]
	product = isProduct(e.rel, head)
	text := bytes.IndexByte(head, 0) < 0 && e.size <= largest
	if text && !product || isLibtool(e.rel) {
		rest, err := io.ReadAll(in)
		if err != nil {
			return nil, false, err
		}
		whole := slices.Concat(head, rest)
		if other := rebase(whole, moves); !bytes.Equal(other, whole) {
			return other, product, nil
		}
	}
	_, err = in.Seek(0, io.SeekStart)
	return nil, product, err
}

func isLibtool(rel string) bool {
	return strings.HasSuffix(rel, ".lo") || strings.HasSuffix(rel, ".la")
}

// isProduct says whether a compiler, linker or archiver made the file.
func isProduct(rel string, head []byte) bool {
	for _, magic := range []string{"\x7fELF", "!<arch>\n", "!<thin>\n", "BC\xc0\xde", "gpch"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return isLibtool(rel) || strings.HasSuffix(rel, ".pch") || strings.HasSuffix(rel, ".pcm")
}

// configured are the directories that CMake has configured.
func (s *Source) configured() []string {
	var out []string
	for _, e := range s.entries {
		if filepath.Base(e.rel) == "CMakeCache.txt" {
			out = append(out, filepath.Dir(e.rel))
		}
	}
	return out
}

var buildFile = regexp.MustCompile(`^([Mm]akefile.*|GNUmakefile.*|.*\.(mk|mak|make|ninja|cmake|sh)|config\.(status|cache|mk)|libtool|\.config)$`)

// tellsTools says whether a file tells a build which tools to run.
func tellsTools(rel string, configured []string) bool {
	if buildFile.MatchString(filepath.Base(rel)) {
		return true
	}
	return slices.ContainsFunc(configured, func(dir string) bool {
		return dir == "." || strings.HasPrefix(rel, dir+"/")
	})
}

// finish gives directories their own modes and times, innermost first.
func (s *Source) finish(to string) error {
	for _, e := range slices.Backward(s.entries) {
		if !e.mode.IsDir() {
			continue
		}
		dest := filepath.Join(to, e.rel)
		// A build writes into its directories whatever the original's mode.
		if err := os.Chmod(dest, e.mode.Perm()|0o700); err != nil {
			return fmt.Errorf("copying the tree: %w", err)
		}
		if err := os.Chtimes(dest, e.time, e.time); err != nil {
			return fmt.Errorf("copying the tree: %w", err)
		}
	}
	return nil
}

// Remove deletes a copy, also one in which a build took rights away.
func Remove(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) //nolint:gosec // whoever may delete it may also list it
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// Room checks that copies of the tree fit below dir and that what is built there
// can be run, before the first is made. A
// file system that shares content between copies needs little. dir must exist.
func (s *Source) Room(dir string, copies int) error {
	const spare = 64 << 20
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return fmt.Errorf("free space of %s: %w", dir, err)
	}
	if st.Flags&unix.ST_NOEXEC != 0 {
		return fmt.Errorf("no program can be run in %s, whose file system is mounted noexec: name another directory with --work", dir)
	}
	need := int64(spare)
	if !s.shares(dir) {
		need += s.size * int64(copies)
	}
	if free := int64(st.Bavail) * st.Bsize; free < need {
		return &SpaceError{Dir: dir, Free: free, Need: need, Copies: copies, Largest: s.largest(5)}
	}
	return nil
}

// SpaceError says that the copies do not fit.
type SpaceError struct {
	Dir        string
	Free, Need int64 // bytes
	Copies     int
	Largest    []string // directories and files at the top that take most
}

func (e *SpaceError) Error() string {
	const mega = 1 << 20
	return fmt.Sprintf("no space for %d copies of the tree: %d MiB needed, %d MiB free in %s; name another directory with --work, or skip what the build does not need with --exclude (largest: %s)",
		e.Copies, e.Need/mega, e.Free/mega, e.Dir, strings.Join(e.Largest, ", "))
}

// shares tries whether a file of the tree can be cloned into dir.
func (s *Source) shares(dir string) bool {
	i := slices.IndexFunc(s.entries, func(e entry) bool { return e.mode.IsRegular() && e.size > 0 })
	if i < 0 {
		return true
	}
	in, err := os.Open(filepath.Join(s.root, s.entries[i].rel))
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }()
	out, err := os.CreateTemp(dir, "clone")
	if err != nil {
		return false
	}
	defer func() {
		_ = out.Close()
		_ = os.Remove(out.Name())
	}()
	return unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) == nil
}

// largest are the n entries at the top of the tree with most content.
func (s *Source) largest(n int) []string {
	sizes := map[string]int64{}
	for _, e := range s.entries {
		if e.mode.IsRegular() {
			top, _, _ := strings.Cut(e.rel, "/")
			sizes[top] += e.size
		}
	}
	names := make([]string, 0, len(sizes))
	for name := range sizes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if sizes[a] != sizes[b] {
			return int(min(1, max(-1, sizes[b]-sizes[a])))
		}
		return strings.Compare(a, b)
	})
	return names[:min(n, len(names))]
}
