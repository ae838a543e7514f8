package deploy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"whyhot/internal/report/gate"
)

// host is a code host's list of comments.
type host struct {
	comments []string
	tokens   map[string]bool
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.tokens[r.Header.Get("Authorization")+r.Header.Get("PRIVATE-TOKEN")] = true
	var in struct{ Body string }
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	switch r.Method {
	case http.MethodGet:
		const page = 100
		list := []map[string]any{}
		first := 0
		if r.URL.Query().Get("page") == "2" {
			first = page
		}
		for i := first; i < min(first+page, len(h.comments)); i++ {
			list = append(list, map[string]any{"id": i + 1, "body": h.comments[i]})
		}
		_ = json.NewEncoder(w).Encode(list)
	case http.MethodPost:
		h.comments = append(h.comments, in.Body)
	default:
		var id int
		if _, err := fmt.Sscanf(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], "%d", &id); err != nil || id < 1 || id > len(h.comments) {
			http.NotFound(w, r)
			return
		}
		h.comments[id-1] = in.Body
	}
}

// A comment is written once and edited from then on, also behind a page of others, and the
// token is on no command line.
func TestACommentIsEditedInPlace(t *testing.T) {
	for _, name := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	for _, kind := range []string{"github", "gitlab"} {
		h := &host{tokens: map[string]bool{}}
		for i := range 130 {
			h.comments = append(h.comments, fmt.Sprintf("Somebody says %d and \"quotes\" it.", i))
		}
		server := httptest.NewServer(h)
		file := filepath.Join(t.TempDir(), "comment.md")
		for _, text := range []string{"slower", "not \"slower\"\n`x`"} {
			if err := os.WriteFile(file, []byte(gate.Marker+"\n"+text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "sh", "ci/comment.sh", kind, file)
			cmd.Env = append(os.Environ(), "GITHUB_API_URL="+server.URL, "GITHUB_REPOSITORY=a/b", "GITHUB_TOKEN=secret", "PULL_REQUEST=7",
				"CI_API_V4_URL="+server.URL, "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=7", "GITLAB_TOKEN=secret", "no_proxy=*")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", kind, err, out)
			}
			if last := h.comments[len(h.comments)-1]; len(h.comments) != 131 || last != gate.Marker+"\n"+text+"\n" {
				t.Errorf("%s: %d comments, the last is %q", kind, len(h.comments), last)
			}
		}
		server.Close()
		if len(h.tokens) != 1 || h.tokens[""] {
			t.Errorf("%s: %d tokens", kind, len(h.tokens))
		}
	}
}

// The action's own step runs: with a change of a repository that was fetched from a bare
// one, its outputs are those that the later steps read.
func TestTheStepOfTheActionRuns(t *testing.T) {
	var action struct {
		Runs struct {
			Steps []struct{ ID, Name, Run, Uses string }
		}
	}
	text := read(t, "../action.yml")
	if err := yaml.Unmarshal([]byte(text), &action); err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`@[0-9a-f]{40}$`)
	script := ""
	for _, s := range action.Runs.Steps {
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("%s is not pinned by a hash", s.Uses)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %s puts an expression into its script: it belongs into env", s.Name)
		}
		if s.ID == "check" {
			script = s.Run
		}
	}
	dir := t.TempDir()
	git := func(where string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = where
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	server, clone := filepath.Join(dir, "server.git"), filepath.Join(dir, "clone")
	git(dir, "init", "-q", "--bare", "-b", "main", server)
	git(dir, "clone", "-q", server, clone)
	git(clone, "checkout", "-q", "-B", "main")
	commit := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(clone, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git(clone, "add", "-A")
		git(clone, "commit", "-qm", name)
	}
	commit("run.sh", "echo 6\n")
	git(clone, "push", "-q", "origin", "main")
	commit("words.md", "Words.\n")
	for _, base := range []string{"origin/main", "nowhere"} {
		output, summary := filepath.Join(dir, "output-"+filepath.Base(base)), filepath.Join(dir, "summary-"+filepath.Base(base))
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
		cmd.Dir = clone
		cmd.Env = append(os.Environ(), "COMMAND=sh run.sh", "BUILD=", "BASE="+base, "LIMIT=2%", "BUDGET=10s", "WHYHOT="+built(t),
			"RUNNER_TEMP="+t.TempDir(), "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want := "status=0\n"
		if base == "nowhere" {
			want = "status=2\n"
		} else if !strings.HasPrefix(read(t, summary), gate.Marker+"\n### whyhot: identical") {
			t.Errorf("the summary is %q", read(t, summary))
		}
		if have := read(t, output); have != want {
			t.Errorf("base %s: %q, want %q", base, have, want)
		}
	}
}

// built is the program of this tree.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whyhot")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../cmd/whyhot").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}
