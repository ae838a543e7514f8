// Package client asks a server, for the command line.
//
// It owns how a request is made and what an error of the server means to a person. It
// takes the server's address and gives bytes and small results. It must never import
// the store or anything that serves: whyhot itself is to stay small.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/host/version"
)

// Options say which server, and who asks.
type Options struct {
	URL     string // http://HOST:PORT or https://…, with a path where a proxy puts it below one
	Project string // "" is the token's own
	Token   string
	TLS     *tls.Config
	// Missing is told what of the server's rows an answer lacks, such as "shard 2 of 2". It
	// may be nil.
	Missing func(parts string)
}

// Client asks one server.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client
}

// New makes a client. It does not connect yet.
func New(o Options) (*Client, error) {
	if host, port, err := net.SplitHostPort(o.URL); err == nil && host != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err == nil { // HOST:PORT, as agents take it
			o.URL = "http://" + o.URL
		}
	}
	base, err := url.Parse(o.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.User != nil {
		return nil, fmt.Errorf("invalid server address %q: give http://HOST:PORT or https://HOST:PORT", o.URL)
	}
	return &Client{o: o, base: base, http: &http.Client{
		Transport: &http.Transport{TLSClientConfig: o.TLS, Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, ResponseHeaderTimeout: 2 * time.Minute},
		// The token is for this server alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// RefusedError is what a server says instead of an answer.
type RefusedError struct {
	Status               int
	Kind, Detail, Helped string
}

func (e *RefusedError) Error() string {
	if e.Helped != "" {
		return fmt.Sprintf("the server says: %s. %s", e.Detail, e.Helped)
	}
	return "the server says: " + e.Detail
}

// do makes a request below /api/v1. Who gets no error has to close the body.
func (c *Client) do(ctx context.Context, method, path string, query url.Values, body io.Reader) (io.ReadCloser, error) {
	req, err := c.request(ctx, method, path, query, body)
	if err != nil {
		return nil, err
	}
	return c.send(c.http, req)
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	u := c.base.JoinPath("/api/v1", path)
	if c.o.Project != "" {
		if query == nil {
			query = url.Values{}
		}
		query.Set("project", c.o.Project)
	}
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", version.Agent("whyhot"))
	if c.o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.Token)
	}
	return req, nil
}

func (c *Client) send(by *http.Client, req *http.Request) (io.ReadCloser, error) {
	resp, err := by.Do(req)
	if err != nil {
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err
		}
		return nil, fmt.Errorf("asking %s: %w%s", c.o.URL, err, hint(err.Error(), c.base.Host))
	}
	if resp.StatusCode == http.StatusOK {
		if parts := resp.Header.Get("Whyhot-Missing"); parts != "" && c.o.Missing != nil {
			c.o.Missing(parts)
		}
		return resp.Body, nil
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	const most = 64 << 10
	text, _ := io.ReadAll(io.LimitReader(resp.Body, most)) // what arrived will do
	var said struct {
		Error  string `json:"error"`
		Detail string `json:"detail"`
		Help   string `json:"help"`
	}
	if json.Unmarshal(text, &said) == nil && said.Detail != "" {
		return nil, &RefusedError{resp.StatusCode, said.Error, said.Detail, said.Help}
	}
	return nil, c.strange(resp, string(text))
}

// strange is the error of an answer that no whyhot server gives to a request.
func (c *Client) strange(resp *http.Response, text string) error {
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/grpc") {
		text = grpcAnswer
	}
	if why := hint(text, c.base.Host); why != "" {
		return fmt.Errorf("%s answered %s%s", c.o.URL, resp.Status, why)
	}
	return fmt.Errorf("%s answered %s: is it a whyhot server?", c.o.URL, resp.Status)
}

// grpcAnswer is what Go says of the beginning of an HTTP/2 connection where it expects HTTP/1.
const grpcAnswer = "malformed HTTP response"

// hint says what is probably wrong with the address, and what to type, by the words of the
// library or of the server; "" where that is not known.
func hint(text, host string) string {
	switch {
	case strings.Contains(text, grpcAnswer):
		return "; this seems to be the server's port for agents (--listen-grpc): give that of --listen, usually 7878"
	case strings.Contains(text, "HTTP request to an HTTPS server"):
		return "; the server uses TLS: give https://" + host + ", and --ca FILE where its certificate is of your own authority"
	case strings.Contains(text, "HTTP response to HTTPS client"), strings.Contains(text, "first record does not look like a TLS handshake"):
		return "; the server does not use TLS: give http://" + host
	case strings.Contains(text, "certificate signed by unknown authority"):
		return "; give --ca FILE with the certificate authority of the server"
	}
	return ""
}

// ask reads the JSON of an answer.
func (c *Client) ask(ctx context.Context, method, path string, query url.Values, body io.Reader, to any) error {
	answer, err := c.do(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	return c.read(answer, to)
}

// read takes the JSON of an answer, which it closes.
func (c *Client) read(answer io.ReadCloser, to any) error {
	defer answer.Close() //nolint:errcheck // only read from
	if err := json.NewDecoder(answer).Decode(to); err != nil {
		return fmt.Errorf("the answer of %s cannot be read: %w", c.o.URL, err)
	}
	return nil
}

// Profile gives the samples of a selection (the parameters of the API) as a pprof file.
func (c *Client) Profile(ctx context.Context, selection url.Values) (io.ReadCloser, error) {
	return c.do(ctx, http.MethodGet, "profile", selection, nil)
}

// Backup gives all that the project holds, for "whyhot-server store import".
func (c *Client) Backup(ctx context.Context) (io.ReadCloser, error) {
	return c.do(ctx, http.MethodGet, "backup", nil, nil)
}

// Restore makes the project of the client's options of a backup, and says how many rows it has.
// The server takes nothing of it before it has said that it may be sent.
func (c *Client) Restore(ctx context.Context, backup io.Reader) (rows int64, err error) {
	if c.o.Project == "" {
		return 0, errors.New("the name of the new project is missing")
	}
	req, err := c.request(ctx, http.MethodPost, "projects/"+url.PathEscape(c.o.Project)+"/restore", nil, io.NopCloser(backup))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Expect", "100-continue")
	t := c.http.Transport.(*http.Transport).Clone() //nolint:forcetypeassert // New made it
	t.ResponseHeaderTimeout, t.ExpectContinueTimeout = 0, time.Minute
	answer, err := c.send(&http.Client{Transport: t, CheckRedirect: c.http.CheckRedirect}, req)
	if err != nil {
		return 0, err
	}
	var said struct {
		Rows int64 `json:"rows"`
	}
	err = c.read(answer, &said)
	return said.Rows, err
}

// Services lists the services of a selection, the heaviest first.
func (c *Client) Services(ctx context.Context, selection url.Values) ([]string, error) {
	return c.Labels(ctx, "service", selection)
}

// LabelKeys lists what samples of the project can be chosen and grouped by.
func (c *Client) LabelKeys(ctx context.Context) ([]string, error) {
	var answer struct {
		Keys []struct {
			Key string `json:"key"`
		} `json:"keys"`
	}
	if err := c.ask(ctx, http.MethodGet, "labels", nil, nil, &answer); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(answer.Keys))
	for _, k := range answer.Keys {
		out = append(out, k.Key)
	}
	return out, nil
}

// Labels lists the values of a label in a selection, the heaviest first.
func (c *Client) Labels(ctx context.Context, key string, selection url.Values) ([]string, error) {
	var answer struct {
		Values []struct {
			Value string `json:"value"`
		} `json:"values"`
	}
	if err := c.ask(ctx, http.MethodGet, "labels/"+url.PathEscape(key), selection, nil, &answer); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(answer.Values))
	for _, v := range answer.Values {
		out = append(out, v.Value)
	}
	return out, nil
}

// LastSeen is when samples of a selection were last there, whatever time the selection is of;
// zero where there are none within what is kept. It is to the minute.
func (c *Client) LastSeen(ctx context.Context, selection url.Values) (last time.Time, err error) {
	q := maps.Clone(selection)
	if q == nil {
		q = url.Values{}
	}
	q.Del("to")
	// An answer over a long time has steps of a twenty-fourth of it: each narrows the next.
	for _, back := range []time.Duration{90 * 24 * time.Hour, 4 * 24 * time.Hour, 6 * time.Hour} {
		to := time.Now()
		if !last.IsZero() {
			to = last
			q.Set("to", to.Format(time.RFC3339))
		}
		q.Set("from", to.Add(-back).Format(time.RFC3339))
		var answer struct {
			Values []struct {
				Last time.Time `json:"last"`
			} `json:"values"`
		}
		if err := c.ask(ctx, http.MethodGet, "services", q, nil, &answer); err != nil {
			return last, err
		}
		if len(answer.Values) == 0 {
			return last, nil
		}
		last = time.Time{}
		for _, v := range answer.Values {
			if v.Last.After(last) {
				last = v.Last
			}
		}
	}
	return last, nil
}

// Surprises gives the shares of a selection that are not what was to be expected, at most
// so many.
func (c *Client) Surprises(ctx context.Context, selection url.Values, most int) (Surprises, error) {
	q := maps.Clone(selection)
	q.Set("limit", strconv.Itoa(most))
	var answer Surprises
	err := c.ask(ctx, http.MethodGet, "surprises", q, nil, &answer)
	return answer, err
}

// Surprises are what was found, and what it was held against: windows of the past, other
// services, profiles of programs measured beforehand.
type Surprises struct {
	Windows   int                `json:"windows"`
	Services  int                `json:"services"`
	Profiles  int                `json:"profiles"`
	Surprises []finding.Surprise `json:"surprises"`
}

// Receipt says what became of a profile.
type Receipt struct {
	Duplicate bool     `json:"duplicate"`
	Samples   int64    `json:"samples"`
	Readable  bool     `json:"readable"` // by the token that sent it
	Warnings  []string `json:"warnings"`
}

// Push sends a profile.
func (c *Client) Push(ctx context.Context, labels url.Values, body io.Reader) (Receipt, error) {
	var r Receipt
	err := c.ask(ctx, http.MethodPost, "push", labels, body, &r)
	return r, err
}

// Trials gives the trials of the project's findings, by ID.
func (c *Client) Trials(ctx context.Context) (map[string][]finding.Trial, error) {
	var answer struct {
		Trials []struct {
			Finding string          `json:"finding"`
			Trials  []finding.Trial `json:"trials"`
		} `json:"trials"`
	}
	if err := c.ask(ctx, http.MethodGet, "trials", nil, nil, &answer); err != nil {
		return nil, err
	}
	out := map[string][]finding.Trial{}
	for _, t := range answer.Trials {
		out[t.Finding] = append(out[t.Finding], t.Trials...)
	}
	return out, nil
}

// PostTrial sends the result of a trial, as JSON, and gives what became of the finding;
// "" where no service has it.
func (c *Client) PostTrial(ctx context.Context, id string, outcome []byte) (finding.Certainty, error) {
	var answer struct {
		Certainty finding.Certainty `json:"certainty"`
	}
	err := c.ask(ctx, http.MethodPost, "trials", url.Values{"finding": {id}}, bytes.NewReader(outcome), &answer)
	return answer.Certainty, err
}

// PostFindings sends the findings of a service, as JSON, and gives how many are kept.
func (c *Client) PostFindings(ctx context.Context, service string, report []byte) (int, error) {
	var answer struct {
		Findings int `json:"findings"`
	}
	err := c.ask(ctx, http.MethodPost, "findings", url.Values{"service": {service}}, bytes.NewReader(report), &answer)
	return answer.Findings, err
}

// Stats gives what the project's store holds; compact has it put in order before.
func (c *Client) Stats(ctx context.Context, compact bool) (Stats, error) {
	var s Stats
	if compact {
		return s, c.ask(ctx, http.MethodPost, "compact", nil, nil, &s)
	}
	return s, c.ask(ctx, http.MethodGet, "stats", nil, nil, &s)
}

// Stats is what a store holds.
type Stats struct {
	Bytes      int64   `json:"bytes"`
	Memory     int64   `json:"memory"`
	Tables     []Table `json:"tables"`
	Stacks     int64   `json:"stacks"`
	Functions  int64   `json:"functions"`
	Series     int64   `json:"series"`
	Unresolved int64   `json:"unresolved"`
	Files      []File  `json:"files"`
	Bounds     []Bound `json:"bounds"`
}

// Warnings are those of bounds that are near.
func (s *Stats) Warnings() (texts []string) {
	for _, b := range s.Bounds {
		if b.Warning != "" {
			texts = append(texts, b.Warning)
		}
	}
	return texts
}

// File is what one part of a store's directory takes.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Bound is one that a store has, with a warning when it is near.
type Bound struct {
	Name    string `json:"name"`
	Used    int64  `json:"used"`
	Limit   int64  `json:"limit"`
	Warning string `json:"warning,omitempty"`
}

// Table is one table of a store.
type Table struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// Reachable tells whether the server answers at all.
func (c *Client) Reachable(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath("/healthz").String(), nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("asking %s: %w%s", c.o.URL, err, hint(err.Error(), c.base.Host))
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	if resp.StatusCode != http.StatusOK {
		const most = 4 << 10
		text, _ := io.ReadAll(io.LimitReader(resp.Body, most)) // what arrived will do
		return c.strange(resp, string(text))
	}
	return nil
}
