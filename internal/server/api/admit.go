package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/server/access"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/limit"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/gap"
)

// request is one that was let in.
type request struct {
	*http.Request

	w       http.ResponseWriter
	route   route
	values  url.Values
	grant   access.Grant
	about   string           // name of the project, "" for what is wide
	project *project.Project // the same, once it is open
	sent    []byte           // the body of what is pushed
	writer  bool             // another server has to answer it: this one tried
	leave   func()           // gives up its place among those that are answered at a time
}

// Secret is the token that a request's Authorization carries: a bearer's, or the
// password of Basic, which is what some agents can send.
func Secret(authorization string) string {
	kind, rest, _ := strings.Cut(authorization, " ")
	switch {
	case strings.EqualFold(kind, "Bearer"):
		return strings.TrimSpace(rest)
	case strings.EqualFold(kind, "Basic"):
		_, password, _ := (&http.Request{Header: http.Header{"Authorization": {authorization}}}).BasicAuth()
		return password
	}
	return ""
}

// sameSite refuses what a page of another site makes a browser send. Where tokens are
// needed a browser has none to add by itself; an open listener is reached by whatever
// name the attacker's DNS gives to 127.0.0.1, so that there the name has to be right,
// too.
func (s *Server) sameSite(r *http.Request) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return &problem{status: http.StatusForbidden, kind: forbidden, detail: "the request comes from a page of another site", help: "Call the API from a program, or from the server's own page."}
	}
	if closed, err := s.o.Tokens.Any(); err != nil || closed {
		return nil //nolint:nilerr // the token decides, and an error closes the server
	}
	if host := hostOf(r.Host); !loopback(host) {
		return &problem{
			status: http.StatusForbidden, kind: forbidden, detail: fmt.Sprintf("this server is open to this machine alone, and the request is for %q", host),
			help: "Use http://127.0.0.1 or http://localhost, or create a token: whyhot-server token create.",
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return &problem{status: http.StatusForbidden, kind: forbidden, detail: "the request comes from a page of another site"}
		}
	}
	return nil
}

// asked refuses a GET with an effect that a page may have begun: browsers add their session to one
// that another site's page links to, and what protects against the others lets a GET through.
func asked(r *request) error {
	site := r.Header.Get("Sec-Fetch-Site")
	closed := !r.grant.Open() && Secret(r.Header.Get("Authorization")) == ""
	if !closed && (site == "" || site == "none" || site == "same-origin") {
		return nil
	}
	return &problem{
		status: http.StatusForbidden, kind: forbidden, detail: "this request has an effect, and a page of another site may have begun it",
		help: "Give a token in the header Authorization, as whyhot store backup --token-file does.",
	}
}

func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// Admit judges who asks for what: the token, its scope, its project and its rate. It is
// for every protocol.
func (s *Server) Admit(secret string, scope access.Scope, wanted string) (access.Grant, string, error) {
	grant, err := s.o.Tokens.Authenticate(secret, s.now())
	if err != nil {
		return access.Grant{}, "", err
	}
	return s.admitted(grant, scope, wanted)
}

// admitted judges what is known of who asks.
func (s *Server) admitted(grant access.Grant, scope access.Scope, wanted string) (access.Grant, string, error) {
	name, err := grant.Authorize(scope, wanted)
	if err != nil {
		return grant, "", err
	}
	grant = grant.Within(name)
	rates := s.reads
	if scope == access.Send {
		rates = s.sends
	}
	if again, ok := rates.Allow(grant.Token, s.now()); !ok {
		s.counts.Limited.Add(1)
		return grant, name, &LimitedError{Again: again}
	}
	return grant, name, nil
}

// LimitedError says that a token asks too often.
type LimitedError struct{ Again time.Duration }

func (e *LimitedError) Error() string { return "too many requests with this token" }

// Project gives the project of a grant, open until done is called.
func (s *Server) Project(ctx context.Context, grant access.Grant, name string, scope access.Scope) (p *project.Project, done func(), err error) {
	// A token says which projects there are; without, what is sent makes one.
	return s.o.Projects.Get(ctx, name, !grant.Open() || scope == access.Send || name == access.DefaultProject)
}

// serve makes the handler of a route.
func (s *Server) serve(one route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watched := &watched{ResponseWriter: w}
		req := &request{Request: r, w: watched, route: one}
		begin := time.Now()
		err := s.handle(req) //nolint:contextcheck // the request has it
		if err != nil {
			s.fail(watched, req, err)
		}
		s.writeDown(req, watched, err)
		if s.o.Served != nil {
			s.o.Served(one.method+" "+one.path, req.about, watched.status(), time.Since(begin))
		}
	})
}

func (s *Server) handle(r *request) error {
	var err error
	if r.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return invalid("the query cannot be read: %v", err)
	}
	if r.route.scope != "" {
		var name string
		if r.grant, err = s.grant(r.Request); err != nil {
			return err
		}
		if r.route.effect {
			if err := asked(r); err != nil {
				return err
			}
		}
		if r.grant, name, err = s.admitted(r.grant, r.route.scope, r.values.Get(paramProject)); err != nil {
			return err
		}
		if err := r.checkParams(); err != nil {
			return err
		}
		if !r.route.wide {
			r.about = name
		}
	}
	if r.pushed() {
		forget, err := s.fetch(r)
		if err != nil {
			return err
		}
		defer forget()
	}
	if s.o.Cluster != nil && r.about != "" && !r.route.takes && !r.route.local {
		if passed, err := s.elsewhere(r); passed || err != nil {
			return err
		}
	}
	ctx := r.Context()
	work := s.work
	if r.bounded() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.o.Limits.QueryTime)
		defer cancel()
		if r.Method == http.MethodGet || r.route.connect { // what is sent is read to its end
			work = s.inTime
		}
	}
	ctx, missing := gap.Watch(ctx)
	answer, err := work(ctx, r)
	if errors.Is(err, store.ErrAway) && s.o.Cluster != nil && r.route.samples && r.Method == http.MethodGet && ctx.Err() == nil {
		// The database cannot be read here, or not now: the server that writes may know more.
		r.writer = true
		if passed, err := s.elsewhere(r); passed || err != nil {
			return err
		}
		answer, err = work(ctx, r)
	}
	if parts := missing.Parts(); len(parts) > 0 {
		r.w.Header().Set(headerMissing, strings.Join(parts, ", "))
	}
	if err != nil {
		if known := (*problem)(nil); ctx.Err() != nil && r.Request.Context().Err() == nil && !errors.As(err, &known) {
			return context.DeadlineExceeded
		}
		return err
	}
	s.counts.Queries.Add(1)
	return r.answer(answer)
}

// headerMissing names what of the rows is missing in an answer, such as "shard 2 of 2".
const headerMissing = "Whyhot-Missing"

// bounded says that a request has the time of a query, and waits for one of the slots.
func (r *request) bounded() bool { return !r.route.own && r.route.scope != "" }

// pushed says that a request has a body that has to arrive before it has a place: a profile,
// or a question.
func (r *request) pushed() bool { return r.bounded() && (r.route.often || r.route.connect) }

// slots are those that a request takes one of.
func (s *Server) slots(r *request) *limit.Slots {
	switch {
	case r.route.slow:
		return s.heavy
	case r.Method == http.MethodPost && !r.route.connect:
		return s.pushes
	}
	return s.queries
}

// client is who takes turns with others for a slot: a token, or an address where the
// server is open.
func (r *request) client() string {
	if r.grant.Open() {
		return hostOf(r.RemoteAddr)
	}
	return r.grant.Token
}

// checkParams refuses what would be passed over in silence.
func (r *request) checkParams() error {
	for name, list := range r.values {
		switch {
		case name == paramProject && len(list) == 1:
		case !slices.Contains(r.route.params, name):
			return &problem{
				status: http.StatusBadRequest, kind: badRequest, detail: fmt.Sprintf("unknown parameter %q", name),
				help: "It takes: " + strings.Join(append([]string{paramProject}, r.route.params...), ", ") + ".",
			}
		case len(list) > 1 && !slices.Contains(repeated, strings.TrimPrefix(strings.TrimPrefix(name, before), after)):
			return invalid("the parameter %q is there %d times", name, len(list))
		}
	}
	return nil
}

// repeated are the parameters that may be there several times.
var repeated = []string{paramService, paramVersion, paramHost, paramContainer, paramProcess, "path", paramOrigin, paramFamily, paramFunction, paramWhere, paramLabel, paramBy}

// writeDown puts a request into the audit log.
func (s *Server) writeDown(r *request, w *watched, err error) {
	if r.route.scope == "" {
		return
	}
	e := audit.Entry{Who: r.grant.Who(), What: r.Method + " " + r.route.path, Result: strconv.Itoa(w.status()), Project: r.about}
	if access.Unknown(err) {
		e.Who = "nobody"
		e.From = hostOf(r.RemoteAddr)
		s.counts.Refused.Add(1)
		s.o.Audit.Count(e)
		return
	}
	// A client that retries without a pause would fill the log with what was not done.
	if limited := (*LimitedError)(nil); r.route.often || errors.As(err, &limited) {
		s.o.Audit.Count(e)
		return
	}
	e.From, e.Detail = hostOf(r.RemoteAddr), shortened(r.URL.RawQuery)
	s.o.Audit.Record(e)
}

// shortened keeps a line of the log a line: a query may be as long as its sender wants.
func shortened(text string) string {
	const most = 500
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// watched remembers what was answered.
type watched struct {
	http.ResponseWriter

	code int
}

func (w *watched) WriteHeader(code int) {
	if w.code == 0 {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *watched) Write(p []byte) (int, error) {
	if w.code == 0 {
		w.code = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watched) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}
