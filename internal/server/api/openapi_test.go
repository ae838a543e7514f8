package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	openapi "whyhot/docs/api"
	"whyhot/internal/server/access"
	"whyhot/internal/server/pyroscope"
)

// described is the description of the API, as YAML has it.
func described(t *testing.T) map[string]any {
	t.Helper()
	var raw any
	if err := yaml.Unmarshal(openapi.Description, &raw); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// follow gives what a value refers to, else the value.
func follow(t *testing.T, doc map[string]any, v any) map[string]any {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%v is no object", v)
	}
	ref, is := m["$ref"].(string)
	if !is {
		return m
	}
	var at any = doc
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(map[string]any)[part]
	}
	return follow(t, doc, at)
}

// operation is one of the file.
type operation struct {
	method, path string
	raw          map[string]any
	params       map[string]map[string]any // in the query, by name
	paths        []string                  // parameters in the path
}

func operations(t *testing.T, doc map[string]any) []operation {
	t.Helper()
	var out []operation
	for path, item := range doc["paths"].(map[string]any) {
		for method, raw := range item.(map[string]any) {
			op := operation{method: strings.ToUpper(method), path: path, raw: raw.(map[string]any), params: map[string]map[string]any{}}
			list, _ := op.raw["parameters"].([]any)
			for _, p := range list {
				one := follow(t, doc, p)
				switch name := one["name"].(string); one["in"] {
				case "query":
					op.params[name] = one
				case "path":
					op.paths = append(op.paths, name)
				}
			}
			out = append(out, op)
		}
	}
	slices.SortFunc(out, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return out
}

// Every route is in the file, and every operation of the file is served, with the same
// scope and the same parameters.
func TestRoutesAndDescriptionAgree(t *testing.T) {
	doc := described(t)
	inFile := map[string]operation{}
	for _, op := range operations(t, doc) {
		inFile[op.method+" "+op.path] = op
	}
	for _, one := range routes() {
		name := one.method + " " + one.path
		op, ok := inFile[name]
		if !ok {
			t.Errorf("%s is served and not described", name)
			continue
		}
		delete(inFile, name)
		if scope, _ := op.raw["x-scope"].(string); scope != string(one.scope) {
			t.Errorf("%s needs %q, the file says %q", name, one.scope, scope)
		}
		_, open := op.raw["security"].([]any)
		if open != (one.scope == "") {
			t.Errorf("%s: open in the file: %v", name, open)
		}
		want := slices.Clone(one.params)
		if one.scope != "" {
			want = append(want, paramProject)
		}
		var got []string
		for p := range op.params {
			got = append(got, p)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s takes %q, the file says %q", name, want, got)
		}
		for _, p := range op.paths {
			if !strings.Contains(one.path, "{"+p+"}") {
				t.Errorf("%s has no %s in its path", name, p)
			}
		}
	}
	for name := range inFile {
		t.Errorf("%s is described and not served", name)
	}
}

// schemas compiles the file's schemas; the function validates an answer against that of
// an operation's 200, or of an error.
func schemas(t *testing.T, doc map[string]any) func(op operation, status int, body []byte) error {
	t.Helper()
	const at = "https://whyhot.invalid/openapi.json"
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource(at, parsed); err != nil {
		t.Fatal(err)
	}
	return func(op operation, status int, body []byte) error {
		responses := op.raw["responses"].(map[string]any)
		answer, ok := responses[fmt.Sprint(status)]
		if !ok {
			if answer, ok = responses["default"]; !ok {
				return fmt.Errorf("the file has no answer %d", status)
			}
		}
		content, _ := follow(t, doc, answer)["content"].(map[string]any)
		form, ok := content[jsonType].(map[string]any)
		if !ok {
			return nil // no JSON
		}
		if form["schema"] == nil {
			return nil // another protocol's
		}
		ref, ok := form["schema"].(map[string]any)["$ref"].(string)
		if !ok {
			return fmt.Errorf("the schema of %d is not a reference", status)
		}
		schema, err := compiler.Compile(at + ref)
		if err != nil {
			return err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			return err
		}
		return schema.Validate(value)
	}
}

const outcome = `{"version": 1, "command": ["app"], "metric": "wall", "unit": "seconds", "started": "2026-11-22T10:00:00Z", "elapsed_seconds": 1,
 "stopped": "settled", "seed": 1, "rounds": 9, "level": 0.95, "each_level": 0.95, "band": 0.01, "machine": {"cpus": 2},
 "baseline": {"name": "baseline", "runs": 9, "exit_code": 0},
 "variants": [{"name": "mimalloc", "runs": 9, "exit_code": 0, "ratios": {"wall": {"estimate": 1.2, "low": 1.1, "high": 1.3}}, "verdict": "faster", "explanation": "x"}]}`

// example makes of an operation a request that is answered.
func (r *running) example(op operation) (path string, body []byte, headers []string) {
	r.t.Helper()
	path = strings.NewReplacer("{dimension}", "host", "{name}", "web", "{id}", "glibc-malloc-00000000").Replace(op.path)
	sep := "?"
	add := func(kv string) { path += sep + kv; sep = "&" }
	for name, p := range op.params {
		if required, _ := p["required"].(bool); !required {
			continue
		}
		switch name {
		case "function":
			add("function=1")
		case "q":
			add("q=ma")
		case "file":
			add("file=/build/app/src/a.c")
		case "finding":
			add("finding=glibc-malloc-00000000")
		case "service":
			add("service=other")
		case "name":
			add("name=other")
		case "scope":
			add("scope=read")
		case "query", "leftQuery", "rightQuery":
			add(name + "=" + pyroscope.ProfileType + "%7B%7D")
		case "label":
			add("label=service_name")
		default:
			r.t.Fatalf("%s: what is %s?", op.path, name)
		}
	}
	switch op.path {
	case "/api/v1/diff":
		add("before.version=1&after.version=2")
	case "/api/v1/push":
		add("period=10ms")
		body = []byte("main;f 3\n")
	case "/ingest":
		body = []byte("main;f 3\n")
	case "/api/v1/projects/{name}/restore":
		body = []byte("no backup")
	case "/api/v1/prices", "/api/v1/retention":
		body = []byte(`{}`)
	case "/api/v1/trials":
		body = []byte(outcome)
	case "/api/v1/findings":
		body = []byte(`{"version": 1, "profile": null, "findings": []}`)
	case "/v1development/profiles":
		headers = []string{"Content-Type", "application/x-protobuf"}
	case "/push.v1.PusherService/Push":
		headers = []string{"Content-Type", protoType}
	case "/querier.v1.QuerierService/Diff":
		body = []byte(`{"left": {}, "right": {}}`)
	case "/querier.v1.QuerierService/LabelValues":
		body = []byte(`{"name": "service_name"}`)
	}
	if strings.HasPrefix(op.path, "/querier.v1.") {
		headers = []string{"Content-Type", jsonType}
		if body == nil {
			body = []byte(`{}`)
		}
	}
	return path, body, headers
}

// Every operation answers, and JSON as the file has it.
func TestAnswersAreAsDescribed(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("web", access.Scopes()...)
	r.fill("web", token)
	doc := described(t)
	validate := schemas(t, doc)
	for _, op := range operations(t, doc) {
		path, body, headers := r.example(op)
		resp, data := r.do(op.method, path, token, body, headers...)
		want := http.StatusOK
		if strings.Contains(op.path, "{id}") {
			want = http.StatusNotFound // nothing was found yet
		}
		if op.path == "/api/v1/projects/{name}/restore" {
			want = http.StatusConflict // it has something; TestBackup has one that has nothing
		}
		if resp.StatusCode != want {
			t.Errorf("%s %s: %s\n%s", op.method, path, resp.Status, data)
		}
		if op.path == "/api/v1/projects/{name}/delete" {
			token = r.token("web", access.Scopes()...)
			r.fill("web", token)
		}
		if err := validate(op, resp.StatusCode, data); err != nil {
			t.Errorf("%s %s: %v\n%s", op.method, path, err, data)
		}
		if resp, data := r.do(op.method, path, "", body); op.raw["security"] == nil {
			if err := validate(op, resp.StatusCode, data); err != nil || resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s %s without a token: %s, %v\n%s", op.method, path, resp.Status, err, data)
			}
		}
	}
}

// No operation lets anybody in who has no token for it, and what it then answers says
// nothing of what is there.
func TestAnotherProjectIsOutOfReach(t *testing.T) {
	r := start(t, Limits{})
	mine := r.token("mine", access.Scopes()...)
	r.fill("mine", mine)
	others := r.token("others", access.Scopes()...)
	r.fill("others", others)
	for _, op := range operations(t, described(t)) {
		scope, _ := op.raw["x-scope"].(string)
		if scope == "" {
			continue
		}
		var small []access.Scope
		for _, s := range access.Scopes() {
			if string(s) != scope {
				small = append(small, s)
			}
		}
		path, body, headers := r.example(op)
		ours := path + "?project=mine"
		if strings.Contains(path, "?") {
			ours = path + "&project=mine"
		}
		for who, c := range map[string]struct {
			token, path string
			status      int
		}{
			"no token":                        {"", path, http.StatusUnauthorized},
			"no token, project named":         {"", ours, http.StatusUnauthorized},
			"a wrong token":                   {"whyhot_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", ours, http.StatusUnauthorized},
			"a token of another project":      {others, ours, http.StatusForbidden},
			"a token with too small a scope":  {r.token("mine", small...), path, http.StatusForbidden},
			"another's with the wrong scopes": {r.token("others", small...), ours, http.StatusForbidden},
		} {
			resp, data := r.do(op.method, c.path, c.token, body, headers...)
			if resp.StatusCode != c.status {
				t.Errorf("%s %s with %s: %s\n%s", op.method, c.path, who, resp.Status, data)
			}
			for _, secret := range []string{"parse", "main.c", "/srv/app", "web", "mine", r.dir} {
				if strings.Contains(string(data), secret) {
					t.Errorf("%s %s with %s tells %q:\n%s", op.method, c.path, who, secret, data)
				}
			}
			if resp.Header.Get("ETag") != "" {
				t.Errorf("%s %s with %s has an ETag", op.method, c.path, who)
			}
		}
	}
	// What was refused was not done: the project is as it was.
	r.flush("mine")
	var services labelsForm
	r.get("/api/v1/services", mine, &services)
	if len(services.Values) != 1 {
		t.Errorf("%+v", services)
	}
	var trials trialsForm
	r.get("/api/v1/trials", mine, &trials)
	if len(trials.Trials) != 0 {
		t.Errorf("%+v", trials)
	}
}

// A token's own project is the one that it asks about, and its questions see nothing of
// another's.
func TestATokenSeesItsOwn(t *testing.T) {
	r := start(t, Limits{})
	mine, others := r.token("mine", access.Scopes()...), r.token("others", access.Scopes()...)
	r.fill("mine", mine)
	var services labelsForm
	r.get("/api/v1/services", others, &services)
	if len(services.Values) != 0 {
		t.Errorf("%+v", services)
	}
	var projects projectsForm
	r.get("/api/v1/projects", others, &projects)
	if len(projects.Projects) != 1 || projects.Projects[0].Name != "others" {
		t.Errorf("%+v", projects)
	}
}

// No answer names a file of this machine, also when everything is broken.
func TestNoPathOfThisMachine(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	p, done, err := r.projects.Get(t.Context(), "default", false)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, op := range operations(t, described(t)) {
		path, body, headers := r.example(op)
		w := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), op.method, "http://127.0.0.1"+path, bytes.NewReader(body))
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		r.ServeHTTP(w, req)
		data, err := io.ReadAll(w.Result().Body)
		if err != nil || bytes.Contains(data, []byte(r.dir)) || bytes.Contains(data, []byte("goroutine")) {
			t.Errorf("%s %s: %v\n%s", op.method, path, err, data)
		}
	}
	p.Store, err = servertestOpen(t, r.dir)
	if err != nil {
		t.Fatal(err)
	}
}
