// Package signin lets people sign in to the page with the identity provider of their
// organisation, by OpenID Connect.
//
// It owns the file that names the provider and says who may do what, the way to the provider
// and back (authorization code flow with PKCE), and what is believed of its answer. It gives
// the browser a session, see internal/server/access/session, and says at each request what its
// person may do. It must never keep what the provider sends beside that: no access token and no
// refresh token.
//
// Programs use tokens. The provider is needed while somebody signs in and at no other time:
// the server starts without it, is ready without it, and sessions go on.
package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/cookie"
	"whyhot/internal/server/limit"
)

const (
	// patience is how long the provider may take.
	patience = 10 * time.Second
	// loginTime is how long somebody may take at the provider.
	loginTime = 15 * time.Minute
	// retry is how long nobody asks a provider that did not answer.
	retry = 2 * time.Second
	// maxAnswer bounds what is read of an answer of the provider.
	maxAnswer = 1 << 20
)

// Options of signing in.
type Options struct {
	File   string // that Config was read from, "" for none
	Config *Config
	Keeper *session.Keeper
	Audit  *audit.Log
	// Cookies say how browsers reach the page, and Attempts how often one address may sign in.
	Cookies  cookie.Jar
	Attempts *limit.Addresses
	// EndBeyond ends the tokens of a person who has not the rights for them any more.
	EndBeyond func(access.Grant)
	Log       *slog.Logger
	Client    *http.Client // nil for one of its own
}

// SignIn is the way to the provider and back. Several goroutines may use it.
type SignIn struct {
	o      Options
	c      *Config
	client *http.Client
	now    func() time.Time
	busy   chan struct{} // one for each answer of the provider that is waited for

	mu      sync.Mutex
	access  []Rule
	changed time.Time
	wrong   time.Time // the time of the file that could not be read
	looked  time.Time

	// asking is held while the provider is asked: nobody else may wait for that.
	asking   sync.Mutex
	provider *oidc.Provider
	failedAt time.Time // when the provider did not answer
	failure  error
}

// New makes it. The provider is not asked yet.
func New(o Options) *SignIn {
	client := o.Client
	if client == nil {
		client = &http.Client{Timeout: patience, Transport: bounded{http.DefaultTransport}}
	}
	const atATime = 32
	s := &SignIn{o: o, c: o.Config, client: client, now: time.Now, access: o.Config.Access, busy: make(chan struct{}, atATime)}
	s.changed = o.Config.changed
	return s
}

// Issuer names the provider to people.
func (s *SignIn) Issuer() string {
	u, err := url.Parse(s.c.Issuer)
	if err != nil {
		return s.c.Issuer
	}
	return u.Host
}

// Errors of the way to the provider and back. What is behind them is for the log.
var (
	errAway    = errors.New("the identity provider does not answer")
	errInvalid = errors.New("the answer of the identity provider is not valid")
	errStale   = errors.New("this sign-in was begun elsewhere, or took too long")
)

// fault tells a provider that is away from one whose answer is of no use.
func fault(err error) error {
	refused, connection := (*oauth2.RetrieveError)(nil), (*url.Error)(nil)
	switch {
	case errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode >= http.StatusInternalServerError,
		errors.As(err, &connection), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", errAway, err)
	}
	return fmt.Errorf("%w: %w", errInvalid, err)
}

// login is what the browser keeps between the way to the provider and the way back.
type login struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	To       string `json:"to"`
	Until    int64  `json:"until"`
}

const purpose = "whyhot-login-1"

// discover asks the provider where it is reached, once.
func (s *SignIn) discover(ctx context.Context) (*oidc.Provider, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	if s.provider != nil {
		return s.provider, nil
	}
	if s.failure != nil && s.now().Sub(s.failedAt) < retry {
		return nil, s.failure
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, s.client), s.c.Issuer)
	if err == nil {
		if e := p.Endpoint(); e.AuthURL == "" || e.TokenURL == "" {
			err = errors.New("it names no authorization endpoint or no token endpoint")
		}
	}
	if err != nil {
		s.failedAt, s.failure = s.now(), fmt.Errorf("%w: %w", errAway, err)
		return nil, s.failure
	}
	s.provider, s.failure = p, nil
	return p, nil
}

// Warm asks the provider where it is reached before somebody waits for it, and logs why not.
func (s *SignIn) Warm(ctx context.Context) {
	if _, err := s.discover(ctx); err != nil {
		s.o.Log.WarnContext(ctx, "nobody can sign in now; tokens and sessions are not concerned", "issuer", s.c.Issuer, "error", err)
	}
}

func (s *SignIn) oauth(p *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: s.c.ClientID, ClientSecret: s.c.secret, Endpoint: p.Endpoint(), RedirectURL: s.c.RedirectURL, Scopes: s.c.Scopes}
}

// finish exchanges the code for the identity of a person, and checks it.
func (s *SignIn) finish(ctx context.Context, l *login, code string) (*session.Person, error) {
	p, err := s.discover(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, s.client), patience)
	defer cancel()
	tokens, err := s.oauth(p).Exchange(ctx, code, oauth2.VerifierOption(l.Verifier))
	if err != nil {
		return nil, fault(err)
	}
	raw, ok := tokens.Extra("id_token").(string)
	if !ok {
		return nil, fmt.Errorf("%w: it has no ID token", errInvalid)
	}
	// The library takes no token without a signature, none of a shared secret, and only the
	// algorithms that the provider announces.
	id, err := p.Verifier(&oidc.Config{ClientID: s.c.ClientID, Now: s.now}).Verify(ctx, raw)
	if err != nil {
		return nil, fault(err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(l.Nonce)) != 1 {
		return nil, fmt.Errorf("%w: its nonce is another one", errInvalid)
	}
	claims, err := s.claims(ctx, p, id, tokens)
	if err != nil {
		return nil, err
	}
	return s.person(id, claims)
}

// claims are those of the ID token, and where it has no groups or address, those that the
// provider gives besides.
func (s *SignIn) claims(ctx context.Context, p *oidc.Provider, id *oidc.IDToken, tokens *oauth2.Token) (map[string]any, error) {
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalid, err)
	}
	if azp, _ := claims["azp"].(string); len(id.Audience) > 1 && azp != s.c.ClientID {
		return nil, fmt.Errorf("%w: it is for several clients, and was given to %q", errInvalid, azp)
	}
	_, groups := find(claims, s.c.GroupsClaim)
	if _, email := claims["email"]; groups && email || p.UserInfoEndpoint() == "" {
		return claims, nil
	}
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return nil, fault(err)
	}
	if info.Subject != id.Subject {
		return nil, fmt.Errorf("%w: what it says of the person is of another one", errInvalid)
	}
	var more map[string]any
	if err := info.Claims(&more); err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalid, err)
	}
	// An address and whether it is verified belong together.
	_, known := claims["email"]
	if !known {
		delete(claims, "email_verified")
	}
	for name, value := range more {
		if _, there := claims[name]; there || known && name == "email_verified" {
			continue
		}
		claims[name] = value
	}
	return claims, nil
}

const maxName = 200

func (s *SignIn) person(id *oidc.IDToken, claims map[string]any) (*session.Person, error) {
	text := func(name string) string {
		t, _ := claims[name].(string)
		if len(t) > maxName || strings.ContainsFunc(t, func(c rune) bool { return c < ' ' }) {
			return ""
		}
		return t
	}
	p := &session.Person{Issuer: s.c.Issuer, Subject: id.Subject, Name: text("name")}
	if p.Name == "" {
		p.Name = text("preferred_username")
	}
	if id.Subject == "" || len(id.Subject) > maxName || strings.ContainsFunc(id.Subject, func(c rune) bool { return c < ' ' }) {
		return nil, fmt.Errorf("%w: it has no subject, or one that is too long", errInvalid)
	}
	// Who may choose an address of their own without proof could choose somebody else's.
	if verified(claims["email_verified"]) {
		p.Email = text("email")
	}
	var groups []string
	value, _ := find(claims, s.c.GroupsClaim)
	switch value := value.(type) {
	case string:
		groups = []string{value}
	case []any:
		for _, one := range value {
			if g, ok := one.(string); ok {
				groups = append(groups, g)
			}
		}
	}
	p.Groups = named(s.rules(), groups)
	return p, nil
}

// verified reads what some providers write as a text.
func verified(claim any) bool {
	switch v := claim.(type) {
	case bool:
		return v
	case string:
		return v == "true"
	}
	return false
}

// find gives a claim by its name, or by a path such as realm_access.roles.
func find(claims map[string]any, name string) (any, bool) {
	if v, ok := claims[name]; ok {
		return v, true
	}
	first, rest, ok := strings.Cut(name, ".")
	inner, is := claims[first].(map[string]any)
	if !ok || !is {
		return nil, false
	}
	return find(inner, rest)
}

// grants tells whether somebody may do anything at all.
func grants(list []access.Right) bool {
	return slices.ContainsFunc(list, func(r access.Right) bool { return len(r.Scopes) > 0 })
}

// bounded cuts off answers that are larger than any of a provider.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// readLogin gives what the browser kept.
func (s *SignIn) readLogin(text, state string) (*login, error) {
	var l login
	if err := s.o.Keeper.Unseal(purpose, text, &l); err != nil {
		return nil, errStale
	}
	if l.State == "" || subtle.ConstantTimeCompare([]byte(l.State), []byte(state)) != 1 || s.now().Unix() >= l.Until {
		return nil, errStale
	}
	return &l, nil
}
