package api

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/server/servertest"
)

// heap is a profile of memory.
func heap() *profile.Profile {
	b := profile.NewBuilder()
	f := b.Function(profile.Function{Name: "alloc"})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindGo, profile.Line{Function: f})}), Count: 1, Value: 100})
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "inuse_space", Unit: "bytes"}})
}

// What Pyroscope's SDKs send to /ingest: a form with a pprof file, the file alone, or
// folded stacks with a rate.
func TestPyroscopeIngest(t *testing.T) {
	r := start(t, Limits{})
	at := strconv.FormatInt(time.Now().Add(-2*time.Minute).Unix(), 10)
	data := servertest.Pprof(t, servertest.Profile(time.Now().Add(-time.Minute), 300, 700))
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("profile", "profile.pprof")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteField("sample_type_config", "{}"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, query, kind string
		body              []byte
		status            int
		says              string
	}{
		{"a form", "name=form.cpu{hostname=h7,region=eu}&from=" + at + "&until=" + at + "&spyName=gospy&sampleRate=100", w.FormDataContentType(), form.Bytes(), 200, ""},
		{"bare pprof", "name=bare&format=pprof&from=" + at, "application/octet-stream", data, 200, ""},
		{"folded", "name=folded{service_name=other}&format=folded&sampleRate=50&from=" + at + "000", "", []byte("a;b 10\na;c 5\n"), 200, ""},
		{"memory by its name", "name=app.inuse_space", "", []byte("whatever"), 200, ""},
		{"memory by its values", "name=app&format=pprof", "", servertest.Pprof(t, heap()), 200, ""},
		{"memory with a rate", "name=app&spyName=gospy&sampleRate=100", "", servertest.Pprof(t, heap()), 200, ""},
		{"memory with the rate 0", "name=app&spyName=gospy&sampleRate=0", "", servertest.Pprof(t, heap()), 200, ""},
		{"jfr", "name=app&format=jfr", "", data, 400, "pprof and folded"},
		{"no name", "format=pprof", "", data, 400, "must name"},
		{"bad tags", "name=app{x", "", data, 400, "closing brace"},
		{"bad rate", "name=app&sampleRate=0", "", []byte("a 1\n"), 400, "sampleRate"},
		{"bad time", "name=app&from=now", "", []byte("a 1\n"), 400, "Unix time"},
		{"a form without a profile", "name=app", strings.Replace(w.FormDataContentType(), "form-data", "mixed", 1) + "x", form.Bytes(), 400, "form"},
		{"nonsense", "name=app&format=pprof", "", []byte{1, 2, 3}, 400, "not_a_profile"},
	} {
		resp, body := r.do(http.MethodPost, "/ingest?"+strings.NewReplacer("{", "%7B", "}", "%7D").Replace(c.query), "", c.body, "Content-Type", c.kind)
		if resp.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%s: %s %s", c.name, resp.Status, body)
		}
	}
	r.flush("default")
	var services labelsForm
	r.get("/api/v1/services", "", &services)
	got := map[string]int64{}
	for _, v := range services.Values {
		got[v.Value] = v.Weight
	}
	// 15 samples at 50 Hz are 300 ms.
	if len(got) != 3 || got["form"] != 1e9 || got["bare"] != 1e9 || got["other"] != 300e6 {
		t.Errorf("%+v", got)
	}
	var hosts labelsForm
	r.get("/api/v1/labels/host?service=form", "", &hosts)
	if len(hosts.Values) != 1 || hosts.Values[0].Value != "h7" {
		t.Errorf("%+v", hosts)
	}
}

// What Grafana's agents send, with and without compression.
func TestPyroscopePush(t *testing.T) {
	r := start(t, Limits{})
	series := func(name, id string, p *profile.Profile) []byte {
		return servertest.Message(1, servertest.Message(1, servertest.Message(1, "__name__", 2, name), 1, servertest.Message(1, "service_name", 2, "shop"), 2, servertest.Message(1, servertest.Pprof(t, p), 2, id)))
	}
	cpu := series("process_cpu", "0a-1", servertest.Profile(time.Now().Add(-time.Minute), 300, 700))
	for _, c := range []struct {
		name    string
		body    []byte
		headers []string
		status  int
	}{
		{"CPU", cpu, nil, 200},
		{"CPU again", gzipped(t, cpu), []string{"Content-Encoding", "gzip"}, 200},
		{"memory", series("memory", "0a-2", heap()), nil, 200},
		{"memory without saying so", series("x", "0a-3", heap()), nil, 200},
		{"nothing", nil, nil, 200},
		{"nonsense", []byte("nonsense"), nil, 400},
		{"no profile", servertest.Message(1, servertest.Message(2, servertest.Message(1, "x"))), nil, 400},
		{"JSON", []byte("{}"), []string{"Content-Type", jsonType}, 415},
	} {
		headers := append([]string{"Content-Type", protoType}, c.headers...)
		resp, body := r.do(http.MethodPost, "/push.v1.PusherService/Push", "", c.body, headers...)
		if resp.StatusCode != c.status || c.status == 200 && (len(body) != 0 || resp.Header.Get("Content-Type") != protoType) {
			t.Errorf("%s: %s %q", c.name, resp.Status, body)
		}
	}
	r.flush("default")
	var top topForm
	r.get("/api/v1/top?service=shop", "", &top)
	if top.Basis.Count != 1000 || top.Basis.Value != 1e9 {
		t.Errorf("%+v", top.Basis)
	}
}
