package api

import (
	"bytes"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"whyhot/internal/ingest"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/server/servertest"
	"whyhot/internal/store"
)

type receiptOf = store.Receipt

func TestWhatWasPushedIsAnswered(t *testing.T) { //nolint:gocyclo // one question after the other
	r := start(t, Limits{})
	r.fill("default", "")

	var services labelsForm
	r.get("/api/v1/services", "", &services)
	if len(services.Values) != 1 || services.Values[0].Value != "web" || services.Values[0].Weight != 2e9 || services.Values[0].Count != 2000 {
		t.Errorf("services: %+v", services)
	}
	var versions labelsForm
	r.get("/api/v1/labels/version", "", &versions)
	if len(versions.Values) != 2 || versions.Values[0].Weight != 1e9 {
		t.Errorf("versions: %+v", versions)
	}
	var top topForm
	r.get("/api/v1/top?service=web&sort=total", "", &top)
	if top.Basis.Value != 2e9 || top.Functions != 4 || len(top.Rows) != 4 || top.Rows[0].Function.Name != "main" || top.Rows[0].Total != 2e9 {
		t.Errorf("top: %+v", top)
	}
	parse := top.Rows[1]
	if parse.Function.Name != "parse(std::string const&)" || parse.Total != 1.2e9 || parse.Self != 0.6e9 || parse.Error < 0.02 || parse.Error > 0.022 {
		t.Errorf("parse: %+v", parse)
	}
	var one topForm
	r.get("/api/v1/top?version=2&limit=1&match=malloc", "", &one)
	if one.Basis.Value != 1e9 || one.Matched != 1 || len(one.Rows) != 1 || one.Rows[0].Self != 0.4e9 || one.MatchedSelf != 0.4e9 {
		t.Errorf("top of one version: %+v", one)
	}
	id := itoa(parse.Function.ID)
	var graph callgraphForm
	r.get("/api/v1/callgraph?function="+id, "", &graph)
	if graph.Total != 1.2e9 || len(graph.Callers) != 1 || graph.Callers[0].Function.Name != "main" || len(graph.Callees) != 1 || graph.Callees[0].Total != 0.6e9 {
		t.Errorf("callgraph: %+v", graph)
	}
	var found functionsForm
	r.get("/api/v1/functions?q=PARSE", "", &found)
	if len(found.Functions) != 1 || found.Functions[0].ID != parse.Function.ID {
		t.Errorf("functions: %+v", found)
	}
	var lines linesForm
	r.get("/api/v1/lines?function="+id, "", &lines)
	if lines.Self != 0.6e9 || lines.Total != 1.2e9 || len(lines.Lines) != 2 || lines.Lines[1].Line != 44 || lines.Lines[1].Self != 0.6e9 || lines.Lines[0].Total != 0.6e9 {
		t.Errorf("lines: %+v", lines)
	}
	var timeline timelineForm
	r.get("/api/v1/timeline?by=version&step=5m", "", &timeline)
	var sum int64
	for _, l := range timeline.Lines {
		for _, w := range l.Weight {
			sum += w
		}
	}
	if len(timeline.Lines) != 2 || sum != 2e9 || timeline.StepSeconds != 300 {
		t.Errorf("timeline: %+v", timeline)
	}
}

// What libraries do counts for the program's functions that call them, in every question about
// functions.
func TestOwnCode(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	var top topForm
	r.get("/api/v1/top?own=true", "", &top)
	var self int64
	var id string
	for _, row := range top.Rows {
		self += row.Self
		switch row.Function.Name {
		case "malloc":
			t.Errorf("a library's function: %+v", row)
		case "parse(std::string const&)":
			id = itoa(row.Function.ID)
			if row.Self != 1.2e9 || row.Total != 1.2e9 {
				t.Errorf("parse has not what malloc did for it: %+v", row)
			}
		}
	}
	if self != top.Basis.Value || top.Functions != 3 || id == "" {
		t.Fatalf("top: %+v", top)
	}
	var graph callgraphForm
	r.get("/api/v1/callgraph?own=true&function="+id, "", &graph)
	if graph.Self != 1.2e9 || len(graph.Callees) != 0 {
		t.Errorf("callgraph: %+v", graph)
	}
	var tree treeForm
	r.get("/api/v1/tree?own=true", "", &tree)
	for _, f := range tree.Functions {
		if f.Name == "malloc" {
			t.Errorf("tree: %+v", tree)
		}
	}
	var history historyForm
	r.get("/api/v1/history?own=true&function="+id, "", &history)
	var sum int64
	for _, w := range history.Functions[0].Weight {
		sum += w
	}
	if sum != 1.2e9 {
		t.Errorf("history: %d", sum)
	}
	var diff diffForm
	r.get("/api/v1/diff?own=true&before.version=1&after.version=2", "", &diff)
	for _, row := range diff.Rows {
		if row.Name == "malloc" {
			t.Errorf("diff: %+v", row)
		}
	}
	if resp, body := r.do(http.MethodGet, "/api/v1/top?origin=bogus", "", nil); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("an origin that there is not: %s\n%s", resp.Status, body)
	}
	if resp, body := r.do(http.MethodGet, "/api/v1/services?own=true", "", nil); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("of what it does not change: %s\n%s", resp.Status, body)
	}
}

func TestTopByClass(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	var top topForm
	r.get("/api/v1/top?origin=library", "", &top)
	if len(top.Rows) != 1 || top.Rows[0].Function.Name != "malloc" || top.Rows[0].Family != "memory management" || top.MatchedTotal != 0.6e9 {
		t.Errorf("of libraries: %+v", top)
	}
	if len(top.Origins) != 2 || top.Origins[0] != (classForm{"own", 1.4e9}) || len(top.Families) != 1 || top.Functions != 4 {
		t.Errorf("what there is to choose: %+v, %+v", top.Origins, top.Families)
	}
	var both topForm
	r.get("/api/v1/top?origin=own&origin=library&family=memory+management", "", &both)
	if len(both.Rows) != 1 || len(both.Families) != 2 || both.Families[0].Self != 1.4e9 {
		t.Errorf("of a family: %+v", both)
	}
	var none topForm
	r.get("/api/v1/top?family=garbage+collection", "", &none)
	if none.Matched != 0 || len(none.Families) != 2 || len(none.Origins) != 0 {
		t.Errorf("of a family that is not there: %+v", none)
	}
}

func TestHistory(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	var top topForm
	r.get("/api/v1/top?sort=total", "", &top)
	for _, sort := range []string{"self", "total"} {
		query := "/api/v1/history?sort=" + sort
		for _, row := range top.Rows {
			query += "&function=" + itoa(row.Function.ID)
		}
		var h historyForm
		r.get(query, "", &h)
		for i, row := range top.Rows {
			want := row.Self
			if sort == "total" {
				want = row.Total
			}
			var sum int64
			for _, w := range h.Functions[i].Weight {
				sum += w
			}
			if sum != want || h.Functions[i].ID != row.Function.ID {
				t.Errorf("%s of %s over time is %d, want %d", sort, row.Function.Name, sum, want)
			}
		}
	}
}

func TestTreeByColumn(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	for root, want := range map[string]string{
		"callers": " 2000>main 2000>parse(std::string const&) 1200>malloc 600>idle 800",
		"callees": " 2000",
	} {
		var tree treeForm
		r.get("/api/v1/tree?root="+root, "", &tree)
		var out strings.Builder
		for i := range tree.Function {
			if out.Len() > 0 {
				out.WriteString(">")
			}
			out.WriteString(tree.Functions[tree.Function[i]].Name + " " + itoa(tree.Total[i]/1e6))
			if i > 0 && (tree.Parent[i] >= int32(i) || tree.Parent[i] < 0) {
				t.Errorf("parent of %d is %d", i, tree.Parent[i])
			}
		}
		if root == "callers" && out.String() != want || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: %s", root, out.String())
		}
	}
	var whole treeForm
	r.get("/api/v1/tree?depth=1", "", &whole)
	if len(whole.Function) != 2 || whole.Hidden[1] != 2 {
		t.Fatalf("%+v", whole)
	}
	main := itoa(whole.Functions[whole.Function[1]].ID)
	var below treeForm
	r.get("/api/v1/tree?path="+main, "", &below)
	if len(below.Function) < 4 {
		t.Errorf("more of it: %+v", below)
	}
}

func TestDiffOfTwoVersions(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	var diff diffForm
	r.get("/api/v1/diff?service=web&before.version=1&after.version=2", "", &diff)
	if diff.Before.Value != 1e9 || diff.After.Value != 1e9 || diff.Functions != 4 {
		t.Fatalf("%+v", diff)
	}
	row := diff.Rows[0]
	if row.Name != "idle" || math.Abs(row.Delta+0.4) > 1e-9 || !row.Significant || row.Before.Share != 0.6 || row.Error < 0.03 || row.Error > 0.05 {
		t.Errorf("%+v %+v", row, row.Before)
	}
}

func TestProfileIsWhatTheCommandLineReads(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	resp, data := r.do(http.MethodGet, "/api/v1/profile?version=1", "", nil)
	if resp.StatusCode != http.StatusOK || !strings.Contains(resp.Header.Get("Content-Disposition"), ".pb.gz") {
		t.Fatalf("%s %v", resp.Status, resp.Header)
	}
	p, err := ingest.Read(t.Context(), bytes.NewReader(data), "it", ingest.Options{})
	if err != nil || p.Total() != 1e9 || p.Count() != 1000 {
		t.Fatalf("%v", err)
	}
	table := view.Top(p, view.TopOptions{})
	if len(table.Rows) != 4 || table.Rows[0].Self != 0.6e9 || p.Function(table.Rows[0].Function).Name != "idle" {
		t.Errorf("%+v", table.Rows)
	}
	if resp, data := r.do(http.MethodGet, "/api/v1/profile?version=9", "", nil); resp.StatusCode != http.StatusNotFound || !strings.Contains(string(data), "no samples") {
		t.Errorf("%s %s", resp.Status, data)
	}
}

// What is wrong with a request is told, with a status that says whose fault it is.
func TestBadQuestions(t *testing.T) {
	r := start(t, Limits{MaxBody: 2000, MaxPushed: 4000})
	r.fill("default", "")
	for _, c := range []struct {
		method, path string
		status       int
		detail       string
	}{
		{"GET", "/api/v1/top?from=yesterday", 400, "RFC 3339"},
		{"GET", "/api/v1/top?from=now&to=now-1h", 400, "must be before"},
		{"GET", "/api/v1/top?from=now-99999999w", 400, "hundred years"},
		{"GET", "/api/v1/top?from=0001-01-01T00:00:00Z", 400, "1970"},
		{"GET", "/api/v1/top?servcie=web", 400, "unknown parameter"},
		{"GET", "/api/v1/top?sort=x", 400, "self, total"},
		{"GET", "/api/v1/top?sort=self&sort=self", 400, "2 times"},
		{"GET", "/api/v1/top?limit=-1", 400, "limit"},
		{"GET", "/api/v1/top?match=(", 400, "missing closing"},
		{"GET", "/api/v1/top?exact=maybe", 400, "true or false"},
		{"GET", "/api/v1/top?%zz", 400, "query"},
		{"GET", "/api/v1/top?project=Ab", 400, "1 to 40"},
		{"GET", "/api/v1/top?project=nobody", 404, "no such project"},
		{"GET", "/api/v1/callgraph", 400, "function"},
		{"GET", "/api/v1/callgraph?function=99999999", 404, "no such function"},
		{"GET", "/api/v1/lines?function=99999999", 404, "no such function"},
		{"GET", "/api/v1/tree?path=1,x", 400, "path"},
		{"GET", "/api/v1/tree?min_share=2", 400, "fraction"},
		{"GET", "/api/v1/labels/colour", 400, "this project has service, version, host, container, process"},
		{"GET", "/api/v1/top?where=pod", 400, "at character 4: no comparison; expected =, !=, =~ or !~"},
		{"GET", "/api/v1/top?where=servce%3D%22web%22", 400, `where: unknown label \"servce\": did you mean service? this project has service, version, host, container, process`},
		{"GET", "/api/v1/diff?before.where=colour%3D%22x%22", 400, `before.where: unknown label \"colour\": this project has`},
		{"GET", "/api/v1/profile?by=colour", 400, "unknown label"},
		{"POST", "/api/v1/push?service=a&label=x", 400, "KEY=VALUE"},
		{"POST", "/api/v1/push?service=a&label=host=x", 400, "parameter host"},
		{"GET", "/api/v1/timeline?step=1s", 400, "step"},
		{"GET", "/api/v1/timeline?step=90s", 400, "whole minutes"},
		{"GET", "/api/v1/timeline?from=now-52w&step=1m", 400, "steps"},
		{"GET", "/api/v1/functions?q=%ff", 400, "UTF-8"},
		{"GET", "/api/v1/diff?before.version=9&after.version=1", 404, "no samples"},
		{"GET", "/api/v1/findings/none", 404, "no such finding"},
		{"GET", "/api/v1/push", 405, "POST"},
		{"POST", "/api/v1/top", 405, "GET"},
		{"GET", "/api/v1/nothing", 404, "nothing here"},
		{"GET", "/api/v1/../../etc/passwd", 404, "nothing here"},
		{"POST", "/api/v1/push", 400, "service is missing"},
		{"POST", "/api/v1/push?service=a&id=%20", 400, "id"},
		{"POST", "/api/v1/push?service=a&period=0s", 400, "period"},
		{"POST", "/api/v1/trials?finding=a", 400, "whyhot try --json"},
		{"POST", "/api/v1/trials", 400, "finding"},
	} {
		resp, data := r.do(c.method, c.path, "", []byte("{"))
		if resp.StatusCode != c.status || !strings.Contains(string(data), c.detail) || !strings.Contains(string(data), `"error"`) {
			t.Errorf("%s %s: %s %s", c.method, c.path, resp.Status, data)
		}
	}
}

// Who pushes a profile and looks at it finds it, also after having asked in vain.
func TestWhatWasJustPushedIsThere(t *testing.T) {
	r := start(t, Limits{})
	get := func(path string, want int) {
		t.Helper()
		if resp, body := r.do(http.MethodGet, path, "", nil); resp.StatusCode != want {
			t.Fatalf("%s: %s %s", path, resp.Status, body)
		}
	}
	for version, data := range map[string]*profile.Profile{"1": servertest.Profile(time.Now(), 300, 700), "2": servertest.Profile(time.Now(), 500, 500)} {
		get("/api/v1/profile?service=web&version="+version, http.StatusNotFound)
		resp, body := r.do(http.MethodPost, "/api/v1/push?service=web&version="+version, "", servertest.Pprof(t, data))
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", resp.Status, body)
		}
	}
	get("/api/v1/diff?service=web&before.version=1&after.version=2", http.StatusOK)
	get("/api/v1/profile?service=web&version=2", http.StatusOK)
}

// The longest range that can be asked for is answered, whatever its steps.
func TestACentury(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	const century = "from=1970-01-01T00:00:00Z&to=2100-01-01T00:00:00Z"
	var line timelineForm
	r.get("/api/v1/timeline?"+century, "", &line)
	var top topForm
	r.get("/api/v1/top?exact=true&"+century, "", &top)
	if line.Basis.Value == 0 || line.Basis.Value != top.Basis.Value {
		t.Errorf("%d over time, %d by function", line.Basis.Value, top.Basis.Value)
	}
}

func TestBadBodies(t *testing.T) {
	r := start(t, Limits{MaxBody: 4000, MaxPushed: 8000})
	heap := []byte("main;f 3\nmain;g 4\n")
	for name, c := range map[string]struct {
		body   []byte
		query  string
		status int
		detail string
	}{
		"empty":               {nil, "", 200, "no samples"},
		"prose":               {[]byte("Dear Sir,\nhello\n"), "", 400, "no folded stack"},
		"counts only":         {heap, "", 400, "sampling period"},
		"counts with period":  {heap, "&period=10ms", 200, `"samples":7`},
		"perf.data":           {append([]byte("PERFILE2"), make([]byte, 200)...), "", 400, "perf.data is not taken"},
		"too large":           {bytes.Repeat([]byte("main;f 3\n"), 500), "&period=10ms", 413, "larger than 4000"},
		"large when unpacked": {gzipped(t, bytes.Repeat([]byte("main;f 3\n"), 5000)), "&period=10ms", 413, "too large"},
		"truncated gzip":      {gzipped(t, heap)[:15], "", 400, "truncated"},
	} {
		resp, data := r.do(http.MethodPost, "/api/v1/push?service=a"+c.query, "", c.body)
		if resp.StatusCode != c.status || !strings.Contains(string(data), c.detail) {
			t.Errorf("%s: %s %s", name, resp.Status, data)
		}
	}
}

func TestABatchCountsOnce(t *testing.T) {
	r := start(t, Limits{})
	for i, want := range []string{`"duplicate":false`, `"duplicate":true`} {
		resp, data := r.do(http.MethodPost, "/api/v1/push?service=a&period=10ms&id=one", "", []byte("main;f 3\n"))
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(data), want) {
			t.Errorf("time %d: %s %s", i, resp.Status, data)
		}
	}
	r.flush("default")
	var top topForm
	r.get("/api/v1/top", "", &top)
	if top.Basis.Count != 3 || top.Basis.Value != 30e6 {
		t.Errorf("%+v", top.Basis)
	}
}

// Who has the answer already is told so.
func TestAskedAgain(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	path := "/api/v1/top?to=" + time.Now().UTC().Add(-5*time.Minute).Format(time.RFC3339) + "&from=" + time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)
	resp, _ := r.do(http.MethodGet, path, "", nil)
	again, data := r.do(http.MethodGet, path, "", nil, "If-None-Match", resp.Header.Get("ETag"))
	if again.StatusCode != http.StatusNotModified || len(data) != 0 {
		t.Errorf("%s %s", again.Status, data)
	}
	if other, _ := r.do(http.MethodGet, path+"&limit=1", "", nil, "If-None-Match", resp.Header.Get("ETag")); other.StatusCode != http.StatusOK {
		t.Errorf("another question: %s", other.Status)
	}
}

func TestCompressedAnswers(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	_, plain := r.do(http.MethodGet, "/api/v1/top", "", nil, "Accept-Encoding", "identity")
	resp, packed := r.do(http.MethodGet, "/api/v1/top", "", nil, "Accept-Encoding", "gzip")
	if resp.Header.Get("Content-Encoding") != "gzip" || len(packed) >= len(plain) || len(plain) < least {
		t.Errorf("%d bytes of %d, %v", len(packed), len(plain), resp.Header)
	}
}
