package api

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"whyhot/internal/ingest"
	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/server/servertest"
)

// Labels that a profile has, or that its sender gives, choose samples and tell them apart.
func TestLabelsOfAPush(t *testing.T) {
	r := start(t, Limits{})
	b := profile.NewBuilder()
	sample := func(count int64, labels ...profile.Label) {
		f := b.Function(profile.Function{Name: "work", Kind: profile.KindGo})
		stack := b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindGo, profile.Line{Function: f})})
		b.Sample(profile.Sample{Stack: stack, Labels: b.Labels(labels), Count: count, Value: count * 1e7})
	}
	sample(5, profile.Label{Key: "controller", Str: "checkout"}, profile.Label{Key: profile.LabelThread, Str: "gc"}, profile.Label{Key: profile.LabelPID, Num: 17})
	sample(30, profile.Label{Key: "controller", Str: "search"}, profile.Label{Key: profile.LabelTID, Num: 18})
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	body := servertest.Pprof(t, b.Build(profile.Meta{ValueType: cpu, PeriodType: cpu, Period: 1e7, Start: r.now()}))
	resp, data := r.do("POST", "/api/v1/push?service=web&host=h&label=pod=web-1&label=deployment.environment=live", "", body)
	if resp.StatusCode != 200 || !strings.Contains(string(data), `"labels that are not kept: tid"`) {
		t.Fatalf("%s %s", resp.Status, data)
	}
	r.flush("default")
	for condition, want := range map[string]int64{
		`service="web" and controller="checkout" and thread="gc" and pid=17`: 5, `controller=~"s.*" and pod="web-1"`: 30, `environment="live"`: 35,
		`not controller="search"`: 5, `controller="none"`: 0,
	} {
		var top topForm
		r.get("/api/v1/top?where="+url.QueryEscape(condition), "", &top)
		if top.Basis.Count != want {
			t.Errorf("%s: %d, not %d", condition, top.Basis.Count, want)
		}
	}
	var both topForm
	r.get("/api/v1/top?where="+url.QueryEscape(`pod="web-1" or pod="x"`)+"&where="+url.QueryEscape(`controller="search"`), "", &both)
	if both.Basis.Count != 30 {
		t.Errorf("two conditions: %d", both.Basis.Count)
	}
	var values labelsForm
	r.get("/api/v1/labels/controller", "", &values)
	if len(values.Values) != 2 || values.Values[0].Value != "search" || values.Values[0].Count != 30 {
		t.Errorf("%+v", values)
	}
	var line timelineForm
	r.get("/api/v1/timeline?by=deployment.environment", "", &line)
	if len(line.Lines) != 1 || line.Lines[0].Value != "live" || line.By != "environment" {
		t.Errorf("%+v", line)
	}
	var keys labelKeysForm
	r.get("/api/v1/labels", "", &keys)
	if got := fmt.Sprint(keys.Keys); got != "[{service 1} {version 0} {host 1} {container 0} {process 0} {environment 1} {pid 1} {pod 1} {thread 1} {controller 2}]" {
		t.Errorf("%s", got)
	}
	r.get("/api/v1/labels?from=now-1h&where="+url.QueryEscape(`controller="checkout"`), "", &keys)
	if got := fmt.Sprint(keys.Keys); got != "[{service 1} {version 0} {host 1} {container 0} {process 0} {environment 1} {pid 1} {pod 1} {thread 1} {controller 1}]" {
		t.Errorf("of a selection: %s", got)
	}
	testTreeOfLabels(t, r)
	_, data = r.do("GET", "/api/v1/profile?by=controller&by=pod", "", nil)
	p, err := ingest.Read(t.Context(), bytes.NewReader(data), "it", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, s := range p.Samples() {
		counts[label.In(p, s.Labels, "service")+" "+label.In(p, s.Labels, "controller")+" "+label.In(p, s.Labels, "pod")+label.In(p, s.Labels, "thread")] += s.Count
	}
	if got := fmt.Sprint(counts); got != "map[web checkout web-1:5 web search web-1:30]" {
		t.Errorf("%s", got)
	}
}

// The tree has one node for each value, the heaviest first, and what is asked below one is of
// its samples only.
func testTreeOfLabels(t *testing.T, r *running) {
	t.Helper()
	shape := func(query string) string {
		t.Helper()
		var tree treeForm
		r.get("/api/v1/tree?by=controller"+query, "", &tree)
		var out []string
		for i, f := range tree.Function {
			out = append(out, fmt.Sprintf("%d %s %d", tree.Parent[i], tree.Functions[f].Name, tree.Total[i]/1e7))
		}
		return fmt.Sprintf("%d: %s", tree.Basis.Count, strings.Join(out, ", "))
	}
	if got, want := shape(""), "35: -1  35, 0 controller=search 30, 1 work 30, 0 controller=checkout 5, 3 work 5"; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	if got, want := shape("&depth=1"), "35: -1  35, 0 controller=search 30, 0 controller=checkout 5"; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	if got, want := shape(fmt.Sprintf("&path=%d", groupID("checkout"))), "35: -1 controller=checkout 5, 0 work 5"; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	if got, want := shape("&where="+url.QueryEscape(`controller="checkout"`)), "5: -1  5, 0 controller=checkout 5, 1 work 5"; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	for query, want := range map[string]string{"by=none": "unknown label", "by=controller&path=1": "no value of controller", "by=controller&focus=1": "neither events nor a focus", "by=controller&by=pod": "at most one"} {
		if resp, data := r.do("GET", "/api/v1/tree?"+query, "", nil); resp.StatusCode != 400 || !strings.Contains(string(data), want) {
			t.Errorf("%s: %s %s", query, resp.Status, data)
		}
	}
}
