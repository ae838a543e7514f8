package api

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"whyhot/internal/server/access"
	"whyhot/internal/server/alert"
)

// Where alerts stand is shown, those that fire first, as the description has it.
func TestAlerts(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("web", access.Scopes()...)
	r.fill("web", token)
	p, done, err := r.projects.Get(t.Context(), "web", false)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	rules := []alert.Rule{
		{Name: "a-few", CoresAbove: 1e6},
		{Name: "parse", Services: []string{"web"}, Function: `parse\(.*`, ShareAbove: 0.1, Over: "1h"},
		{Name: "then", CoresChanged: 0.5, Over: "1h", For: "1h"},
	}
	for i := range rules {
		if err := rules[i].Check(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := alert.Judge(t.Context(), p, rules, time.Now()); err != nil {
		t.Fatal(err)
	}
	resp, data := r.do(http.MethodGet, "/api/v1/alerts", token, nil)
	doc := described(t)
	all := operations(t, doc)
	i := slices.IndexFunc(all, func(o operation) bool { return o.path == "/api/v1/alerts" })
	if err := schemas(t, doc)(all[i], resp.StatusCode, data); err != nil {
		t.Errorf("%v\n%s", err, data)
	}
	var out alertsForm
	r.get("/api/v1/alerts", token, &out)
	if len(out.Alerts) != 3 || out.Alerts[0].Name != "parse" || !out.Alerts[0].Firing || out.Alerts[0].Now.Share != 0.6 || out.Alerts[1].Firing || out.Alerts[2].Before == nil {
		t.Errorf("%+v", out)
	}
}

// A client learns what its token allows, so that the page offers nothing that would be refused.
func TestScopesOfTheToken(t *testing.T) {
	r := start(t, Limits{})
	var open projectsForm
	r.get("/api/v1/projects", "", &open)
	if !slices.Equal(open.Scopes, access.Scopes()) {
		t.Errorf("%+v", open)
	}
	var reader projectsForm
	r.get("/api/v1/projects", r.token("web", access.Read), &reader)
	if !slices.Equal(reader.Scopes, []access.Scope{access.Read}) {
		t.Errorf("%+v", reader)
	}
}
