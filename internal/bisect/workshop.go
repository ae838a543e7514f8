package bisect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/bisect/history"
	"whyhot/internal/host/dirlock"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stage"
)

// workshop builds and runs the commits of a repository. It is a Lab.
type workshop struct {
	request *Request
	repo    *history.Repository
	line    []history.Commit
	told    Listener

	dir     string // everything is in it
	lock    *os.File
	stage   *stage.Stage // at src; the homes of builds are below built
	keys    []string
	warm    map[string]bool // what was run once
	command []string
	env     []string
	stdin   string
	runner  run.Runner
	reader  *trial.Reader
	until   time.Time
	random  *rand.Rand
	times   int // how often a recording runs the command
}

// note is what is known of a build, kept beside it.
type note struct {
	Failed   string        `json:"failed,omitempty"`
	Programs string        `json:"programs,omitempty"`
	Took     time.Duration `json:"took"`
}

// src is where every commit is built and run.
func (w *workshop) src() string { return filepath.Join(w.dir, "src") }

func (w *workshop) kept(key string) string     { return filepath.Join(w.dir, "built", key) }
func (w *workshop) notePath(key string) string { return filepath.Join(w.dir, "built", key+".json") }

// where is the directory of the command.
func (w *workshop) where() string { return filepath.Join(w.src(), w.repo.Prefix) }

// open takes the directory. What an interrupted process left at src goes: it may be half
// a build.
func (w *workshop) open() error {
	if err := os.MkdirAll(filepath.Join(w.dir, "built"), 0o700); err != nil {
		return fmt.Errorf("a place for builds: %w", err)
	}
	lock, err := dirlock.Take(filepath.Join(w.dir, "lock"), 0o600)
	if errors.Is(err, dirlock.ErrTaken) {
		return fmt.Errorf("the same search runs already, in %s", w.dir)
	}
	if err != nil {
		return err
	}
	w.lock = lock
	left, err := os.ReadFile(filepath.Join(w.src(), ".git", "whyhot-built"))
	if err == nil && len(left) > 0 {
		w.stage.Adopt(w.kept(string(left)))
		return w.stage.Clear()
	}
	return removeTree(w.src())
}

// Now implements Lab.
func (w *workshop) Now() time.Time { return time.Now() }

// key names a commit's build by what it is made from.
func (w *workshop) key(ctx context.Context, commit int) (string, error) {
	if w.keys[commit] == "" {
		input, err := w.repo.Input(ctx, &w.line[commit], w.request.Paths)
		if err != nil {
			return "", err
		}
		w.keys[commit] = sum(input)
	}
	return w.keys[commit], nil
}

// Build implements Lab.
func (w *workshop) Build(ctx context.Context, commit int) (Built, error) {
	key, err := w.key(ctx, commit)
	if err != nil {
		return Built{}, err
	}
	if n, ok := w.known(key); ok {
		if n.Failed != "" {
			return Built{}, &UnfitError{commit, n.Failed}
		}
		return Built{Kept: true, Took: n.Took, Programs: n.Programs}, nil
	}
	if err := w.stage.Clear(); err != nil {
		return Built{}, err
	}
	w.told.Building(w.line[commit])
	begun := time.Now()
	if err := removeTree(w.src()); err != nil {
		return Built{}, err
	}
	if err := w.repo.Checkout(ctx, &w.line[commit], w.src()); err != nil {
		return Built{}, err
	}
	n := note{}
	if n.Failed, err = w.make(ctx); err != nil {
		return Built{}, err
	}
	n.Took = time.Since(begun)
	if n.Failed == "" {
		if n.Programs, err = programs(ctx, w.src(), w.request.Command); err != nil {
			return Built{}, err
		}
	}
	data, err := json.Marshal(n)
	if err != nil {
		return Built{}, err
	}
	if n.Failed != "" {
		if err := removeTree(w.src()); err != nil {
			return Built{}, err
		}
	} else {
		// From here on the tree is a whole build, which an interruption leaves one.
		if err := os.WriteFile(filepath.Join(w.src(), ".git", "whyhot-built"), []byte(key), 0o600); err != nil {
			return Built{}, fmt.Errorf("keeping a build: %w", err)
		}
		w.stage.Adopt(w.kept(key))
	}
	if err := wholefile.Write(w.notePath(key), 0o600, wholefile.Bytes(data)); err != nil {
		return Built{}, fmt.Errorf("keeping a build: %w", err)
	}
	if n.Failed != "" {
		return Built{}, &UnfitError{commit, n.Failed}
	}
	return Built{Took: n.Took, Programs: n.Programs}, nil
}

// known is the note on a build that is there.
func (w *workshop) known(key string) (n note, ok bool) {
	data, err := os.ReadFile(w.notePath(key))
	if err != nil || json.Unmarshal(data, &n) != nil {
		return note{}, false
	}
	if n.Failed != "" || w.stage.Home() == w.kept(key) {
		return n, true
	}
	_, err = os.Stat(w.kept(key))
	return n, err == nil
}

// make builds and tests what is at src. failed says why that is not possible.
func (w *workshop) make(ctx context.Context) (failed string, err error) {
	for _, step := range []struct{ what, line string }{{"build", w.request.Build}, {"test", w.request.Test}} {
		if step.line == "" {
			continue
		}
		res, err := w.runner.Run(ctx, run.Spec{
			Args: []string{"/bin/sh", "-c", step.line}, Env: w.env, Dir: w.where(), Timeout: w.limit(w.request.BuildTimeout),
		})
		if err != nil {
			return "", err
		}
		if res.End.Failed() || res.End.Limit > 0 {
			return fmt.Sprintf("%s: %s%s", step.what, res.End.String(), lastLine(res.StderrTail)), nil
		}
	}
	return "", nil
}

// limit is how long something may take.
func (w *workshop) limit(asked time.Duration) time.Duration {
	left := max(time.Second, time.Until(w.until))
	if asked > 0 {
		return min(asked, left)
	}
	return left
}

// Round implements Lab.
func (w *workshop) Round(ctx context.Context, commits []int) ([]float64, error) {
	for _, c := range commits {
		key, err := w.key(ctx, c)
		if err != nil {
			return nil, err
		}
		if w.warm[key] {
			continue
		}
		if _, err := w.once(ctx, c); err != nil {
			return nil, err
		}
		w.warm[key] = true
	}
	values := make([]float64, len(commits))
	for _, i := range w.random.Perm(len(commits)) {
		v, err := w.once(ctx, commits[i])
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// once runs a commit's command once.
func (w *workshop) once(ctx context.Context, commit int) (float64, error) {
	key, err := w.key(ctx, commit)
	if err != nil {
		return 0, err
	}
	if err := w.stage.Put(w.kept(key)); err != nil {
		return 0, err
	}
	res, err := w.runner.Run(ctx, run.Spec{
		Args: w.command, Env: w.env, Dir: w.where(), Stdin: w.stdin, Pin: w.request.Pin, Timeout: w.limit(w.request.Timeout),
	})
	if start, ok := errors.AsType[*run.StartError](err); ok {
		return 0, &UnfitError{commit, start.Error()}
	}
	if err != nil {
		return 0, err
	}
	if res.End.Limit > 0 && time.Until(w.until) <= 0 {
		return 0, errBudget
	}
	if res.End.Limit > 0 || res.End.Failed() && !w.request.IgnoreFailure {
		return 0, &UnfitError{commit, "run: " + res.End.String() + lastLine(res.StderrTail)}
	}
	v, err := w.reader.Value(res)
	if err != nil {
		return 0, &UnfitError{commit, "run: " + err.Error()}
	}
	return v, nil
}

// lastLine is what a command said at its end, after a colon.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return ": " + text[strings.LastIndexByte(text, '\n')+1:]
}

// leave gives the directory free, and removes it unless somebody needs it: a search that
// is to go on, or another one of the same builds.
func (w *workshop) leave(remove bool) error {
	if w.lock == nil {
		return nil
	}
	err := w.stage.Clear()
	states, globErr := filepath.Glob(filepath.Join(w.dir, "search-*.json"))
	if remove && len(states) == 0 {
		err = errors.Join(err, globErr, removeTree(w.dir))
	}
	return errors.Join(err, w.lock.Close())
}

// removeTree also removes directories that a build has made unwritable, as Go's module
// cache is.
func removeTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // what stays unwritable is told below
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing a build: %w", err)
	}
	return nil
}

// prune removes directories that no search has used for a month.
func prune(home string) {
	const unused = 30 * 24 * time.Hour
	locks, err := filepath.Glob(filepath.Join(home, "*", "lock"))
	if err != nil {
		return
	}
	for _, path := range locks {
		info, err := os.Stat(path)
		if err != nil || time.Since(info.ModTime()) < unused {
			continue
		}
		if lock, err := dirlock.Take(path, 0o600); err == nil {
			_ = removeTree(filepath.Dir(path)) // kept too long does no harm
			_ = lock.Close()
		}
	}
}
