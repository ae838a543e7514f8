package bisect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/bisect/history"
	"whyhot/internal/trial"
)

// repository is a git repository whose program prints what it costs: no verdict in these
// tests rests on a clock.
type repository struct {
	t   *testing.T
	dir string
	ids []string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	r := &repository{t: t, dir: t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes one that costs so much.
func (r *repository) commit(cost float64, build string) {
	r.t.Helper()
	files := map[string]string{
		"cost": fmt.Sprintln(cost), "number": fmt.Sprintln(len(r.ids)), "build.sh": build + "\n",
		"run.sh": "test -f made && echo cost $(cat cost)\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", fmt.Sprintf("Change %d", len(r.ids)))
	r.ids = append(r.ids, r.git("rev-parse", "HEAD"))
}

func (r *repository) request(t *testing.T) Request {
	t.Helper()
	cache := t.TempDir()
	return Request{
		Terms: Terms{Limit: 0.02, Confidence: 0.95, Budget: 20 * time.Minute},
		Good:  r.ids[0], Bad: "HEAD", Dir: r.dir, Command: []string{"sh", "run.sh"}, Build: "sh build.sh", Env: os.Environ(),
		Metric: trial.MetricChoice{Pattern: `cost ([0-9.]+)`}, NoProfile: true,
		Getenv: func(name string) string {
			if name == "XDG_CACHE_HOME" {
				return cache
			}
			return ""
		},
	}
}

// listener counts builds, and may end the search.
type listener struct {
	builds []string
	rounds int
	end    func(rounds int)
}

func (l *listener) Building(c history.Commit) { l.builds = append(l.builds, c.ID) }
func (l *listener) Measuring(history.Commit, history.Commit, float64) {
	l.rounds++
	if l.end != nil {
		l.end(l.rounds)
	}
}
func (*listener) Skipped(history.Commit, string) {}
func (*listener) Remark(string)                  {}

const builds = "touch made"

// left are the files of a user's cache.
func left(t *testing.T, r *Request) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.Getenv("XDG_CACHE_HOME"), "whyhot", "bisect", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A whole search in a real repository, with a commit that does not build beside the
// culprit, says which it is and leaves nothing behind.
func TestACommitIsFoundInARepository(t *testing.T) {
	r := newRepository(t)
	for i := range 24 {
		cost, build := 100.0, builds
		if i >= 15 {
			cost = 106
		}
		if i == 13 {
			build = "echo no rule >&2; exit 2"
		}
		r.commit(cost, build)
	}
	status := r.git("status", "--porcelain", "--ignored")
	request := r.request(t)
	l := &listener{}
	result, err := Run(t.Context(), request, l)
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != Found || len(result.Commit) != 1 || result.Commit[0].ID != r.ids[15] || result.Commit[0].Subject != "Change 15" {
		t.Errorf("%+v", result)
	}
	if result.Parent == nil || result.Parent.ID != r.ids[14] || result.Step == nil || result.Step.Estimate != 1.06 {
		t.Errorf("parent %+v, step %+v", result.Parent, result.Step)
	}
	if len(l.builds) > 10 || result.Builds > len(l.builds) {
		t.Errorf("built %d times: %v", result.Builds, l.builds)
	}
	for _, s := range result.Skipped {
		if s.ID != r.ids[13] || !strings.Contains(s.Why, "no rule") {
			t.Errorf("skipped %+v", s)
		}
	}
	if files := left(t, &request); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
	if now := r.git("status", "--porcelain", "--ignored"); now != status {
		t.Errorf("the working tree was %q and is %q", status, now)
	}
	if w := r.git("worktree", "list"); strings.Count(w, "\n") > 0 {
		t.Errorf("work trees: %s", w)
	}
	schemaTakes(t, result)
}

func schemaTakes(t *testing.T, result *Result) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/bisect.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// An interrupted search goes on with the builds and the rounds that it has.
func TestAnInterruptedSearchGoesOn(t *testing.T) {
	r := newRepository(t)
	for i := range 16 {
		cost := 50.0
		if i >= 4 {
			cost = 40
		}
		r.commit(cost, builds)
	}
	request := r.request(t)
	request.Less = true
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := &listener{end: func(rounds int) {
		if rounds == 14 {
			cancel()
		}
	}}
	if _, err := Run(ctx, request, first); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if len(left(t, &request)) == 0 {
		t.Fatal("nothing is kept")
	}
	second := &listener{}
	result, err := Run(t.Context(), request, second)
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != Found || result.Commit[0].ID != r.ids[4] {
		t.Errorf("%+v", result)
	}
	for _, id := range second.builds {
		if slices.Contains(first.builds, id) {
			t.Errorf("%s is built again", id)
		}
	}
	if files := left(t, &request); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
	schemaTakes(t, result)
}

// Commits with the same tree are built once, as a change that is taken back makes them.
func TestEqualTreesAreBuiltOnce(t *testing.T) {
	r := newRepository(t)
	r.commit(10, builds)
	r.git("commit", "-q", "--allow-empty", "-m", "Nothing")
	r.ids = append(r.ids, r.git("rev-parse", "HEAD"))
	request := r.request(t)
	l := &listener{}
	result, err := Run(t.Context(), request, l)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.builds) != 1 || result.Verdict != Difference {
		t.Errorf("%d builds, %+v", len(l.builds), result)
	}
	schemaTakes(t, result)
}

// Merges are one commit of the line unless all parents are asked for, and submodules are
// there when a commit is built.
func TestMergesAndSubmodules(t *testing.T) {
	library := newRepository(t)
	library.commit(1, builds)
	r := newRepository(t)
	r.commit(10, builds)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.dir, "library")
	r.commit(10, "test -f library/cost && touch made")
	r.git("checkout", "-q", "-b", "topic")
	r.commit(10, "test -f library/cost && touch made")
	r.commit(20, "test -f library/cost && touch made")
	side := r.ids[len(r.ids)-1]
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "Merge topic", "topic")
	merge := r.git("rev-parse", "HEAD")
	// The library's own repository is gone: the copy in the user's has to do.
	if err := os.RemoveAll(library.dir); err != nil {
		t.Fatal(err)
	}
	for all, want := range map[bool]string{false: merge, true: side} {
		request := r.request(t)
		request.All = all
		result, err := Run(t.Context(), request, &listener{})
		if err != nil {
			t.Fatal(err)
		}
		if result.Verdict != Found || result.Commit[0].ID != want || len(result.Skipped) > 0 {
			t.Errorf("all parents %v: %+v, want %s", all, result, want)
		}
	}
}

// Ends that are wrong are told before anything is built.
func TestWrongEnds(t *testing.T) {
	r := newRepository(t)
	r.commit(1, builds)
	r.commit(2, builds)
	for want, change := range map[string]func(*Request){
		"unknown revision":   func(q *Request) { q.Good = "nowhere" },
		"not an ancestor":    func(q *Request) { q.Good, q.Bad = q.Bad, q.Good },
		"the same commit":    func(q *Request) { q.Bad = q.Good },
		"no command":         func(q *Request) { q.Command = nil },
		"git working tree":   func(q *Request) { q.Dir = t.TempDir() },
		"prints nothing":     func(q *Request) { q.Metric.Pattern = "price ([0-9]+)" },
		"build: exit status": func(q *Request) { q.Build = "exit 3" },
	} {
		request := r.request(t)
		change(&request)
		if _, err := Run(t.Context(), request, &listener{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, have %v", want, err)
		}
		if files := left(t, &request); len(files) > 0 {
			t.Errorf("%s: left behind: %v", want, files)
		}
	}
}

// A file that no commit has is named by its whole path, also one outside the repository.
func TestInputsOfTheUser(t *testing.T) {
	r := newRepository(t)
	r.commit(100, builds)
	for _, path := range []string{filepath.Join(r.dir, "mine"), filepath.Join(filepath.Dir(r.dir), "theirs")} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	request := r.request(t)
	request.Command = []string{"sh", "mine", "../theirs", "run.sh", "../absent"}
	repo, err := history.Open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"sh", filepath.Join(repo.Root, "mine"), filepath.Join(filepath.Dir(repo.Root), "theirs"), "run.sh", "../absent"}
	if got := request.words(t.Context(), repo); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
