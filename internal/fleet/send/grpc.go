package send

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"whyhot/internal/host/version"
	"whyhot/internal/ingest/otlp/rawcodec"
)

// exportMethod is the protocol's one method.
const exportMethod = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

// reconnect bounds the pauses between attempts to connect: how long to wait with
// a request is decided by the caller's Backoff.
var reconnect = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
	MinConnectTimeout: 10 * time.Second,
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 20

// grpcTransport speaks OTLP/gRPC.
type grpcTransport struct {
	opts *Options
	mu   sync.Mutex
	conn *grpc.ClientConn
}

func newGRPC(o *Options) (*grpcTransport, error) {
	t := &grpcTransport{opts: o}
	conn, err := t.dial()
	t.conn = conn
	return t, err
}

func (t *grpcTransport) dial() (*grpc.ClientConn, error) {
	return Dial(*t.opts, grpc.UseCompressor(gzip.Name))
}

// Dial makes a connection to the endpoint, for another service of the same server.
// Its messages are bytes (see rawcodec), and are not compressed unless a call option
// says so. Headers and the time limit of Options are left to the caller. It does not
// connect yet.
func Dial(o Options, more ...grpc.CallOption) (*grpc.ClientConn, error) {
	secure := insecure.NewCredentials()
	if o.Endpoint.TLS {
		if o.TLS == nil {
			o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		secure = credentials.NewTLS(o.TLS)
	}
	calls := append([]grpc.CallOption{grpc.ForceCodecV2(rawcodec.Codec{}), grpc.MaxCallRecvMsgSize(maxAnswer)}, more...)
	conn, err := grpc.NewClient("dns:///"+o.Endpoint.Host,
		grpc.WithTransportCredentials(secure), grpc.WithConnectParams(reconnect), grpc.WithUserAgent(version.Agent("whyhot")), grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(calls...))
	if err != nil {
		return nil, fmt.Errorf("endpoint %s: %w", o.Endpoint, err)
	}
	return conn, nil
}

func (t *grpcTransport) send(ctx context.Context, data []byte, headers map[string]string) (Result, error) {
	t.mu.Lock()
	conn := t.conn
	t.mu.Unlock()
	md := metadata.New(headers)
	md.Set(pprofileotlp.DevelopmentVersionHeader, pprofileotlp.DevelopmentVersion)
	var answer []byte
	err := conn.Invoke(metadata.NewOutgoingContext(ctx, md), exportMethod, data, &answer)
	if status.Code(err) == codes.DeadlineExceeded {
		err = errors.Join(err, t.redial(conn))
	}
	if err != nil {
		return Result{}, JudgeGRPC(err)
	}
	return resultOf(answer), nil
}

// redial leaves a connection on which nothing comes back: the kernel would keep
// it for many minutes more.
func (t *grpcTransport) redial(old *grpc.ClientConn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != old {
		return nil // another request did
	}
	conn, err := t.dial()
	if err != nil {
		return err
	}
	t.conn = conn
	return old.Close()
}

func (t *grpcTransport) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn.Close()
}

// resultOf reads the answer to a request that was taken.
func resultOf(answer []byte) Result {
	r := pprofileotlp.NewExportResponse()
	if err := r.UnmarshalProto(answer); err != nil {
		return Result{Message: "its answer cannot be read: " + err.Error()}
	}
	partial := r.PartialSuccess()
	return Result{Rejected: partial.RejectedProfiles(), Message: partial.ErrorMessage()}
}

// JudgeGRPC says which errors of a call may be tried again: they become a
// *RetryableError, or a *CredentialError.
func JudgeGRPC(err error) error {
	s := status.Convert(err)
	switch s.Code() { //nolint:exhaustive // all others are for good
	case codes.Canceled, codes.DeadlineExceeded, codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss:
		after, _ := retryInfo(s)
		return &RetryableError{After: after, Err: err}
	case codes.Unauthenticated, codes.PermissionDenied:
		return &CredentialError{Err: err}
	case codes.ResourceExhausted:
		if after, said := retryInfo(s); said {
			return &RetryableError{After: after, Err: err}
		}
		return fmt.Errorf("%w: %s", ErrTooLarge, s.Message())
	}
	return err
}

func retryInfo(s *status.Status) (after time.Duration, said bool) {
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			return max(info.GetRetryDelay().AsDuration(), 0), true
		}
	}
	return 0, false
}
