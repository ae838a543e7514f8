package signin

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/cookie"
	"whyhot/internal/server/signin/issuertest"
)

// world is a server, a provider, and a browser.
type world struct {
	t       *testing.T
	issuer  *issuertest.Issuer
	at      *httptest.Server // the provider
	server  *httptest.Server
	signIn  *SignIn
	keeper  *session.Keeper
	file    string
	browser *http.Client
	log     bytes.Buffer
	dir     string
	audit   *audit.Log
}

const ruleText = `
  - {groups: [perf], projects: ["*"], scopes: [read]}
  - {groups: [keepers], projects: [shop], scopes: [read, administer]}
  - {emails: ["*@example.org", eve@example.com], projects: [shop], scopes: [read]}
`

func start(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	// Both need the other's URL.
	var toServer, toIssuer http.Handler
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { toServer.ServeHTTP(rw, r) }))
	w.at = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { toIssuer.ServeHTTP(rw, r) }))
	t.Cleanup(w.server.Close)
	t.Cleanup(w.at.Close)
	var err error
	if w.issuer, err = issuertest.New(w.at.URL, "whyhot", "s3cret", w.server.URL+callbackPath); err != nil {
		t.Fatal(err)
	}
	toIssuer = w.issuer
	w.issuer.Person(map[string]any{"sub": "1", "name": "Ada L.", "email": "ada@example.org", "email_verified": true, "groups": []string{"perf", "others"}}, nil)
	if err := os.WriteFile(filepath.Join(w.dir, "secret"), []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.file = filepath.Join(w.dir, "signin.yaml")
	w.write(ruleText)
	c, err := Load(w.file)
	if err != nil {
		t.Fatal(err)
	}
	if w.keeper, err = session.Open(w.dir, ""); err != nil {
		t.Fatal(err)
	}
	if w.audit, err = audit.Open(filepath.Join(w.dir, "audit.log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.audit.Close() })
	w.signIn = New(Options{File: w.file, Config: c, Keeper: w.keeper, Audit: w.audit, Log: slog.New(slog.NewTextHandler(&w.log, nil))})
	mux := http.NewServeMux()
	mux.Handle(Prefix, w.signIn.Handler())
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, "the page at "+r.URL.String())
	})
	toServer = mux
	w.newBrowser()
	return w
}

func (w *world) write(rules string) {
	w.t.Helper()
	text := "issuer: " + w.at.URL + "\nclient_id: whyhot\nclient_secret_file: " + filepath.Join(w.dir, "secret") +
		"\nredirect_url: " + w.server.URL + callbackPath + "\nsession: 2h\naccess:" + rules
	if err := os.WriteFile(w.file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) newBrowser() {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.browser = &http.Client{Jar: jar}
}

// goes follows a browser from an address, and gives where it ends and what it sees.
func (w *world) goes(address string) (status int, at *url.URL, text string) {
	w.t.Helper()
	resp, err := w.browser.Get(address)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, resp.Request.URL, string(data)
}

// has gives the session that the browser has, if any.
func (w *world) has() (session.Session, bool) {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodGet, w.server.URL, nil)
	u, err := url.Parse(w.server.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range w.browser.Jar.Cookies(u) {
		r.AddCookie(c)
	}
	s, err := w.keeper.Read(cookie.Jar{}.Get(r, cookie.Session), time.Now())
	return s, err == nil
}

func TestSignIn(t *testing.T) {
	w := start(t)
	now := time.Now()
	w.signIn.now = func() time.Time { return now }
	status, at, text := w.goes(w.server.URL + loginPath + "?to=" + url.QueryEscape("/flame?service=web&from=now-1h"))
	if status != http.StatusOK || at.RequestURI() != "/flame?service=web&from=now-1h" {
		t.Fatalf("%d at %s: %s\n%s", status, at, text, &w.log)
	}
	s, ok := w.has()
	if !ok {
		t.Fatal("no session")
	}
	p := s.Person
	if p.Email != "ada@example.org" || p.Name != "Ada L." || !slices.Equal(p.Groups, []string{"perf"}) || p.Called() != p.Email {
		t.Errorf("%+v", p)
	}
	if s.Until != now.Add(2*time.Hour).Unix() {
		t.Errorf("it lasts until %d", s.Until)
	}
	g := access.Grant{Token: p.Key(), Person: p.Called(), Rights: w.signIn.Rights(p)}
	for _, c := range []struct {
		scope   access.Scope
		project string
		ok      bool
	}{{access.Read, "", true}, {access.Read, "any", true}, {access.Administer, "shop", false}, {access.Send, "shop", false}} {
		if _, err := g.Authorize(c.scope, c.project); (err == nil) != c.ok {
			t.Errorf("%s in %q: %v", c.scope, c.project, err)
		}
	}
	w.audit.Flush()
	if data, err := os.ReadFile(filepath.Join(w.dir, "audit.log")); err != nil || !strings.Contains(string(data), `"who":"ada@example.org"`) || !strings.Contains(string(data), `"what":"sign in","result":"ok"`) {
		t.Errorf("%s, %v", data, err)
	}
}

// Groups and addresses that are not in the ID token are those of userinfo, if that is about
// the same person.
func TestUserInfo(t *testing.T) {
	w := start(t)
	w.issuer.Person(map[string]any{"sub": "1"}, map[string]any{"groups": []string{"keepers"}, "email": "x@example.com", "email_verified": true})
	if status, at, text := w.goes(w.server.URL + loginPath); status != http.StatusOK || at.Path != "/" {
		t.Fatalf("%d at %s: %s\n%s", status, at, text, &w.log)
	}
	if s, ok := w.has(); !ok || !slices.Equal(s.Person.Groups, []string{"keepers"}) || s.Person.Email != "x@example.com" {
		t.Errorf("%+v", s.Person)
	}
	w.newBrowser()
	w.issuer.Person(map[string]any{"sub": "1"}, map[string]any{"sub": "2", "groups": []string{"keepers"}})
	if status, _, _ := w.goes(w.server.URL + loginPath); status != http.StatusBadGateway {
		t.Errorf("another one's: %d", status)
	}
	if _, ok := w.has(); ok {
		t.Error("a session of another one")
	}
}

// Nothing that is wrong with the provider's answer signs anybody in.
func TestWrongAnswers(t *testing.T) {
	w := start(t)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string, value any) func(map[string]any) {
		return func(claims map[string]any) { claims[name] = value }
	}
	unsigned := func(claims []byte) (string, error) {
		b := base64.RawURLEncoding.EncodeToString
		return b([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + b(claims) + ".", nil
	}
	for name, c := range map[string]struct {
		change func(map[string]any)
		sign   func([]byte) (string, error)
	}{
		"another nonce":           {set("nonce", "x"), nil},
		"no nonce":                {func(claims map[string]any) { delete(claims, "nonce") }, nil},
		"another audience":        {set("aud", "others"), nil},
		"several, given to other": {func(claims map[string]any) { claims["aud"], claims["azp"] = []string{"whyhot", "others"}, "others" }, nil},
		"several, given to none":  {set("aud", []string{"whyhot", "others"}), nil},
		"another issuer":          {set("iss", "https://others.example.org"), nil},
		"expired":                 {set("exp", time.Now().Add(-time.Minute).Unix()), nil},
		"not yet":                 {set("nbf", time.Now().Add(time.Hour).Unix()), nil},
		"no subject":              {set("sub", ""), nil},
		"unsigned":                {nil, unsigned},
		"another key":             {nil, func(claims []byte) (string, error) { return issuertest.SignWith(jose.RS256, other, claims) }},
		"a shared secret": {nil, func(claims []byte) (string, error) {
			return issuertest.SignWith(jose.HS256, []byte("s3crets3crets3crets3crets3crets3"), claims)
		}},
		"no token at all": {nil, func([]byte) (string, error) { return "", nil }},
		"no JSON":         {nil, func([]byte) (string, error) { return w.issuer.Sign([]byte("x")) }},
	} {
		w.newBrowser()
		w.issuer.Wrong(c.change, c.sign)
		status, at, text := w.goes(w.server.URL + loginPath)
		if _, ok := w.has(); ok || status != http.StatusBadGateway || at.Path != callbackPath || !strings.Contains(text, "identity provider sent") {
			t.Errorf("%s: %d at %s, a session: %t\n%s", name, status, at.Path, ok, text)
		}
	}
	w.issuer.Wrong(nil, nil)
	w.newBrowser()
	if w.goes(w.server.URL + loginPath); w.log.Len() == 0 {
		t.Error("nothing in the log")
	}
	if _, ok := w.has(); !ok {
		t.Error("it does not go on afterwards")
	}
}

// What was not begun in this browser, or begun before, ends nowhere.
func TestStateOfOthers(t *testing.T) {
	w := start(t)
	begin := func() (state string) {
		stop := *w.browser
		stop.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		resp, err := stop.Get(w.server.URL + loginPath)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		to, err := resp.Location()
		if err != nil {
			t.Fatal(err)
		}
		if q := to.Query(); q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("code_challenge") == "" || q.Get("scope") != "openid email profile" {
			t.Errorf("%s", to)
		}
		for _, c := range resp.Cookies() {
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Secure {
				t.Errorf("%+v", c)
			}
		}
		return to.Query().Get("state")
	}
	back := func(query url.Values) int {
		status, _, _ := w.goes(w.server.URL + callbackPath + "?" + query.Encode())
		return status
	}
	if status := back(url.Values{"state": {""}, "code": {"x"}}); status != http.StatusBadRequest {
		t.Errorf("no login: %d", status)
	}
	state := begin()
	for _, wrong := range []string{"", "x", state + "x", strings.ToLower(state)} {
		if status := back(url.Values{"state": {wrong}, "code": {"x"}}); status != http.StatusBadRequest {
			t.Errorf("state %q: %d", wrong, status)
		}
	}
	before := begin()
	if state = begin(); back(url.Values{"state": {before}, "code": {"x"}}) != http.StatusBadRequest {
		t.Error("the state of before")
	}
	if status := back(url.Values{"state": {state}, "error": {"access_denied"}, "error_description": {"<b>call 555</b>"}}); status != http.StatusForbidden {
		t.Errorf("refused: %d", status)
	}
	// It was used.
	if status := back(url.Values{"state": {state}, "code": {"x"}}); status != http.StatusBadRequest {
		t.Errorf("twice: %d", status)
	}
	state = begin()
	if status := back(url.Values{"state": {state}, "iss": {"https://others.example.org"}, "code": {"x"}}); status != http.StatusBadGateway {
		t.Errorf("another issuer: %d", status)
	}
	state = begin()
	if status := back(url.Values{"state": {state}, "code": {"made-up"}}); status != http.StatusBadGateway {
		t.Errorf("a code that is none: %d", status)
	}
	state = begin()
	w.signIn.now = func() time.Time { return time.Now().Add(loginTime) }
	if status := back(url.Values{"state": {state}, "code": {"x"}}); status != http.StatusBadRequest {
		t.Errorf("too late: %d", status)
	}
	if _, ok := w.has(); ok {
		t.Error("a session")
	}
}

// A browser goes back to this server and nowhere else.
func TestOpenRedirect(t *testing.T) {
	for text, want := range map[string]string{
		"": "/", "/": "/", "/top": "/top", "/flame?service=a%20b&fn=1": "/flame?service=a%20b&fn=1", "/settings?project=web": "/settings?project=web",
		"https://evil.example.org": "/", "//evil.example.org": "/", "///evil.example.org": "/", `/\evil.example.org`: "/", `\\evil.example.org`: "/",
		"/%5cevil.example.org": "/", "/\tevil": "/", "/\t/evil.example.org": "/", " //evil.example.org": "/", "/%2f/evil.example.org": "/", "/..//evil.example.org": "/",
		"/.//evil.example.org": "/", "javascript:alert(1)": "/", "top": "/", "http:/evil.example.org": "/", "https:evil.example.org": "/",
		"/auth/login": "/", "/auth/callback?code=x": "/", "/x//evil": "/", "/@evil.example.org": "/@evil.example.org", "/a\r\nSet-Cookie: x": "/", "/top#x": "/top",
	} {
		if got := backTo(text); got != want {
			t.Errorf("%q: %q instead of %q", text, got, want)
		}
	}
	w := start(t)
	if _, at, _ := w.goes(w.server.URL + loginPath + "?to=" + url.QueryEscape("//evil.example.org/x")); at.String() != w.server.URL+"/" {
		t.Errorf("at %s", at)
	}
}

func FuzzBackTo(f *testing.F) {
	for _, text := range []string{"/top?x=1", "//evil", `/\evil`, "/%2e%2e//x"} {
		f.Add(text)
	}
	base, err := url.Parse("https://whyhot.example.org/auth/callback")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := backTo(text)
		// As browsers read it: without control characters, and with slashes for backslashes.
		read := strings.Map(func(c rune) rune {
			if c < ' ' || c == 0x7f {
				return -1
			}
			return c
		}, strings.ReplaceAll(strings.TrimSpace(got), `\`, "/"))
		to, err := base.Parse(read)
		if err != nil || to.Host != base.Host || to.Scheme != "https" || got[0] != '/' || strings.HasPrefix(read, "//") {
			t.Errorf("%q leads to %q, %v", text, to, err)
		}
	})
}

// The provider is needed while somebody signs in and at no other time.
func TestIssuerAway(t *testing.T) {
	w := start(t)
	now := time.Now()
	w.signIn.now = func() time.Time { return now }
	w.issuer.Broken(true)
	w.signIn.Warm(t.Context())
	status, _, text := w.goes(w.server.URL + loginPath)
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "does not answer") || !strings.Contains(text, w.signIn.Issuer()) {
		t.Fatalf("%d %s", status, text)
	}
	w.issuer.Broken(false)
	now = now.Add(retry)
	if status, _, text = w.goes(w.server.URL + loginPath); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	s, ok := w.has()
	if !ok {
		t.Fatal("no session")
	}
	w.at.Close()
	if _, ok := w.has(); !ok || len(w.signIn.Rights(s.Person)) == 0 {
		t.Error("a session ends with the provider")
	}
}

// It fails between the way there and the way back, too.
func TestIssuerGoesAwayMidway(t *testing.T) {
	w := start(t)
	w.issuer.Wrong(nil, func([]byte) (string, error) { return "", io.ErrUnexpectedEOF })
	w.browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == callbackPath {
			w.issuer.Broken(true)
		}
		return nil
	}
	if status, _, text := w.goes(w.server.URL + loginPath); status != http.StatusServiceUnavailable || !strings.Contains(text, "does not answer") {
		t.Errorf("%d %s", status, text)
	}
}

// Who is in no rule has no session, and who is taken out of the file has no rights.
func TestRules(t *testing.T) {
	w := start(t)
	for name, c := range map[string]struct {
		claims map[string]any
		ok     bool
	}{
		"a group":                 {map[string]any{"sub": "1", "groups": []string{"keepers"}}, true},
		"a group as a text":       {map[string]any{"sub": "1", "groups": "perf"}, true},
		"an address":              {map[string]any{"sub": "1", "email": "Eve@example.com", "email_verified": true}, true},
		"verified as a text":      {map[string]any{"sub": "1", "email": "eve@example.com", "email_verified": "true"}, true},
		"not verified":            {map[string]any{"sub": "1", "email": "eve@example.com", "email_verified": false}, false},
		"not said to be verified": {map[string]any{"sub": "1", "email": "eve@example.com"}, false},
		"another domain":          {map[string]any{"sub": "1", "email": "x@sub.example.org", "email_verified": true}, false},
		"two domains":             {map[string]any{"sub": "1", "email": "x@example.org@evil.example.com", "email_verified": true}, false},
		"no group":                {map[string]any{"sub": "1", "groups": []any{1, nil, "Perf"}}, false},
		"nothing":                 {map[string]any{"sub": "1"}, false},
	} {
		w.newBrowser()
		w.issuer.Person(c.claims, nil)
		status, _, text := w.goes(w.server.URL + loginPath)
		if _, ok := w.has(); ok != c.ok || (status == http.StatusOK) != c.ok || !c.ok && (status != http.StatusForbidden || !strings.Contains(text, "no access")) {
			t.Errorf("%s: %d, a session: %t\n%s", name, status, ok, text)
		}
	}
	p := &session.Person{Issuer: w.at.URL, Subject: "1", Groups: []string{"perf"}}
	if len(w.signIn.Rights(p)) != 1 {
		t.Error("no rights")
	}
	if other := *p; true {
		other.Issuer = "https://others.example.org"
		if len(w.signIn.Rights(&other)) > 0 {
			t.Error("rights of another provider's person")
		}
	}
	now := time.Now()
	w.signIn.now = func() time.Time { return now }
	change := func(rules string) {
		w.write(rules)
		now = now.Add(time.Minute)
		if err := os.Chtimes(w.file, now, now); err != nil {
			t.Fatal(err)
		}
	}
	change("\n  - {groups: [others], projects: [shop], scopes: [read]}\n")
	if len(w.signIn.Rights(p)) > 0 {
		t.Error("rights that the file does not give any more")
	}
	change(ruleText)
	if len(w.signIn.Rights(p)) != 1 {
		t.Error("no rights again")
	}
	change(" nobody\n")
	if len(w.signIn.Rights(p)) != 1 || !strings.Contains(w.log.String(), "rules of before stay") {
		t.Errorf("after a wrong change: %s", &w.log)
	}
}

func TestNestedClaims(t *testing.T) {
	claims := map[string]any{"a": map[string]any{"b": map[string]any{"c": 1}}, "https://x.y/groups": 2, "a.x": 3}
	for name, want := range map[string]any{"a.b.c": 1, "https://x.y/groups": 2, "a.x": 3, "a.c": nil, "b": nil, "a.b.c.d": nil, "": nil} {
		if got, ok := find(claims, name); got != want || ok != (want != nil) {
			t.Errorf("%q: %v, %t", name, got, ok)
		}
	}
}

// Who is signed in does not wait for a provider that is slow.
func TestSlowIssuer(t *testing.T) {
	w := start(t)
	asked, answer, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-answer
	}))
	defer slow.Close()
	w.signIn.c.Issuer = slow.URL
	go func() {
		defer close(done)
		w.signIn.Warm(t.Context())
	}()
	<-asked
	if got := w.signIn.Rights(&session.Person{Issuer: slow.URL, Subject: "1", Groups: []string{"perf"}}); len(got) != 1 {
		t.Errorf("%v", got)
	}
	select {
	case <-done:
		t.Error("it waited for the provider")
	default:
	}
	close(answer)
	<-done
}
