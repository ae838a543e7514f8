package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
	"whyhot/internal/server/servertest"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

// cluster is a database that is away at times, or in part.
type cluster struct {
	engine.Engine

	away, partly atomic.Bool
}

func (c *cluster) open(ctx context.Context, dir, _ string) (project.Store, error) {
	return store.Open(ctx, dir, func(context.Context, string) (engine.Engine, error) {
		if c.away.Load() {
			return nil, fmt.Errorf("10.0.0.7:9000: %w", engine.ErrAway)
		}
		return c, nil
	}, store.Options{Names: store.NameOptions{Off: true}})
}

func (c *cluster) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	s, err := c.Engine.Sum(ctx, q)
	if err == nil && c.partly.Load() {
		s.Missing = []string{"shard 2 of 2"}
	}
	return s, err
}

// took has a store that the cluster has been used for, with nothing in it that is asked about.
func (c *cluster) took(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	if err := project.Make(data, access.DefaultProject); err != nil {
		t.Fatal(err)
	}
	s, err := c.open(t.Context(), project.Dir(data, access.DefaultProject), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	b, err := batch.FromProfile(servertest.Profile(time.Now().Add(-24*time.Hour), 5, 5), batch.Options{ID: "old-1", Labels: batch.Labels{Service: "old"}, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return data
}

func (r *running) answer(method, path, body string, headers ...string) (status int, header http.Header, text string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.at["HTTP"]+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	var b bytes.Buffer
	if _, err := io.Copy(&b, resp.Body); err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, b.String()
}

const folded = "main;work 30\nmain;rest 10\n"

// A server starts without its database, takes what is sent and says that it cannot answer;
// when the database comes, the answers have all that was sent.
func TestWithoutTheDatabase(t *testing.T) {
	c := &cluster{Engine: memory.New()}
	data := c.took(t)
	c.away.Store(true)
	r := start(t, func(o *Options) { o.Data, o.Open = data, c.open })
	if status, _, text := r.answer(http.MethodPost, "/api/v1/push?service=web&id=a-1&period=10ms", folded); status != http.StatusOK {
		t.Errorf("a push: %d %s", status, text)
	}
	for _, one := range []struct {
		path, want string
		status     int
	}{
		{"/readyz", `"status":"taking","taking":true,"answering":false`, http.StatusOK},
		{"/readyz/answers", "cannot answer", http.StatusServiceUnavailable},
		{"/api/v1/top?service=web", `"away"`, http.StatusServiceUnavailable},
		{"/api/v1/findings", `"away"`, http.StatusServiceUnavailable},
		{"/api/v1/stats", `"away"`, http.StatusServiceUnavailable},
	} {
		status, header, text := r.answer(http.MethodGet, one.path, "")
		if status != one.status || !strings.Contains(text, one.want) || strings.Contains(text, "10.0.0.7") {
			t.Errorf("%s: %d %s", one.path, status, text)
		}
		if status == http.StatusServiceUnavailable && header.Get("Retry-After") == "" {
			t.Errorf("%s does not say when to come again", one.path)
		}
	}
	c.away.Store(false)
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if status, _, _ := r.answer(http.MethodGet, "/readyz/answers", ""); status == http.StatusOK {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it does not find its database")
		}
	}
	if got := r.samples(access.DefaultProject); got != 40 {
		t.Errorf("%d samples, want 40", got)
	}
}

// An answer from which a part of the database is missing says which.
func TestAPartOfTheDatabaseIsAway(t *testing.T) {
	c := &cluster{Engine: memory.New()}
	data := c.took(t)
	r := start(t, func(o *Options) { o.Data, o.Open = data, c.open })
	for _, partly := range []bool{true, false} { // what is not whole is not kept
		c.partly.Store(partly)
		for _, path := range []string{"/api/v1/top?from=now-2d", "/api/v1/timeline?from=now-3d", "/api/v1/profile?from=now-4d", "/api/v1/services?from=now-5d"} {
			status, header, text := r.answer(http.MethodGet, path, "")
			if got := header.Values("Whyhot-Missing"); status != http.StatusOK || partly != slices.Equal(got, []string{"shard 2 of 2"}) {
				t.Errorf("%s, partly=%v: %d, %v is missing, %.200s", path, partly, status, got, text)
			}
		}
	}
}

// full is an engine whose disk is full at times.
type full struct {
	engine.Engine

	now atomic.Bool
}

func (f *full) Commit(ctx context.Context, number uint64, blocks []*engine.Block) error {
	if f.now.Load() {
		return errors.New("/srv/fleet/db/rows: No space left on device")
	}
	return f.Engine.Commit(ctx, number, blocks)
}

// What was acknowledged and waits for room on the disk is told of in answers: to whoever asks for
// it, and to whoever gets the rest. Only who administers reads the database's words.
func TestAFullDisk(t *testing.T) {
	e := &full{Engine: memory.New()}
	data := t.TempDir()
	open := func(ctx context.Context, dir, _ string) (project.Store, error) {
		return store.Open(ctx, dir, func(context.Context, string) (engine.Engine, error) { return e, nil }, store.Options{Names: store.NameOptions{Off: true}})
	}
	r := start(t, func(o *Options) { o.Data, o.Open = data, open })
	push := func(id string) {
		t.Helper()
		if status, _, text := r.answer(http.MethodPost, "/api/v1/push?service=web&period=10ms&id="+id, folded); status != http.StatusOK {
			t.Fatalf("a push: %d %s", status, text)
		}
	}
	e.now.Store(true)
	push("a-1")
	push("a-2")
	const waits = "2 acknowledged batches with 80 samples wait in the journal, because the database does not take them (/srv/fleet/db/rows: No space left on device)"
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) { // until writing was tried
		status, _, text := r.answer(http.MethodGet, "/api/v1/profile?service=web", "")
		if status == http.StatusServiceUnavailable && strings.Contains(text, waits) && strings.Contains(text, `"behind"`) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d %s", status, text)
		}
	}
	if status, header, _ := r.answer(http.MethodGet, "/api/v1/top", ""); status != http.StatusOK || header.Get("Whyhot-Missing") != "2 batches that wait in the journal" {
		t.Errorf("%d, missing: %q", status, header.Get("Whyhot-Missing"))
	}
	secret, _, err := access.Create(data, access.Wish{Project: access.DefaultProject, Scopes: []access.Scope{access.Read}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if status, _, text := r.answer(http.MethodGet, "/api/v1/profile?service=web", "", "Authorization", "Bearer "+secret); status != http.StatusServiceUnavailable ||
		!strings.Contains(text, "the server's disk is full") || strings.Contains(text, "/srv") {
		t.Errorf("%d %s", status, text)
	}
	e.now.Store(false)
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) { // until it is tried again
		status, header, _ := r.answer(http.MethodGet, "/api/v1/profile?service=web", "", "Authorization", "Bearer "+secret)
		if status == http.StatusOK && header.Get("Whyhot-Missing") == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d: the disk has room, and the samples are not there", status)
		}
	}
}
