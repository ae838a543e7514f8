package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"whyhot/internal/server/access"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/stage"
)

// A page of another site, or one that DNS gives the name of this machine to, gets
// nothing out of an open server and has nothing done.
func TestOtherSites(t *testing.T) {
	r := start(t, Limits{})
	own := strings.TrimPrefix(r.http.URL, "http://")
	for _, c := range []struct {
		name, method string
		headers      []string
		status       int
	}{
		{"a program", "GET", nil, 200},
		{"by another name", "GET", []string{"Host", "evil.example"}, 403},
		{"by another name and port", "GET", []string{"Host", "evil.example:7878"}, 403},
		{"by a name that begins right", "GET", []string{"Host", "127.0.0.1.evil.example"}, 403},
		{"localhost", "GET", []string{"Host", "localhost:7878"}, 200},
		{"IPv6", "GET", []string{"Host", "[::1]:7878"}, 200},
		{"another origin", "GET", []string{"Origin", "https://evil.example"}, 403},
		{"no origin at all", "GET", []string{"Origin", "null"}, 403},
		{"its own origin", "GET", []string{"Origin", "http://" + own}, 200},
		{"a form of another site", "POST", []string{"Origin", "https://evil.example", "Content-Type", "text/plain"}, 403},
		{"a form of another site, no origin", "POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"its own page", "POST", []string{"Sec-Fetch-Site", "same-origin"}, 200},
	} {
		path, body := "/api/v1/services", []byte(nil)
		if c.method == "POST" {
			path, body = "/api/v1/push?service=a&period=1ms", []byte("main;f 3\n")
		}
		resp, data := r.do(c.method, path, "", body, c.headers...)
		if resp.StatusCode != c.status {
			t.Errorf("%s: %s %s", c.name, resp.Status, data)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other sites are let in", c.name)
		}
	}
	// With a token the name does not matter: behind a proxy it is another's.
	token := r.token("default", access.Read)
	if resp, data := r.do(http.MethodGet, "/api/v1/services", token, nil, "Host", "profiles.example.org"); resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s", resp.Status, data)
	}
}

func TestRates(t *testing.T) {
	r := start(t, Limits{Reads: Rate{PerSecond: 0.01, Burst: 3}, Sends: Rate{PerSecond: 0.01, Burst: 1}})
	one, two := r.token("default", access.Scopes()...), r.token("default", access.Scopes()...)
	for i, want := range []int{200, 200, 200, 429} {
		resp, data := r.do(http.MethodGet, "/api/v1/projects", one, nil)
		if resp.StatusCode != want || want == 429 && resp.Header.Get("Retry-After") == "" {
			t.Errorf("request %d: %s %s", i, resp.Status, data)
		}
	}
	if resp, _ := r.do(http.MethodGet, "/api/v1/projects", two, nil); resp.StatusCode != http.StatusOK {
		t.Errorf("another token: %s", resp.Status)
	}
	for i, want := range []int{200, 429} {
		if resp, data := r.do(http.MethodPost, "/api/v1/push?service=a&period=1ms", one, []byte("main;f 3\n")); resp.StatusCode != want {
			t.Errorf("push %d: %s %s", i, resp.Status, data)
		}
	}
}

// slowStore answers when its context ends.
type slowStore struct {
	project.Store

	entered chan struct{}
	err     chan error
}

func (s *slowStore) Top(ctx context.Context, _ store.Selection, _ store.TopOptions) (*store.Top, error) {
	s.entered <- struct{}{}
	<-ctx.Done()
	s.err <- context.Cause(ctx)
	return nil, ctx.Err()
}

func (r *running) slow() *slowStore {
	r.t.Helper()
	p, done, err := r.projects.Get(r.t.Context(), "default", false)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(done)
	s := &slowStore{Store: p.Store, entered: make(chan struct{}, 10), err: make(chan error, 10)}
	p.Store = s
	return s
}

func TestAQueryEnds(t *testing.T) {
	r := start(t, Limits{QueryTime: 50 * time.Millisecond})
	r.slow()
	resp, data := r.do(http.MethodGet, "/api/v1/top", "", nil)
	if resp.StatusCode != http.StatusGatewayTimeout || !strings.Contains(string(data), "longer than 50ms") {
		t.Errorf("%s %s", resp.Status, data)
	}
}

// stuckStore does not heed its context: as a lock, or the engine in the middle of a commit.
type stuckStore struct {
	project.Store

	entered, leave chan struct{}
}

func (s *stuckStore) Top(ctx context.Context, _ store.Selection, _ store.TopOptions) (*store.Top, error) {
	stage.Enter(ctx, "waiting for a lock")
	s.entered <- struct{}{}
	<-s.leave
	return &store.Top{}, nil
}

// What a question waits for may heed no context: the answer comes all the same, and says
// what it was. What goes on keeps its place among the questions.
func TestAnAnswerComesInTimeWhateverItWaitsFor(t *testing.T) {
	r := start(t, Limits{QueryTime: 50 * time.Millisecond, Queries: 1, SlotWait: 20 * time.Millisecond})
	p, done, err := r.projects.Get(t.Context(), "default", false)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	s := &stuckStore{Store: p.Store, entered: make(chan struct{}, 10), leave: make(chan struct{})}
	p.Store = s
	resp, data := r.do(http.MethodGet, "/api/v1/top", "", nil)
	if resp.StatusCode != http.StatusGatewayTimeout || !strings.Contains(string(data), "longer than 50ms; at that time it was waiting for a lock") {
		t.Errorf("%s %s", resp.Status, data)
	}
	<-s.entered
	if resp, data := r.do(http.MethodGet, "/api/v1/top", "", nil); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("beside one that goes on: %s %s", resp.Status, data)
	}
	close(s.leave)
	r.Wait()
	if resp, data := r.do(http.MethodGet, "/api/v1/top", "", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("after it: %s %s", resp.Status, data)
	}
	p.Store = s.Store
}

// brokenStore fails as no code should.
type brokenStore struct{ project.Store }

func (brokenStore) Top(context.Context, store.Selection, store.TopOptions) (*store.Top, error) {
	panic("broken")
}

// A defect in an answer costs one request, and not the server.
func TestADefectCostsOneRequest(t *testing.T) {
	r := start(t, Limits{})
	p, done, err := r.projects.Get(t.Context(), "default", false)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	whole := p.Store
	p.Store = brokenStore{whole}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.http.URL+"/api/v1/top", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Errorf("answered %s", resp.Status)
	}
	p.Store = whole
	if resp, data := r.do(http.MethodGet, "/api/v1/top", "", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("after it: %s %s", resp.Status, data)
	}
}

func TestAQueryEndsWithItsClient(t *testing.T) {
	r := start(t, Limits{QueryTime: time.Hour})
	s := r.slow()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.http.URL+"/api/v1/top", nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-s.entered
		cancel()
	}()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Fatal(resp.Status)
	}
	if err := <-s.err; err != context.Canceled { //nolint:errorlint // the cause itself
		t.Errorf("%v", err)
	}
}

func TestQueriesAtATime(t *testing.T) {
	r := start(t, Limits{QueryTime: time.Hour, Queries: 1, SlotWait: 20 * time.Millisecond})
	s := r.slow()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.http.URL+"/api/v1/top", nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _, _ = http.DefaultClient.Do(req) }() //nolint:bodyclose // it is cancelled
	<-s.entered
	resp, data := r.do(http.MethodGet, "/api/v1/top", "", nil)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("%s %s", resp.Status, data)
	}
	cancel()
	<-ended
}

// slowDisk is a store whose disk takes its time.
type slowDisk struct {
	project.Store

	entered, leave chan struct{}
}

func (s *slowDisk) Append(ctx context.Context, b *batch.Batch) (store.Receipt, error) {
	s.entered <- struct{}{}
	<-s.leave
	return s.Store.Append(ctx, b)
}

// Profiles that wait for the disk wait together, though one is read at a time.
func TestProfilesWaitForTheDiskTogether(t *testing.T) {
	r := start(t, Limits{Pushes: 1, SlotWait: time.Minute, QueryTime: time.Minute})
	p, done, err := r.projects.Get(t.Context(), "default", false)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	whole := p.Store
	s := &slowDisk{Store: whole, entered: make(chan struct{}), leave: make(chan struct{})}
	p.Store = s
	var all sync.WaitGroup
	const pushed = 5
	for range pushed {
		all.Go(func() {
			resp, data := r.do(http.MethodPost, "/api/v1/push?service=web&period=10ms", "", []byte("main;f 3\n"))
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s %s", resp.Status, data)
			}
		})
	}
	for range pushed {
		<-s.entered
	}
	close(s.leave)
	all.Wait()
	p.Store = whole
}

// Senders that stop in the middle keep nobody from being served, as far as what they
// announced has room.
func TestSlowSenders(t *testing.T) {
	r := start(t, Limits{Pushes: 1, SlotWait: 100 * time.Millisecond, QueryTime: time.Minute, MaxBody: 1000})
	const path, size = "/api/v1/push?service=web&period=10ms", 999
	taken := int64(0)
	slow := func() net.Conn {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.http.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\nmain;f 3\n", path, size); err != nil {
			t.Fatal(err)
		}
		taken += size
		for left := bodiesAtATime*1000 - taken; r.bodies.TryAcquire(left + 1); time.Sleep(time.Millisecond) {
			r.bodies.Release(left + 1)
		}
		return conn
	}
	var all []net.Conn
	for range bodiesAtATime - 1 {
		all = append(all, slow())
	}
	push := func() int {
		resp, _ := r.do(http.MethodPost, path, "", []byte("main;f 3\n"))
		return resp.StatusCode
	}
	if got := push(); got != http.StatusOK {
		t.Errorf("beside those who do not go on: %d", got)
	}
	all = append(all, slow())
	if got := push(); got != http.StatusServiceUnavailable {
		t.Errorf("where there is no room: %d", got)
	}
	for _, conn := range all { // they do go on
		if _, err := io.WriteString(conn, strings.Repeat("main;g 1\n", size/9-1)); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Error(resp.Status)
		}
	}
	if got := push(); got != http.StatusOK {
		t.Errorf("afterwards: %d", got)
	}
}

// A token works as a password, too, which is what some agents can send.
func TestBasic(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("default", access.Read)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/projects", nil)
	req.SetBasicAuth("anybody", token)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for header, want := range map[string]string{
		"Bearer a": "a", "bearer  a ": "a", "Basic " + "eDp5": "y", "Basic !!": "", "a": "", "": "", "Digest a": "",
	} {
		if got := Secret(header); got != want {
			t.Errorf("%q: %q", header, got)
		}
	}
}

// A client that retries without a pause adds one line and a count, not a line for each.
func TestRateLimitedRequestsAreCounted(t *testing.T) {
	r := start(t, Limits{Reads: Rate{PerSecond: 1e-9, Burst: 1}})
	token := r.token("default", access.Read)
	for range 50 {
		r.do(http.MethodGet, "/api/v1/top", token, nil)
	}
	r.o.Audit.Flush()
	data, err := os.ReadFile(filepath.Join(r.dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(data), "\n"); lines != 2 || !strings.Contains(string(data), `"result":"429","times":49`) {
		t.Errorf("%d lines\n%s", lines, data)
	}
}

// What scrapes the server's numbers can do nothing else, and what administers it does not
// have to be given to a scraper.
func TestAScraperHasAScopeOfItsOwn(t *testing.T) {
	r := start(t, Limits{})
	scraper, admin := r.token("default", access.Metrics), r.token("default", access.Administer)
	for _, c := range []struct {
		path, token string
		want        int
	}{
		{"/metrics", scraper, http.StatusOK}, {"/metrics", admin, http.StatusForbidden},
		{"/api/v1/tokens", scraper, http.StatusForbidden}, {"/api/v1/top", scraper, http.StatusForbidden},
	} {
		if resp, data := r.do(http.MethodGet, c.path, c.token, nil); resp.StatusCode != c.want {
			t.Errorf("%s: %s %s, want %d", c.path, resp.Status, data, c.want)
		}
	}
}

// A push that is repeated because its answer was lost counts once, also without an ID;
// the same samples of another service are others.
func TestAPushCountsOnce(t *testing.T) {
	r := start(t, Limits{})
	push := func(query string) (receipt receiptForm) {
		resp, data := r.do(http.MethodPost, "/api/v1/push?period=10ms&"+query, "", []byte("main;f 3\n"))
		if err := json.Unmarshal(data, &receipt); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %s", query, resp.Status, data)
		}
		return receipt
	}
	for _, c := range []struct {
		query     string
		duplicate bool
	}{{"service=web", false}, {"service=web", true}, {"service=shop", false}, {"service=web&version=2", false}, {"service=web&id=7", false}} {
		if got := push(c.query); got.Duplicate != c.duplicate {
			t.Errorf("%s: duplicate is %v", c.query, got.Duplicate)
		}
	}
}

// The audit log says who did what, and has no secret in it.
func TestAudit(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("default", access.Read)
	r.do(http.MethodGet, "/api/v1/top?service=nobody", token, nil)
	r.do(http.MethodPost, "/api/v1/push?service=a", token, nil)
	for range 3 {
		r.do(http.MethodGet, "/api/v1/top", "whyhot_wrong", nil)
	}
	r.o.Audit.Flush()
	f, err := os.Open(filepath.Join(r.dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []audit.Entry
	for scan := bufio.NewScanner(f); scan.Scan(); {
		for _, secret := range []string{token, "whyhot_wrong"} {
			if strings.Contains(scan.Text(), secret) {
				t.Errorf("a token is in it: %s", scan.Text())
			}
		}
		var e audit.Entry
		if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	list, err := access.List(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	id := list[0].ID
	if len(all) != 3 || all[0].Who != id || all[0].Project != "default" || all[0].What != "GET /api/v1/top" || all[0].Result != "200" || all[0].Detail != "service=nobody" ||
		all[1].Who != "nobody" && all[2].Who != "nobody" {
		t.Errorf("%+v", all)
	}
	for _, e := range all[1:] {
		if e.Who == "nobody" && e.Times != 3 || e.Who == id && e.Result != "403" {
			t.Errorf("%+v", e)
		}
	}
}
