package receive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"whyhot/internal/fleet/send"
	"whyhot/internal/ingest/otlp"
	"whyhot/internal/profile"
)

// example is a profile of n stacks.
func example(n int) *profile.Profile {
	b := profile.NewBuilder()
	for i := range n {
		fn := b.Function(profile.Function{Name: fmt.Sprintf("work%d", i), Kind: profile.KindPython})
		loc := b.Location(0, 0, profile.KindPython, profile.Line{Function: fn, Line: 7})
		labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 42}, {Key: profile.LabelProcess, Str: "app"}})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Labels: labels, Count: 3, Value: 30})
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	return b.Build(profile.Meta{ValueType: cpu, PeriodType: cpu, Period: 10, Start: time.Unix(1000, 0), Duration: time.Second})
}

func encoded(tb testing.TB, n int) []byte {
	tb.Helper()
	data, err := otlp.Marshal(example(n))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// store is a handler that keeps what arrives.
type store struct {
	mu      sync.Mutex
	batches []Batch
	err     error
	warn    []string
}

func (s *store) take(_ context.Context, b Batch) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.batches = append(s.batches, b)
	}
	return s.warn, s.err
}

// serve gives the endpoints of a running server.
func serve(t *testing.T, o Options, h Handler) (s *Server, endpoints map[string]send.Endpoint) {
	t.Helper()
	s = New(o, h)
	endpoints = map[string]send.Endpoint{}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	for name, serveOn := range map[string]func(context.Context, net.Listener) error{"grpc": s.ServeGRPC, "http": s.ServeWeb} {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if endpoints[name], err = send.ParseEndpoint(name+"://"+l.Addr().String(), false); err != nil {
			t.Fatal(err)
		}
		done.Go(func() {
			if err := serveOn(ctx, l); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	t.Cleanup(func() { cancel(); done.Wait() })
	return s, endpoints
}

func client(t *testing.T, e send.Endpoint) *send.Client {
	t.Helper()
	c, err := send.New(send.Options{Endpoint: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestWhatIsSentArrives(t *testing.T) {
	var kept store
	_, endpoints := serve(t, Options{}, kept.take)
	for name, e := range endpoints {
		kept.batches = nil
		result, err := client(t, e).Send(t.Context(), "batch-1", encoded(t, 5))
		if err != nil || result != (send.Result{}) {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
		if len(kept.batches) != 1 || kept.batches[0].ID != "batch-1" {
			t.Fatalf("%s: %d batches arrived", name, len(kept.batches))
		}
		p := kept.batches[0].Profile
		if p.Count() != 15 || p.Total() != 150 || p.Meta.Period != 10 {
			t.Errorf("%s: %d samples, total %d, period %d", name, p.Count(), p.Total(), p.Meta.Period)
		}
	}
}

// emptyField is a field of bytes without content.
func emptyField(n protowire.Number) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), nil)
}

func wrap(n protowire.Number, inner []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), inner)
}

// nested is a resource with an attribute whose value is a list in a list, and so on.
func nested(depth int) []byte {
	var value []byte
	for range depth {
		value = wrap(5, wrap(1, value))
	}
	return wrap(1, wrap(1, wrap(1, wrap(2, value))))
}

func TestWhatIsRefused(t *testing.T) {
	var kept store
	_, endpoints := serve(t, Options{MaxMessage: 1 << 20}, kept.take)
	badIndex := example(1)
	data, err := otlp.Marshal(badIndex)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		batch string
		data  []byte
		large bool
		grpc  string
		http  string
	}{
		"no message":        {data: []byte("GET / HTTP/1.1"), grpc: "InvalidArgument", http: "400"},
		"cut off":           {data: data[:len(data)-3], grpc: "InvalidArgument", http: "400"},
		"bad index":         {data: wrap(1, wrap(2, wrap(2, wrap(2, []byte{8, 99})))), grpc: "InvalidArgument", http: "400"},
		"nested":            {data: nested(10_000), grpc: "InvalidArgument", http: "400"},
		"many attributes":   {data: wrap(1, wrap(1, bytes.Repeat(emptyField(1), maxAttributes+1))), grpc: "InvalidArgument", http: "400"},
		"labels":            {data: wrap(1, wrap(2, wrap(2, wrap(2, wrap(2, make([]byte, 4*maxAttributes)))))), grpc: "InvalidArgument", http: "400"},
		"batch":             {batch: "../../etc/passwd", data: data, grpc: "InvalidArgument", http: "400"},
		"larger than taken": {data: wrap(2, wrap(5, make([]byte, 1<<20))), large: true, grpc: "larger", http: "413"},
		"grows in memory":   {data: wrap(2, bytes.Repeat(emptyField(2), 1<<18)), large: true, grpc: "memory", http: "413"},
	}
	for name, c := range cases {
		for proto, want := range map[string]string{"grpc": c.grpc, "http": c.http} {
			_, err := client(t, endpoints[proto]).Send(t.Context(), c.batch, c.data)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v; want %s", name, proto, err, want)
			}
			if r := (*send.RetryableError)(nil); errors.As(err, &r) {
				t.Errorf("%s, %s: to be tried again: %v", name, proto, err)
			}
			if errors.Is(err, send.ErrTooLarge) != c.large {
				t.Errorf("%s, %s: too large is %v: %v", name, proto, !c.large, err)
			}
		}
	}
	if len(kept.batches) != 0 {
		t.Errorf("%d of them were taken", len(kept.batches))
	}
}

// A handler that fails, and a server without a free slot, send the sender away for
// a while.
func TestComeAgain(t *testing.T) {
	kept := store{err: errors.New("the disk is full")}
	s, endpoints := serve(t, Options{Slots: 1, SlotWait: time.Millisecond}, kept.take)
	check := func(why string) {
		t.Helper()
		for name, e := range endpoints {
			_, err := client(t, e).Send(t.Context(), "", encoded(t, 1))
			r := (*send.RetryableError)(nil)
			if !errors.As(err, &r) || r.After != comeAgain || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	check("the disk is full")
	s.slots <- struct{}{}
	check(errBusy.Error())
	<-s.slots
	kept.err = nil
	for name, e := range endpoints {
		if _, err := client(t, e).Send(t.Context(), "", encoded(t, 1)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A client that sends slowly loses its slot.
func TestSlowClient(t *testing.T) {
	var kept store
	s, endpoints := serve(t, Options{Slots: 1, ReadTime: 50 * time.Millisecond, SlotWait: time.Millisecond}, kept.take)
	reader, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoints["http"].String(), reader)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", protobufType)
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		_ = response.Body.Close()
		if response.StatusCode != http.StatusRequestTimeout {
			t.Errorf("status %s", response.Status)
		}
	}
	s.slots <- struct{}{} // blocks for ever where the slot was not given back
	<-s.slots
}

func post(t *testing.T, url, kind, encoding string, body []byte) (status int, text, gotKind string) {
	t.Helper()
	status, text, header := exchange(t, url, http.Header{"Content-Type": {kind}, "Content-Encoding": {encoding}}, body)
	return status, text, header.Get("Content-Type")
}

// exchange posts a request and reads the answer.
func exchange(t *testing.T, url string, header http.Header, body []byte) (status int, text string, answer http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(got), response.Header
}

func TestHTTPForms(t *testing.T) {
	var kept store
	_, endpoints := serve(t, Options{MaxMessage: 1 << 20}, kept.take)
	url := endpoints["http"].String()
	pd, err := otlp.Encode(example(2))
	if err != nil {
		t.Fatal(err)
	}
	text, err := otlpJSON(pd)
	if err != nil {
		t.Fatal(err)
	}
	if status, answer, kind := post(t, url, "application/json; charset=utf-8", "", text); status != 200 || kind != jsonType || strings.Contains(answer, "errorMessage") {
		t.Errorf("JSON: %d, %s, %s", status, kind, answer)
	}
	if len(kept.batches) != 1 || kept.batches[0].Profile.Count() != 6 {
		t.Fatalf("%d batches of JSON arrived", len(kept.batches))
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := z.Write(make([]byte, 64<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kind, encoding string
		body           []byte
		status         int
	}{
		"a bomb":         {protobufType, "gzip", bomb.Bytes(), 413},
		"no gzip":        {protobufType, "gzip", []byte("plain"), 400},
		"zstd":           {protobufType, "zstd", text, 415},
		"text":           {"text/plain", "", text, 415},
		"no JSON":        {jsonType, "", []byte(`{"resourceProfiles": 7}`), 400},
		"deep JSON":      {jsonType, "", []byte(`{"resourceProfiles":` + strings.Repeat("[", 100_000)), 400},
		"empty, is fine": {protobufType, "", nil, 200},
	} {
		if status, answer, _ := post(t, url, c.kind, c.encoding, c.body); status != c.status {
			t.Errorf("%s: %d (%q), want %d", name, status, answer, c.status)
		}
	}
	response, err := http.Get(url) //nolint:noctx // the test's own server
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != http.MethodPost {
		t.Errorf("GET: %s", response.Status)
	}
}

// What the bounds let pass must not take more memory than they say by much, and
// nothing may panic.
func FuzzTake(f *testing.F) {
	f.Add(encoded(f, 3))
	f.Add(nested(3))
	f.Add(wrap(2, bytes.Repeat(emptyField(7), 9)))
	s := New(Options{MaxMessage: 1 << 16, MaxParsed: 1 << 18}, func(_ context.Context, b Batch) ([]string, error) {
		if b.Profile.Count() <= 0 {
			return nil, errors.New("an empty profile was handed on")
		}
		return nil, nil
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := s.take(t.Context(), sender{}, data)
		malformed, large := (*malformedError)(nil), (*tooLargeError)(nil)
		if err != nil && !errors.As(err, &malformed) && !errors.As(err, &large) {
			t.Error(err)
		}
		if _, err := s.takeJSON(t.Context(), sender{}, data); err != nil && !errors.As(err, &malformed) && !errors.As(err, &large) {
			t.Error(err)
		}
	})
}
