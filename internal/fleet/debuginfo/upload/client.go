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
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/wire"
	"whyhot/internal/fleet/send"
)

// client speaks the protocol.
type client struct {
	opts    send.Options
	conn    *grpc.ClientConn
	service wire.DebuginfoServiceClient
	web     *http.Client
	rate    int64
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
	errShorter    = errors.New("the file became shorter while it was read")
	errNoWay      = errors.New("the server asks for an unknown upload method")
)

func newClient(o send.Options, rate int64) (*client, error) {
	if o.Timeout == 0 {
		o.Timeout = send.DefaultTimeout
	}
	conn, err := send.Dial(o, grpc.ForceCodecV2(encoding.GetCodecV2(proto.Name)))
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSHandshakeTimeout: o.Timeout, ResponseHeaderTimeout: o.Timeout, MaxIdleConns: 1, IdleConnTimeout: time.Minute}
	web := &http.Client{
		Transport: transport,
		// The body cannot be sent twice, and a signed URL is for one place.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &client{opts: o, conn: conn, service: wire.NewDebuginfoServiceClient(conn), web: web, rate: rate}, nil
}

func (c *client) close() {
	_ = c.conn.Close() // nothing is under way
	c.web.CloseIdleConnections()
}

// call makes one call with one message each way.
func call[In, Out any](ctx context.Context, c *client, method func(context.Context, In, ...grpc.CallOption) (Out, error), in In) (Out, error) {
	var out Out
	ctx, err := c.headers(ctx)
	if err != nil {
		return out, err
	}
	limited, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	if out, err = method(limited, in); err != nil {
		return out, judge(err)
	}
	return out, nil
}

// judge says which errors may be tried again. That the method is not known there is
// told by its own code.
func judge(err error) error {
	if status.Code(err) == codes.Unimplemented {
		return err
	}
	return send.JudgeGRPC(err)
}

func (c *client) headers(ctx context.Context) (context.Context, error) {
	headers, err := c.opts.RequestHeaders()
	if err != nil {
		return nil, err
	}
	return metadata.NewOutgoingContext(ctx, metadata.New(headers)), nil
}

// should asks whether the server wants the file.
func (c *client) should(ctx context.Context, e *extract.Extract) (bool, error) {
	answer, err := call(ctx, c, c.service.ShouldInitiateUpload, &wire.ShouldInitiateUploadRequest{
		BuildId: e.BuildID(), Hash: e.Hash(), BuildIdType: wire.BuildIDType_BUILD_ID_TYPE_GNU,
	})
	if err == nil && !answer.GetShouldInitiateUpload() && answer.GetReason() == wire.ReasonInProgress {
		err = errInProgress
	}
	return answer.GetShouldInitiateUpload(), err
}

// give uploads the file. It is false when the server got it from somebody else
// meanwhile.
func (c *client) give(ctx context.Context, e *extract.Extract) (bool, error) {
	answer, err := call(ctx, c, c.service.InitiateUpload, &wire.InitiateUploadRequest{
		BuildId: e.BuildID(), Size: e.Size(), Hash: e.Hash(), BuildIdType: wire.BuildIDType_BUILD_ID_TYPE_GNU,
	})
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
	way := answer.GetUploadInstructions()
	switch way.GetUploadStrategy() {
	case wire.UploadInstructions_UPLOAD_STRATEGY_GRPC:
		err = c.stream(limited, e, way)
	case wire.UploadInstructions_UPLOAD_STRATEGY_SIGNED_URL:
		err = c.put(limited, e, way.GetSignedUrl())
	case wire.UploadInstructions_UPLOAD_STRATEGY_UNSPECIFIED:
		fallthrough
	default:
		err = errNoWay
	}
	if err != nil {
		return false, err
	}
	_, err = call(ctx, c, c.service.MarkUploadFinished, &wire.MarkUploadFinishedRequest{BuildId: e.BuildID(), UploadId: way.GetUploadId(), Type: way.GetType()})
	return true, err
}

// stream uploads over gRPC.
func (c *client) stream(ctx context.Context, e *extract.Extract, way *wire.UploadInstructions) error {
	ctx, err := c.headers(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // of what failed half way
	stream, err := c.service.Upload(ctx)
	if err != nil {
		return judge(err)
	}
	info := &wire.UploadInfo{BuildId: e.BuildID(), UploadId: way.GetUploadId(), Type: way.GetType()}
	err = stream.Send(&wire.UploadRequest{Data: &wire.UploadRequest_Info{Info: info}})
	if err == nil {
		from := newPacer(ctx, e.Reader(), c.rate)
		if err = sendChunks(stream, from); err == nil && from.read != e.Size() {
			return errShorter
		}
	}
	if err != nil && !errors.Is(err, io.EOF) { // io.EOF: the server has ended the call, and says why
		return judge(err)
	}
	answer, err := stream.CloseAndRecv()
	if err != nil {
		return judge(err)
	}
	if got := answer.GetSize(); got != uint64(e.Size()) {
		return &send.RetryableError{Err: fmt.Errorf("the server has %d bytes of %d", got, e.Size())}
	}
	return nil
}

// sendChunks sends all of a file.
func sendChunks(stream wire.DebuginfoService_UploadClient, from io.Reader) error {
	buf := make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(from, buf)
		if n > 0 {
			if failed := stream.Send(&wire.UploadRequest{Data: &wire.UploadRequest_ChunkData{ChunkData: buf[:n]}}); failed != nil {
				return failed
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
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
