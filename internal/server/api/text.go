package api

import (
	"context"
	"errors"

	"whyhot/internal/explain/rulepage"
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

// ruleForm is the page of a rule.
type ruleForm struct {
	ID   string `json:"id"`
	Page string `json:"page"` // Markdown
}

// rule gives what the rule of a finding looks for and advises, in words.
func (s *Server) rule(_ context.Context, r *request) (any, error) {
	id := r.PathValue("id")
	cat, err := builtinRules()
	if err != nil {
		return nil, err
	}
	page, ok, err := rulepage.Of(cat, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, notFound("no rule %q is built in", id)
	}
	return ruleForm{id, page}, nil
}
