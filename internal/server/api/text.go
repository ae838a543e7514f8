package api

import (
	"context"
	"errors"

	"whyhot/internal/server/sources"
)

// textForm is the text of a source file. That there is none is an answer, too: most
// files of a profile are of libraries whose source nobody has there.
type textForm struct {
	File    string `json:"file"`
	Text    string `json:"text,omitempty"`
	Found   bool   `json:"found"`
	Sources bool   `json:"sources"`
}

// sourceText gives a source file by the path that a profile has of it.
func (s *Server) sourceText(_ context.Context, r *request) (any, error) {
	file := r.values.Get("file")
	if file == "" {
		return nil, invalid("file must be the path of a source file, as lines gives it")
	}
	text, err := s.o.Sources.Read(file)
	if err != nil && !errors.Is(err, sources.ErrNone) {
		return nil, invalid("%v", err)
	}
	return textForm{file, text, err == nil, !s.o.Sources.Empty()}, nil
}
