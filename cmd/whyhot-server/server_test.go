package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
)

// run runs the program's command in this process.
func run(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	err = root.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestTokens(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new")
	out, errOut, err := run(t, "token", "create", "--data", data, "--scope", "send", "--name", "agents")
	if err != nil || !strings.HasPrefix(out, "whyhot_") || strings.Count(out, "\n") != 1 || !strings.Contains(errOut, "not shown again") {
		t.Fatalf("%q %q %v", out, errOut, err)
	}
	secret := strings.TrimSpace(out)
	began := time.Now()
	out, _, err = run(t, "token", "create", "--data", data, "--scope", "read,administer", "--project", "web", "--expires", "1h", "--json")
	var made struct {
		ID      string    `json:"id"`
		Project string    `json:"project"`
		State   string    `json:"state"`
		Scopes  []string  `json:"scopes"`
		Expires time.Time `json:"expires"`
	}
	if err != nil || json.Unmarshal([]byte(out), &made) != nil || made.Project != "web" || len(made.Scopes) != 2 || made.State != "valid" || made.Expires.Before(began.Add(time.Hour).Truncate(time.Second)) {
		t.Fatalf("%q %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(data, "projects", "web")); err != nil {
		t.Error(err)
	}
	out, _, err = run(t, "token", "list", "--data", data)
	if err != nil || strings.Count(out, "\n") != 3 || !strings.Contains(out, "agents") || strings.Contains(out, secret[8:]) {
		t.Errorf("%q %v", out, err)
	}
	if _, _, err := run(t, "token", "revoke", made.ID, "--data", data); err != nil {
		t.Error(err)
	}
	if out, _, err = run(t, "token", "list", "--data", data, "--json"); err != nil || !strings.Contains(out, `"revoked"`) || strings.Contains(out, "sha256") {
		t.Errorf("%q %v", out, err)
	}
}

// Who signed in and made a token is in the list: an administrator revokes those of somebody who left.
func TestTokensHaveTheirMaker(t *testing.T) {
	data := t.TempDir()
	if _, _, err := run(t, "token", "create", "--data", data, "--scope", "send", "--name", "agents"); err != nil {
		t.Fatal(err)
	}
	tokens, err := access.OpenTokens(data)
	if err != nil {
		t.Fatal(err)
	}
	ada := access.Grant{Token: "person:1", Person: "ada@example.org", Project: "default", Scopes: []access.Scope{access.Read, access.Administer}}
	if _, _, err := tokens.Delegate(ada, access.Wish{Project: "default", Scopes: []access.Scope{access.Read}, Name: "ci"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	out, _, err := run(t, "token", "list", "--data", data)
	if err != nil || !regexp.MustCompile(`never +- +agents\n(.*\n)*.*never +ada@example\.org +ci\n`).MatchString(out) {
		t.Errorf("%q %v", out, err)
	}
	if out, _, err = run(t, "token", "list", "--data", data, "--json"); err != nil || strings.Count(out, `"made_by":"ada@example.org"`) != 1 {
		t.Errorf("%q %v", out, err)
	}
}

// The first token is not printed where a cluster keeps what is printed, and is made once.
func TestFirstToken(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new")
	file := filepath.Join(data, "first.token")
	first := []string{"token", "create", "--if-none", "--data", data, "--scope", "administer", "--file", file}
	out, errOut, err := run(t, first...)
	if err != nil || out != "" {
		t.Fatalf("%q %q %v", out, errOut, err)
	}
	secret, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(secret), "whyhot_") || strings.Contains(errOut, strings.TrimSpace(string(secret))) {
		t.Fatalf("%q %q %v", secret, errOut, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if out, errOut, err = run(t, first...); err != nil || out != "" || !strings.Contains(errOut, "nothing to do") {
		t.Errorf("again: %q %q %v", out, errOut, err)
	}
	if _, _, err = run(t, "token", "create", "--data", data, "--scope", "read", "--file", file); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("a file that is there: %v", err)
	}
	if out, _, err = run(t, "token", "list", "--data", data, "--json"); err != nil || strings.Count(out, `"id"`) != 1 {
		t.Errorf("%q %v", out, err)
	}
}

// A token in a directory that no server reads opens nothing: the default directory is
// made by the server alone.
func TestATokenMakesNoStore(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	t.Setenv("STATE_DIRECTORY", missing)
	_, _, err := run(t, "token", "create", "--scope", "send")
	if err == nil || !strings.Contains(err.Error(), "--data DIR") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the directory was made")
	}
}

func TestVersion(t *testing.T) {
	out, _, err := run(t, "--version")
	if err != nil || !strings.HasPrefix(out, "whyhot-server ") || strings.Count(out, "\n") != 1 {
		t.Errorf("%q %v", out, err)
	}
}

func TestBadInput(t *testing.T) {
	data := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"token create", `"scope" not set`},
		{"token create --scope root", "must be send, read, metrics or administer"},
		{"token create --scope read --project A", "1 to 40"},
		{"token create --scope read --expires -1h", "must not be negative"},
		{"token revoke nobody", "no token nobody"},
		{"serve --log xml", "must be text or json"},
		{"serve --tls-cert x", "go together"},
		{"serve --tls-cert x --tls-key y", "no such file"},
		{"serve --retention 1h", "whole days"},
		{"serve --query-time 1ns", "between"},
		{"serve --listen  --listen-grpc 0.0.0.0:1 --store ftp://x", "invalid ClickHouse address"},
		{"serve --debuginfod nonsense", "debuginfod"},
		{"serve --rules " + data + "/none", "none"},
		{"serve extra", "unknown command"},
		{"store stats --store ftp://x", "invalid ClickHouse address"},
		{"store compact --store ftp://x", "invalid ClickHouse address"},
		{"project delete web", "no project web"},
		{"project delete ../x", "1 to 40"},
	} {
		args := append(strings.Split(c.args, " "), "--data", data)
		if _, _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestDeleteProject(t *testing.T) {
	data := t.TempDir()
	for i, name := range []string{"web", "other"} {
		_, said, err := run(t, "token", "create", "--scope", "send", "--project", name, "--data", data)
		if err != nil || strings.Contains(said, "this is the first token: from now on") != (i == 0) {
			t.Fatalf("%q %v", said, err)
		}
	}
	if _, _, err := run(t, "project", "delete", "web", "--data", data); err == nil || !strings.Contains(err.Error(), "add --yes") {
		t.Errorf("%v", err)
	}
	unlock, err := lock(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(t, "project", "delete", "web", "--data", data, "--yes"); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("%v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, said, err := run(t, "project", "delete", "web", "--data", data, "--yes"); err != nil || !strings.Contains(said, "revoked: 1") {
		t.Errorf("%q %v", said, err)
	}
	if _, err := os.Stat(filepath.Join(data, "projects", "web")); err == nil {
		t.Error("it is still there")
	}
	if out, _, err := run(t, "token", "list", "--data", data, "--json"); err != nil || strings.Count(out, `"state":"revoked"`) != 1 || strings.Count(out, `"state":"valid"`) != 1 {
		t.Errorf("%q %v", out, err)
	}
}

// A project whose debug information cannot be removed from the object store stays.
func TestDeleteProjectOfAnObjectStore(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "y")
	away := false
	backend := s3mem.New()
	if err := backend.CreateBucket("debug"); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server()
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fake.ServeHTTP(w, r)
	}))
	defer store.Close()
	url := "s3://debug/fleet?region=us-east-1&endpoint=" + store.URL
	data := t.TempDir()
	if err := project.Make(data, "web"); err != nil {
		t.Fatal(err)
	}
	b, err := (&serveFlags{debugInfoStore: url, data: data}).bucket(false)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.In("web").Put(t.Context(), "abcdef01", "", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	away = true
	command := []string{"project", "delete", "web", "--data", data, "--debuginfo-store", url, "--yes"}
	if _, _, err := run(t, command...); err == nil || !strings.Contains(err.Error(), "--debuginfo-store: ") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(project.Dir(data, "web")); err != nil {
		t.Error(err)
	}
	away = false
	if _, _, err := run(t, command...); err != nil {
		t.Fatal(err)
	}
	if _, there, err := b.In("web").Stat(t.Context(), "abcdef01"); err != nil || there {
		t.Errorf("its file is there: %t, %v", there, err)
	}
	if _, err := os.Stat(project.Dir(data, "web")); err == nil {
		t.Error("its directory is there still")
	}
}

// Projects never share a database.
func TestDatabases(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"a", "a-b", "b", "a-", "-a", "ab"} {
		d := databaseOf("whyhot", name)
		if other, there := seen[d]; there {
			t.Errorf("%s and %s are both %s", name, other, d)
		}
		seen[d] = name
	}
}
