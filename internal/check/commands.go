package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/host/environ"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial/suite"
)

// task is a command that is measured.
type task struct {
	suite.Command
}

// commands are those of the request, with directories from the root of the repository.
func (r *Request) commands(root, rel string) ([]task, error) {
	if r.Suite == nil {
		return []task{{suite.Command{
			Name: shellwords.Join(r.Command), Command: r.Command, Dir: rel, Stdin: r.Stdin, IgnoreFailure: r.IgnoreFailure,
		}}}, nil
	}
	dir, err := filepath.Abs(r.Suite.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the directory of the suite: %w", err)
	}
	from, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(from) {
		return nil, fmt.Errorf("the suite is in %s: it has to be in the repository %s, since its directories start from there", dir, root)
	}
	var out []task
	for _, b := range r.Suite.Commands() {
		if filepath.IsAbs(b.Dir) {
			return nil, fmt.Errorf("benchmark %q: its directory %s has to be a path from the suite's", b.Name, b.Dir)
		}
		b.Dir = filepath.Join(from, b.Dir)
		b.IgnoreFailure = b.IgnoreFailure || r.IgnoreFailure
		out = append(out, task{b})
	}
	return out, nil
}

// words are a command's, with files of the repository by their paths in the place.
func (c *checking) words(k *task) []string {
	out := make([]string, len(k.Command.Command))
	for i, w := range k.Command.Command {
		out[i] = c.moved(c.rooted(k, w))
	}
	return out
}

// rooted has a word that leads out of the repository, such as ../input, start at the root:
// the command runs elsewhere. So has the value of a flag, as in --in=../input.
func (c *checking) rooted(k *task, word string) string {
	flag, value := flagAndValue(word)
	if value == "" || filepath.IsAbs(value) || filepath.IsLocal(filepath.Join(k.Dir, value)) {
		return word
	}
	there := filepath.Join(c.repo.Root, k.Dir, value)
	if _, err := os.Stat(there); err != nil {
		return word
	}
	return flag + there
}

// flagAndValue splits --in=input into "--in=" and "input"; any other word is a value alone.
func flagAndValue(word string) (flag, value string) {
	if flag, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(flag, "-") {
		return flag + "=", value
	}
	return "", word
}

// environ is what a command gets.
func (c *checking) environ(k *task) []string {
	env := environ.Set(c.env(), "PWD="+filepath.Join(c.stage.Place(), k.Dir))
	for _, kv := range k.Env {
		env = environ.Set(env, c.moved(kv))
	}
	return env
}

func (c *checking) stdin(k *task) string {
	if in := c.rooted(k, k.Stdin); in == "" || filepath.IsAbs(in) {
		return c.moved(in)
	}
	return filepath.Join(c.stage.Place(), k.Dir, k.Stdin)
}

// share gives a side files of the working tree that git does not have. Paths start from the
// current directory.
func (c *checking) share(side int, paths []string) error {
	for _, p := range paths {
		rel := filepath.Join(c.rel, p)
		from := filepath.Join(c.repo.Root, rel)
		if _, err := os.Stat(from); err != nil {
			return fmt.Errorf("--share %s: %w", p, err)
		}
		if err := c.link(side, rel); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) link(side int, rel string) error {
	to := c.stage.path(side, rel)
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return nil // git or the build has it
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("sharing %s: %w", rel, err)
	}
	if err := os.Symlink(filepath.Join(c.repo.Root, rel), to); err != nil {
		return fmt.Errorf("sharing %s: %w", rel, err)
	}
	return nil
}

// shareInputs gives a side the files that commands name, that the working tree has, and
// that neither git nor the build makes: large inputs, mostly. The program itself is not
// one of them.
func (c *checking) shareInputs(side int) error {
	for i := range c.commands {
		k := &c.commands[i]
		names := slices.Concat(k.Command.Command[1:], []string{k.Stdin})
		for _, n := range names {
			_, n = flagAndValue(n)
			if filepath.IsAbs(n) {
				rel, err := filepath.Rel(filepath.Join(c.repo.Root, k.Dir), n)
				if err != nil {
					continue
				}
				n = rel
			}
			rel := filepath.Join(k.Dir, n)
			if n == "" || !filepath.IsLocal(rel) || rel == "." {
				continue
			}
			if info, err := os.Stat(filepath.Join(c.repo.Root, rel)); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if err := c.link(side, rel); err != nil {
				return err
			}
		}
		program := k.Command.Command[0]
		if strings.Contains(program, "/") && !filepath.IsAbs(program) {
			if _, err := os.Stat(c.stage.path(side, filepath.Join(k.Dir, program))); err != nil {
				return &StepError{Says: fmt.Sprintf("%s is neither in git nor made by the build: say how it is built with --build, for example --build 'make -j2'", program)}
			}
		}
	}
	return nil
}
