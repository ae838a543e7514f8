package send

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"time"
)

// BatchHeader is the metadata or HTTP header with a batch's identity. A request
// whose answer was lost is sent again under the same identity, so that a server
// that knows the header can tell that it has the batch already.
const BatchHeader = "whyhot-batch"

// DefaultTimeout is how long one attempt may take.
const DefaultTimeout = 30 * time.Second

// Options say where to, and how.
type Options struct {
	Endpoint Endpoint
	TLS      *tls.Config       // for endpoints with TLS; nil takes the system's authorities
	Headers  map[string]string // sent with every request
	// Token gives the bearer token of one request. Each request asks for it, so that a
	// token that was replaced counts from the next attempt on. nil: none is sent.
	Token   func() (string, error)
	Timeout time.Duration // of one attempt; 0 is DefaultTimeout
}

// RequestHeaders are the headers of one request. An error is a *CredentialError.
func (o *Options) RequestHeaders() (map[string]string, error) {
	headers := make(map[string]string, len(o.Headers)+2)
	maps.Copy(headers, o.Headers)
	if o.Token == nil {
		return headers, nil
	}
	token, err := o.Token()
	if err != nil {
		return nil, &CredentialError{Err: err}
	}
	headers["authorization"] = "Bearer " + token
	return headers, nil
}

// Result is what the server said of a request that it took.
type Result struct {
	Rejected int64  // profiles of the request that it did not take
	Message  string // why, or a warning
}

// RetryableError says that the request may succeed later.
type RetryableError struct {
	After time.Duration // the server's wish, 0 where it has none
	Err   error
}

func (e *RetryableError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *RetryableError) Unwrap() error { return e.Err }

// CredentialError says that the server rejected the sender and not the request, or that
// the sender has no token to show: the same request succeeds with a valid token. Only
// who waits for a person to replace the token tries again.
type CredentialError struct{ Err error }

func (e *CredentialError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *CredentialError) Unwrap() error { return e.Err }

// ErrTooLarge is wrapped when the server refused the request for its size.
var ErrTooLarge = errors.New("the server rejects requests of this size")

// Client sends to one server. Its methods may be called by several goroutines.
type Client struct {
	opts      Options
	transport transport
}

// transport makes one attempt.
type transport interface {
	send(ctx context.Context, data []byte, headers map[string]string) (Result, error)
	close() error
}

// New makes a client. It does not connect yet.
func New(o Options) (*Client, error) {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Endpoint.TLS && o.TLS == nil {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	c := &Client{opts: o}
	if o.Endpoint.HTTP {
		c.transport = newHTTP(&c.opts)
		return c, nil
	}
	t, err := newGRPC(&c.opts)
	c.transport = t
	return c, err
}

// Send makes one attempt to deliver the bytes of a request (protobuf). batch is
// its identity, "" for none. A *RetryableError may pass, a *CredentialError passes when
// the token is replaced; any other error is final, save when ctx is done.
func (c *Client) Send(ctx context.Context, batch string, data []byte) (Result, error) {
	attempt, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	headers, err := c.opts.RequestHeaders()
	if err != nil {
		return Result{}, fmt.Errorf("sending to %s: %w", c.opts.Endpoint, err)
	}
	if batch != "" {
		headers[BatchHeader] = batch
	}
	result, err := c.transport.send(attempt, data, headers)
	if err != nil && ctx.Err() != nil {
		return result, ctx.Err()
	}
	if err != nil {
		return result, fmt.Errorf("sending to %s: %w%s", c.opts.Endpoint, err, c.opts.Endpoint.hint(err.Error()))
	}
	return result, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.transport.close() }
