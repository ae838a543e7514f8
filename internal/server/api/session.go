package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/cookie"
)

// tokenSession is how long a browser is signed in with a token.
const tokenSession = session.Longest

// sessionOf is the text of a browser's session, "" for none.
func (s *Server) sessionOf(r *http.Request) string {
	if s.o.Cluster != nil && s.o.Cluster.Of(r) {
		return s.o.Cluster.Session(r)
	}
	return s.o.Cookies.Get(r, cookie.Session)
}

// grant says what a request may do: by its token, else by the session of its browser.
func (s *Server) grant(r *http.Request) (access.Grant, error) {
	secret := Secret(r.Header.Get("Authorization"))
	text := s.sessionOf(r)
	if secret != "" || text == "" || s.o.Sessions == nil {
		return s.o.Tokens.Authenticate(secret, s.now())
	}
	if closed, err := s.o.Tokens.Any(); err != nil || !closed {
		return s.o.Tokens.Authenticate("", s.now()) // a cookie of another time
	}
	one, err := s.o.Sessions.Read(text, s.now())
	if err != nil {
		return access.Grant{}, fmt.Errorf("%w", access.ErrSessionEnded)
	}
	return s.granted(&one)
}

// older says that the person of a session has signed in since, elsewhere. It may give no rights away:
// what it gave would stay until the next sign-in.
func (s *Server) older(r *http.Request) bool {
	one, err := s.o.Sessions.Read(s.sessionOf(r), s.now())
	return err != nil || s.o.Sessions.Older(&one)
}

// granted says what a session may do now: its token may have been revoked, and the rules for
// its person may have changed.
func (s *Server) granted(one *session.Session) (access.Grant, error) {
	switch {
	case one.Person == nil:
		g, err := s.o.Tokens.Known(one.Token, s.now())
		if errors.Is(err, access.ErrWrongToken) {
			err = access.ErrSessionEnded
		}
		return g, err
	case s.o.SignIn == nil:
		return access.Grant{}, access.ErrSessionEnded
	}
	rights := s.o.SignIn.Rights(one.Person)
	if len(rights) == 0 {
		return access.Grant{}, access.ErrSessionEnded
	}
	return access.Grant{Token: one.Person.Key(), Person: one.Person.Called(), Rights: rights}, nil
}

type sessionForm struct {
	Closed bool      `json:"closed"`            // a token or a session is needed
	SignIn string    `json:"sign_in,omitempty"` // the host of the identity provider, where people can sign in
	By     string    `json:"by,omitempty"`      // "token" or "person", of who is signed in
	Name   string    `json:"name,omitempty"`    // the person, or the token's ID
	Email  string    `json:"email,omitempty"`
	Until  time.Time `json:"until,omitzero"`
}

// session says who is signed in with this browser, and how one signs in.
func (s *Server) session(_ context.Context, r *request) (any, error) {
	text := s.sessionOf(r.Request)
	if text == "" || s.o.Sessions == nil {
		return s.signedOut()
	}
	one, err := s.o.Sessions.Read(text, s.now())
	if err != nil {
		return s.signedOut()
	}
	return s.signedIn(&one)
}

func (s *Server) signedOut() (sessionForm, error) {
	var out sessionForm
	var err error
	if out.Closed, err = s.o.Tokens.Any(); err != nil {
		return out, err
	}
	if s.o.SignIn != nil {
		out.SignIn = s.o.SignIn.Issuer()
	}
	return out, nil
}

func (s *Server) signedIn(one *session.Session) (sessionForm, error) {
	out, err := s.signedOut()
	if err != nil || !out.Closed {
		return out, err
	}
	g, err := s.granted(one)
	if err != nil {
		return out, nil //nolint:nilerr // nobody is signed in
	}
	out.By, out.Name, out.Until = "token", g.Token, time.Unix(one.Until, 0).UTC()
	if p := one.Person; p != nil {
		out.By, out.Name, out.Email = "person", p.Called(), p.Email
		if p.Name != "" {
			out.Name = p.Name
		}
	}
	return out, nil
}

// postSession signs a browser in with a token, which the browser then need not keep.
func (s *Server) postSession(_ context.Context, r *request) (any, error) {
	if s.o.Sessions == nil {
		return nil, notFound("this server keeps no sessions")
	}
	if again, ok := s.o.Attempts.Allow(r.RemoteAddr, s.now()); !ok {
		s.counts.Limited.Add(1)
		return nil, &problem{status: http.StatusTooManyRequests, kind: "too_many_requests", detail: "too many sign-ins from this address", help: "Retry after a pause.", again: int(again.Seconds()) + 1}
	}
	secret := Secret(r.Header.Get("Authorization"))
	g, err := s.o.Tokens.Authenticate(secret, s.now())
	entry := audit.Entry{Who: "nobody", What: "sign in", From: hostOf(r.RemoteAddr), Result: "refused"}
	switch {
	case err != nil:
		s.counts.Refused.Add(1)
		s.o.Audit.Count(entry)
		return nil, err
	case g.Open():
		return s.signedOut() // nobody has to
	}
	one, text, err := s.o.Sessions.New(session.Session{Token: access.Hash(secret)}, s.now(), tokenSession)
	if err != nil {
		return nil, err
	}
	entry.Who, entry.Result = g.Who(), "ok"
	s.o.Audit.Record(entry)
	s.o.Cookies.Set(r.w, r.Request, cookie.Session, text, tokenSession)
	return s.signedIn(&one)
}

// endSession signs a browser out. A copy of its cookie is of no use afterwards.
func (s *Server) endSession(_ context.Context, r *request) (any, error) {
	text := s.o.Cookies.Get(r.Request, cookie.Session)
	if s.o.Sessions == nil || text == "" {
		s.o.Cookies.Clear(r.w, r.Request, cookie.Session)
		return s.signedOut()
	}
	one, err := s.o.Sessions.Read(text, s.now())
	if err != nil {
		s.o.Cookies.Clear(r.w, r.Request, cookie.Session)
		return s.signedOut() //nolint:nilerr // it has ended already
	}
	entry := audit.Entry{Who: one.Token, What: "sign out", From: hostOf(r.RemoteAddr), Result: "ok"}
	if one.Person != nil {
		entry.Who = one.Person.Called()
	} else if g, err := s.granted(&one); err == nil {
		entry.Who = g.Who()
	}
	// A session that cannot be ended keeps its cookie, so that it can be tried again.
	if err := s.o.Sessions.End(one, s.now()); err != nil {
		return nil, err
	}
	s.o.Cookies.Clear(r.w, r.Request, cookie.Session)
	s.o.Audit.Record(entry)
	return s.signedOut()
}
