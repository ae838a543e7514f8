package bisect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"whyhot/internal/bisect/history"
	"whyhot/internal/host/userdir"
	"whyhot/internal/trial"
	"whyhot/internal/trial/rebuild/cache"
)

// Request is what somebody wants to know.
type Request struct {
	Terms

	Good, Bad string // revisions
	Dir       string // of a working tree; the command runs in the same directory of each commit
	All       bool   // also commits that came by merges
	Paths     []string

	Command []string
	Build   string // for the shell, "" where nothing is built
	Test    string // for the shell, "" for none
	Env     []string
	Metric  trial.MetricChoice
	Pin     []int
	Stdin   func(ctx context.Context) (path string, release func(), err error) // nil for none

	IgnoreFailure bool
	BuildTimeout  time.Duration // 0 for what is left of the budget
	Timeout       time.Duration // of one run, the same
	Seed          uint64
	Restart       bool // forget what an interrupted search has found
	Keep          bool // leave the builds
	NoProfile     bool // do not say which functions grew

	Getenv func(string) string // where to keep builds
}

// Listener is told how far a search is.
type Listener interface {
	Building(c history.Commit)
	// Measuring comes before every round: what is measured, and the most probable commit
	// so far.
	Measuring(c, best history.Commit, p float64)
	Skipped(c history.Commit, why string)
	Remark(text string)
}

func (r *Request) check() error {
	switch {
	case r.Good == "" || r.Bad == "":
		return errors.New("give two revisions as GOOD..BAD, for example v1.4..HEAD")
	case len(r.Command) == 0:
		return errors.New("no command to measure: give it after --")
	case r.Limit <= 0 || r.Limit > 100:
		return fmt.Errorf("--limit %v%%: must be above 0%%", r.Limit*100) //nolint:mnd // per cent
	case r.Confidence < 0.5 || r.Confidence >= 1:
		return fmt.Errorf("--confidence %v: must be from 0.5 to less than 1", r.Confidence)
	case r.Budget <= 0 || r.Timeout < 0 || r.BuildTimeout < 0:
		return errors.New("--budget, --timeout and --build-timeout are times above 0, for example 30m")
	}
	return nil
}

// workshopKey names what builds depend on beside the commit.
func (r *Request) workshopKey(root string) string {
	return sum(slices.Concat([]string{"1", root, r.Build, r.Test}, r.Paths, cache.Environment(r.Env))...)
}

// searchKey names a search: with the same one, it goes on.
func (r *Request) searchKey(line []history.Commit) string {
	words := []string{
		strconv.FormatFloat(r.Limit, 'g', -1, 64), strconv.FormatBool(r.Less), fmt.Sprintf("%+v", r.Metric),
		strconv.FormatBool(r.IgnoreFailure), r.Dir,
	}
	for i := range line {
		words = append(words, line[i].ID)
	}
	return sum(slices.Concat(words, r.Command)...)
}

// sum is a short hash of a list of words.
func sum(words ...string) string {
	h := sha256.New()
	for _, w := range words {
		_, _ = fmt.Fprintf(h, "%q\n", w) // a hash takes everything
	}
	const bytes = 10
	return hex.EncodeToString(h.Sum(nil)[:bytes])
}

// home is where builds are kept: the user's directory for caches.
func home(getenv func(string) string) (string, error) {
	dir, err := userdir.Cache(getenv, "bisect")
	if err != nil {
		return "", fmt.Errorf("nowhere to build: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("a place for builds: %w", err)
	}
	return dir, nil
}
