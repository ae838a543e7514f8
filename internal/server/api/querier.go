package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"connectrpc.com/connect"

	"whyhot/internal/server/access"
	"whyhot/internal/server/pyroscope"
)

// queries are the operations of Pyroscope's query service, which Grafana and profilecli call.
func queries() []route {
	return []route{
		connected("ProfileTypes", false, pyroscope.ProfileTypes),
		connected("LabelNames", false, pyroscope.LabelNames),
		connected("LabelValues", false, pyroscope.LabelValues),
		connected("Series", false, pyroscope.Series),
		connected("SelectSeries", false, pyroscope.SelectSeries),
		connected("SelectMergeStacktraces", false, pyroscope.SelectMergeStacktraces),
		connected("SelectMergeProfile", true, pyroscope.SelectMergeProfile),
		connected("Diff", true, pyroscope.Diff),
		{
			method: http.MethodGet, path: "/pyroscope/render", scope: access.Read, samples: true, handle: rendering(pyroscope.Render),
			params: []string{"query", paramFrom, "until", "format", "max-nodes", "maxNodes", "groupBy", "aggregation"},
		},
		{
			method: http.MethodGet, path: "/pyroscope/render-diff", scope: access.Read, slow: true, samples: true, handle: rendering(pyroscope.RenderDiff),
			params: []string{"leftQuery", "leftFrom", "leftUntil", "rightQuery", "rightFrom", "rightUntil", "format", "max-nodes", "maxNodes"},
		},
		{method: http.MethodGet, path: "/pyroscope/label-values", scope: access.Read, samples: true, handle: rendering(pyroscope.Values), params: []string{"label", paramFrom, "until"}},
	}
}

// connected is a unary call of the Connect protocol.
func connected[Req, Res any](name string, slow bool, f func(context.Context, pyroscope.Store, time.Time, *Req) (*Res, error)) route {
	path := "/querier.v1.QuerierService/" + name
	const most = 1 << 20
	handler := connect.NewUnaryHandler(path, func(ctx context.Context, r *connect.Request[Req]) (*connect.Response[Res], error) {
		c := ctx.Value(callKey{}).(*call) //nolint:forcetypeassert // put there below
		out, err := f(ctx, c.request.project, c.now, r.Msg)
		if err != nil {
			c.err = err
			return nil, connect.NewError(connect.CodeUnknown, err)
		}
		return connect.NewResponse(out), nil
	}, connect.WithReadMaxBytes(most))
	return route{method: http.MethodPost, path: path, scope: access.Read, slow: slow, connect: true, samples: true, handle: func(s *Server, ctx context.Context, r *request) (any, error) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			return nil, &problem{
				status: http.StatusUnsupportedMediaType, kind: badRequest, detail: "gRPC is not supported here",
				help: "Use the Connect protocol, with application/proto or application/json; profilecli does without --protocol.",
			}
		}
		c := &call{request: r, now: s.now()}
		inner := r.Clone(context.WithValue(ctx, callKey{}, c))
		// Answers are compressed in one place, but for those to a compressed request: the
		// library gives these the same encoding.
		inner.Header.Del("Accept-Encoding")
		w := &kept{header: http.Header{}}
		handler.ServeHTTP(w, inner)
		if c.err != nil {
			return nil, c.err
		}
		encoding := w.header.Get("Content-Encoding")
		return file{kind: w.header.Get("Content-Type"), data: w.body.Bytes(), status: w.code, packed: encoding != "", encoding: encoding}, nil
	}}
}

// call is what a call of the Connect protocol is about, and the error that it ended with.
type call struct {
	request *request
	now     time.Time
	err     error
}

type callKey struct{}

// kept is an answer that is not sent yet: the time of its query may end before it does.
type kept struct {
	header http.Header
	body   bytes.Buffer
	code   int
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }
func (k *kept) WriteHeader(code int)        { k.code = code }

// rendering is an operation of Pyroscope's older paths.
func rendering[T any](f func(context.Context, pyroscope.Store, time.Time, url.Values) (T, error)) func(*Server, context.Context, *request) (any, error) {
	return func(s *Server, ctx context.Context, r *request) (any, error) {
		return f(ctx, r.project, s.now(), r.values)
	}
}

// connectCodes are what statuses are called in the Connect protocol.
var connectCodes = map[int]connect.Code{
	http.StatusBadRequest: connect.CodeInvalidArgument, http.StatusUnauthorized: connect.CodeUnauthenticated, http.StatusForbidden: connect.CodePermissionDenied,
	http.StatusNotFound: connect.CodeNotFound, http.StatusRequestTimeout: connect.CodeDeadlineExceeded, http.StatusRequestEntityTooLarge: connect.CodeResourceExhausted,
	http.StatusUnprocessableEntity: connect.CodeResourceExhausted, http.StatusTooManyRequests: connect.CodeResourceExhausted, statusClientGone: connect.CodeCanceled,
	http.StatusNotImplemented: connect.CodeUnimplemented, http.StatusUnsupportedMediaType: connect.CodeUnimplemented,
	http.StatusServiceUnavailable: connect.CodeUnavailable, http.StatusGatewayTimeout: connect.CodeDeadlineExceeded,
}

// inConnect gives a problem the form that clients of the Connect protocol read, too.
func (p *problem) inConnect() *problem {
	out := *p
	out.code = connect.CodeInternal
	if code, known := connectCodes[p.status]; known {
		out.code = code
	}
	return &out
}

// queryProblem is what errors of Pyroscope's queries mean.
func queryProblem(err error) *problem {
	wrong := (*pyroscope.RequestError)(nil)
	switch {
	case errors.As(err, &wrong):
		return &problem{status: http.StatusBadRequest, kind: badRequest, detail: wrong.Error()}
	case errors.Is(err, pyroscope.ErrUnsupported):
		return &problem{status: http.StatusNotImplemented, kind: "not_supported", detail: err.Error()}
	}
	return nil
}
