package server

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	debuginfo "whyhot/internal/fleet/debuginfo/store"
	"whyhot/internal/server/access"
	"whyhot/internal/server/api"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

type receipt = store.Receipt

func (s *Server) count(r receipt, err error) { s.api.Count(r, err) }

// projectHeader names the project of a call, as the parameter of that name does over
// HTTP.
const projectHeader = "whyhot-project"

// intercept judges every call before anything of it is read. All methods send.
func (s *Server) intercept(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	ctx := stream.Context()
	md, _ := metadata.FromIncomingContext(ctx)
	first := func(name string) string { return strings.Join(md.Get(name), "") }
	begin := time.Now()
	entry := audit.Entry{What: info.FullMethod, From: from(ctx)}
	p, done, grant, err := s.admit(ctx, api.Secret(first("authorization")), first(projectHeader))
	if err != nil {
		entry.Who, entry.Result = "nobody", status.Code(err).String()
		if grant.Token != "" {
			entry.Who = grant.Who()
		}
		s.audit.Count(entry)
		s.served.call(info.FullMethod, "", err, time.Since(begin))
		return err
	}
	defer done()
	err = next(srv, &within{stream, project.With(ctx, p)})
	s.served.call(info.FullMethod, p.Name, err, time.Since(begin))
	s.audit.Count(audit.Entry{Who: grant.Who(), Project: p.Name, What: info.FullMethod, Result: resultOf(err)})
	return err
}

// admit gives the project that a call is about, open until done is called, or the
// call's status.
func (s *Server) admit(ctx context.Context, secret, wanted string) (p *project.Project, done func(), grant access.Grant, err error) {
	grant, name, err := s.api.Admit(secret, access.Send, wanted)
	limited := (*api.LimitedError)(nil)
	switch {
	case errors.Is(err, access.ErrNoToken), errors.Is(err, access.ErrWrongToken):
		s.api.Counts().Refused.Add(1)
		return nil, nil, grant, status.Error(codes.Unauthenticated, err.Error())
	case errors.Is(err, access.ErrForbidden):
		return nil, nil, grant, status.Error(codes.PermissionDenied, err.Error())
	case errors.As(err, &limited):
		return nil, nil, grant, status.Error(codes.Unavailable, err.Error())
	case errors.Is(err, access.ErrProject):
		return nil, nil, grant, status.Error(codes.InvalidArgument, err.Error())
	case err != nil:
		s.o.Log.ErrorContext(ctx, "a call could not be judged", "error", err)
		return nil, nil, grant, status.Error(codes.Unavailable, "the server cannot judge tokens now")
	}
	p, done, err = s.api.Project(ctx, grant, name, access.Send)
	if err != nil {
		s.o.Log.ErrorContext(ctx, "a project could not be opened", "project", name, "error", err)
		return nil, nil, grant, status.Error(codes.Unavailable, "the project cannot be opened now")
	}
	return p, done, grant, nil
}

func from(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		if host, _, err := net.SplitHostPort(p.Addr.String()); err == nil {
			return host
		}
	}
	return ""
}

func resultOf(err error) string {
	if err == nil {
		return strconv.Itoa(int(codes.OK))
	}
	return status.Code(err).String()
}

// within is a stream with another context.
type within struct {
	grpc.ServerStream

	ctx context.Context //nolint:containedctx // how gRPC has interceptors pass values on
}

func (w *within) Context() context.Context { return w.ctx }

// registerDebugInfo takes debug information, for each project its own.
func (s *Server) registerDebugInfo(to grpc.ServiceRegistrar) {
	debuginfo.Register(to, func(ctx context.Context) (*debuginfo.Store, error) {
		if p := project.Of(ctx); p != nil {
			return p.DebugInfo, nil
		}
		return nil, status.Error(codes.Internal, "the call is about no project")
	})
}
