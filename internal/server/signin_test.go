package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/signin"
	"whyhot/internal/server/signin/issuertest"
	"whyhot/internal/store/engine/memory"
)

// issuer starts an identity provider that sends people back to front, and writes the file that
// names it.
func issuer(t *testing.T, front string) (*issuertest.Issuer, *signin.Config) {
	t.Helper()
	var to http.Handler
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { to.ServeHTTP(w, r) }))
	t.Cleanup(at.Close)
	i, err := issuertest.New(at.URL, "whyhot", "", front+"/auth/callback")
	if err != nil {
		t.Fatal(err)
	}
	to = i
	file := filepath.Join(t.TempDir(), "sign-in.yaml")
	text := "issuer: " + at.URL + "\nclient_id: whyhot\nredirect_url: " + front + "/auth/callback\naccess: [{groups: [perf], projects: [default], scopes: [read]}, {groups: [keepers], projects: [default], scopes: [read, administer]}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := signin.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	i.Person(map[string]any{"sub": "1", "name": "Ada", "groups": []string{"perf"}}, nil)
	return i, c
}

func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func sees(t *testing.T, b *http.Client, method, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// A server where people sign in is closed without a token, and needs the provider for nothing
// but signing in.
func TestSignInClosesTheServer(t *testing.T) {
	// Browsers come by another address than the server's own, as through a proxy.
	var to http.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { to.ServeHTTP(w, r) }))
	defer front.Close()
	provider, c := issuer(t, front.URL)
	with := func(o *Options) { o.SignIn, o.Listen, o.InsecureNoTLS = c, "0.0.0.0:0", true }
	b := browser(t)
	provider.Broken(true)
	to = start(t, with).handler
	for path, want := range map[string]int{"/readyz": http.StatusOK, "/healthz": http.StatusOK, "/api/v1/services": http.StatusUnauthorized, "/": http.StatusOK, "/auth/login": http.StatusServiceUnavailable, "/auth/other": http.StatusNotFound} {
		if status, text := sees(t, b, http.MethodGet, front.URL+path); status != want {
			t.Errorf("%s: %d %.300s", path, status, text)
		}
	}
	provider.Broken(false)
	r := start(t, with)
	to = r.handler
	if status, text := sees(t, b, http.MethodGet, front.URL+"/auth/login?to=/top"); status != http.StatusOK || !strings.Contains(text, "fleet.js") {
		t.Fatalf("%d %s", status, text)
	}
	provider.Broken(true)
	if status, text := sees(t, b, http.MethodGet, front.URL+"/api/v1/services"); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	if status, text := sees(t, b, http.MethodGet, front.URL+"/api/v1/services?project=web"); status != http.StatusForbidden {
		t.Errorf("%d %s", status, text)
	}
	if status, text := sees(t, b, http.MethodGet, front.URL+"/api/v1/session"); status != http.StatusOK || !strings.Contains(text, `"name":"Ada"`) {
		t.Errorf("%d %s", status, text)
	}
	// Tokens are for machines as before.
	token := r.token("default", access.Send)
	machine := &http.Client{Transport: adding{"Authorization": "Bearer " + token}}
	if status, text := sees(t, machine, http.MethodPost, front.URL+"/api/v1/push?service=web"); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	if status, text := sees(t, b, http.MethodPost, front.URL+"/api/v1/session/end"); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := sees(t, b, http.MethodGet, front.URL+"/api/v1/services"); status != http.StatusUnauthorized {
		t.Errorf("signed out: %d", status)
	}
	o := r.o
	o.InsecureNoTLS = false
	if _, err := Open(t.Context(), Options{Data: t.TempDir(), Open: o.Open, Listen: "0.0.0.0:0", SignIn: c}); err == nil || !strings.Contains(err.Error(), "unencrypted") {
		t.Errorf("without TLS: %v", err)
	}
}

// Tokens end when their maker signs in without the rights for them, and not when an older session,
// which knows the groups of its time, opens the page.
func TestOlderSessionEndsNoTokens(t *testing.T) {
	var to http.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { to.ServeHTTP(w, r) }))
	defer front.Close()
	provider, c := issuer(t, front.URL)
	to = start(t, func(o *Options) { o.SignIn, o.Listen, o.InsecureNoTLS = c, "0.0.0.0:0", true }).handler
	signIn := func(groups ...string) *http.Client {
		t.Helper()
		provider.Person(map[string]any{"sub": "1", "name": "Ada", "groups": groups}, nil)
		b := browser(t)
		if status, text := sees(t, b, http.MethodGet, front.URL+"/auth/login"); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
		return b
	}
	older, newer := signIn("perf"), signIn("perf", "keepers")
	status, text := sees(t, newer, http.MethodPost, front.URL+"/api/v1/tokens?name=ci&scope=administer")
	var made struct {
		Secret string `json:"secret"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != http.StatusOK || made.Secret == "" {
		t.Fatalf("%d %s %v", status, text, err)
	}
	machine := &http.Client{Transport: adding{"Authorization": "Bearer " + made.Secret}}
	for _, b := range []*http.Client{older, newer, older} {
		if status, text := sees(t, b, http.MethodGet, front.URL+"/api/v1/session"); status != http.StatusOK || !strings.Contains(text, "Ada") {
			t.Errorf("%d %s", status, text)
		}
		if status, text := sees(t, machine, http.MethodGet, front.URL+"/api/v1/tokens"); status != http.StatusOK {
			t.Fatalf("the token: %d %s", status, text)
		}
	}
	signIn("perf")
	if status, text := sees(t, machine, http.MethodGet, front.URL+"/api/v1/tokens"); status != http.StatusUnauthorized {
		t.Errorf("after its maker signed in without the rights: %d %s", status, text)
	}
	// The session of before has the groups that were lost. It makes no tokens any more.
	if status, text := sees(t, newer, http.MethodPost, front.URL+"/api/v1/tokens?name=ci&scope=administer"); status != http.StatusForbidden || !strings.Contains(text, "Sign in again") {
		t.Errorf("a token of an older session: %d %s", status, text)
	}
	newest := signIn("perf", "keepers")
	if status, text := sees(t, newest, http.MethodPost, front.URL+"/api/v1/tokens?name=ci&scope=administer"); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
}

// Who signed in on one of several servers is signed in on all of them, and a question that is
// passed on is still that person's.
func TestSessionsOfSeveralServers(t *testing.T) {
	var to http.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { to.ServeHTTP(w, r) }))
	defer front.Close()
	_, c := issuer(t, front.URL)
	d := &sharedRows{Engine: memory.New()}
	with := func(o *Options) {
		var err error
		if o.Sessions, err = session.Open(o.Data, secretOfAll); err != nil {
			t.Fatal(err)
		}
		o.SignIn = c
	}
	first, second := d.server(t, secretOfAll, with), d.server(t, secretOfAll, with)
	b := browser(t)
	to = second.handler
	if status, text := sees(t, b, http.MethodGet, front.URL+"/auth/login"); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	for _, one := range []*running{first, second} {
		to = one.handler
		if status, text := sees(t, b, http.MethodGet, front.URL+"/api/v1/findings"); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
		if status, text := sees(t, b, http.MethodPost, front.URL+"/api/v1/prices"); status != http.StatusForbidden {
			t.Errorf("%d %s", status, text)
		}
	}
	if _, passed := second.o.Cluster.Counts(); passed == 0 {
		t.Error("nothing was passed on")
	}
	// The session of a question that is passed on counts between servers alone.
	b2 := &http.Client{Transport: adding{"Whyhot-Session": sessionText(t, b, front.URL)}}
	if status, _ := sees(t, b2, http.MethodGet, front.URL+"/api/v1/findings"); status != http.StatusUnauthorized {
		t.Errorf("anybody's header: %d", status)
	}
	b2.Transport = adding{"Whyhot-Session": sessionText(t, b, front.URL), "Whyhot-Cluster": wordOf(secretOfAll)}
	if status, text := sees(t, b2, http.MethodGet, front.URL+"/api/v1/session"); status != http.StatusOK || !strings.Contains(text, "Ada") {
		t.Errorf("another server's: %d %s", status, text)
	}
}

// wordOf is what servers show each other to know the secret: not the secret, from which the keys
// of sessions come.
func wordOf(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("whyhot-peers-1"))
	return hex.EncodeToString(mac.Sum(nil))
}

// adding puts headers into requests.
type adding map[string]string

func (a adding) RoundTrip(r *http.Request) (*http.Response, error) {
	for name, value := range a {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func sessionText(t *testing.T, b *http.Client, at string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Jar.Cookies(req.URL) {
		if strings.HasPrefix(c.Name, "whyhot_session") {
			return c.Value
		}
	}
	t.Fatal("no session")
	return ""
}
