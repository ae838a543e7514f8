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

// change is a clone of a bare repository, with a commit that changes documentation alone.
func change(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	server, clone := filepath.Join(dir, "server.git"), filepath.Join(dir, "clone")
	git(t, dir, "init", "-q", "--bare", "-b", "main", server)
	git(t, dir, "clone", "-q", server, clone)
	git(t, clone, "checkout", "-q", "-B", "main")
	commit := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(clone, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git(t, clone, "add", "-A")
		git(t, clone, "commit", "-qm", name)
	}
	commit("run.sh", "echo 6\n")
	git(t, clone, "push", "-q", "-u", "origin", "main")
	commit("words.md", "Words.\n")
	return clone
}

func git(t *testing.T, where string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = where
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// shell runs a script of a recipe in a clone.
func shell(t *testing.T, clone, script string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	cmd.Dir, cmd.Env = clone, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// Each recipe's own steps run as they are written, on a change that was fetched from a bare
// repository, and leave what the later steps read.
func TestTheRecipesRun(t *testing.T) {
	program := built(t)
	path := "PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH")
	t.Run("action", func(t *testing.T) { actionRuns(t, program) })
	t.Run("GitLab component", func(t *testing.T) { componentRuns(t, path) })
	t.Run("pre-commit", func(t *testing.T) {
		var hooks []struct {
			ID, Entry     string
			PassFilenames bool `yaml:"pass_filenames"`
		}
		if err := yaml.Unmarshal([]byte(read(t, "../.pre-commit-hooks.yaml")), &hooks); err != nil {
			t.Fatal(err)
		}
		if len(hooks) != 1 || hooks[0].PassFilenames {
			t.Fatalf("%+v", hooks)
		}
		clone := change(t)
		shell(t, clone, hooks[0].Entry+" --budget 10s --junit out.xml -- sh run.sh", path)
		passes(t, filepath.Join(clone, "out.xml"))
	})
	t.Run("Jenkins", func(t *testing.T) {
		step := regexp.MustCompile(`(?s)stage\('Speed'\).*?sh '([^']*)'.*?junit '([^']*)'`).FindStringSubmatch(read(t, "../docs/guide/ci.md"))
		if step == nil {
			t.Fatal("the guide has no step for Jenkins")
		}
		clone := change(t)
		script := strings.NewReplacer("./bench input.json", "sh run.sh", "make -j2", "true").Replace(step[1])
		if !strings.Contains(script, "sh run.sh") {
			t.Fatalf("another command: %s", script)
		}
		shell(t, clone, script, path, "CHANGE_TARGET=main")
		passes(t, filepath.Join(clone, step[2]))
	})
}

// passes holds a JUnit file against what a change of documentation is.
func passes(t *testing.T, file string) {
	t.Helper()
	if text := read(t, file); !strings.Contains(text, "<testsuite") || strings.Contains(text, "<failure") {
		t.Errorf("%s: %s", file, text)
	}
}

// componentRuns runs the script of the job, with the inputs where they are named.
func componentRuns(t *testing.T, path string) {
	t.Helper()
	_, job, _ := strings.Cut(read(t, "../templates/check.yml"), "\n---\n")
	for input, value := range map[string]string{"command": "sh run.sh", "build": "true", "limit": "2%", "budget": "10s", "stage": "test"} {
		job = strings.ReplaceAll(job, "$[[ inputs."+input+" ]]", value)
	}
	var jobs map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct {
			Paths   []string
			Reports map[string]string
		}
	}
	if err := yaml.Unmarshal([]byte(job), &jobs); err != nil {
		t.Fatal(err)
	}
	of := jobs["whyhot-check"]
	if len(of.Script) == 0 || strings.Contains(job, "$[[") {
		t.Fatalf("%s", job)
	}
	clone := change(t)
	env := []string{path, "CI_MERGE_REQUEST_DIFF_BASE_SHA=" + git(t, clone, "rev-parse", "origin/main")}
	for name, value := range of.Variables {
		env = append(env, name+"="+value)
	}
	shell(t, clone, strings.Join(of.Script, "\n"), env...)
	passes(t, filepath.Join(clone, of.Artifacts.Reports["junit"]))
	if list := strings.TrimSpace(read(t, filepath.Join(clone, of.Artifacts.Reports["codequality"]))); list != "[]" {
		t.Errorf("code quality: %s", list)
	}
	for _, p := range of.Artifacts.Paths {
		if !strings.HasPrefix(read(t, filepath.Join(clone, p)), gate.Marker) {
			t.Errorf("%s is no comment", p)
		}
	}
}

// actionRuns runs the step that checks; the other steps are actions of others, pinned.
func actionRuns(t *testing.T, program string) {
	t.Helper()
	var action struct {
		Runs struct {
			Steps []struct{ ID, Name, Run, Uses string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "../action.yml")), &action); err != nil {
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
	clone, dir := change(t), t.TempDir()
	for base, want := range map[string]string{"origin/main": "status=0\n", "nowhere": "status=2\n"} {
		output, summary := filepath.Join(dir, "output-"+filepath.Base(base)), filepath.Join(dir, "summary-"+filepath.Base(base))
		shell(t, clone, script, "COMMAND=sh run.sh", "BUILD=", "BASE="+base, "LIMIT=2%", "BUDGET=10s", "WHYHOT="+program,
			"RUNNER_TEMP="+t.TempDir(), "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary)
		if have := read(t, output); have != want {
			t.Errorf("base %s: %q, want %q", base, have, want)
		}
		if base != "nowhere" && !strings.HasPrefix(read(t, summary), gate.Marker+"\n### whyhot: identical") {
			t.Errorf("the summary is %q", read(t, summary))
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
