package server

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"whyhot/internal/server/peers"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

// sharedRows are a database that two servers share: the one that opens it first has it.
type sharedRows struct {
	engine.Engine

	follow func(ctx context.Context) (engine.Follower, error) // nil: only the one that has it answers

	mu  sync.Mutex
	had *held
}

type held struct {
	engine.Engine

	of *sharedRows
	by string
}

func (h *held) Lost() <-chan struct{} { return nil }
func (h *held) Certain() bool         { return true }

func (h *held) Close() error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if h.of.had == h {
		h.of.had = nil
	}
	return nil
}

// server starts a server that shares the rows, whose URL is known once it listens.
func (d *sharedRows) server(t *testing.T, secret string, more ...func(*Options)) *running {
	t.Helper()
	var mu sync.Mutex
	url := ""
	others := peers.New(secret)
	r := start(t, func(o *Options) {
		o.Cluster = others
		for _, change := range more {
			change(o)
		}
		o.Open = func(ctx context.Context, dir, _ string) (project.Store, error) {
			return store.Open(ctx, dir, func(context.Context, string) (engine.Engine, error) {
				d.mu.Lock()
				defer d.mu.Unlock()
				mu.Lock()
				defer mu.Unlock()
				switch {
				case url == "": // its address is not known yet
					return nil, engine.ErrAway
				case d.had != nil:
					return nil, &engine.HeldError{By: d.had.by}
				}
				d.had = &held{Engine: d.Engine, of: d, by: url}
				return d.had, nil
			}, store.Options{Names: store.NameOptions{Off: true}, Share: &store.Share{Hand: func(ctx context.Context, to string, records []byte) error {
				return others.Hand(ctx, "default", to, records)
			}, Follow: d.follow}})
		}
	})
	mu.Lock()
	url = "http://" + r.at["HTTP"]
	mu.Unlock()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if status, _, _ := r.answer(http.MethodGet, "/readyz/answers", ""); status == http.StatusOK {
			return r
		}
		if time.Now().After(end) {
			t.Fatal("it never answers")
		}
	}
}

const secretOfAll = "0123456789abcdef0123456789abcdef"

// has waits until a question to a server finds so many samples.
func (r *running) has(want string) {
	r.t.Helper()
	var text string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var status int
		if status, _, text = r.answer(http.MethodGet, "/api/v1/top?exact=true&service=web&from=now-1h", ""); status == http.StatusOK && strings.Contains(text, `"count":`+want+`,`) {
			return
		}
	}
	r.t.Errorf("not %s samples: %.300s", want, text)
}

// What either server takes either can be asked for; when the one that writes ends, the other
// goes on, and what is asked meanwhile waits for it.
func TestTwoServersOnOneDatabase(t *testing.T) {
	d := &sharedRows{Engine: memory.New()}
	first := d.server(t, secretOfAll)
	second := d.server(t, secretOfAll)
	for i, r := range []*running{first, second, second} {
		path := "/api/v1/push?service=web&period=10ms&id=x-" + string('1'+rune(i))
		for range 2 {
			if status, _, text := r.answer(http.MethodPost, path, folded); status != http.StatusOK {
				t.Fatalf("%d %s", status, text)
			}
		}
	}
	first.has("120")
	second.has("120")
	if _, passed := second.o.Cluster.Counts(); passed == 0 {
		t.Error("the second one passed no question on")
	}
	for _, one := range []struct{ path, want string }{
		{"/readyz", `"answering":true`}, {"/metrics", "whyhot_server_cluster_writing_projects 0"}, {"/metrics", "whyhot_server_engines_failing 0"},
	} {
		if status, _, text := second.answer(http.MethodGet, one.path, ""); status != http.StatusOK || !strings.Contains(text, one.want) {
			t.Errorf("%s: %d, without %s", one.path, status, one.want)
		}
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	// Not the server that is gone, and not an error.
	if status, _, text := second.answer(http.MethodGet, "/api/v1/top?service=web&from=now-1h", ""); status != http.StatusOK {
		t.Errorf("while the other one goes: %d %s", status, text)
	}
	second.has("120")
}

// A server that does not write answers what is about samples, and passes the rest on.
func TestServerThatDoesNotWriteAnswers(t *testing.T) {
	e := memory.New()
	d := &sharedRows{Engine: e, follow: func(context.Context) (engine.Follower, error) { return e, nil }}
	first := d.server(t, secretOfAll)
	second := d.server(t, secretOfAll)
	if status, _, text := first.answer(http.MethodPost, "/api/v1/push?service=web&period=10ms&id=x-1", folded); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	first.has("40")
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, _, text := second.answer(http.MethodGet, "/metrics", ""); strings.Contains(text, "whyhot_server_cluster_reading_projects 1") {
			break
		}
	}
	_, before := second.o.Cluster.Counts()
	second.has("40")
	for _, path := range []string{"services", "labels", "labels/host", "timeline?step=1m", "top", "tree", "functions?q=.", "profile"} {
		if status, _, text := second.answer(http.MethodGet, "/api/v1/"+path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %.200s", path, status, text)
		}
	}
	if _, passed := second.o.Cluster.Counts(); passed != before {
		t.Errorf("%d questions about samples were passed on", passed-before)
	}
	for _, path := range []string{"findings", "alerts", "retention", "stats"} {
		if status, _, text := second.answer(http.MethodGet, "/api/v1/"+path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %.200s", path, status, text)
		}
	}
	if _, passed := second.o.Cluster.Counts(); passed != before+4 {
		t.Errorf("%d of 4 other questions were passed on", passed-before)
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	second.has("40")
}

// Who does not have the secret hands nothing over.
func TestServersWithoutTheSecret(t *testing.T) {
	d := &sharedRows{Engine: memory.New()}
	first := d.server(t, secretOfAll)
	if status, _, _ := first.answer(http.MethodPost, "/cluster/v1/records?project=default", "x"); status != http.StatusUnauthorized {
		t.Errorf("without a secret: %d", status)
	}
	if err := peers.New(secretOfAll+"x").Hand(t.Context(), "default", "http://"+first.at["HTTP"], []byte("x")); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("another secret: %v", err)
	}
	if err := first.o.Cluster.Hand(t.Context(), "default", "http://"+first.at["HTTP"], []byte("x")); err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("no records: %v", err)
	}
}
