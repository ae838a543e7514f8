package api

import (
	"context"
	"net/http"

	openapi "whyhot/docs/api"
)

type healthForm struct {
	Status string `json:"status"`
}

// healthy says that the process answers.
func (s *Server) healthy(context.Context, *request) (any, error) { return healthForm{"ok"}, nil }

// ready says that it can take and answer.
func (s *Server) ready(ctx context.Context, _ *request) (any, error) {
	if s.o.Ready == nil {
		return healthForm{"ok"}, nil
	}
	if err := s.o.Ready(); err != nil {
		s.o.Log.WarnContext(ctx, "not ready", "error", err)
		return nil, &problem{status: http.StatusServiceUnavailable, kind: "not_ready", detail: "the server cannot take profiles now", help: "Its log says why.", again: 5}
	}
	return healthForm{"ok"}, nil
}

// metrics hands the request to the handler of Prometheus's format.
func (s *Server) metrics(_ context.Context, r *request) (any, error) {
	s.o.Metrics.ServeHTTP(r.w, r.Request)
	return done{}, nil
}

// description gives the description of the API.
func (s *Server) description(context.Context, *request) (any, error) {
	return file{kind: "application/yaml", data: openapi.Description}, nil
}
