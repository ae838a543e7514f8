package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"

	"whyhot/internal/server/access"
	"whyhot/internal/server/pyroscope"
)

// bearer adds a token to each request, as a client that was given one does.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// rpc makes a call as the clients that are generated from querier.v1 make it.
func rpc[Res, Req any](r *running, token, name string, req *Req, o ...connect.ClientOption) (*Res, error) {
	c := connect.NewClient[Req, Res](&http.Client{Transport: bearer(token)}, r.http.URL+"/querier.v1.QuerierService/"+name, o...)
	resp, err := c.CallUnary(r.t.Context(), connect.NewRequest(req))
	if err != nil {
		return nil, err
	}
	return resp.Msg, nil
}

// What Grafana's data source and profilecli ask, in both encodings.
func TestPyroscopeQueries(t *testing.T) { //nolint:gocyclo,maintidx // one question after the other
	r := start(t, Limits{})
	token := r.token("web", access.Scopes()...)
	r.fill("web", token)
	now := time.Now()
	from, to := now.Add(-time.Hour).UnixMilli(), now.UnixMilli()
	for encoding, o := range map[string][]connect.ClientOption{"protobuf": nil, "JSON": {connect.WithProtoJSON()}, "gzip": {connect.WithSendGzip()}} {
		types, err := rpc[querierv1.ProfileTypesResponse](r, token, "ProfileTypes", &querierv1.ProfileTypesRequest{Start: from, End: to}, o...)
		if err != nil || len(types.GetProfileTypes()) != 1 || types.GetProfileTypes()[0].GetID() != pyroscope.ProfileType {
			t.Fatalf("%s: %v %v", encoding, types, err)
		}
		names, err := rpc[typesv1.LabelNamesResponse](r, token, "LabelNames", &typesv1.LabelNamesRequest{Start: from, End: to}, o...)
		if err != nil || !slices.Contains(names.GetNames(), "service_name") || !slices.Contains(names.GetNames(), "version") || slices.Contains(names.GetNames(), "container") {
			t.Errorf("%s: %v %v", encoding, names, err)
		}
		values, err := rpc[typesv1.LabelValuesResponse](r, token, "LabelValues", &typesv1.LabelValuesRequest{Name: "version", Matchers: []string{`{service_name="web"}`}, Start: from, End: to}, o...)
		if err != nil || !slices.Equal(values.GetNames(), []string{"1", "2"}) {
			t.Errorf("%s: %v %v", encoding, values, err)
		}
		series, err := rpc[querierv1.SeriesResponse](r, token, "Series", &querierv1.SeriesRequest{LabelNames: []string{"service_name", "version", "__profile_type__"}, Start: from, End: to}, o...)
		if err != nil || len(series.GetLabelsSet()) != 2 || len(series.GetLabelsSet()[0].GetLabels()) != 3 || series.GetLabelsSet()[1].GetLabels()[2].GetValue() != "2" {
			t.Errorf("%s: %v %v", encoding, series, err)
		}
		flame, err := rpc[querierv1.SelectMergeStacktracesResponse](r, token, "SelectMergeStacktraces", &querierv1.SelectMergeStacktracesRequest{
			ProfileTypeID: pyroscope.ProfileType, LabelSelector: `{service_name="web", version=~"2|3"}`, Start: from, End: to,
		}, o...)
		if err != nil || flame.GetFlamegraph().GetTotal() != 1e9 || len(flame.GetFlamegraph().GetLevels()) != 4 {
			t.Fatalf("%s: %v %v", encoding, flame, err)
		}
		// total, main, then idle (0.2 s) and parse (0.8 s, half of it in malloc).
		g := flame.GetFlamegraph()
		third := g.GetLevels()[2].GetValues()
		if len(third) != 8 || g.GetNames()[third[3]] != "idle" || third[1] != 200e6 || g.GetNames()[third[7]] != "parse(std::string const&)" || third[4] != 0 || third[5] != 800e6 || third[6] != 400e6 {
			t.Errorf("%s: %v %v", encoding, g.GetNames(), third)
		}
		if fourth := g.GetLevels()[3].GetValues(); !slices.Equal(fourth[:3], []int64{600e6, 400e6, 400e6}) {
			t.Errorf("%s: malloc is at %v", encoding, fourth)
		}
		over, err := rpc[querierv1.SelectSeriesResponse](r, token, "SelectSeries", &querierv1.SelectSeriesRequest{
			ProfileTypeID: pyroscope.ProfileType, LabelSelector: `{}`, Start: from, End: to, Step: 15, GroupBy: []string{"service_name", "version"},
		}, o...)
		if err != nil || len(over.GetSeries()) != 2 {
			t.Fatalf("%s: %v %v", encoding, over, err)
		}
		for _, s := range over.GetSeries() {
			sum := 0.0
			for _, p := range s.GetPoints() {
				sum += p.GetValue()
			}
			if sum < 1e9-1 || sum > 1e9+1 || len(s.GetPoints()) != 4 && len(s.GetPoints()) != 5 || len(s.GetLabels()) != 2 || s.GetLabels()[0].GetName() != "service_name" {
				t.Errorf("%s: %v", encoding, s)
			}
		}
		p, err := rpc[googlev1.Profile](r, token, "SelectMergeProfile", &querierv1.SelectMergeProfileRequest{ProfileTypeID: pyroscope.ProfileType, LabelSelector: `{version="1"}`, Start: from, End: to}, o...)
		if err != nil || len(p.GetSample()) != 3 || !slices.Contains(p.GetStringTable(), "malloc") {
			t.Errorf("%s: %v %v", encoding, p, err)
		}
		diff, err := rpc[querierv1.DiffResponse](r, token, "Diff", &querierv1.DiffRequest{
			Left:  &querierv1.SelectMergeStacktracesRequest{ProfileTypeID: pyroscope.ProfileType, LabelSelector: `{version="1"}`, Start: from, End: to},
			Right: &querierv1.SelectMergeStacktracesRequest{ProfileTypeID: pyroscope.ProfileType, LabelSelector: `{version="2"}`, Start: from, End: to},
		}, o...)
		if err != nil || diff.GetFlamegraph().GetLeftTicks() != 1e9 || diff.GetFlamegraph().GetRightTicks() != 1e9 || !slices.Equal(diff.GetFlamegraph().GetLevels()[2].GetValues()[:6], []int64{0, 600e6, 600e6, 0, 200e6, 200e6}) {
			t.Errorf("%s: %v %v", encoding, diff, err)
		}
		// Another type of profile is not kept, and that is no error.
		empty, err := rpc[querierv1.SelectMergeStacktracesResponse](r, token, "SelectMergeStacktraces", &querierv1.SelectMergeStacktracesRequest{
			ProfileTypeID: "memory:inuse_space:bytes:space:bytes", LabelSelector: "{}", Start: from, End: to,
		}, o...)
		if err != nil || empty.GetFlamegraph().GetTotal() != 0 {
			t.Errorf("%s: %v %v", encoding, empty, err)
		}
	}
	below, err := rpc[querierv1.SelectMergeStacktracesResponse](r, token, "SelectMergeStacktraces", &querierv1.SelectMergeStacktracesRequest{
		ProfileTypeID: pyroscope.ProfileType, LabelSelector: "{}", Start: from, End: to,
		StackTraceSelector: &typesv1.StackTraceSelector{CallSite: []*typesv1.Location{{Name: "main"}, {Name: "idle"}}},
	})
	if err != nil || below.GetFlamegraph().GetTotal() != 800e6 || len(below.GetFlamegraph().GetLevels()) != 3 {
		t.Errorf("%v %v", below, err)
	}
	pprof, err := rpc[querierv1.SelectMergeStacktracesResponse](r, token, "SelectMergeStacktraces", &querierv1.SelectMergeStacktracesRequest{
		ProfileTypeID: pyroscope.ProfileType, LabelSelector: "{}", Start: from, End: to, Format: querierv1.ProfileFormat_PROFILE_FORMAT_PPROF,
	})
	if err != nil || len(pprof.GetPprof().GetProfile().GetSample()) == 0 {
		t.Errorf("%v %v", pprof, err)
	}
}

// Errors reach clients of the Connect protocol with their code and our words.
func TestPyroscopeErrors(t *testing.T) {
	r := start(t, Limits{})
	token := r.token("web", access.Read)
	r.token("web", access.Send)
	ask := func(token string, req *querierv1.SelectMergeStacktracesRequest, o ...connect.ClientOption) error {
		_, err := rpc[querierv1.SelectMergeStacktracesResponse](r, token, "SelectMergeStacktraces", req, o...)
		return err
	}
	for name, c := range map[string]struct {
		err  error
		code connect.Code
		says string
	}{
		"a wrong token": {ask("x", &querierv1.SelectMergeStacktracesRequest{}), connect.CodeUnauthenticated, "token"},
		"a small token": {ask(r.token("web", access.Send), &querierv1.SelectMergeStacktracesRequest{}), connect.CodePermissionDenied, "read"},
		"a selector":    {ask(token, &querierv1.SelectMergeStacktracesRequest{LabelSelector: `{service_name}`}), connect.CodeInvalidArgument, "after service_name there must be ="},
		"a label":       {ask(token, &querierv1.SelectMergeStacktracesRequest{LabelSelector: `{servce_name="web"}`}), connect.CodeInvalidArgument, `unknown label "servce_name": did you mean service_name? this project has service_name, version`},
		"a regexp":      {ask(token, &querierv1.SelectMergeStacktracesRequest{LabelSelector: `{service_name=~"("}`}), connect.CodeInvalidArgument, "label selector"},
		"a type":        {ask(token, &querierv1.SelectMergeStacktracesRequest{ProfileTypeID: "cpu"}), connect.CodeInvalidArgument, "profile type"},
		"times":         {ask(token, &querierv1.SelectMergeStacktracesRequest{Start: 2000, End: 1000}), connect.CodeInvalidArgument, "before end"},
		"spans":         {ask(token, &querierv1.SelectMergeStacktracesRequest{SpanSelector: []string{"9a517183f26a089d"}}), connect.CodeUnimplemented, "span"},
		"a format":      {ask(token, &querierv1.SelectMergeStacktracesRequest{Format: querierv1.ProfileFormat_PROFILE_FORMAT_DOT}), connect.CodeUnimplemented, "DOT"},
		"gRPC-Web":      {ask(token, &querierv1.SelectMergeStacktracesRequest{}, connect.WithGRPCWeb()), connect.CodeUnknown, "415"},
	} {
		var got *connect.Error
		if !errors.As(c.err, &got) || got.Code() != c.code || !strings.Contains(got.Message(), c.says) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if err := ask(token, &querierv1.SelectMergeStacktracesRequest{LabelSelector: `{pod!="web-1", other=""}`}); err != nil {
		t.Errorf("samples without a label: %v", err)
	}
	for _, name := range []string{"SelectHeatmap", "SelectMergeSpanProfile", "AnalyzeQuery"} {
		_, err := rpc[querierv1.SelectSeriesResponse](r, token, name, &querierv1.SelectSeriesRequest{})
		if got := (*connect.Error)(nil); !errors.As(err, &got) || got.Code() != connect.CodeUnimplemented || !strings.Contains(got.Message(), name+" is not supported by whyhot") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if resp, data := r.do(http.MethodPost, "/querier.v1.QuerierService/SelectHeatmap", token, nil); resp.StatusCode != http.StatusNotImplemented || !strings.Contains(string(data), `"code":"unimplemented"`) {
		t.Errorf("%s %s", resp.Status, data)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := connect.NewClient[querierv1.DiffRequest, querierv1.DiffResponse](http.DefaultClient, r.http.URL+"/querier.v1.QuerierService/Diff").CallUnary(ctx, connect.NewRequest(&querierv1.DiffRequest{})); err == nil {
		t.Error("a call that was given up was answered")
	}
}

// The older paths give a flame graph and a time line as JSON.
func TestPyroscopeRender(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	var one struct {
		Flamebearer struct {
			Names    []string
			Levels   [][]int64
			NumTicks int64
		}
		Metadata struct{ Format string }
		Timeline struct {
			Samples       []int64
			DurationDelta int64
		}
		Groups    map[string]json.RawMessage
		LeftTicks int64
	}
	query := url.QueryEscape(pyroscope.ProfileType + `{service_name="web"}`)
	r.get("/pyroscope/render?from=now-1h&until=now&max-nodes=100&groupBy=version&query="+query, "", &one)
	var sum int64
	for _, v := range one.Timeline.Samples {
		sum += v
	}
	if one.Flamebearer.NumTicks != 2e9 || len(one.Flamebearer.Levels) != 4 || one.Metadata.Format != "single" || sum < 2e9-100 || sum > 2e9+100 || one.Timeline.DurationDelta != 60 || len(one.Groups) != 2 {
		t.Errorf("%+v", one)
	}
	r.get("/pyroscope/render-diff?leftQuery="+query+"&rightQuery="+query, "", &one)
	if one.Metadata.Format != "double" || one.LeftTicks != 2e9 || len(one.Flamebearer.Levels[0]) != 7 {
		t.Errorf("%+v", one)
	}
	var values []string
	r.get("/pyroscope/label-values?label=service_name", "", &values)
	if !slices.Equal(values, []string{"web"}) {
		t.Errorf("%q", values)
	}
	for _, wrong := range []string{"render", "render?query=" + query + "&from=x", "render?query=" + query + "&max-nodes=x", "render-diff?leftQuery=" + query, "label-values"} {
		if resp, body := r.do(http.MethodGet, "/pyroscope/"+wrong, "", nil); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s %s", wrong, resp.Status, body)
		}
	}
	if resp, body := r.do(http.MethodGet, "/pyroscope/render?format=dot&query="+query, "", nil); resp.StatusCode != http.StatusNotImplemented {
		t.Errorf("%s %s", resp.Status, body)
	}
}
