// Package peers is how servers that share one database speak with each other.
//
// It owns the secret that they share, how one hands what it took to the one that writes to
// the database, and how it passes on questions. It takes URLs, which the database knows, and
// requests. It must never judge a token: a request that is passed on has its own, and the
// server that answers judges it as everybody's.
//
// One server at a time writes to the database of a project; which one, internal/store finds
// out. All take what is sent, and answer what is about samples alone.
package peers

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// Prefix is that of the paths at which servers speak with each other.
const Prefix = "/cluster/v1/"

const (
	header = "Whyhot-Cluster" // what shows that a server knows the secret
	// sessionHeader has the session of a browser whose question another server passes on.
	sessionHeader = "Whyhot-Session"
	notHere       = "Whyhot-Not-Here" // another server writes to the database
	leastSecret   = 32
	maxRecords    = 80 << 20 // a record is 64 MiB at most
	dialTime      = time.Second
	idleTime      = time.Minute
)

// Peers are what a server knows of the others. Several goroutines may use it.
type Peers struct {
	word   string // of the header
	client *http.Client
	handed atomic.Int64 // records in bytes
	passed atomic.Int64 // questions

	mu    sync.Mutex
	since map[string]time.Time // that a server cannot be reached
}

// New makes it with a secret that all servers have.
func New(secret string) *Peers {
	transport := &http.Transport{
		DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, TLSHandshakeTimeout: 2 * dialTime, IdleConnTimeout: idleTime,
		MaxIdleConnsPerHost: 64, DisableCompression: true, ForceAttemptHTTP2: true,
	}
	// Keys of sessions and of the shared tables come from the secret, so that it is sent nowhere:
	// who reads a request between servers may hand over profiles, and nothing else.
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("whyhot-peers-1"))
	return &Peers{word: hex.EncodeToString(mac.Sum(nil)), since: map[string]time.Time{}, client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// ReadSecret reads the secret from a file.
func ReadSecret(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--cluster-secret: %w", err)
	}
	secret := strings.TrimSpace(string(data))
	if len(secret) < leastSecret || strings.ContainsFunc(secret, func(c rune) bool { return c < '!' || c > '~' }) {
		return "", fmt.Errorf("--cluster-secret %s: must be one line of at least %d printable characters without spaces, such as from `openssl rand -hex 32`", file, leastSecret)
	}
	return secret, nil
}

// CheckURL says what is wrong with the URL at which others reach a server.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || strings.Trim(u.Path, "/") != "" {
		return fmt.Errorf("invalid --advertise %q: must be http://HOST:PORT or https://HOST:PORT", text)
	}
	return nil
}

// Counts are bytes of records that were handed over, and questions that were passed on.
func (c *Peers) Counts() (handed, passed int64) { return c.handed.Load(), c.passed.Load() }

// Hand gives a project's records to the server at a URL, see store.Share.
func (c *Peers) Hand(ctx context.Context, project, to string, records []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(to, "/")+Prefix+"records?project="+url.QueryEscape(project), bytes.NewReader(records))
	if err != nil {
		return err
	}
	req.Header.Set(header, c.word)
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	if resp.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return fmt.Errorf("the server at %s does not take what is handed over: %s: %s", to, resp.Status, strings.TrimSpace(string(text)))
	}
	c.handed.Add(int64(len(records)))
	return nil
}

// Of says whether a request comes from another server.
func (c *Peers) Of(r *http.Request) bool {
	return subtle.ConstantTimeCompare([]byte(r.Header.Get(header)), []byte(c.word)) == 1
}

// Session is that of a browser whose question another server passes on, "" for none.
func (c *Peers) Session(r *http.Request) string {
	if !c.Of(r) {
		return ""
	}
	return r.Header.Get(sessionHeader)
}

// NotHere says, in an answer to another server, that this one does not answer either.
func NotHere(w http.ResponseWriter) { w.Header().Set(notHere, "1") }

// Handler takes what other servers hand over for the projects.
func (c *Peers) Handler(projects *project.Projects) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Prefix+"alive", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST "+Prefix+"records", func(w http.ResponseWriter, r *http.Request) {
		if !c.Of(r) {
			http.Error(w, "the secret of --cluster-secret is missing or another one", http.StatusUnauthorized)
			return
		}
		records, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRecords))
		if err == nil {
			err = receive(r.Context(), projects, r.URL.Query().Get("project"), records)
		}
		wrong := (*store.BatchError)(nil)
		switch {
		case err == nil:
			w.WriteHeader(http.StatusNoContent)
		case errors.As(err, &wrong):
			http.Error(w, err.Error(), http.StatusBadRequest)
		default:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	return mux
}

func receive(ctx context.Context, projects *project.Projects, name string, records []byte) error {
	p, done, err := projects.Get(ctx, name, true)
	if err != nil {
		return err
	}
	defer done()
	return p.Receive(ctx, records)
}

// ErrAgain says that a question was not answered and can be put again.
var ErrAgain = errors.New("the server that writes to the database did not answer")

// Question is one that is passed on.
type Question struct {
	*http.Request

	Body []byte
	// Session is the text of the browser's session, "" for none: its cookie is for one server.
	Session string
	// Repeat says that it may be put again whatever became of it.
	Repeat bool
	// Stale says whether the server that it is put to is the wrong one by now. It is asked
	// until the answer begins.
	Stale func() bool
}

// How often it is looked whether a question has gone to the wrong server, and after which time,
// and for how long, that server is asked whether it is there at all.
const (
	staleEvery = 50 * time.Millisecond
	aliveAfter = 500 * time.Millisecond
	aliveTime  = 500 * time.Millisecond
)

// Unreached is for how long a server could not be reached.
func (c *Peers) Unreached(to string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if since, ok := c.since[to]; ok {
		return time.Since(since)
	}
	return 0
}

// reached takes note whether a server could be reached.
func (c *Peers) reached(to string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok {
		delete(c.since, to)
	} else if _, known := c.since[to]; !known {
		c.since[to] = time.Now()
	}
}

// alive says whether a server can be reached.
func (c *Peers) alive(ctx context.Context, to string) bool {
	ctx, cancel := context.WithTimeout(ctx, aliveTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(to, "/")+Prefix+"alive", nil)
	if err != nil {
		return false
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return false
	}
	return resp.Body.Close() == nil
}

// watch ends a question that went to the wrong server, or to one that is not there, until
// began is closed.
func (c *Peers) watch(ctx context.Context, q *Question, to string, began <-chan struct{}, end func()) {
	for start := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-began:
			return
		case <-time.After(staleEvery):
		}
		if q.Stale() || time.Since(start) >= aliveAfter && !c.alive(ctx, to) {
			end()
			return
		}
	}
}

// Pass puts a question to the server at a URL, and gives the answer as it comes. It is
// ErrAgain where nothing was written.
func (c *Peers) Pass(w http.ResponseWriter, q *Question, to string) error {
	target, err := url.Parse(to)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAgain, err)
	}
	ctx, cancel := context.WithCancel(q.Context())
	defer cancel()
	began := make(chan struct{})
	if q.Repeat {
		go c.watch(ctx, q, to, began, cancel)
	}
	var failed error
	proxy := &httputil.ReverseProxy{
		Transport: c.client.Transport, FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			for name := range p.Out.Header {
				if name == "Origin" || name == "Cookie" || strings.HasPrefix(name, "Sec-") { // this server has judged what pages may send
					p.Out.Header.Del(name)
				}
			}
			p.Out.Header.Set(header, c.word)
			p.Out.Header.Del(sessionHeader)
			if q.Session != "" {
				p.Out.Header.Set(sessionHeader, q.Session)
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			if resp.Header.Get(notHere) != "" {
				return errNotHere
			}
			for name := range resp.Header { // these are of both
				if name == "Server" || name == "X-Content-Type-Options" {
					resp.Header.Del(name)
				}
			}
			close(began)
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
	}
	in := q.Request.WithContext(ctx)
	in.Body, in.ContentLength = io.NopCloser(bytes.NewReader(q.Body)), int64(len(q.Body))
	proxy.ServeHTTP(w, in)
	dial := (*net.OpError)(nil)
	if q.Context().Err() == nil {
		c.reached(to, failed == nil || errors.Is(failed, errNotHere))
	}
	switch {
	case failed == nil:
		c.passed.Add(1)
		return nil
	case q.Context().Err() != nil:
		return q.Context().Err()
	case q.Repeat, errors.Is(failed, errNotHere), errors.As(failed, &dial) && dial.Op == "dial":
		return fmt.Errorf("%w: %w", ErrAgain, failed)
	}
	return fmt.Errorf("%w: %w", store.ErrAway, failed)
}

var errNotHere = errors.New("it does not write to it either")
