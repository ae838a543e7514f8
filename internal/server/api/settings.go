package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"whyhot/internal/finding/price"
	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// Prices are a document of the project.
const (
	kindPrices = "prices"
	keyPrices  = "project"
	maxPrices  = 4 << 10
)

// prices gives what cores cost; what is not known is missing.
func (s *Server) prices(_ context.Context, r *request) (any, error) {
	var out price.Prices
	for _, d := range r.project.Documents(kindPrices) {
		if err := json.Unmarshal(d.Body, &out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// postPrices sets them; an empty object forgets them.
func (s *Server) postPrices(ctx context.Context, r *request) (any, error) {
	body, err := io.ReadAll(http.MaxBytesReader(r.w, r.Body, maxPrices))
	if err != nil {
		return nil, err
	}
	var p price.Prices
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return nil, invalid("the body is no prices: %v", err)
	}
	body = nil
	if p != (price.Prices{}) {
		if err := p.Check(); err != nil {
			return nil, invalid("%v", err)
		}
		if body, err = json.Marshal(p); err != nil {
			return nil, err
		}
	}
	if err := r.project.PutDocument(ctx, kindPrices, keyPrices, body); err != nil {
		return nil, err
	}
	return p, nil
}

// projectOfPath is the project that the path names, which is that of the token: nobody deletes one
// by leaving out a parameter.
func (r *request) projectOfPath() (string, error) {
	name, err := r.grant.Authorize(access.Administer, r.values.Get(paramProject))
	if path := r.PathValue("name"); err == nil && name != path {
		err = invalid("the request is about project %s, and its path about %q: give project=%s, too", name, path, path)
	}
	return name, err
}

// deleteProject removes a project with all that it has.
func (s *Server) deleteProject(ctx context.Context, r *request) (any, error) {
	name, err := r.projectOfPath()
	if err != nil {
		return nil, err
	}
	switch err := s.o.Projects.Delete(ctx, name); {
	case errors.Is(err, project.ErrElsewhere):
		return nil, &problem{
			status: http.StatusConflict, kind: "elsewhere", detail: err.Error(),
			help: "Stop all servers, run whyhot-server project delete, and drop the project's database in ClickHouse.",
		}
	case errors.Is(err, project.ErrUsed):
		return nil, &problem{status: http.StatusServiceUnavailable, kind: "busy", detail: err.Error(), help: "Revoke the tokens of who sends to it, and retry.", again: 10}
	case errors.Is(err, project.ErrFiles):
		s.o.Log.WarnContext(ctx, "a project was not deleted", "project", name, "error", err)
		return nil, &problem{status: http.StatusServiceUnavailable, kind: "away", detail: project.ErrFiles.Error(), help: "Retry when the object store answers; the server's log says why it does not.", again: 10}
	case err != nil:
		return nil, err
	}
	// Whoever sends with one of its tokens would make it again.
	ended, err := s.o.Tokens.RevokeOf(name, s.now())
	if err != nil {
		return nil, err
	}
	if ended > 0 { // a sender may have made it again in the moment between
		if err := s.o.Projects.Delete(ctx, name); err != nil && !errors.Is(err, project.ErrUnknown) {
			s.o.Log.WarnContext(ctx, "a project that was deleted was begun again", "project", name, "error", err)
		}
	}
	s.o.Log.InfoContext(ctx, "a project was deleted by a request", "project", name, "who", r.grant.Who(), "tokens_revoked", ended)
	out, err := s.projectsSeen(r, name) // also for who may delete and not read
	out.Revoked = ended
	return out, err
}

// maxRetention bounds the body that says what is kept.
const maxRetention = 4 << 10

// retention gives what the project says of what is kept; what it leaves to the server is
// missing.
func (s *Server) retention(_ context.Context, r *request) (any, error) {
	return r.project.Keeping(), nil
}

// postRetention sets it; an empty object leaves all to the server.
func (s *Server) postRetention(ctx context.Context, r *request) (any, error) {
	var k store.Keep
	decoder := json.NewDecoder(http.MaxBytesReader(r.w, r.Body, maxRetention))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&k); err != nil {
		return nil, invalid("the body says nothing of what is kept: %v", err)
	}
	if err := k.Check(); err != nil {
		return nil, invalid("%v", err)
	}
	return k, r.project.SetKeeping(ctx, k)
}

type tokensForm struct {
	Open   bool           `json:"open"`
	Own    string         `json:"own,omitempty"`
	Scopes []access.Scope `json:"scopes"`
	Tokens []tokenForm    `json:"tokens"`
}

type tokenForm struct {
	ID      string         `json:"id"`
	Name    string         `json:"name,omitempty"`
	Scopes  []access.Scope `json:"scopes"`
	Created time.Time      `json:"created"`
	Expires time.Time      `json:"expires,omitzero"`
	State   string         `json:"state"`
	MadeBy  string         `json:"made_by,omitempty"` // who signed in and made it
}

func (s *Server) formOfToken(t *access.Token) tokenForm {
	return tokenForm{t.ID, t.Name, t.Scopes, t.Created, t.Expires, t.State(s.now()), t.Person}
}

// tokens lists those of the project, without their secrets.
func (s *Server) tokens(_ context.Context, r *request) (any, error) {
	list, err := s.o.Tokens.Of(r.project.Name)
	if err != nil {
		return nil, err
	}
	out := tokensForm{Open: r.grant.Open(), Own: r.grant.Token, Scopes: r.grant.Scopes, Tokens: make([]tokenForm, 0, len(list))}
	for i := range list {
		out.Tokens = append(out.Tokens, s.formOfToken(&list[i]))
	}
	return out, nil
}

type secretForm struct {
	Secret string    `json:"secret"`
	Token  tokenForm `json:"token"`
}

// postToken makes a token. Its secret is in this answer and nowhere else.
func (s *Server) postToken(_ context.Context, r *request) (any, error) {
	scopes, err := access.ParseScopes(r.values.Get("scope"))
	if err != nil {
		return nil, invalid("%v", err)
	}
	if r.grant.Person != "" && s.older(r.Request) {
		return nil, &problem{status: http.StatusForbidden, kind: forbidden, detail: "this session is older than your last sign-in, and may have rights that you have no longer", help: "Sign in again."}
	}
	w := access.Wish{Project: r.project.Name, Scopes: scopes, Name: r.values.Get("name")}
	life, err := r.duration("expires", time.Minute, 100*365*24*time.Hour)
	if err != nil {
		return nil, err
	}
	if life > 0 {
		w.Expires = s.now().Add(life).Truncate(time.Second)
	}
	secret, made, err := s.o.Tokens.Delegate(r.grant, w, s.now())
	switch {
	case errors.Is(err, access.ErrOpen):
		return nil, &problem{
			status: http.StatusConflict, kind: "open", detail: err.Error(),
			help: "The first one closes the server to callers without a token. Create it on the server: whyhot-server token create --scope read,send,administer",
		}
	case errors.Is(err, access.ErrForbidden), errors.Is(err, access.ErrNotAllowed):
		return nil, err
	case err != nil:
		return nil, invalid("%v", err)
	}
	return secretForm{secret, s.formOfToken(&made)}, nil
}

// revokeToken ends a token.
func (s *Server) revokeToken(ctx context.Context, r *request) (any, error) {
	err := s.o.Tokens.Revoke(r.project.Name, r.PathValue("id"), s.now())
	if errors.Is(err, access.ErrNoSuchToken) {
		return nil, notFound("%v", err)
	}
	if err != nil {
		return nil, err
	}
	return s.tokens(ctx, r)
}
