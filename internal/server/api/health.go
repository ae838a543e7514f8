package api

import (
	"context"
	"errors"
	"net/http"

	openapi "whyhot/docs/api"
)

type healthForm struct {
	Status string `json:"status"`
}

// healthy says that the process answers.
func (s *Server) healthy(context.Context, *request) (any, error) { return healthForm{"ok"}, nil }

type readyForm struct {
	Status    string `json:"status"`
	Taking    bool   `json:"taking"`
	Answering bool   `json:"answering"`
}

// ready says that it can take profiles, and beside that whether it can answer questions: a
// server that takes is not to lose its senders for want of its database.
func (s *Server) ready(ctx context.Context, _ *request) (any, error) {
	form, taking, _ := s.readiness(ctx)
	if taking != nil {
		return nil, notReady("the server cannot take profiles now")
	}
	return form, nil
}

// readyToAnswer says that it can answer questions.
func (s *Server) readyToAnswer(ctx context.Context, _ *request) (any, error) {
	form, _, answering := s.readiness(ctx)
	if answering != nil {
		return nil, notReady("the server cannot answer questions now")
	}
	return form, nil
}

func (s *Server) readiness(ctx context.Context) (form readyForm, taking, answering error) {
	if s.o.Ready != nil {
		taking, answering = s.o.Ready()
	}
	if err := errors.Join(taking, answering); err != nil {
		s.o.Log.WarnContext(ctx, "not ready", "error", err)
	}
	form = readyForm{Status: "ok", Taking: taking == nil, Answering: answering == nil}
	if answering != nil {
		form.Status = "taking"
	}
	return form, taking, answering
}

func notReady(what string) error {
	return &problem{status: http.StatusServiceUnavailable, kind: "not_ready", detail: what, help: "Its log says why.", again: 5}
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
