package send

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"whyhot/internal/host/version"
)

const protobuf = "application/x-protobuf"

// httpTransport speaks OTLP/HTTP with protobuf bodies.
type httpTransport struct {
	opts   *Options
	client *http.Client
}

func newHTTP(o *Options) *httpTransport {
	base := &http.Transport{TLSClientConfig: o.TLS, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	return &httpTransport{opts: o, client: &http.Client{
		Transport: base,
		// The headers may hold a token, which is for this server alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (t *httpTransport) send(ctx context.Context, data []byte, headers map[string]string) (result Result, err error) {
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	if _, err := z.Write(data); err != nil {
		return Result{}, fmt.Errorf("compressing: %w", err)
	}
	if err := z.Close(); err != nil {
		return Result{}, fmt.Errorf("compressing: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.opts.Endpoint.String(), &body)
	if err != nil {
		return Result{}, fmt.Errorf("making the request: %w", err)
	}
	for k, v := range headers {
		request.Header.Set(k, v)
	}
	request.Header.Set("Content-Type", protobuf)
	request.Header.Set("Content-Encoding", "gzip")
	request.Header.Set("User-Agent", version.Agent("whyhot"))
	request.Header.Set(pprofileotlp.DevelopmentVersionHeader, pprofileotlp.DevelopmentVersion)
	response, err := t.client.Do(request)
	if err != nil {
		return Result{}, &RetryableError{Err: err} // no answer: no connection, or it broke
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if response.StatusCode != http.StatusOK {
		return Result{}, judgeHTTP(response, answer)
	}
	if err != nil {
		return Result{}, &RetryableError{Err: fmt.Errorf("the answer broke off: %w", err)}
	}
	return resultOf(answer), nil
}

func (t *httpTransport) close() error {
	t.client.CloseIdleConnections()
	return nil
}

// judgeHTTP says which answers may be tried again.
func judgeHTTP(r *http.Response, body []byte) error {
	err := fmt.Errorf("HTTP status %s%s", r.Status, reasonOf(r, body))
	switch r.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &RetryableError{After: retryAfter(r.Header.Get("Retry-After")), Err: err}
	case http.StatusUnauthorized, http.StatusForbidden:
		return &CredentialError{Err: err}
	case http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return err
}

// reasonOf is what the server wrote: a google.rpc.Status, or a line of text.
func reasonOf(r *http.Response, body []byte) string {
	kind := r.Header.Get("Content-Type")
	text := ""
	switch {
	case strings.HasPrefix(kind, protobuf):
		var s spb.Status
		if proto.Unmarshal(body, &s) == nil {
			text = s.GetMessage()
		}
	case strings.HasPrefix(string(body), tlsOnly):
		text = tlsOnly
	case strings.HasPrefix(kind, "text/plain"):
		text, _, _ = strings.Cut(strings.TrimSpace(string(body[:min(len(body), 300)])), "\n")
	}
	if text == "" {
		return ""
	}
	return ": " + text
}

// retryAfter reads seconds or a date.
func retryAfter(text string) time.Duration {
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(n, 0)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
