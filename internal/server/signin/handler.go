package signin

import (
	"cmp"
	"crypto/rand"
	"errors"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"whyhot/internal/server/access/session"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/cookie"
)

// Handler serves the paths below Prefix, which browsers are led to.
func (s *SignIn) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+loginPath, s.begin)
	mux.HandleFunc("GET "+callbackPath, s.back)
	mux.HandleFunc(Prefix, func(w http.ResponseWriter, _ *http.Request) {
		show(w, http.StatusNotFound, notice{Title: "Not found", Text: "There is nothing here."})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer") // the address has a code
		if again, ok := s.o.Attempts.Allow(r.RemoteAddr, s.now()); !ok {
			h.Set("Retry-After", strconv.Itoa(int(again.Seconds())+1))
			show(w, http.StatusTooManyRequests, notice{Title: "Too many sign-ins", Text: "There were too many from your address. Try again in a moment."})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// begin leads a browser to the provider.
func (s *SignIn) begin(w http.ResponseWriter, r *http.Request) {
	p, err := s.discover(r.Context())
	if err != nil {
		s.fail(w, r, err, backTo(r.URL.Query().Get("to")))
		return
	}
	l := login{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		To: backTo(r.URL.Query().Get("to")), Until: s.now().Add(loginTime).Unix(),
	}
	text, err := s.o.Keeper.Seal(purpose, l)
	if errors.Is(err, session.ErrLarge) { // the address that people come back to is long
		l.To = "/"
		text, err = s.o.Keeper.Seal(purpose, l)
	}
	if err != nil {
		s.fail(w, r, err, "/")
		return
	}
	s.o.Cookies.Set(w, r, cookie.Login, text, loginTime)
	http.Redirect(w, r, s.oauth(p).AuthCodeURL(l.State, oidc.Nonce(l.Nonce), oauth2.S256ChallengeOption(l.Verifier)), http.StatusSeeOther)
}

// errorCode is what a provider may call an error (RFC 6749, 4.1.2.1).
var errorCode = regexp.MustCompile(`^[a-z_]{1,40}$`)

// back takes what the provider sent a browser back with.
func (s *SignIn) back(w http.ResponseWriter, r *http.Request) {
	values := r.URL.Query()
	l, err := s.readLogin(s.o.Cookies.Get(r, cookie.Login), values.Get("state"))
	if err != nil {
		s.fail(w, r, err, "/")
		return
	}
	s.o.Cookies.Clear(w, r, cookie.Login) // a code is good for once
	if iss := values.Get("iss"); iss != "" && iss != s.c.Issuer {
		s.fail(w, r, errInvalid, l.To)
		return
	}
	if code := values.Get("error"); code != "" {
		if !errorCode.MatchString(code) {
			code = "unknown error"
		}
		s.write(r, "", "refused", code)
		show(w, http.StatusForbidden, notice{Title: "Not signed in", Text: "The identity provider refused: " + code + ".", Again: again(l.To)})
		return
	}
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-r.Context().Done():
		return
	}
	person, err := s.finish(r.Context(), l, values.Get("code"))
	if err != nil {
		s.fail(w, r, err, l.To)
		return
	}
	if err := s.o.Keeper.SignedIn(person, s.now()); err != nil { // it counts all the same, until a restart
		s.o.Log.ErrorContext(r.Context(), "a sign-in was not written down", "error", err)
	}
	s.judge(person)
	if !grants(s.Rights(person)) {
		s.write(r, person.Called(), "forbidden", "no rule")
		show(w, http.StatusForbidden, notice{
			Title: "No access", Text: "You signed in as " + person.Called() + ", but this account has no access here. Ask your administrator.", Again: again(l.To),
		})
		return
	}
	_, text, err := s.o.Keeper.New(session.Session{Person: person}, s.now(), s.c.lasts)
	if err != nil {
		s.fail(w, r, err, l.To)
		return
	}
	s.write(r, person.Called(), "ok", "")
	s.o.Cookies.Set(w, r, cookie.Session, text, s.c.lasts)
	http.Redirect(w, r, l.To, http.StatusSeeOther)
}

// fail says why somebody is not signed in; the log has all of it.
func (s *SignIn) fail(w http.ResponseWriter, r *http.Request, err error, to string) {
	status, text := http.StatusInternalServerError, "The server could not sign you in. Its log says why."
	expired := (*oidc.TokenExpiredError)(nil)
	switch {
	case errors.Is(err, errStale):
		status, text = http.StatusBadRequest, "This sign-in was begun in another browser or at another address, or took too long."
	case errors.Is(err, errAway):
		status, text = http.StatusServiceUnavailable, "The identity provider at "+s.Issuer()+" does not answer. Try again later, or use a token."
		w.Header().Set("Retry-After", "5")
	case errors.As(err, &expired):
		status, text = http.StatusBadGateway, "What the identity provider sent has expired. The clocks of both servers may differ."
	case errors.Is(err, errInvalid):
		status, text = http.StatusBadGateway, "What the identity provider sent is not valid. The server's log says why."
	case errors.Is(err, session.ErrLarge):
		status, text = http.StatusForbidden, "Your account has too many of the groups that this server knows."
	}
	s.write(r, "", "failed", "")
	s.o.Log.WarnContext(r.Context(), "somebody could not sign in", "error", err)
	show(w, status, notice{Title: "Not signed in", Text: text, Again: again(to)})
}

// write has the audit log say who signed in. What fails without anybody is counted, so that it
// cannot fill the log.
func (s *SignIn) write(r *http.Request, who, result, detail string) {
	if s.o.Audit == nil {
		return
	}
	e := audit.Entry{Who: cmp.Or(who, "nobody"), What: "sign in", Result: result}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		e.From = host
	}
	if who == "" {
		s.o.Audit.Count(e)
		return
	}
	e.Detail = detail
	s.o.Audit.Record(e)
}

func again(to string) string { return loginPath + "?" + url.Values{"to": {to}}.Encode() }

// notice is a page with a sentence and a way on, in the look of the page.
type notice struct{ Title, Text, Again string }

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · whyhot</title>
<link rel="stylesheet" href="/assets/fleet.css">
</head>
<body>
<div id="app">
<header class="masthead"><a class="brand" href="/">whyhot</a></header>
<main id="view">
<div class="state">
<h1 class="state-title">{{.Title}}</h1>
<p role="alert">{{.Text}}</p>
<p class="row">{{if .Again}}<a href="{{.Again}}">Sign in again</a> · {{end}}<a href="/">Open the page</a></p>
</div>
</main>
</div>
</body>
</html>
`))

func show(w http.ResponseWriter, status int, n notice) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_ = page.Execute(w, n) // the browser may be gone
}
