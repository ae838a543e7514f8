package api

import (
	"net/http"
	"strings"
	"testing"

	"whyhot/internal/server/access"
)

const sentReport = `{"version": 1, "profile": {"format": "pprof", "type": "cpu", "unit": "nanoseconds", "total": 60000000000, "samples": 600, "duration_seconds": 120},
 "findings": [{"id": "loop-1234", "rule": "loop", "title": "A loop loads again what it stored", "certainty": "confirmed",
 "place": {"file": "a.c", "line": 3}, "share": {"exclusive": 0.5, "error": 0.04}, "evidence": [], "fix": {"kind": "code", "steps": ["hoist it"]},
 "worlds": [{"name": "as written", "fate": "scalar"}]}]}`

// A report that is sent is listed with what its findings cost; the next one of the
// service takes its place, and those of another service stay.
func TestFindingsThatAreSent(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("web", access.Scopes()...)
	post := func(service, body string) (int, string) {
		resp, data := r.do(http.MethodPost, "/api/v1/findings?service="+service, token, []byte(body))
		return resp.StatusCode, string(data)
	}
	for _, service := range []string{"a", "b"} {
		if status, body := post(service, sentReport); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
	}
	var list findingsForm
	r.get("/api/v1/findings?service=a", token, &list)
	if len(list.Findings) != 1 {
		t.Fatalf("%+v", list)
	}
	one := list.Findings[0]
	if p := one.History[0]; !one.Sent || len(one.Finding.Worlds) != 1 || p.Share != 0.5 || p.Cores != 0.25 || p.Error != 0.04 {
		t.Errorf("%+v", one)
	}
	if status, body := post("a", `{"version": 1, "profile": null, "findings": []}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	r.get("/api/v1/findings", token, &list)
	if len(list.Findings) != 1 || list.Findings[0].Service != "b" {
		t.Errorf("%+v", list)
	}
	for what, c := range map[string][2]string{
		"another version": {"a", strings.Replace(sentReport, `"version": 1`, `"version": 9`, 1)},
		"no certainty":    {"a", strings.Replace(sentReport, "confirmed", "sure", 1)},
		"no JSON":         {"a", "x"},
		"no service":      {"", sentReport},
	} {
		if status, body := post(c[0], c[1]); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
}

// A finding without a share has no point in its history: that is an empty list in the answer,
// as the API's description has it, and not null.
func TestAFindingWithoutAShare(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("web", access.Scopes()...)
	body := strings.Replace(sentReport, `"share": {"exclusive": 0.5, "error": 0.04}`, `"share": {}`, 1)
	if resp, data := r.do(http.MethodPost, "/api/v1/findings?service=a", token, []byte(body)); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, data)
	}
	for _, path := range []string{"/api/v1/findings", "/api/v1/findings/loop-1234"} {
		_, data := r.do(http.MethodGet, path, token, nil)
		if !strings.Contains(string(data), `"history":[]`) {
			t.Errorf("%s: %s", path, data)
		}
	}
}

func TestSourceText(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("web", access.Read)
	var got textForm
	r.get("/api/v1/source?file=/build/app/src/a.c", token, &got)
	if got.Text != "int a;\n" || !got.Found || !got.Sources {
		t.Errorf("%+v", got)
	}
	var none textForm
	r.get("/api/v1/source?file=/etc/passwd", token, &none)
	if none.Text != "" || none.Found || !none.Sources {
		t.Errorf("%+v", none)
	}
}

// The page of a finding's rule can be had, of an entry of the catalogue or of another rule.
func TestRulePage(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("web", access.Read)
	for rule, want := range map[string]string{"zlib-ng": "## What to do", "column-walk": "**What to change.**"} {
		var got ruleForm
		r.get("/api/v1/rules/"+rule, token, &got)
		if got.ID != rule || !strings.Contains(got.Page, want) {
			t.Errorf("%+v", got)
		}
	}
	if resp, data := r.do(http.MethodGet, "/api/v1/rules/nowhere", token, nil); resp.StatusCode != http.StatusNotFound || !strings.Contains(string(data), `no rule \"nowhere\"`) {
		t.Errorf("%d %s", resp.StatusCode, data)
	}
}
