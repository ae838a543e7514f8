package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/limit"
)

// cookieOf is the cookie of an answer, as a browser sends it, and all that it says.
func cookieOf(t *testing.T, a answered) (pair, whole string) {
	t.Helper()
	whole = a.Header.Get("Set-Cookie")
	pair, _, _ = strings.Cut(whole, ";")
	return pair, whole
}

func (r *running) signedInBy(pair string) sessionForm {
	r.t.Helper()
	resp, data := r.do(http.MethodGet, "/api/v1/session", "", nil, "Cookie", pair)
	var out sessionForm
	if err := json.Unmarshal(data, &out); err != nil || resp.StatusCode != http.StatusOK {
		r.t.Fatalf("%s %s", resp.Status, data)
	}
	return out
}

// A browser that signed in with a token asks with a cookie that its scripts cannot read, until
// the token is revoked or somebody signs out.
func TestSessionOfAToken(t *testing.T) {
	r := start(t, Limits{})
	now := time.Now()
	r.now = func() time.Time { return now }
	if got := r.signedInBy("whyhot_session=x"); got != (sessionForm{}) {
		t.Errorf("open: %+v", got)
	}
	if resp, _ := r.do(http.MethodPost, "/api/v1/session", "", nil); resp.StatusCode != http.StatusOK || resp.Header.Get("Set-Cookie") != "" {
		t.Errorf("an open server: %s", resp.Status)
	}
	token := r.token("web", access.Read, access.Administer, access.Send)
	r.fill("web", token)
	if resp, data := r.do(http.MethodPost, "/api/v1/session", token+"x", nil); resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("Set-Cookie") != "" {
		t.Errorf("%s %s", resp.Status, data)
	}
	in := func(headers ...string) (string, string) {
		resp, data := r.do(http.MethodPost, "/api/v1/session", token, nil, headers...)
		if resp.StatusCode != http.StatusOK || strings.Contains(string(data), token) || strings.Contains(resp.Header.Get("Set-Cookie"), token) {
			t.Fatalf("%s %s", resp.Status, data)
		}
		return cookieOf(t, resp)
	}
	one, whole := in()
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"} {
		if !strings.Contains(whole, want) {
			t.Errorf("%s: no %s", whole, want)
		}
	}
	if _, whole := in("X-Forwarded-Proto", "https"); !strings.HasPrefix(whole, "__Host-whyhot_session=") || !strings.Contains(whole, "Secure") {
		t.Errorf("behind TLS: %s", whole)
	}
	two, _ := in()
	ask := func(pair string, more ...string) int {
		resp, _ := r.do(http.MethodGet, "/api/v1/services", "", nil, append([]string{"Cookie", pair}, more...)...)
		return resp.StatusCode
	}
	got := r.signedInBy(one)
	if ask(one) != http.StatusOK || got.By != "token" || !got.Closed || got.Until.Unix() != now.Add(tokenSession).Unix() {
		t.Errorf("%+v", got)
	}
	if status := ask(one + "x"); status != http.StatusUnauthorized {
		t.Errorf("another cookie: %d", status)
	}
	// A token that is sent counts, and the cookie does not beside it.
	if status := ask(one, "Authorization", "Bearer wrong"); status != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", status)
	}
	if status := ask(""); status != http.StatusUnauthorized {
		t.Errorf("nothing: %d", status)
	}
	// What a page of another site makes a browser send is refused, cookie or not.
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example.org"}} {
		for _, path := range []string{"/api/v1/prices", "/api/v1/session/end", "/api/v1/session"} {
			if resp, _ := r.do(http.MethodPost, path, "", []byte("{}"), append(headers, "Cookie", one)...); resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s: %s", path, headers, resp.Status)
			}
		}
	}
	if resp, data := r.do(http.MethodPost, "/api/v1/prices", "", []byte("{}"), "Cookie", one, "Sec-Fetch-Site", "same-origin"); resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s", resp.Status, data)
	}
	// Signing out ends the session, also for a copy of the cookie, and no other one.
	resp, _ := r.do(http.MethodPost, "/api/v1/session/end", "", nil, "Cookie", one)
	if pair, whole := cookieOf(t, resp); !strings.HasSuffix(pair, "=") || !strings.Contains(whole, "Max-Age=0") {
		t.Errorf("%s", whole)
	}
	if ask(one) != http.StatusUnauthorized || r.signedInBy(one).By != "" {
		t.Error("it was ended")
	}
	if status := ask(two); status != http.StatusOK {
		t.Errorf("another session: %d", status)
	}
	list, err := access.List(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := access.Revoke(r.dir, list[0].ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	if ask(two) != http.StatusUnauthorized || r.signedInBy(two).By != "" {
		t.Error("its token was revoked")
	}
	data, err := os.ReadFile(filepath.Join(r.dir, "audit.log"))
	if err != nil || !strings.Contains(string(data), `"what":"sign in","result":"ok"`) || !strings.Contains(string(data), `"who":"`+list[0].ID+`","from":"127.0.0.1","what":"sign out"`) {
		t.Errorf("%v\n%s", err, data)
	}
}

// people are rules for tests.
type people map[string][]access.Right

func (p people) Rights(one *session.Person) []access.Right { return p[one.Subject] }
func (p people) Judge(*session.Person)                     {}
func (p people) Issuer() string                            { return "login.example.org" }

// What a person may do differs from project to project, and follows the rules as they are.
func TestSessionOfAPerson(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("shop", access.Send)
	r.fill("shop", token)
	r.fill("web", r.token("web", access.Send))
	rules := people{
		"ada": {{Project: "shop", Scopes: []access.Scope{access.Read}}, {Project: "web", Scopes: []access.Scope{access.Read, access.Administer}}},
		"bob": {{Project: access.Any, Scopes: []access.Scope{access.Read}}},
	}
	in := func(subject string) string {
		_, text, err := r.o.Sessions.New(session.Session{Person: &session.Person{Issuer: "i", Subject: subject, Name: subject, Email: subject + "@example.org"}}, time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest(http.MethodGet, r.http.URL, nil)
		return "whyhot_session_" + req.URL.Port() + "=" + text
	}
	ada, bob := in("ada"), in("bob")
	ask := func(pair, method, path string) (int, string) {
		resp, data := r.do(method, path, "", []byte("{}"), "Cookie", pair)
		return resp.StatusCode, string(data)
	}
	if status, _ := ask(ada, http.MethodGet, "/api/v1/services"); status != http.StatusUnauthorized {
		t.Errorf("nobody can sign in: %d", status)
	}
	r.o.SignIn = rules
	if got := r.signedInBy(ada); got.By != "person" || got.Name != "ada" || got.Email != "ada@example.org" || got.SignIn != "login.example.org" {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		who, method, path string
		status            int
		text              string
	}{
		{ada, http.MethodGet, "/api/v1/services", http.StatusOK, "web"},
		{ada, http.MethodGet, "/api/v1/services?project=web", http.StatusOK, ""},
		{ada, http.MethodGet, "/api/v1/services?project=other", http.StatusForbidden, "your account does not allow this"},
		{ada, http.MethodGet, "/api/v1/services?project=..", http.StatusBadRequest, ""},
		{ada, http.MethodGet, "/api/v1/projects", http.StatusOK, `"default":"shop","projects":[{"name":"shop"},{"name":"web"}]`},
		{ada, http.MethodPost, "/api/v1/prices?project=shop", http.StatusForbidden, "administer"},
		{ada, http.MethodPost, "/api/v1/prices?project=web", http.StatusOK, ""},
		{ada, http.MethodGet, "/api/v1/tokens?project=web", http.StatusOK, `"scopes":["read","administer"]`},
		{ada, http.MethodPost, "/api/v1/tokens?project=web&scope=read", http.StatusOK, `"secret"`},
		{ada, http.MethodPost, "/api/v1/tokens?project=web&scope=send", http.StatusForbidden, "lacks"},
		{ada, http.MethodPost, "/api/v1/tokens?project=shop&scope=read", http.StatusForbidden, ""},
		{ada, http.MethodPost, "/api/v1/push?service=x", http.StatusForbidden, ""},
		{ada, http.MethodGet, "/api/v1/tokens?project=web", http.StatusOK, `"made_by":"ada@example.org"`},
		{ada, http.MethodGet, "/api/v1/backup?project=web", http.StatusForbidden, "Authorization"},
		{bob, http.MethodGet, "/api/v1/projects", http.StatusOK, `"default":"default"`},
		{bob, http.MethodGet, "/api/v1/services?project=shop", http.StatusOK, ""},
		{bob, http.MethodPost, "/api/v1/prices?project=shop", http.StatusForbidden, ""},
	} {
		if status, text := ask(c.who, c.method, c.path); status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%.20s %s %s: %d %s", c.who, c.method, c.path, status, text)
		}
	}
	delete(rules, "ada")
	if status, _ := ask(ada, http.MethodGet, "/api/v1/services"); status != http.StatusUnauthorized || r.signedInBy(ada).By != "" {
		t.Errorf("the rules have her no longer: %d", status)
	}
	data, err := os.ReadFile(filepath.Join(r.dir, "audit.log"))
	if err != nil || !strings.Contains(string(data), `"who":"ada@example.org"`) {
		t.Errorf("%v\n%s", err, data)
	}
}

// A page of another site cannot have a browser begin what costs more than its answer.
func TestBackupIsNotBegunByAPage(t *testing.T) {
	r := start(t, Limits{})
	for site, want := range map[string]int{"": http.StatusOK, "same-origin": http.StatusOK, "cross-site": http.StatusForbidden, "same-site": http.StatusForbidden} {
		if resp, data := r.do(http.MethodGet, "/api/v1/backup", "", nil, "Sec-Fetch-Site", site); resp.StatusCode != want {
			t.Errorf("open, %q: %d %.100s", site, resp.StatusCode, data)
		}
	}
	token := r.token("default", access.Administer)
	if resp, _ := r.do(http.MethodGet, "/api/v1/backup", token, nil); resp.StatusCode != http.StatusOK {
		t.Errorf("with a token: %d", resp.StatusCode)
	}
}

func TestSignInsOfAnAddressAreLimited(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("shop", access.Read)
	r.o.Attempts = limit.NewAddresses(limit.Rate{PerSecond: 0.01, Burst: 3})
	for i := range 5 {
		resp, _ := r.do(http.MethodPost, "/api/v1/session", token, nil)
		want := http.StatusOK
		if i >= 3 {
			want = http.StatusTooManyRequests
		}
		if resp.StatusCode != want || (want == http.StatusTooManyRequests) != (resp.Header.Get("Retry-After") != "") {
			t.Errorf("sign-in %d: %d, retry after %q", i, resp.StatusCode, resp.Header.Get("Retry-After"))
		}
	}
}

func TestProjectIsDeleted(t *testing.T) {
	r := start(t, Limits{})
	send, administer, read := r.token("shop", access.Send), r.token("shop", access.Administer), r.token("shop", access.Read)
	r.fill("shop", send)
	for _, c := range []struct {
		token, path string
		status      int
	}{
		{send, "/api/v1/projects/shop/delete", http.StatusForbidden},
		{administer, "/api/v1/projects/default/delete", http.StatusBadRequest},
		{administer, "/api/v1/projects/default/delete?project=default", http.StatusForbidden},
		{administer, "/api/v1/projects/shop/delete?project=shop", http.StatusOK},
	} {
		resp, data := r.do(http.MethodPost, c.path, c.token, nil)
		if resp.StatusCode != c.status || c.status == http.StatusOK && !strings.Contains(string(data), `"tokens_revoked":3`) {
			t.Errorf("%s: %d %s", c.path, resp.StatusCode, data)
		}
	}
	if _, err := os.Stat(filepath.Join(r.dir, "projects", "shop")); err == nil {
		t.Error("its directory is there still")
	}
	// Its tokens have ended: nobody begins it again who does not mean to.
	for path, token := range map[string]string{"/api/v1/services": read, "/api/v1/push?service=web": send, "/api/v1/compact": administer} {
		method := http.MethodPost
		if path == "/api/v1/services" {
			method = http.MethodGet
		}
		if resp, data := r.do(method, path, token, nil); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", path, resp.StatusCode, data)
		}
	}
	r.fill("shop", r.token("shop", access.Send))
	if resp, _ := r.do(http.MethodGet, "/api/v1/services", r.token("shop", access.Read), nil); resp.StatusCode != http.StatusOK {
		t.Errorf("a new one of the name: %d", resp.StatusCode)
	}
}
