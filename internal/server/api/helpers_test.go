package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"whyhot/internal/fleet/receive"
	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/project"
	"whyhot/internal/server/push"
	"whyhot/internal/server/servertest"
	"whyhot/internal/server/sources"
	"whyhot/internal/store"
)

// running is a server under test.
type running struct {
	*Server

	t        *testing.T
	dir      string
	projects *project.Projects
	http     *httptest.Server
	log      bytes.Buffer
}

func start(t *testing.T, l Limits) *running {
	t.Helper()
	r := &running{t: t, dir: t.TempDir()}
	var err error
	if r.projects, err = project.Open(t.Context(), r.dir, project.Options{Open: servertest.Open}); err != nil {
		t.Fatal(err)
	}
	tokens, err := access.OpenTokens(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	written, err := audit.Open(filepath.Join(r.dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "sources")
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "src", "a.c"), []byte("int a;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := sources.Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := session.Open(r.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	r.Server = New(Options{
		Sources: text, Sessions: sessions,
		Projects: r.projects, Tokens: tokens, Audit: written, Limits: l, Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Profiles: receive.New(receive.Options{}, push.OTLP(time.Now, r.count)),
		Metrics:  http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "whyhot_server_x 1\n") }),
	})
	r.http = httptest.NewServer(r.Server)
	t.Cleanup(func() {
		r.http.Close()
		if err := r.projects.Close(); err != nil {
			t.Error(err)
		}
		if err := errors.Join(written.Close(), text.Close()); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *running) count(receipt receiptOf, err error) { r.Count(receipt, err) }

// token makes a token.
func (r *running) token(projectName string, scopes ...access.Scope) string {
	r.t.Helper()
	secret, _, err := access.Create(r.dir, access.Wish{Project: projectName, Scopes: scopes}, time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	return secret
}

// answered is the head of an answer.
type answered struct {
	StatusCode int
	Status     string
	Header     http.Header
}

// do makes a request and gives status and body.
func (r *running) do(method, path, token string, body []byte, headers ...string) (answered, []byte) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.http.URL+path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answered{resp.StatusCode, resp.Status, resp.Header}, data
}

// get asks, and reads the answer into to.
func (r *running) get(path, token string, to any) {
	r.t.Helper()
	resp, data := r.do(http.MethodGet, path, token, nil)
	if resp.StatusCode != http.StatusOK {
		r.t.Fatalf("%s: %s\n%s", path, resp.Status, data)
	}
	if err := json.Unmarshal(data, to); err != nil {
		r.t.Fatalf("%s: %v\n%s", path, err, data)
	}
}

// fill sends two versions of a service, and waits until they can be asked for.
func (r *running) fill(name, token string) {
	r.t.Helper()
	now := time.Now()
	for _, one := range []struct {
		version     string
		parse, idle int64
		before      time.Duration
	}{{"1", 400, 600, 20 * time.Minute}, {"2", 800, 200, 10 * time.Minute}} {
		data := servertest.Pprof(r.t, servertest.Profile(now.Add(-one.before), one.parse, one.idle))
		path := "/api/v1/push?service=web&host=h1&version=" + one.version
		if token == "" {
			path += "&project=" + name
		}
		if resp, body := r.do(http.MethodPost, path, token, data); resp.StatusCode != http.StatusOK {
			r.t.Fatalf("%s\n%s", resp.Status, body)
		}
	}
	r.flush(name)
}

func (r *running) flush(name string) {
	r.t.Helper()
	p, done, err := r.projects.Get(r.t.Context(), name, false)
	if err != nil {
		r.t.Fatal(err)
	}
	defer done()
	if err := p.Flush(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func itoa[N int | int64 | store.FunctionID](n N) string { return strconv.FormatInt(int64(n), 10) }

// servertestOpen opens a store in a directory of its own.
func servertestOpen(t *testing.T, dir string) (project.Store, error) {
	t.Helper()
	return servertest.Open(t.Context(), filepath.Join(dir, "again"), "")
}
