package store

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"whyhot/internal/fleet/debuginfo/wire"
)

// Register adds the service to a server whose messages are bytes (see rawcodec); they
// are decoded here, under limits of the service's own. Methods with one message each way
// are served as streams of one, which is the same on the wire: gRPC itself would read
// the request, however large, before anything here is asked.
func (s *Store) Register(to grpc.ServiceRegistrar) {
	Register(to, func(context.Context) (*Store, error) { return s, nil })
}

// Register is the method of that name for several stores: of chooses one by the call's
// context. Its error is the call's status.
func Register(to grpc.ServiceRegistrar, of func(ctx context.Context) (*Store, error)) {
	generated := &wire.DebuginfoService_ServiceDesc
	served := *generated
	served.Methods, served.Streams, served.HandlerType = nil, nil, (*any)(nil)
	add := func(name string, handle func(s *Store, raw grpc.ServerStream) error) {
		served.Streams = append(served.Streams, grpc.StreamDesc{
			StreamName: name, ServerStreams: true, ClientStreams: true,
			Handler: func(_ any, raw grpc.ServerStream) error {
				s, err := of(raw.Context())
				if err != nil {
					return statusOf(err)
				}
				return handle(s, raw)
			},
		})
	}
	for _, m := range generated.Methods {
		add(m.MethodName, func(s *Store, raw grpc.ServerStream) error { return s.unary(m.Handler, raw) })
	}
	for _, m := range generated.Streams {
		add(m.StreamName, func(s *Store, raw grpc.ServerStream) error { return s.streamed(m.Handler, raw) })
	}
	to.RegisterService(&served, struct{}{})
}

const (
	// maxCalls is how many requests are read at a time, callWait how long one waits
	// for its turn.
	maxCalls = 8
	callWait = 2 * time.Second
)

// maxRequest bounds the first message of a call, which is no chunk.
const maxRequest = 16 << 10

// unary serves a method with one message each way.
func (s *Store) unary(handle grpc.MethodHandler, raw grpc.ServerStream) error {
	stream := &messages{ServerStream: raw, first: maxRequest}
	out, err := handle(&service{store: s}, raw.Context(), func(in any) error { return s.receiveSoon(stream, in) }, nil)
	if err != nil {
		return statusOf(err)
	}
	return stream.SendMsg(out)
}

// streamed serves a stream.
func (s *Store) streamed(handle grpc.StreamHandler, raw grpc.ServerStream) error {
	if err := handle(&service{store: s}, &messages{ServerStream: raw, first: maxRequest}); err != nil {
		return statusOf(err)
	}
	return nil
}

// receiveSoon receives a message of calls of which there may be many: few of them are
// read at a time, for however little time they ask for, since each could be as large as
// the largest chunk.
func (s *Store) receiveSoon(stream grpc.ServerStream, m any) error {
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
		arrived <- stream.RecvMsg(m)
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

// messages is a stream of bytes as one of messages.
type messages struct {
	grpc.ServerStream

	first int // bytes of the first message, 0 when it has come; chunks follow
}

func (m *messages) RecvMsg(to any) error {
	into, ok := to.(proto.Message)
	if !ok {
		return fmt.Errorf("a message of type %T, not protobuf's", to)
	}
	var data []byte
	if err := m.ServerStream.RecvMsg(&data); err != nil {
		return err
	}
	if m.first > 0 && len(data) > m.first {
		return status.Error(codes.InvalidArgument, "the request is too large")
	}
	m.first = 0
	// Fields of a later version are passed over, so that they take no memory.
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, into); err != nil {
		return status.Error(codes.InvalidArgument, "malformed message: "+err.Error())
	}
	return nil
}

func (m *messages) SendMsg(from any) error {
	out, ok := from.(proto.Message)
	if !ok {
		return fmt.Errorf("a message of type %T, not protobuf's", from)
	}
	data, err := proto.Marshal(out)
	if err != nil {
		return err
	}
	return m.ServerStream.SendMsg(data)
}
