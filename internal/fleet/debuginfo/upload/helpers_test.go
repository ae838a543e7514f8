package upload

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/store"
	"whyhot/internal/fleet/debuginfo/wire"
	"whyhot/internal/fleet/send"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/ingest/otlp/rawcodec"
	"whyhot/internal/symbol"
)

// compile makes a program whose function is called name.
func compile(t *testing.T, name string) string {
	t.Helper()
	text := fmt.Sprintf("static inline int square(int n) { return n * n; }\n__attribute__((noinline)) int %s(int n) {\n  return square(n) ^ n; }\nint main(int n, char **v) { return %s(n); }\n", name, name)
	return tooltest.Compile(t, "cc", "p.c", text, "-O2", "-g", "-Wl,--build-id")
}

// binary offers the file at path.
func binary(t *testing.T, path string) Binary {
	t.Helper()
	f, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return Binary{BuildID: f.BuildID(), Path: path, PID: os.Getpid(), File: func() *os.File { f, _ := os.Open(path); return f }}
}

// listen serves services on an address; "" chooses one.
func listen(t *testing.T, addr string, register func(grpc.ServiceRegistrar), more ...grpc.ServerOption) (string, func()) {
	t.Helper()
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(append([]grpc.ServerOption{grpc.ForceServerCodecV2(rawcodec.Codec{})}, more...)...)
	register(g)
	var done sync.WaitGroup
	done.Go(func() { _ = g.Serve(l) })
	stop := sync.OnceFunc(func() { g.Stop(); done.Wait() })
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

func keep(t *testing.T, o store.Options) (string, *store.Store) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return dir, s
}

// uploader is one that runs; its log is kept.
type uploader struct {
	*Uploader

	mu  sync.Mutex
	log []string
	end func()
}

func start(t *testing.T, addr string, o Options) *uploader {
	t.Helper()
	endpoint, err := send.ParseEndpoint(addr, false)
	if err != nil {
		t.Fatal(err)
	}
	u := &uploader{}
	o.Server.Endpoint, o.Backoff = endpoint, send.NewBackoff(time.Millisecond, 5*time.Millisecond)
	if o.Kind == "" {
		o.Kind = extract.Symbols
	}
	o.Log = func(text string) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.log = append(u.log, text)
	}
	if u.Uploader, err = New(o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { u.Run(ctx) })
	u.end = sync.OnceFunc(func() { cancel(); done.Wait() })
	t.Cleanup(u.end)
	return u
}

func (u *uploader) said() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return strings.Join(u.log, "\n")
}

// until waits for what the uploader's goroutine brings about.
func (u *uploader) until(t *testing.T, cond func(Stats) bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !cond(u.Stats()); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come about: %+v\n%s", u.Stats(), u.said())
		}
	}
}

// settled tells whether nothing more is to be done.
func (u *uploader) settled(b Binary) func(Stats) bool {
	return func(Stats) bool { return !u.Offer(b) }
}

// names are what the first address of the function is called by the stored file alone.
func names(t *testing.T, dir, path, function string) string {
	t.Helper()
	f, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole, err := symbol.Open(path, symbol.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	id := f.BuildID()
	stored, err := symbol.Open(filepath.Join(dir, ".build-id", id[:2], id[2:]+".debug"), symbol.Options{})
	if err != nil {
		return err.Error()
	}
	defer stored.Close()
	text := ""
	for _, r := range f.CodeRanges() {
		for at := r.Low; at < r.High; at++ {
			if frames := whole.Lookup(at); len(frames) > 0 && frames[len(frames)-1].Function.Name == function {
				for _, fr := range stored.Lookup(at) {
					text += fmt.Sprintf("%s:%d ", fr.Function.Name, fr.Line)
				}
			}
		}
	}
	return text
}

// scripted is a server that answers as the test says.
type scripted struct {
	wire.UnimplementedDebuginfoServiceServer

	should   func() (*wire.ShouldInitiateUploadResponse, error)
	asked    func(context.Context) // may be nil
	initiate func() (*wire.InitiateUploadResponse, error)
	finished chan struct{}
}

// Register serves it as any server made with gRPC would be.
func (s *scripted) Register(to grpc.ServiceRegistrar) { wire.RegisterDebuginfoServiceServer(to, s) }

// usual is for servers whose messages are not bytes.
var usual = grpc.ForceServerCodecV2(encoding.GetCodecV2(proto.Name))

func (s *scripted) ShouldInitiateUpload(ctx context.Context, _ *wire.ShouldInitiateUploadRequest) (*wire.ShouldInitiateUploadResponse, error) {
	if s.asked != nil {
		s.asked(ctx)
	}
	return s.should()
}

func (s *scripted) InitiateUpload(context.Context, *wire.InitiateUploadRequest) (*wire.InitiateUploadResponse, error) {
	return s.initiate()
}

func (s *scripted) MarkUploadFinished(context.Context, *wire.MarkUploadFinishedRequest) (*wire.MarkUploadFinishedResponse, error) {
	s.finished <- struct{}{}
	return &wire.MarkUploadFinishedResponse{}, nil
}

func yes() (*wire.ShouldInitiateUploadResponse, error) {
	return &wire.ShouldInitiateUploadResponse{ShouldInitiateUpload: true}, nil
}

func no() (*wire.ShouldInitiateUploadResponse, error) {
	return &wire.ShouldInitiateUploadResponse{}, nil
}
