package api

import (
	"context"
	"errors"
	"net/http"

	"whyhot/internal/server/sources"
)

// textForm is the text of a source file.
type textForm struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// sourceText gives a source file by the path that a profile has of it.
func (s *Server) sourceText(_ context.Context, r *request) (any, error) {
	file := r.values.Get("file")
	if file == "" {
		return nil, invalid("file must be the path of a source file, as lines gives it")
	}
	text, err := s.o.Sources.Read(file)
	if errors.Is(err, sources.ErrNone) {
		missing := &problem{status: http.StatusNotFound, kind: kindMissing, detail: "no source directory has this file"}
		if s.o.Sources.Empty() {
			missing.detail = "this server has no source files"
			missing.help = "Start it with --source DIR, a directory of sources, to read them beside the samples."
		}
		return nil, missing
	}
	if err != nil {
		return nil, invalid("%v", err)
	}
	return textForm{file, text}, nil
}
