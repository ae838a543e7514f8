package bisect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/bisect/history"
	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stage"
)

// Run searches. Where ctx ends, what is known so far is the Result and the error says so;
// the same Request then goes on.
func Run(ctx context.Context, r Request, told Listener) (*Result, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	repo, err := history.Open(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	line, err := repo.Line(ctx, r.Good, r.Bad, history.Options{All: r.All, Paths: r.Paths})
	if err != nil {
		return nil, err
	}
	w, err := r.workshop(ctx, repo, line, told)
	if err != nil {
		return nil, err
	}
	result, keep, err := w.search(ctx)
	if closeErr := w.leave(!keep && !r.Keep); err == nil && closeErr != nil {
		err = closeErr
	}
	return result, err
}

// workshop prepares what builds and runs.
func (r *Request) workshop(ctx context.Context, repo *history.Repository, line []history.Commit, told Listener) (*workshop, error) {
	base, err := home(r.Getenv)
	if err != nil {
		return nil, err
	}
	prune(base)
	reader, err := r.Metric.Reader(trial.CPU)
	if err != nil {
		return nil, err
	}
	w := &workshop{
		request: r, repo: repo, line: line, told: told, reader: reader, warm: map[string]bool{}, keys: make([]string, len(line)),
		dir: filepath.Join(base, r.workshopKey(repo.Root)), until: time.Now().Add(r.Budget),
		random: rand.New(rand.NewPCG(r.Seed, r.Seed)), //nolint:gosec // an order, no secret
	}
	w.command, w.env = r.words(ctx, repo), environment(r.Env, repo.Root)
	w.stage = stage.New(w.src())
	return w, w.open()
}

// words is the command. A file of the user's tree that is in no commit is named by its
// absolute path: it is input, and no commit's tree has it.
func (r *Request) words(ctx context.Context, repo *history.Repository) []string {
	words := slices.Clone(r.Command)
	for i, word := range words {
		if i == 0 || filepath.IsAbs(word) {
			continue
		}
		path := filepath.Join(repo.Root, repo.Prefix, word)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && repo.Untracked(ctx, path) {
			words[i] = path
		}
	}
	return words
}

// environment has equal sources give equal programs where tools ask for the time or for
// the commit, and tells commands where the user's own tree is.
func environment(env []string, root string) []string {
	env = history.Environment(env)
	has := func(name string) bool {
		return slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	}
	if !has("SOURCE_DATE_EPOCH") {
		env = append(env, "SOURCE_DATE_EPOCH=1000000000")
	}
	if !has("GOFLAGS") {
		env = append(env, "GOFLAGS=-buildvcs=false")
	}
	return append(env, "WHYHOT_TREE="+root)
}

// search searches in a workshop that is open. keep says that it is to go on later.
func (w *workshop) search(ctx context.Context) (result *Result, keep bool, err error) {
	r := w.request
	local, err := run.New()
	if err != nil {
		return nil, false, fmt.Errorf("preparing to run: %w", err)
	}
	defer local.Close()
	w.runner = w.reader.Wrap(local)
	if r.Stdin != nil {
		path, release, err := r.Stdin(ctx)
		if err != nil {
			return nil, false, err
		}
		defer release()
		w.stdin = path
	}
	key := r.searchKey(w.line)
	path := filepath.Join(w.dir, "search-"+key+".json")
	if r.Restart {
		_ = os.Remove(path) // what is not there need not be forgotten
	}
	state, err := loadState(path, key)
	if err != nil {
		return nil, true, err
	}
	if state.Runs > 0 {
		w.told.Remark(fmt.Sprintf("going on with a search of %d builds and %d runs (--restart begins again)", state.Builds, state.Runs))
	}
	s := newSearch(w, r.Terms, state, len(w.line), places{w}, func() error { return state.write(path) })
	verdict, err := s.run(ctx)
	if err != nil && state.Runs == 0 {
		_ = os.Remove(path) // nothing is known that would be worth going on with
		return nil, false, err
	}
	state.Seconds += s.spent().Seconds()
	keep = err != nil || verdict == Undecided
	if keep {
		if e := state.write(path); e != nil {
			return nil, true, e
		}
	} else if !r.Keep {
		_ = os.Remove(path) // a search that is over: what stays is small and named by it
	}
	result = w.result(s, verdict)
	if verdict == Found && err == nil && !r.NoProfile {
		w.grown(ctx, s, result)
	}
	return result, keep, err
}

// places tells a listener of commits.
type places struct{ w *workshop }

func (p places) measuring(commit, best int, prob float64) {
	p.w.told.Measuring(p.w.line[commit], p.w.line[best], prob)
}

func (p places) skipped(commit int, why string) { p.w.told.Skipped(p.w.line[commit], why) }
