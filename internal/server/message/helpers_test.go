package message

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"whyhot/internal/explain"
	"whyhot/internal/server/project"
	"whyhot/internal/server/push"
	"whyhot/internal/server/servertest"
	"whyhot/internal/server/watch"
	"whyhot/internal/store/batch"
)

// hook is a real HTTP server that keeps what it gets.
type hook struct {
	*httptest.Server

	mu      sync.Mutex
	got     []request
	answers []int // for the next requests; then 200
	hang    chan struct{}
}

type request struct {
	header http.Header
	body   []byte
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{}
	h.Server = httptest.NewServer(h)
	t.Cleanup(func() {
		h.mu.Lock()
		if h.hang != nil {
			close(h.hang)
		}
		h.mu.Unlock()
		h.Close()
	})
	return h
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	h.got = append(h.got, request{r.Header, body})
	hang := h.hang
	status := http.StatusOK
	if len(h.answers) > 0 {
		status, h.answers = h.answers[0], h.answers[1:]
	}
	h.mu.Unlock()
	if hang != nil {
		<-hang
	}
	w.WriteHeader(status)
}

func (h *hook) requests() []request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]request(nil), h.got...)
}

// messages are the requests as JSON.
func (h *hook) messages(t *testing.T) []Message {
	t.Helper()
	var list []Message
	for _, r := range h.requests() {
		var m Message
		if err := json.Unmarshal(r.body, &m); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

const secretText = "a secret that only the two of us know"

// world is a project whose services are watched, a clock, and a messenger.
type world struct {
	t         *testing.T
	projects  *project.Projects
	project   *project.Project
	watcher   *watch.Watcher
	messenger *Messenger
	file      string
	now       time.Time
	stop      func()
}

// newWorld has a messenger with a file; %s in it is the directory of the secrets.
func newWorld(t *testing.T, config string) *world {
	t.Helper()
	projects, err := project.Open(t.Context(), t.TempDir(), project.Options{Open: servertest.Open})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = projects.Close() })
	w := &world{t: t, projects: projects, now: time.Now().Truncate(time.Minute), stop: func() {}}
	var done func()
	if w.project, done, err = projects.Get(t.Context(), "default", false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	rules, err := explain.LoadRules()
	if err != nil {
		t.Fatal(err)
	}
	w.watcher = watch.New(watch.Options{
		Over: time.Hour, Rules: rules, Now: w.clock,
		Looked: func(ctx context.Context, p *project.Project) error { return w.messenger.Looked(ctx, p) },
	})
	w.file = filepath.Join(t.TempDir(), "messages.yaml")
	w.configure(config)
	w.start()
	t.Cleanup(func() { w.stop() })
	return w
}

func (w *world) clock() time.Time { return w.now }

func (w *world) configure(config string) {
	w.t.Helper()
	secretFile := filepath.Join(filepath.Dir(w.file), "secret")
	if err := os.WriteFile(secretFile, []byte(secretText+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.file, []byte(strings.ReplaceAll(config, "SECRET", secretFile)), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// start starts a messenger anew on what the project holds.
func (w *world) start() {
	w.t.Helper()
	w.stop()
	m, err := New(Options{File: w.file, Now: w.clock, Timeout: 2 * time.Second, FirstPause: 20 * time.Millisecond, LongestPause: 100 * time.Millisecond})
	if err != nil {
		w.t.Fatal(err)
	}
	w.messenger = m
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.Run(ctx, w.projects)
	}()
	w.stop = func() {
		cancel()
		<-ended
	}
}

// php has a service spend a share of its time in serialize, three minutes ago.
func (w *world) php(service string, serialize, other int) {
	w.t.Helper()
	text := fmt.Sprintf("php;main_[php8.2];execute_ex_[php8.2] %d\n", other)
	if serialize > 0 {
		text += fmt.Sprintf("php;main_[php8.2];execute_ex_[php8.2];php_var_serialize_[php8.2] %d\n", serialize)
	}
	_, err := push.Append(w.t.Context(), w.project.Store, strings.NewReader(text), push.Profile{
		Labels: batch.Labels{Service: service}, Period: time.Millisecond, Start: w.now.Add(-3 * time.Minute),
	}, 1<<20, w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.project.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) look() {
	w.t.Helper()
	if err := w.watcher.Look(w.t.Context(), w.project); err != nil {
		w.t.Fatal(err)
	}
}

// settle waits until no outbox has anything that could be sent now.
func (w *world) settle() {
	w.t.Helper()
	end := time.Now().Add(2 * time.Minute)
	for {
		outs, err := project.Read[out](w.project, kindOut)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(outs) == 0 {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("still in the outbox: %+v", outs)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not in time: " + what)
		}
	}
}
