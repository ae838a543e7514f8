package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Repository is a git repository with a working tree.
type Repository struct {
	Root   string // of the working tree
	Prefix string // of the directory that was asked for, from there
	common string // of its objects
}

// Commit is one of a line of commits.
type Commit struct {
	ID      string    `json:"commit"`
	Tree    string    `json:"-"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	Date    time.Time `json:"date"`
}

// Short is a commit's name as people write it.
func (c *Commit) Short() string {
	const digits = 12
	return c.ID[:min(digits, len(c.ID))]
}

// Open finds the repository that a directory is in.
func Open(ctx context.Context, dir string) (*Repository, error) {
	out, err := git(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("bisect needs a git working tree: %w", err)
	}
	// The prefix is an empty line at the root, which is the last one.
	const parts = 3
	lines := strings.SplitN(out+"\n\n", "\n", parts)
	return &Repository{Root: lines[0], common: lines[1], Prefix: strings.TrimSpace(lines[2])}, nil
}

// Options choose commits.
type Options struct {
	All   bool     // not only first parents
	Paths []string // only commits that change these, from Root; none for all
}

// Line lists the commits from good to bad: good first, bad last.
func (r *Repository) Line(ctx context.Context, good, bad string, o Options) ([]Commit, error) {
	ids := make([]string, 0, 2) //nolint:mnd // both ends
	for _, name := range []string{good, bad} {
		id, err := git(ctx, r.Root, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
		if err != nil {
			return nil, fmt.Errorf("unknown revision %q%s", name, r.shallow(ctx))
		}
		ids = append(ids, id)
	}
	if ids[0] == ids[1] {
		return nil, fmt.Errorf("%s and %s are the same commit", good, bad)
	}
	if _, err := git(ctx, r.Root, "merge-base", "--is-ancestor", ids[0], ids[1]); err != nil {
		return nil, fmt.Errorf("%s is not an ancestor of %s%s", good, bad, r.shallow(ctx))
	}
	args := []string{"rev-list", "--reverse", "--topo-order"}
	if o.All {
		args = append(args, "--ancestry-path")
	} else {
		args = append(args, "--first-parent")
	}
	args = append(args, ids[0]+".."+ids[1], "--")
	for _, p := range o.Paths {
		args = append(args, ":(top)"+p)
	}
	out, err := git(ctx, r.Root, args...)
	if err != nil {
		return nil, err
	}
	between := strings.Fields(out)
	between = slices.DeleteFunc(between, func(id string) bool { return id == ids[1] })
	if !o.All && len(o.Paths) == 0 && !r.onFirstParents(ctx, ids[0], ids[1]) {
		return nil, fmt.Errorf("%s was merged into the line of first parents that leads to %s: give --all-parents, or a commit of that line", good, bad)
	}
	return r.describe(ctx, slices.Concat(ids[:1], between, ids[1:]))
}

// onFirstParents says whether good is on the line of first parents that leads to bad.
func (r *Repository) onFirstParents(ctx context.Context, good, bad string) bool {
	out, err := git(ctx, r.Root, "rev-list", "--first-parent", bad)
	return err == nil && slices.Contains(strings.Fields(out), good)
}

// shallow explains what a repository without its history cannot know.
func (r *Repository) shallow(ctx context.Context) string {
	if out, err := git(ctx, r.Root, "rev-parse", "--is-shallow-repository"); err == nil && out == "true" {
		return ": this clone is shallow; get its history with git fetch --unshallow (in GitHub Actions fetch-depth: 0)"
	}
	return ""
}

func (r *Repository) describe(ctx context.Context, ids []string) ([]Commit, error) {
	cmd := command(ctx, r.Root, "log", "--no-walk=unsorted", "--stdin", "--format=%H%x1f%T%x1f%an%x1f%aI%x1f%s%x1e")
	cmd.Stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	commits := make([]Commit, 0, len(ids))
	for record := range strings.SplitSeq(out, "\x1e") {
		const fields = 5
		f := strings.SplitN(strings.TrimSpace(record), "\x1f", fields)
		if len(f) < fields {
			continue
		}
		when, err := time.Parse(time.RFC3339, f[3])
		if err != nil {
			return nil, fmt.Errorf("date of commit %s: %w", f[0], err)
		}
		commits = append(commits, Commit{ID: f[0], Tree: f[1], Author: f[2], Date: when, Subject: f[4]})
	}
	if len(commits) != len(ids) {
		return nil, fmt.Errorf("git described %d of %d commits", len(commits), len(ids))
	}
	return commits, nil
}

// Changed lists the files in which two commits differ.
func (r *Repository) Changed(ctx context.Context, from, to string) ([]string, error) {
	out, err := git(ctx, r.Root, "diff", "--name-only", "--no-renames", "-z", from, to)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), nil
}

// Untracked says whether a file is in no commit: in the working tree alone, or outside.
func (r *Repository) Untracked(ctx context.Context, path string) bool {
	rel, err := filepath.Rel(r.Root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return true
	}
	_, err = git(ctx, r.Root, "ls-files", "--error-unmatch", "--", rel)
	return err != nil
}

// Input names what a build of a commit is made from: its tree, or the part of it below
// some paths.
func (r *Repository) Input(ctx context.Context, c *Commit, paths []string) (string, error) {
	if len(paths) == 0 {
		return c.Tree, nil
	}
	return git(ctx, r.Root, append([]string{"ls-tree", "-r", "--full-tree", c.ID, "--"}, paths...)...)
}

// Checkout puts a commit into dir, which must not exist, with its submodules.
func (r *Repository) Checkout(ctx context.Context, c *Commit, dir string) error {
	if _, err := git(ctx, r.Root, "clone", "--quiet", "--shared", "--no-checkout", "--", r.common, dir); err != nil {
		return fmt.Errorf("checking out %s: %w", c.Short(), err)
	}
	if _, err := git(ctx, dir, "-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", c.ID); err != nil {
		return fmt.Errorf("checking out %s: %w", c.Short(), err)
	}
	if err := submodules(ctx, dir, filepath.Join(r.common, "modules")); err != nil {
		return fmt.Errorf("checking out the submodules of %s: %w", c.Short(), err)
	}
	return nil
}

// submodules checks them out, from the repository's own copies of them where it has some.
func submodules(ctx context.Context, dir, modules string) error {
	out, err := git(ctx, dir, "config", "--file", ".gitmodules", "--get-regexp", `^submodule\..*\.path$`)
	if err != nil {
		return nil //nolint:nilerr // there are none
	}
	for line := range strings.Lines(out) {
		key, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		own := filepath.Join(modules, name)
		// Copies of submodules are files of this machine, which git does not clone from
		// unless it is told to.
		args := []string{"-c", "protocol.file.allow=always"}
		if _, err := os.Stat(own); err == nil {
			args = append(args, "-c", "submodule."+name+".url="+own)
		}
		args = append(args, "submodule", "--quiet", "update", "--init", "--", path)
		if _, err := git(ctx, dir, args...); err != nil {
			return err
		}
		if err := submodules(ctx, filepath.Join(dir, path), filepath.Join(own, "modules")); err != nil {
			return err
		}
	}
	return nil
}

// Made lists the files of a checked-out tree that are in no commit: what a build has made.
func Made(ctx context.Context, dir string) ([]string, error) {
	out, err := git(ctx, dir, "ls-files", "--others", "-z")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	return output(command(ctx, dir, args...))
}

// command calls git in a directory. A hook's variables name the hook's repository, so they
// go; and nobody is there to answer a question.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(Environment(os.Environ()), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	return cmd
}

// Environment is one without what ties git to a repository.
func Environment(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_QUARANTINE_PATH":
			return true
		}
		return false
	})
}

func output(cmd *exec.Cmd) (string, error) {
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", errors.New("git is not installed (Debian, Ubuntu: apt-get install git)")
		}
		if text := strings.TrimSpace(said.String()); text != "" {
			return "", fmt.Errorf("git %s: %s", cmd.Args[1], text)
		}
		return "", fmt.Errorf("git %s: %w", strings.Join(cmd.Args[1:], " "), err)
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// Tracked are the files of a checked-out tree's commit, with what names their content.
func Tracked(ctx context.Context, dir string) (map[string]string, error) {
	out, err := git(ctx, dir, "ls-tree", "-r", "-z", "--full-tree", "HEAD")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		if what, path, ok := strings.Cut(entry, "\t"); ok {
			files[path] = what
		}
	}
	return files, nil
}
