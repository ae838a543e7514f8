package send

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"whyhot/internal/ingest/otlp"
	"whyhot/internal/profile"
)

func TestParseEndpoint(t *testing.T) {
	for text, want := range map[string]string{
		"profiles.example.org":               "grpcs://profiles.example.org:4317",
		"profiles.example.org:9":             "grpcs://profiles.example.org:9",
		"localhost:4317":                     "grpc://localhost:4317",
		"127.0.0.1":                          "grpc://127.0.0.1:4317",
		"[::1]:5":                            "grpc://[::1]:5",
		"::1":                                "grpc://[::1]:4317",
		"grpc://10.0.0.1":                    "grpc://10.0.0.1:4317",
		"http://c":                           "http://c:4318/v1development/profiles",
		"https://c:443/a/":                   "https://c:443/a/v1development/profiles",
		"https://c/a/v1development/profiles": "https://c:4318/a/v1development/profiles",
	} {
		if e, err := ParseEndpoint(text, false); err != nil || e.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, e, err, want)
		}
	}
	for _, text := range []string{"", ":4317", "host:", "host:0", "host:70000", "a:b:c", "ftp://x", "grpc://x/y", "http://u@x", "http://x?q", "http://", "a b", "http://[::1"} {
		if e, err := ParseEndpoint(text, false); err == nil {
			t.Errorf("%q gave %s", text, e)
		}
	}
	if e, err := ParseEndpoint("far:1", true); err != nil || e.TLS {
		t.Errorf("insecure: %+v, %v", e, err)
	}
	if _, err := ParseEndpoint("https://far", true); err == nil {
		t.Error("https without TLS")
	}
}

func big(n int) *profile.Profile {
	b := profile.NewBuilder()
	for i := range n {
		fn := b.Function(profile.Function{Name: strings.Repeat("f", 50) + time.Duration(i).String(), Kind: profile.KindPython})
		stack := b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindPython, profile.Line{Function: fn})})
		b.Sample(profile.Sample{Stack: stack, Count: 1, Value: 7})
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	return b.Build(profile.Meta{ValueType: cpu, PeriodType: cpu, Period: 7, Lost: 5})
}

func TestPartsHoldEverythingOnce(t *testing.T) {
	const rows, limit = 1000, 20_000
	parts, err := Parts(big(rows), limit, map[string]string{"host.name": "h"})
	if err != nil || len(parts) < 4 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	seen, lost, samples := map[string]bool{}, uint64(0), int64(0)
	for _, part := range parts {
		if len(part.Data) > limit {
			t.Errorf("a part of %d bytes", len(part.Data))
		}
		p, err := otlp.Unmarshal(t.Context(), part.Data, otlp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Count() != part.Samples {
			t.Errorf("%d samples, not %d", p.Count(), part.Samples)
		}
		lost, samples = lost+p.Meta.Lost, samples+part.Samples
		for _, s := range p.Samples() {
			seen[p.Function(p.Lines(p.Stack(s.Stack)[0])[0].Function).Name] = true
			if host, _ := p.Label(s.Labels, "host.name"); host.Str != "h" {
				t.Fatal("the resource's attribute is missing")
			}
		}
	}
	if len(seen) != rows || samples != rows || lost != 5 {
		t.Errorf("%d functions, %d samples, %d lost", len(seen), samples, lost)
	}
	if parts, err := Parts(big(1), 1, nil); err != nil || len(parts) != 1 {
		t.Errorf("one row: %d parts, %v", len(parts), err)
	}
}

// answers are the errors that a server gives in turn, nil being success.
type answers struct {
	pprofileotlp.UnimplementedGRPCServer
	errs  chan error
	batch chan string
}

func (a *answers) Export(ctx context.Context, r pprofileotlp.ExportRequest) (pprofileotlp.ExportResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	if r.Profiles().SampleCount() == 0 {
		return pprofileotlp.NewExportResponse(), status.Error(codes.InvalidArgument, "nothing arrived")
	}
	a.batch <- strings.Join(md.Get(BatchHeader), ",")
	if err := <-a.errs; err != nil {
		return pprofileotlp.NewExportResponse(), err
	}
	answer := pprofileotlp.NewExportResponse()
	answer.PartialSuccess().SetRejectedProfiles(2)
	answer.PartialSuccess().SetErrorMessage("two were odd")
	return answer, nil
}

// serveGRPC runs the protocol's own server, not ours.
func serveGRPC(t *testing.T) (*answers, *Client) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &answers{errs: make(chan error, 9), batch: make(chan string, 9)}
	g := grpc.NewServer()
	pprofileotlp.RegisterGRPCServer(g, a)
	go func() { _ = g.Serve(l) }()
	t.Cleanup(g.Stop)
	e, err := ParseEndpoint(l.Addr().String(), false)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Endpoint: e, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return a, c
}

func request(t *testing.T) []byte {
	t.Helper()
	data, err := otlp.Marshal(big(2))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGRPCAnswers(t *testing.T) {
	a, c := serveGRPC(t)
	withInfo, err := status.New(codes.ResourceExhausted, "later").WithDetails(protoadapt.MessageV1Of(&errdetails.RetryInfo{RetryDelay: durationpb.New(7 * time.Second)}))
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []struct {
		err   error
		retry bool
		after time.Duration
	}{
		{withInfo.Err(), true, 7 * time.Second},
		{status.Error(codes.ResourceExhausted, "too large"), false, 0},
		{status.Error(codes.InvalidArgument, "no"), false, 0},
		{status.Error(codes.Unimplemented, "no"), false, 0},
		{status.Error(codes.Internal, "no"), false, 0},
		{status.Error(codes.Unavailable, "x"), true, 0},
		{status.Error(codes.Aborted, "x"), true, 0},
		{status.Error(codes.OutOfRange, "x"), true, 0},
		{status.Error(codes.DataLoss, "x"), true, 0},
		{status.Error(codes.Canceled, "x"), true, 0},
	} {
		a.errs <- answer.err
		_, err := c.Send(t.Context(), "", request(t))
		<-a.batch
		r := (*RetryableError)(nil)
		if errors.As(err, &r) != answer.retry || r != nil && r.After != answer.after {
			t.Errorf("%v: %v", answer.err, err)
		}
	}
}

func TestDeliverTriesAgainUnderTheSameIdentity(t *testing.T) {
	a, c := serveGRPC(t)
	a.errs <- status.Error(codes.Unavailable, "away")
	a.errs <- status.Error(codes.Aborted, "away")
	a.errs <- nil
	result, err := c.Deliver(t.Context(), "id-7", request(t), NewBackoff(time.Millisecond, time.Millisecond))
	if err != nil || result != (Result{Rejected: 2, Message: "two were odd"}) {
		t.Fatalf("%+v, %v", result, err)
	}
	for range 3 {
		if got := <-a.batch; got != "id-7" {
			t.Errorf("identity %q", got)
		}
	}
	a.errs <- status.Error(codes.Unavailable, "away")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-a.batch; cancel() }()
	if _, err := c.Deliver(ctx, "", request(t), NewBackoff(time.Hour, time.Hour)); err == nil {
		t.Error("no error although the context ended")
	}
}

func TestHTTPAnswers(t *testing.T) {
	var code int
	var header string
	var problem error
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err == nil {
			var data []byte
			if data, err = io.ReadAll(z); err == nil {
				_, err = otlp.Unmarshal(r.Context(), data, otlp.Options{})
			}
		}
		problem = errors.Join(problem, err)
		w.Header().Set("Retry-After", header)
		w.Header().Set("Location", "https://elsewhere.invalid")
		http.Error(w, "the reason\nmore", code)
	}))
	defer server.Close()
	e, err := ParseEndpoint(server.URL, false)
	if err != nil {
		t.Fatal(err)
	}
	trusted := server.Client().Transport.(*http.Transport).TLSClientConfig
	c, err := New(Options{Endpoint: e, TLS: trusted, Headers: map[string]string{"Authorization": "Bearer x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []struct {
		code  int
		after string
		retry bool
		pause time.Duration
	}{
		{429, "3", true, 3 * time.Second},
		{502, "", true, 0},
		{503, "Thu, 01 Jan 1970 00:00:00 GMT", true, 0},
		{504, "-4", true, 0},
		{400, "3", false, 0},
		{307, "", false, 0},
		{401, "", false, 0},
		{413, "", false, 0},
		{500, "", false, 0},
	} {
		code, header = answer.code, answer.after
		_, err := c.Send(t.Context(), "b", request(t))
		r := (*RetryableError)(nil)
		if err == nil || errors.As(err, &r) != answer.retry || r != nil && r.After != answer.pause {
			t.Errorf("%d: %v, %+v", answer.code, err, r)
		}
		if err != nil && !strings.Contains(err.Error(), "the reason") {
			t.Errorf("%d: %v: without the server's reason", answer.code, err)
		}
		if errors.Is(err, ErrTooLarge) != (answer.code == 413) {
			t.Errorf("%d: %v", answer.code, err)
		}
	}
	if problem != nil {
		t.Error(problem)
	}
	// A server whose certificate is not trusted gets nothing.
	untrusting, err := New(Options{Endpoint: e})
	if err != nil {
		t.Fatal(err)
	}
	code = 200
	if _, err := untrusting.Send(t.Context(), "b", request(t)); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a server that is not trusted: %v", err)
	}
}

func TestPausesGrowAndHeedTheServer(t *testing.T) {
	b := NewBackoff(time.Second, 10*time.Second)
	first := b.Pause(errors.New("x"))
	if first < 500*time.Millisecond || first > 1500*time.Millisecond {
		t.Errorf("first pause %s", first)
	}
	for range 50 {
		if pause := b.Pause(nil); pause > 15*time.Second {
			t.Errorf("pause %s", pause)
		}
	}
	if pause := b.Pause(&RetryableError{After: time.Minute}); pause < time.Minute {
		t.Errorf("%s although the server asked for a minute", pause)
	}
	if pause := b.Pause(&RetryableError{After: 1000 * time.Hour}); pause > maxServerPause {
		t.Errorf("%s: a server cannot silence a sender for ever", pause)
	}
}
