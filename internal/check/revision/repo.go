package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Repo is a repository with a working tree.
type Repo struct {
	Root string // of the working tree, without symbolic links

	private string   // directory for what is no part of the repository
	ours    []string // directories whose files are no part of a change
	env     []string
	indexes int
}

// Open finds the repository that dir is in. private is a directory of the caller's, which
// outlives the Repo's use. Files there, and in directories that are ours, are no part of a change:
// a home directory can be a working tree, with our caches in it.
func Open(ctx context.Context, dir, private string, ours ...string) (*Repo, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("no git on PATH: a check needs it to read the revision to compare with")
	}
	r := &Repo{Root: dir, private: private, ours: append(ours, private), env: os.Environ()}
	root, err := r.git(ctx, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%s is in no working tree of git: %w", dir, err)
	}
	objects, err := r.git(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		return nil, err
	}
	r.Root = root
	own := filepath.Join(private, "objects")
	if err := os.MkdirAll(own, 0o700); err != nil {
		return nil, fmt.Errorf("a directory for the working tree: %w", err)
	}
	// Paths in variables: git splits the alternates at colons, and quotes help.
	r.env = append(r.env, "GIT_OBJECT_DIRECTORY="+own, "GIT_ALTERNATE_OBJECT_DIRECTORIES=\""+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(objects)+"\"")
	return r, nil
}

// git runs a command in the working tree and gives its output without the last line feed.
func (r *Repo) git(ctx context.Context, more []string, args ...string) (string, error) {
	return gitIn(ctx, r.Root, append(r.env[:len(r.env):len(r.env)], more...), args...)
}

func gitIn(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(env[:len(env):len(env)], "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		text := strings.TrimSpace(errs.String())
		if text == "" {
			text = err.Error()
		}
		return "", fmt.Errorf("git %s: %s", args[0], text)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// Commit is the commit that a name stands for.
func (r *Repo) Commit(ctx context.Context, name string) (string, error) {
	id, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("no revision %q in %s: fetch it first, for example with git fetch origin %s (a shallow clone has few commits)", name, r.Root, strings.TrimPrefix(name, "origin/"))
	}
	return id, nil
}

// Fork is the commit at which head left base, which is what a change is compared with.
// found is false where the history that is here does not have it: base itself is given.
func (r *Repo) Fork(ctx context.Context, base, head string) (commit string, found bool, err error) {
	if base, err = r.Commit(ctx, base); err != nil {
		return "", false, err
	}
	if head, err = r.Commit(ctx, head); err != nil {
		return "", false, err
	}
	fork, err := r.git(ctx, nil, "merge-base", base, head)
	if err != nil {
		return base, false, ctx.Err()
	}
	return fork, true, nil
}

// Time is when a commit was made.
func (r *Repo) Time(ctx context.Context, commit string) (time.Time, error) {
	text, err := r.git(ctx, nil, "show", "-s", "--format=%cI", commit)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, text)
}

// WorkingTree is the tree of all files that are not ignored, as they are now.
func (r *Repo) WorkingTree(ctx context.Context) (tree string, err error) {
	index, err := r.newIndex()
	if err != nil {
		return "", err
	}
	// A copy of the index saves reading files that have not changed.
	if real, err := r.git(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "index"); err == nil {
		if err := copyFile(real, index); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("copying the index: %w", err)
		}
	}
	own := []string{"GIT_INDEX_FILE=" + index}
	add := []string{"add", "--all", "--", ":/"}
	for _, dir := range r.ours {
		if rel, err := filepath.Rel(r.Root, dir); err == nil && filepath.IsLocal(rel) {
			add = append(add, ":(top,exclude,literal)"+rel)
		}
	}
	if _, err := r.git(ctx, own, add...); err != nil {
		return "", err
	}
	return r.git(ctx, own, "write-tree")
}

func (r *Repo) newIndex() (string, error) {
	r.indexes++
	dir := filepath.Join(r.private, "index")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("a directory for an index: %w", err)
	}
	return filepath.Join(dir, fmt.Sprint(r.indexes)), nil
}

// Export writes the files of a commit or tree to dir, which need not exist. Submodules
// come along where the working tree has them. All times are when.
func (r *Repo) Export(ctx context.Context, tree, dir string, when time.Time) error {
	if err := r.export(ctx, r.Root, r.env, tree, dir); err != nil {
		return fmt.Errorf("writing the files of %s: %w", tree, err)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(path, when, when)
	})
}

func (r *Repo) export(ctx context.Context, root string, env []string, tree, dir string) error {
	index, err := r.newIndex()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	env = append(env[:len(env):len(env)], "GIT_INDEX_FILE="+index)
	if _, err := gitIn(ctx, root, env, "read-tree", tree); err != nil {
		return err
	}
	if _, err := gitIn(ctx, root, env, "checkout-index", "--all", "--force", "--prefix="+dir+"/"); err != nil {
		return err
	}
	list, err := gitIn(ctx, root, env, "ls-files", "--stage", "-z")
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(list, "\x00") {
		// 160000 COMMIT 0\tPATH: a submodule, see git-ls-files(1).
		meta, path, ok := strings.Cut(entry, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) < 2 || f[0] != "160000" {
			continue
		}
		sub := filepath.Join(root, path)
		if _, err := os.Lstat(filepath.Join(sub, ".git")); err != nil {
			continue // not checked out here either
		}
		if err := r.export(ctx, sub, os.Environ(), f[1], filepath.Join(dir, path)); err != nil {
			return fmt.Errorf("submodule %s: %w", path, err)
		}
	}
	return nil
}

// Has says whether a tree has a file or directory.
func (r *Repo) Has(ctx context.Context, tree, path string) bool {
	out, err := r.git(ctx, nil, "ls-tree", tree, "--", path)
	return err == nil && out != ""
}

// File is the content of a file of a tree, nil where it has none.
func (r *Repo) File(ctx context.Context, tree, path string) []byte {
	out, err := r.git(ctx, nil, "cat-file", "blob", tree+":"+path)
	if err != nil {
		return nil
	}
	return []byte(out)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	// Git reads a file again where it may have changed in the moment in which the index was
	// written, which the index's own time tells.
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
