package push

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"whyhot/internal/ingest"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// Parca is Parca's ProfileStoreService with its method WriteRaw, for a server whose
// messages are bytes (see rawcodec). Its method is served as a stream of one message,
// which is the same on the wire, so that calls are judged before they are read.
type Parca struct {
	Most    int64 // bytes of a profile, decompressed
	Now     func() time.Time
	Counted Counted
	// Slot waits for a slot before a message is read.
	Slot func(ctx context.Context) (release func(), err error)
	// Time bounds a call.
	Time time.Duration
}

// Register adds the service.
func (p *Parca) Register(to grpc.ServiceRegistrar) {
	to.RegisterService(&grpc.ServiceDesc{
		ServiceName: "parca.profilestore.v1alpha1.ProfileStoreService",
		HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{{
			StreamName: "WriteRaw", ServerStreams: true, ClientStreams: true,
			Handler: func(_ any, stream grpc.ServerStream) error { return p.writeRaw(stream) },
		}},
	}, struct{}{})
}

func (p *Parca) writeRaw(stream grpc.ServerStream) error {
	ctx, cancel := context.WithTimeout(stream.Context(), p.Time)
	defer cancel()
	to := project.Of(ctx)
	if to == nil {
		return status.Error(codes.Internal, "the call is about no project")
	}
	release, err := p.Slot(ctx)
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	var data []byte
	arrived := make(chan struct{})
	go func() {
		defer close(arrived)
		// A client that sends nothing blocks this; the return of the handler ends it.
		err = stream.RecvMsg(&data)
	}()
	select {
	case <-arrived:
		defer release()
	case <-ctx.Done():
		go func() { <-arrived; release() }()
		return status.Error(codes.DeadlineExceeded, "the request took too long to arrive")
	}
	if err != nil {
		return err
	}
	series, err := ReadParca(data)
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	if _, err := AppendSeries(ctx, to, series, p.Most, p.Now(), p.Counted); err != nil {
		return statusOf(err)
	}
	return stream.SendMsg([]byte{})
}

func statusOf(err error) error {
	wrong := (*store.BatchError)(nil)
	switch {
	case errors.As(err, &wrong):
		return status.Error(codes.InvalidArgument, err.Error())
	case errors.Is(err, ingest.ErrTooLarge):
		return status.Error(codes.ResourceExhausted, "a profile is too large")
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, "the request took too long")
	}
	return status.Error(codes.Unavailable, store.ErrBusy.Error())
}
