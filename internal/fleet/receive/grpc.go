package receive

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"golang.org/x/net/netutil"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // clients compress with it: it must be known
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"whyhot/internal/fleet/send"
	"whyhot/internal/ingest/otlp/rawcodec"
)

// maxStreams is how many requests one client may have open at a time.
const maxStreams = 16

// stopGrace is how long requests under way may take after the end was asked for.
const stopGrace = 5 * time.Second

// service describes the protocol's service. Its method is served as a stream of one
// message, which is the same on the wire: the handler then runs before the message
// is read, and can wait for a slot.
var service = grpc.ServiceDesc{
	ServiceName: "opentelemetry.proto.collector.profiles.v1development.ProfilesService",
	HandlerType: (*any)(nil),
	Streams: []grpc.StreamDesc{{
		StreamName: "Export",
		Handler: func(srv any, stream grpc.ServerStream) error {
			s, ok := srv.(*Server)
			if !ok {
				return status.Error(codes.Internal, "not served")
			}
			return s.export(stream)
		},
		ServerStreams: true, ClientStreams: true,
	}},
}

// ServeGRPC serves until ctx is done, and then waits a moment for requests under
// way. It closes the listener.
func (s *Server) ServeGRPC(ctx context.Context, l net.Listener) error {
	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(rawcodec.Codec{}), grpc.MaxRecvMsgSize(s.opts.MaxMessage), grpc.MaxConcurrentStreams(maxStreams),
		grpc.ConnectionTimeout(s.opts.ReadTime), grpc.MaxHeaderListSize(16 << 10),
		// A client that is gone without a word must not hold its connection for ever.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: time.Minute, Timeout: 20 * time.Second}),
	}
	if s.opts.Intercept != nil {
		options = append(options, grpc.StreamInterceptor(s.opts.Intercept))
	}
	if s.opts.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(s.opts.TLS)))
	}
	g := grpc.NewServer(options...)
	g.RegisterService(&service, s)
	for _, register := range s.opts.Services {
		register(g)
	}
	stopped := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(stopped)
		kill := time.AfterFunc(stopGrace, g.Stop)
		g.GracefulStop()
		kill.Stop()
	})
	err := g.Serve(netutil.LimitListener(l, s.opts.MaxClients))
	if !unwatch() {
		<-stopped
		return nil
	}
	g.Stop()
	return fmt.Errorf("serving gRPC: %w", err)
}

// export serves one call.
func (s *Server) export(stream grpc.ServerStream) error {
	ctx := stream.Context()
	md, _ := metadata.FromIncomingContext(ctx)
	versions := md.Get(pprofileotlp.DevelopmentVersionHeader)
	if err := pprofileotlp.ValidateDevelopmentVersion(versions); err != nil {
		return statusOf(&malformedError{err}).Err()
	}
	if err := s.acquire(ctx); err != nil {
		return statusOf(err).Err()
	}
	var data []byte
	if err := s.read(stream, &data); err != nil {
		return err
	}
	defer s.release()
	from := sender{versioned: len(versions) > 0}
	if ids := md.Get(send.BatchHeader); len(ids) > 0 {
		from.batch = ids[0]
	}
	warning, err := s.take(ctx, from, data)
	if err != nil {
		return statusOf(err).Err()
	}
	answer, err := answerOf(warning).MarshalProto()
	if err != nil {
		return statusOf(err).Err()
	}
	return stream.SendMsg(answer)
}

// read takes the call's message. Where it fails, it has released the slot, or will
// as soon as the message that came too slowly lets go of it.
func (s *Server) read(stream grpc.ServerStream, data *[]byte) error {
	var err error
	arrived := make(chan struct{})
	go func() {
		defer close(arrived)
		err = stream.RecvMsg(data)
	}()
	timer := time.NewTimer(s.opts.ReadTime)
	defer timer.Stop()
	select {
	case <-arrived:
		if err != nil {
			s.release()
		}
		return err
	case <-timer.C:
		go func() {
			<-arrived // the return of the handler ends it
			s.release()
		}()
		return statusOf(errSlow).Err()
	}
}

func answerOf(warning string) pprofileotlp.ExportResponse {
	r := pprofileotlp.NewExportResponse()
	if warning != "" {
		r.PartialSuccess().SetErrorMessage(warning)
	}
	return r
}

// statusOf is the protocol's word for an error.
func statusOf(err error) *status.Status {
	malformed, large, refused := (*malformedError)(nil), (*tooLargeError)(nil), (*refusedError)(nil)
	switch {
	case errors.As(err, &malformed), errors.As(err, &refused):
		return status.New(codes.InvalidArgument, err.Error())
	case errors.As(err, &large):
		return status.New(codes.ResourceExhausted, err.Error())
	case errors.Is(err, context.Canceled):
		return status.New(codes.Canceled, err.Error())
	case errors.Is(err, errSlow), errors.Is(err, context.DeadlineExceeded):
		return status.New(codes.DeadlineExceeded, err.Error())
	}
	// What is wrong is on this side: the sender keeps what it has.
	later := status.New(codes.Unavailable, err.Error())
	if detailed, err := later.WithDetails(protoadapt.MessageV1Of(&errdetails.RetryInfo{RetryDelay: durationpb.New(comeAgain)})); err == nil {
		return detailed
	}
	return later
}
