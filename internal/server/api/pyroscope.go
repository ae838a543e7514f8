package api

import (
	"context"
	"io"
	"net/http"
	"strings"

	"whyhot/internal/server/push"
)

// pyroscope takes what Pyroscope's SDKs send to /ingest. Profiles of memory and locks
// are passed over, since a refusal would fill the logs of every program that sends them.
func (s *Server) pyroscope(ctx context.Context, r *request) (any, error) {
	body := r.body(s)
	receipt, passedOver, err := push.AppendIngest(ctx, s.into(r), push.Ingest{Query: r.values, ContentType: r.Header.Get("Content-Type"), Body: body}, s.o.Limits.MaxPushed, s.now())
	if body.err != nil {
		err = body.err
	}
	if !passedOver {
		s.Count(receipt, err)
	}
	if err != nil {
		return nil, err
	}
	return file{kind: "text/plain; charset=utf-8"}, nil
}

const protoType = "application/proto"

// pyroscopePush takes what Grafana's agents send: a unary call of the Connect protocol,
// which is a POST of the message.
func (s *Server) pyroscopePush(ctx context.Context, r *request) (any, error) {
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, protoType) {
		return nil, &problem{status: http.StatusUnsupportedMediaType, kind: badRequest, detail: "the content type is " + protoType}
	}
	body := r.body(s)
	most := s.o.Limits.MaxPushed
	data, err := io.ReadAll(io.LimitReader(body, most+1))
	switch {
	case body.err != nil:
		return nil, body.err
	case err != nil:
		return nil, invalid("the body cannot be read: %v", err)
	case int64(len(data)) > most:
		return nil, &problem{status: http.StatusRequestEntityTooLarge, kind: tooLarge, detail: "the request is too large"}
	}
	series, err := push.ReadPyroscope(data)
	if err != nil {
		return nil, invalid("%v", err)
	}
	if _, err := push.AppendSeries(ctx, r.project, series, most, s.now(), s.Count); err != nil {
		return nil, err
	}
	return file{kind: protoType}, nil
}
