package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"whyhot/internal/fleet/debuginfo/wire"
)

// Register adds the service to a server whose messages are bytes (see rawcodec).
func (s *Store) Register(to grpc.ServiceRegistrar) {
	to.RegisterService(&grpc.ServiceDesc{
		ServiceName: wire.Service, HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{
			{StreamName: wire.MethodShould, Handler: unary(s, s.should), ServerStreams: true, ClientStreams: true},
			{StreamName: wire.MethodInitiate, Handler: unary(s, s.initiate), ServerStreams: true, ClientStreams: true},
			{StreamName: wire.MethodFinished, Handler: unary(s, s.finish), ServerStreams: true, ClientStreams: true},
			{StreamName: wire.MethodUpload, Handler: func(_ any, stream grpc.ServerStream) error { return s.upload(stream) }, ServerStreams: true, ClientStreams: true},
		},
	}, s)
}

const (
	// maxCalls is how many requests are read at a time, callWait how long one waits
	// for its turn.
	maxCalls = 8
	callWait = 2 * time.Second
)

// maxRequest bounds the messages that are not chunks.
const maxRequest = 16 << 10

// unary serves a method with one message each way, which is the same on the wire as a
// stream of one.
func unary[In any, PIn interface {
	*In
	wire.Message
}, Out wire.Message](s *Store, handle func(PIn) (Out, error)) grpc.StreamHandler {
	return func(_ any, stream grpc.ServerStream) error {
		in := PIn(new(In))
		if err := s.receiveSoon(stream, in); err != nil {
			return statusOf(err)
		}
		out, err := handle(in)
		if err != nil {
			return statusOf(err)
		}
		return stream.SendMsg(wire.Marshal(out))
	}
}

// receiveSoon is receive for calls of which there may be many: few of them are read at
// a time, for however little time they ask for, since each could be as large as the
// largest chunk.
func (s *Store) receiveSoon(stream grpc.ServerStream, m wire.Message) error {
	wait := time.NewTimer(callWait)
	defer wait.Stop()
	select {
	case s.calls <- struct{}{}:
	case <-wait.C:
		return errBusy
	case <-stream.Context().Done():
		return stream.Context().Err()
	}
	arrived := make(chan error, 1)
	go func() {
		defer func() { <-s.calls }()
		arrived <- receive(stream, m)
	}()
	limit := time.NewTimer(s.opts.Idle)
	defer limit.Stop()
	select {
	case err := <-arrived:
		return err
	case <-limit.C: // the return of the handler ends the reading
		return &refusal{codes.DeadlineExceeded, "the request took too long to arrive"}
	}
}

// receive reads a message that is no chunk.
func receive(stream grpc.ServerStream, m wire.Message) error {
	var data []byte
	if err := stream.RecvMsg(&data); err != nil {
		return err
	}
	if len(data) > maxRequest {
		return status.Error(codes.InvalidArgument, "the request is too large")
	}
	if err := wire.Unmarshal(data, m); err != nil {
		return status.Error(codes.InvalidArgument, "malformed request: "+err.Error())
	}
	return nil
}

// refusal is an error that has a status of the protocol.
type refusal struct {
	code codes.Code
	text string
}

func (r *refusal) Error() string { return r.text }

func invalid(err error) error { return &refusal{codes.InvalidArgument, err.Error()} }

// otherKind says why a kind of file or of build ID is not kept, "" where it is.
func otherKind(typ, idType int64) string {
	switch {
	case typ != wire.TypeDebuginfo:
		return "only debug information is kept here"
	case idType != wire.IDUnknown && idType != wire.IDGNU:
		return "only GNU build IDs are kept here"
	}
	return ""
}

func (s *Store) should(r *wire.ShouldRequest) (*wire.ShouldResponse, error) {
	if reason := otherKind(r.Type, r.IDType); reason != "" {
		return &wire.ShouldResponse{Reason: reason}, nil
	}
	if err := checkBuildID(r.BuildID); err != nil {
		return nil, invalid(err)
	}
	v := s.judge(r.BuildID, r.Hash, r.Force)
	if v.inProgress {
		v.reason = wire.ReasonInProgress
	}
	return &wire.ShouldResponse{Should: v.wanted, Reason: v.reason}, nil
}

func (s *Store) initiate(r *wire.InitiateRequest) (*wire.InitiateResponse, error) {
	if reason := otherKind(r.Type, r.IDType); reason != "" {
		return nil, &refusal{codes.FailedPrecondition, reason}
	}
	if err := checkBuildID(r.BuildID); err != nil {
		return nil, invalid(err)
	}
	if r.Size <= 0 || r.Hash == "" {
		return nil, &refusal{codes.InvalidArgument, "the file's size and hash must be set"}
	}
	v := s.judge(r.BuildID, r.Hash, r.Force)
	switch {
	case v.inProgress:
		return nil, &refusal{codes.FailedPrecondition, wire.ReasonInProgress}
	case !v.wanted:
		return nil, &refusal{codes.AlreadyExists, v.reason}
	}
	u, err := s.announce(r.BuildID, r.Size)
	if err != nil {
		return nil, err
	}
	return &wire.InitiateResponse{Has: true, Instructions: wire.Instructions{
		BuildID: r.BuildID, UploadID: u.id, Strategy: wire.ByGRPC, Type: r.Type,
	}}, nil
}

func (s *Store) finish(r *wire.FinishedRequest) (*wire.FinishedResponse, error) {
	if !s.finished(r.BuildID, r.UploadID) {
		return nil, errUnknown
	}
	return &wire.FinishedResponse{}, nil
}

// upload serves one stream.
func (s *Store) upload(stream grpc.ServerStream) error {
	select {
	case s.slots <- struct{}{}:
	default:
		return statusOf(errBusy)
	}
	release := func() { <-s.slots }
	// A client that sends nothing blocks the reading, which ends only when this
	// handler has returned.
	ended := make(chan error, 1)
	limit := time.NewTimer(s.opts.Idle)
	defer limit.Stop()
	size := make(chan int64, 1)
	go func() {
		defer release()
		ended <- s.take(stream, size)
	}()
	for {
		select {
		case n := <-size:
			limit.Reset(s.opts.Idle + time.Duration(float64(n)/float64(s.opts.Rate)*float64(time.Second)))
		case err := <-ended:
			if err != nil {
				return statusOf(err)
			}
			return nil
		case <-limit.C:
			return status.Error(codes.DeadlineExceeded, "the upload took too long")
		}
	}
}

// take reads the stream into a file. It tells the size that was announced.
func (s *Store) take(stream grpc.ServerStream, size chan<- int64) (err error) {
	var first wire.UploadRequest
	if err := receive(stream, &first); err != nil {
		return err
	}
	if !first.HasInfo {
		return &refusal{codes.InvalidArgument, "the first message must be the upload's info"}
	}
	u, err := s.begin(first.Info.BuildID, first.Info.UploadID)
	if err != nil {
		return err
	}
	size <- u.size
	defer func() { s.end(u, err == nil) }()
	f, err := s.create(u)
	if err != nil {
		return fmt.Errorf("keeping debug information: %w", err)
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if gone := os.Remove(f.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) { // it was renamed
			s.opts.Log(gone.Error())
		}
	}()
	if err := s.copy(stream, f, u.size); err != nil {
		return err
	}
	if err := s.keep(u, f); err != nil {
		return err
	}
	s.opts.Log(fmt.Sprintf("debug information of %s: %d bytes", u.buildID, u.size))
	return stream.SendMsg(wire.Marshal(&wire.UploadResponse{BuildID: u.buildID, Size: u.size}))
}

// copy writes the chunks, which must be as many bytes as announced.
func (s *Store) copy(stream grpc.ServerStream, f *os.File, size int64) error {
	for at := int64(0); ; {
		var data []byte
		switch err := stream.RecvMsg(&data); {
		case errors.Is(err, io.EOF):
			if at != size {
				return &refusal{codes.InvalidArgument, fmt.Sprintf("%d bytes arrived of %d", at, size)}
			}
			return nil
		case err != nil:
			return err
		}
		var m wire.UploadRequest
		if err := wire.Unmarshal(data, &m); err != nil {
			return &refusal{codes.InvalidArgument, "malformed chunk: " + err.Error()}
		}
		if m.HasInfo {
			return &refusal{codes.InvalidArgument, "the upload's info was sent twice"}
		}
		if at += int64(len(m.Chunk)); at > size {
			return &refusal{codes.InvalidArgument, fmt.Sprintf("more bytes than the %d announced", size)}
		}
		if _, err := f.Write(m.Chunk); err != nil {
			return fmt.Errorf("keeping debug information: %w", err)
		}
	}
}

// comeAgain is when a client that was sent away is asked to try again.
const comeAgain = 5 * time.Second

// statusOf is the protocol's word for an error.
func statusOf(err error) error {
	refused := (*refusal)(nil)
	switch {
	case errors.As(err, &refused):
		return status.Error(refused.code, refused.text)
	case errors.Is(err, errContent):
		return status.Error(codes.InvalidArgument, err.Error())
	case errors.Is(err, errLarge), errors.Is(err, errFull):
		return status.Error(codes.ResourceExhausted, err.Error())
	case errors.Is(err, errUnknown):
		return status.Error(codes.NotFound, err.Error())
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, err.Error())
	}
	if s, ok := status.FromError(err); ok {
		return s.Err()
	}
	later := status.New(codes.Unavailable, err.Error())
	if detailed, err := later.WithDetails(protoadapt.MessageV1Of(&errdetails.RetryInfo{RetryDelay: durationpb.New(comeAgain)})); err == nil {
		return detailed.Err()
	}
	return later.Err()
}
