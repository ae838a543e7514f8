package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/wire"
	"whyhot/internal/fleet/send"
)

// client speaks the protocol.
type client struct {
	opts send.Options
	conn *grpc.ClientConn
	web  *http.Client
	rate int64
}

const (
	chunkSize = 256 << 10
	// slowest is how many bytes a second an upload must get through, beside the time
	// that any call has.
	slowest = 64 << 10
)

var (
	errInProgress = errors.New("somebody else is uploading it")
	errURL        = errors.New("uploading to the URL that the server gave")
	errNoWay      = errors.New("the server asks for an unknown upload method")
)

func newClient(o send.Options, rate int64) (*client, error) {
	if o.Timeout == 0 {
		o.Timeout = send.DefaultTimeout
	}
	conn, err := send.Dial(o)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSHandshakeTimeout: o.Timeout, ResponseHeaderTimeout: o.Timeout, MaxIdleConns: 1, IdleConnTimeout: time.Minute}
	web := &http.Client{
		Transport: transport,
		// The body cannot be sent twice, and a signed URL is for one place.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &client{opts: o, conn: conn, web: web, rate: rate}, nil
}

func (c *client) close() {
	_ = c.conn.Close() // nothing is under way
	c.web.CloseIdleConnections()
}

// call makes one call with one message each way.
func (c *client) call(ctx context.Context, method string, in, out wire.Message) error {
	limited, cancel := context.WithTimeout(c.headers(ctx), c.opts.Timeout)
	defer cancel()
	var answer []byte
	if err := c.conn.Invoke(limited, wire.Path(method), wire.Marshal(in), &answer); err != nil {
		return judge(err)
	}
	if err := wire.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("the server's answer to %s: %w", method, err)
	}
	return nil
}

// judge says which errors may be tried again. That the method is not known there is
// told by its own code.
func judge(err error) error {
	if status.Code(err) == codes.Unimplemented {
		return err
	}
	return send.JudgeGRPC(err)
}

func (c *client) headers(ctx context.Context) context.Context {
	return metadata.NewOutgoingContext(ctx, metadata.New(c.opts.Headers))
}

// should asks whether the server wants the file.
func (c *client) should(ctx context.Context, e *extract.Extract) (bool, error) {
	var answer wire.ShouldResponse
	err := c.call(ctx, wire.MethodShould, &wire.ShouldRequest{BuildID: e.BuildID(), Hash: e.Hash(), IDType: wire.IDGNU}, &answer)
	if err == nil && !answer.Should && answer.Reason == wire.ReasonInProgress {
		err = errInProgress
	}
	return answer.Should, err
}

// give uploads the file. It is false when the server got it from somebody else
// meanwhile.
func (c *client) give(ctx context.Context, e *extract.Extract) (bool, error) {
	var answer wire.InitiateResponse
	err := c.call(ctx, wire.MethodInitiate, &wire.InitiateRequest{BuildID: e.BuildID(), Size: e.Size(), Hash: e.Hash(), IDType: wire.IDGNU}, &answer)
	switch status.Code(err) { //nolint:exhaustive // the others are errors
	case codes.AlreadyExists:
		return false, nil
	case codes.FailedPrecondition:
		return false, fmt.Errorf("%w: %s", errInProgress, status.Convert(err).Message())
	}
	if err != nil {
		return false, err
	}
	limit := c.opts.Timeout + time.Duration(float64(e.Size())/float64(min(slowest, c.rate))*float64(time.Second))
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	way := answer.Instructions
	switch way.Strategy {
	case wire.ByGRPC:
		err = c.stream(limited, e, &way)
	case wire.BySignedURL:
		err = c.put(limited, e, way.SignedURL)
	default:
		err = errNoWay
	}
	if err != nil {
		return false, err
	}
	return true, c.call(ctx, wire.MethodFinished, &wire.FinishedRequest{BuildID: e.BuildID(), UploadID: way.UploadID, Type: way.Type}, &wire.FinishedResponse{})
}

// stream uploads over gRPC.
func (c *client) stream(ctx context.Context, e *extract.Extract, way *wire.Instructions) error {
	ctx, cancel := context.WithCancel(c.headers(ctx))
	defer cancel() // of what failed half way
	stream, err := c.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, wire.Path(wire.MethodUpload))
	if err != nil {
		return judge(err)
	}
	info := wire.UploadInfo{BuildID: e.BuildID(), UploadID: way.UploadID, Type: way.Type}
	err = stream.SendMsg(wire.Marshal(&wire.UploadRequest{HasInfo: true, Info: info}))
	from := newPacer(ctx, e.Reader(), c.rate)
	buf := make([]byte, chunkSize)
	for err == nil {
		var n int
		n, err = io.ReadFull(from, buf)
		if n > 0 {
			if failed := stream.SendMsg(wire.Marshal(&wire.UploadRequest{Chunk: buf[:n]})); failed != nil {
				err = failed
				break
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			if from.read != e.Size() {
				return fmt.Errorf("the file became shorter while it was read: %w", err)
			}
			err = stream.CloseSend()
			break
		}
	}
	if err != nil && !errors.Is(err, io.EOF) { // io.EOF: the server has ended the call, and says why
		return judge(err)
	}
	var data []byte
	if err := stream.RecvMsg(&data); err != nil {
		return judge(err)
	}
	var answer wire.UploadResponse
	if err := wire.Unmarshal(data, &answer); err != nil {
		return fmt.Errorf("the server's answer to an upload: %w", err)
	}
	if answer.Size != e.Size() {
		return &send.RetryableError{Err: fmt.Errorf("the server has %d bytes of %d", answer.Size, e.Size())}
	}
	return nil
}

// put uploads to a URL. It carries no headers of ours: the URL is its own permission,
// and may be another's server.
func (c *client) put(ctx context.Context, e *extract.Extract, to string) error {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || c.opts.Endpoint.TLS) {
		return fmt.Errorf("%w: it is no https URL", errURL)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, to, newPacer(ctx, e.Reader(), c.rate))
	if err != nil {
		return fmt.Errorf("%w: %w", errURL, err)
	}
	request.ContentLength = e.Size()
	response, err := c.web.Do(request)
	if err != nil {
		if hidden := (*url.Error)(nil); errors.As(err, &hidden) {
			err = hidden.Err // the URL is a secret
		}
		return &send.RetryableError{Err: fmt.Errorf("%w: %w", errURL, err)}
	}
	defer func() { _ = response.Body.Close() }() // only read from
	switch code := response.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusTooManyRequests, code >= 500:
		return &send.RetryableError{Err: fmt.Errorf("%w: %s", errURL, response.Status)}
	}
	return fmt.Errorf("%w: %s", errURL, response.Status)
}
