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
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"whyhot/internal/fleet/debuginfo/bucket"
	"whyhot/internal/fleet/debuginfo/wire"
)

// refusal is an error that has a status of the protocol.
type refusal struct {
	code codes.Code
	text string
}

func (r *refusal) Error() string { return r.text }

func invalid(err error) error { return &refusal{codes.InvalidArgument, err.Error()} }

// service answers the methods.
type service struct {
	wire.UnimplementedDebuginfoServiceServer

	store *Store
}

// otherKind says why a kind of file or of build ID is not kept, "" where it is.
func otherKind(r interface {
	GetType() wire.DebuginfoType
	GetBuildIdType() wire.BuildIDType
},
) string {
	id := r.GetBuildIdType()
	switch {
	case r.GetType() != wire.DebuginfoType_DEBUGINFO_TYPE_DEBUGINFO_UNSPECIFIED:
		return "only debug information is kept here"
	case id != wire.BuildIDType_BUILD_ID_TYPE_UNKNOWN_UNSPECIFIED && id != wire.BuildIDType_BUILD_ID_TYPE_GNU:
		return "only GNU build IDs are kept here"
	}
	return ""
}

// ShouldInitiateUpload implements wire.DebuginfoServiceServer.
func (s *service) ShouldInitiateUpload(ctx context.Context, r *wire.ShouldInitiateUploadRequest) (*wire.ShouldInitiateUploadResponse, error) {
	if reason := otherKind(r); reason != "" {
		return &wire.ShouldInitiateUploadResponse{Reason: reason}, nil
	}
	if err := checkBuildID(r.GetBuildId()); err != nil {
		return nil, invalid(err)
	}
	v, err := s.store.judge(ctx, r.GetBuildId(), r.GetHash(), r.GetForce())
	if err != nil {
		return nil, err
	}
	if v.inProgress {
		v.reason = wire.ReasonInProgress
	}
	return &wire.ShouldInitiateUploadResponse{ShouldInitiateUpload: v.wanted, Reason: v.reason}, nil
}

// InitiateUpload implements wire.DebuginfoServiceServer.
func (s *service) InitiateUpload(ctx context.Context, r *wire.InitiateUploadRequest) (*wire.InitiateUploadResponse, error) {
	if reason := otherKind(r); reason != "" {
		return nil, &refusal{codes.FailedPrecondition, reason}
	}
	if err := checkBuildID(r.GetBuildId()); err != nil {
		return nil, invalid(err)
	}
	if r.GetSize() <= 0 || r.GetHash() == "" {
		return nil, &refusal{codes.InvalidArgument, "the file's size and hash must be set"}
	}
	v, err := s.store.judge(ctx, r.GetBuildId(), r.GetHash(), r.GetForce())
	if err != nil {
		return nil, err
	}
	switch {
	case v.inProgress:
		return nil, &refusal{codes.FailedPrecondition, wire.ReasonInProgress}
	case !v.wanted:
		return nil, &refusal{codes.AlreadyExists, v.reason}
	}
	u, err := s.store.announce(r.GetBuildId(), r.GetSize())
	if err != nil {
		return nil, err
	}
	return &wire.InitiateUploadResponse{UploadInstructions: &wire.UploadInstructions{
		BuildId: r.GetBuildId(), UploadId: u.id, UploadStrategy: wire.UploadInstructions_UPLOAD_STRATEGY_GRPC, Type: r.GetType(),
	}}, nil
}

// MarkUploadFinished implements wire.DebuginfoServiceServer.
func (s *service) MarkUploadFinished(_ context.Context, r *wire.MarkUploadFinishedRequest) (*wire.MarkUploadFinishedResponse, error) {
	if !s.store.finished(r.GetBuildId(), r.GetUploadId()) {
		return nil, errUnknown
	}
	return &wire.MarkUploadFinishedResponse{}, nil
}

// Upload implements wire.DebuginfoServiceServer.
func (s *service) Upload(stream wire.DebuginfoService_UploadServer) error {
	select {
	case s.store.slots <- struct{}{}:
	default:
		return errBusy
	}
	// A client that sends nothing blocks the reading, which ends only when this
	// handler has returned.
	ended := make(chan error, 1)
	limit := time.NewTimer(s.store.opts.Idle)
	defer limit.Stop()
	size := make(chan int64, 1)
	go func() {
		defer func() { <-s.store.slots }()
		ended <- s.store.take(stream, size)
	}()
	for {
		select {
		case n := <-size:
			limit.Reset(s.store.opts.Idle + time.Duration(float64(n)/float64(s.store.opts.Rate)*float64(time.Second)))
		case err := <-ended:
			return err
		case <-limit.C:
			return status.Error(codes.DeadlineExceeded, "the upload took too long")
		}
	}
}

// take reads the stream into a file. It tells the size that was announced.
func (s *Store) take(stream wire.DebuginfoService_UploadServer, size chan<- int64) (err error) {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	info := first.GetInfo()
	if info == nil {
		return &refusal{codes.InvalidArgument, "the first message must be the upload's info"}
	}
	u, err := s.begin(info.GetBuildId(), info.GetUploadId())
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
	if err := s.keep(stream.Context(), u, f); err != nil {
		return err
	}
	s.opts.Log(fmt.Sprintf("debug information of %s: %d bytes", u.buildID, u.size))
	s.opts.Arrived(u.buildID)
	return stream.SendAndClose(&wire.UploadResponse{BuildId: u.buildID, Size: uint64(u.size)})
}

// copy writes the chunks, which must be as many bytes as announced.
func (s *Store) copy(stream wire.DebuginfoService_UploadServer, f *os.File, size int64) error {
	for at := int64(0); ; {
		m, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			if at != size {
				return &refusal{codes.InvalidArgument, fmt.Sprintf("%d bytes arrived of %d", at, size)}
			}
			return nil
		case err != nil:
			return err
		case m.GetInfo() != nil:
			return &refusal{codes.InvalidArgument, "the upload's info was sent twice"}
		}
		if at += int64(len(m.GetChunkData())); at > size {
			return &refusal{codes.InvalidArgument, fmt.Sprintf("more bytes than the %d announced", size)}
		}
		if _, err := f.Write(m.GetChunkData()); err != nil {
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
	case errors.Is(err, bucket.ErrAway): // why names machines, and is in the log
		err = bucket.ErrAway
	case errors.As(err, &refused):
		return status.Error(refused.code, refused.text)
	case errors.Is(err, bucket.ErrRefused): // why names machines, and is in the log
		return status.Error(codes.ResourceExhausted, bucket.ErrRefused.Error())
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
