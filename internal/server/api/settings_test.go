package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"whyhot/internal/finding/price"
	"whyhot/internal/server/access"
	"whyhot/internal/store"
)

func TestPrices(t *testing.T) {
	r := start(t, Limits{})
	admin, reader := r.token("shop", access.Administer, access.Read), r.token("shop", access.Read)
	var got price.Prices
	r.get("/api/v1/prices", reader, &got)
	if got != (price.Prices{}) {
		t.Errorf("at first: %+v", got)
	}
	set := func(token, body string, status int) {
		t.Helper()
		resp, data := r.do(http.MethodPost, "/api/v1/prices", token, []byte(body), "Content-Type", "application/json")
		if resp.StatusCode != status {
			t.Errorf("%s: %s\n%s", body, resp.Status, data)
		}
	}
	set(reader, `{}`, http.StatusForbidden)
	set(admin, `{"core_hour":-1,"currency":"EUR"}`, http.StatusBadRequest)
	set(admin, `{"core_hour":1}`, http.StatusBadRequest)
	set(admin, `{"euros":1}`, http.StatusBadRequest)
	set(admin, `{"core_hour":0.04,"currency":"EUR","co2_grams_per_core_hour":5}`, http.StatusOK)
	r.get("/api/v1/prices", reader, &got)
	if want := (price.Prices{Currency: "EUR", CoreHour: 0.04, CO2: 5}); got != want {
		t.Errorf("then: %+v, want %+v", got, want)
	}
	set(admin, `{}`, http.StatusOK)
	got = price.Prices{}
	r.get("/api/v1/prices", reader, &got)
	if got != (price.Prices{}) {
		t.Errorf("forgotten: %+v", got)
	}
}

func TestRetention(t *testing.T) {
	r := start(t, Limits{})
	admin, reader := r.token("shop", access.Administer, access.Read), r.token("shop", access.Read)
	set := func(token, body string, status int) {
		t.Helper()
		resp, data := r.do(http.MethodPost, "/api/v1/retention", token, []byte(body), "Content-Type", "application/json")
		if resp.StatusCode != status {
			t.Errorf("%s: %s\n%s", body, resp.Status, data)
		}
	}
	is := func(want store.Keep) {
		t.Helper()
		var got store.Keep
		if r.get("/api/v1/retention", reader, &got); got != want {
			t.Errorf("%+v, not %+v", got, want)
		}
	}
	is(store.Keep{})
	set(reader, `{}`, http.StatusForbidden)
	set(admin, `{"samples_days":-1}`, http.StatusBadRequest)
	set(admin, `{"bytes":5}`, http.StatusBadRequest)
	set(admin, `{"weeks":1}`, http.StatusBadRequest)
	is(store.Keep{})
	set(admin, `{"samples_days":3,"hourly_days":30,"bytes":10000000}`, http.StatusOK)
	is(store.Keep{SamplesDays: 3, HourlyDays: 30, Bytes: 10_000_000})
	set(admin, `{}`, http.StatusOK)
	is(store.Keep{})
}

func TestTokensOverHTTP(t *testing.T) {
	r := start(t, Limits{})
	resp, data := r.do(http.MethodPost, "/api/v1/tokens?scope=read", "", nil)
	if resp.StatusCode != http.StatusConflict || !strings.Contains(string(data), "whyhot-server token create") {
		t.Errorf("the first token: %s\n%s", resp.Status, data)
	}
	admin, reader := r.token("shop", access.Administer, access.Read), r.token("shop", access.Read)
	r.token("other", access.Read)
	for query, want := range map[string]int{
		"?scope=send":                http.StatusForbidden, // more than the token's own
		"?scope=read&project=other":  http.StatusForbidden,
		"?scope=rule":                http.StatusBadRequest,
		"?scope=read&expires=soon":   http.StatusBadRequest,
		"?scope=read&name=a%0Ab":     http.StatusBadRequest,
		"?scope=read&unknown=really": http.StatusBadRequest,
	} {
		if resp, data := r.do(http.MethodPost, "/api/v1/tokens"+query, admin, nil); resp.StatusCode != want {
			t.Errorf("%s: %s\n%s", query, resp.Status, data)
		}
	}
	for _, path := range []string{"/api/v1/tokens", "/api/v1/tokens?scope=read"} {
		method := map[bool]string{true: http.MethodPost, false: http.MethodGet}[strings.Contains(path, "?")]
		if resp, _ := r.do(method, path, reader, nil); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s without the scope: %s", method, path, resp.Status)
		}
	}
	_, data = r.do(http.MethodPost, "/api/v1/tokens?scope=read&name=desk&expires=24h", admin, nil)
	var made secretForm
	if err := json.Unmarshal(data, &made); err != nil || made.Token.Name != "desk" || made.Token.Expires.IsZero() {
		t.Fatalf("made: %v, %s", err, data)
	}
	var list tokensForm
	r.get("/api/v1/tokens", admin, &list)
	if len(list.Tokens) != 3 || list.Open || list.Own != list.Tokens[0].ID || strings.Contains(string(data), list.Tokens[0].ID) {
		t.Errorf("the project's tokens: %+v", list)
	}
	var stats statsForm
	r.get("/api/v1/stats", made.Secret, &stats)
	if resp, _ := r.do(http.MethodPost, "/api/v1/tokens/"+made.Token.ID+"/revoke", admin, nil); resp.StatusCode != http.StatusOK {
		t.Errorf("revoking: %s", resp.Status)
	}
	if resp, _ := r.do(http.MethodGet, "/api/v1/stats", made.Secret, nil); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked token: %s", resp.Status)
	}
	if resp, _ := r.do(http.MethodPost, "/api/v1/tokens/"+made.Token.ID+"/revoke", admin, nil); resp.StatusCode != http.StatusNotFound {
		t.Errorf("revoking twice: %s", resp.Status)
	}
}
