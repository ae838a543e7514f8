package server

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/wire"
	"whyhot/internal/fleet/send"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/ingest/otlp/rawcodec"
	"whyhot/internal/server/access"
	"whyhot/internal/server/servertest"
	"whyhot/internal/store"
)

// running is a server that listens.
type running struct {
	*Server

	t    *testing.T
	data string
	at   map[string]string
	stop func() error
	log  *bytes.Buffer
}

func start(t *testing.T, change func(*Options)) *running {
	t.Helper()
	r := &running{t: t, data: t.TempDir(), at: map[string]string{}, log: &bytes.Buffer{}}
	var listening sync.WaitGroup
	listening.Add(2)
	o := Options{
		Data: r.data, Open: servertest.Open, Fill: servertest.Fill, Listen: "127.0.0.1:0", GRPC: "127.0.0.1:0", NoWatch: true, Log: slog.New(slog.NewTextHandler(r.log, nil)),
	}
	if change != nil {
		change(&o)
	}
	var mu sync.Mutex
	o.Listening = func(name string, addr net.Addr) {
		mu.Lock()
		defer mu.Unlock()
		r.at[name] = addr.String()
		listening.Done()
	}
	r.data = o.Data
	var err error
	if r.Server, err = Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Serve(ctx) }()
	listening.Wait()
	var once sync.Once
	r.stop = func() (err error) {
		once.Do(func() {
			cancel()
			err = <-ended
			if closeErr := r.Close(); err == nil {
				err = closeErr
			}
		})
		return err
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *running) token(name string, scopes ...access.Scope) string {
	r.t.Helper()
	secret, _, err := access.Create(r.data, access.Wish{Project: name, Scopes: scopes}, time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	return secret
}

func (r *running) dial() *grpc.ClientConn {
	r.t.Helper()
	conn, err := grpc.NewClient(r.at["gRPC"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func bearing(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

func (r *running) samples(name string) int64 {
	r.t.Helper()
	p, done, err := r.projects.Get(r.t.Context(), name, false)
	if err != nil {
		r.t.Fatal(err)
	}
	defer done()
	if err := p.Flush(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	top, err := p.Top(r.t.Context(), store.Selection{From: time.Now().Add(-time.Hour), To: time.Now()}, store.TopOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	return top.Basis.Count
}

// What an agent sends arrives in its token's project, over both transports, once.
func TestOTLP(t *testing.T) {
	r := start(t, nil)
	web, reader := r.token("web", access.Send), r.token("web", access.Read)
	parts, err := send.Parts(servertest.Profile(time.Now().Add(-time.Minute), 300, 700), send.MaxRequest, map[string]string{"host.name": "h", "service.name": "s"})
	if err != nil || len(parts) != 1 {
		t.Fatal(len(parts), err)
	}
	for name, url := range map[string]string{"grpc": "grpc://" + r.at["gRPC"], "http": "http://" + r.at["HTTP"]} {
		e, err := send.ParseEndpoint(url, false)
		if err != nil {
			t.Fatal(err)
		}
		for token, ok := range map[string]bool{web: true, reader: false, "": false, "x": false} {
			o := send.Options{Endpoint: e, Headers: map[string]string{}}
			if token != "" {
				o.Headers["authorization"] = "Bearer " + token
			}
			c, err := send.New(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Send(t.Context(), "batch-1", parts[0].Data)
			if (err == nil) != ok {
				t.Errorf("%s with %q: %v", name, token, err)
			}
			_ = c.Close()
		}
	}
	if n := r.samples("web"); n != 1000 {
		t.Errorf("%d samples", n)
	}
	if n := r.samples("default"); n != 0 {
		t.Errorf("%d samples in another project", n)
	}
}

// Debug information goes to the token's project, and nobody else's token has it told
// what is there.
func TestDebugInformation(t *testing.T) {
	r := start(t, nil)
	web, other, reader := r.token("web", access.Send), r.token("other", access.Send), r.token("web", access.Read)
	program := tooltest.Compile(t, "cc", "p.c", "int main(void) { return 0; }", "-Wl,--build-id")
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	f, err := extract.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	client := wire.NewDebuginfoServiceClient(r.dial())
	ask := &wire.ShouldInitiateUploadRequest{BuildId: f.BuildID(), Hash: "h"}
	for token, want := range map[string]codes.Code{"": codes.Unauthenticated, "x": codes.Unauthenticated, reader: codes.PermissionDenied, web: codes.OK} {
		if _, err := client.ShouldInitiateUpload(bearing(t.Context(), token), ask); status.Code(err) != want {
			t.Errorf("%q: %v", token, err)
		}
	}
	ctx := bearing(t.Context(), web)
	r.upload(ctx, f.BuildID(), data)
	for token, want := range map[string]bool{web: false, other: true} {
		answer, err := client.ShouldInitiateUpload(bearing(t.Context(), token), ask)
		if err != nil || answer.GetShouldInitiateUpload() != want {
			t.Errorf("%v, %v", answer, err)
		}
	}
	id := f.BuildID()
	if _, err := os.Stat(filepath.Join(r.data, "projects", "web", "debuginfo", ".build-id", id[:2], id[2:]+".debug")); err != nil {
		t.Error(err)
	}
}

// Parca's own way to send pprof files.
func TestParcaWriteRaw(t *testing.T) {
	r := start(t, nil)
	web := r.token("web", access.Send)
	request := func(name string) []byte {
		labels := servertest.Message(1, servertest.Message(1, "__name__", 2, name), 1, servertest.Message(1, "service_name", 2, "shop"))
		return servertest.Message(2, servertest.Message(1, labels, 2, servertest.Message(1, servertest.Pprof(t, servertest.Profile(time.Now().Add(-time.Minute), 300, 700)))))
	}
	conn := r.dial()
	call := func(token string, data []byte) error {
		var answer []byte
		return conn.Invoke(bearing(t.Context(), token), "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", data, &answer, grpc.ForceCodecV2(rawcodec.Codec{}))
	}
	for _, c := range []struct {
		token string
		data  []byte
		want  codes.Code
	}{
		{"", request("process_cpu"), codes.Unauthenticated},
		{web, []byte("nonsense"), codes.InvalidArgument},
		{web, servertest.Message(2, servertest.Message(2, servertest.Message(1, "no pprof"))), codes.InvalidArgument},
		{web, request("memory"), codes.OK}, // passed over
		{web, request("process_cpu"), codes.OK},
	} {
		if err := call(c.token, c.data); status.Code(err) != c.want {
			t.Errorf("%v, not %v", err, c.want)
		}
	}
	if n := r.samples("web"); n != 1000 {
		t.Errorf("%d samples", n)
	}
}

// Nothing listens for others where nothing keeps them out.
func TestWhatMayListen(t *testing.T) {
	for _, c := range []struct {
		name, listen    string
		token, insecure bool
		want            string
	}{
		{"loopback", "127.0.0.1:0", false, false, ""},
		{"IPv6 loopback", "[::1]:0", false, false, ""},
		{"localhost", "localhost:0", false, false, ""},
		{"all without tokens", ":0", false, false, "there is no token yet"},
		{"all without tokens, insecure", "0.0.0.0:0", false, true, "there is no token yet"},
		{"all without TLS", "0.0.0.0:0", true, false, "unencrypted"},
		{"a name without TLS", "profiles.example.org:0", true, false, "unencrypted"},
		{"all behind a proxy", "0.0.0.0:0", true, true, ""},
	} {
		for _, over := range []string{"HTTP", "gRPC"} {
			o := Options{Data: t.TempDir(), Open: servertest.Open, InsecureNoTLS: c.insecure}
			if over == "HTTP" {
				o.Listen = c.listen
			} else {
				o.GRPC = c.listen
			}
			if c.token {
				if _, _, err := access.Create(o.Data, access.Wish{Project: "p", Scopes: access.Scopes()}, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			s, err := Open(t.Context(), o)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", c.name, over, err)
			}
			if err == nil {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// certificate is a self-signed one for 127.0.0.1.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// fetch gets a page.
func fetch(t *testing.T, c *http.Client, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(req)
}

func TestTLS(t *testing.T) {
	pair, pool := certificate(t)
	r := start(t, func(o *Options) {
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	})
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	resp, err := fetch(t, c, "https://"+r.at["HTTP"]+"/readyz")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	_ = resp.Body.Close()
	if resp, err := fetch(t, http.DefaultClient, "http://"+r.at["HTTP"]+"/readyz"); err == nil {
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			t.Error("it answers without TLS")
		}
	}
}

func TestASecondServerIsKeptAway(t *testing.T) {
	r := start(t, nil)
	_, err := Open(t.Context(), Options{Data: r.data, Open: servertest.Open, Listen: "127.0.0.1:0"})
	if err == nil || !strings.Contains(err.Error(), "in use by another server") {
		t.Errorf("%v", err)
	}
}

// It ends in time also while a client sends nothing of its request.
func TestItStops(t *testing.T) {
	r := start(t, func(o *Options) { o.NoWatch = false })
	slow, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.at["HTTP"])
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := io.WriteString(slow, "POST /api/v1/push?service=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc"); err != nil {
		t.Fatal(err)
	}
	if err := r.stop(); err != nil && !strings.Contains(err.Error(), "deadline") {
		t.Error(err)
	}
}

func TestMetrics(t *testing.T) {
	r := start(t, nil)
	resp, err := fetch(t, http.DefaultClient, "http://"+r.at["HTTP"]+"/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(text), "whyhot_server_batches_total{result=\"taken\"} 0") || strings.Contains(string(text), r.data) {
		t.Errorf("%v\n%s", err, text)
	}
}

// How long requests took is shown by operation, and the numbers of projects only where the
// server was told to name them.
func TestLatenciesAndProjects(t *testing.T) {
	for _, named := range []bool{false, true} {
		r := start(t, func(o *Options) { o.ProjectMetrics = named })
		var text []byte
		for _, path := range []string{"/api/v1/services", "/nothing", "/api/v1/top?from=x", "/metrics"} {
			resp, err := fetch(t, http.DefaultClient, "http://"+r.at["HTTP"]+path)
			if err != nil {
				t.Fatal(err)
			}
			if text, err = io.ReadAll(resp.Body); err != nil {
				t.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{
			`whyhot_server_request_duration_seconds_count{operation="GET /api/v1/services",status="2xx"} 1`,
			`whyhot_server_request_duration_seconds_count{operation="GET /api/v1/top",status="4xx"} 1`,
			`whyhot_server_request_duration_seconds_bucket{operation="GET /api/v1/services",status="2xx",le="+Inf"} 1`,
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("without %s:\n%s", want, text)
			}
		}
		for _, want := range []string{
			`whyhot_server_project_requests_total{operation="GET /api/v1/services",project="default",status="2xx"} 1`,
			`whyhot_server_project_bytes{project="default",what="store"}`, `whyhot_server_project_bound_used_percent{bound=`, `whyhot_server_project_rows{project="default"`,
		} {
			if strings.Contains(string(text), want) != named {
				t.Errorf("named %v: %s:\n%s", named, want, text)
			}
		}
	}
}

// upload sends a file as an agent does.
func (r *running) upload(ctx context.Context, id string, data []byte) {
	r.t.Helper()
	client := wire.NewDebuginfoServiceClient(r.dial())
	begun, err := client.InitiateUpload(ctx, &wire.InitiateUploadRequest{BuildId: id, Hash: "h", Size: int64(len(data))})
	if err != nil {
		r.t.Fatal(err)
	}
	stream, err := client.Upload(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	info := &wire.UploadInfo{BuildId: id, UploadId: begun.GetUploadInstructions().GetUploadId()}
	for _, m := range []*wire.UploadRequest{{Data: &wire.UploadRequest_Info{Info: info}}, {Data: &wire.UploadRequest_ChunkData{ChunkData: data}}} {
		if err := stream.Send(m); err != nil {
			r.t.Fatal(err)
		}
	}
	if _, err := stream.CloseAndRecv(); err != nil {
		r.t.Fatal(err)
	}
}
