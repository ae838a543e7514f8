package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"whyhot/internal/debuginfo/extract"
	"whyhot/internal/debuginfo/wire"
	"whyhot/internal/otlp/rawcodec"
)

// sample is a small program with its debug information, and its build ID.
func sample(t *testing.T, flags ...string) (data []byte, id string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p")
	cmd := exec.CommandContext(t.Context(), "cc", append(flags, "-x", "c", "-", "-Wl,--build-id", "-o", path)...)
	cmd.Stdin = strings.NewReader("int main(void) { return 0; }")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := extract.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return data, f.BuildID()
}

// peer is a client that sends what it is told to.
type peer struct {
	t    *testing.T
	conn *grpc.ClientConn
}

func serve(t *testing.T, dir string, o Options) (*Store, *peer) {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(grpc.ForceServerCodecV2(rawcodec.Codec{}))
	s.Register(g)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() { _ = g.Serve(l) })
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawcodec.Codec{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(); g.Stop(); done.Wait(); _ = s.Close() })
	return s, &peer{t, conn}
}

func (p *peer) call(method string, in, out wire.Message) error {
	var answer []byte
	if err := p.conn.Invoke(p.t.Context(), wire.Path(method), wire.Marshal(in), &answer); err != nil {
		return err
	}
	return wire.Unmarshal(answer, out)
}

func (p *peer) should(id, hash string) (bool, string) {
	p.t.Helper()
	var out wire.ShouldResponse
	if err := p.call(wire.MethodShould, &wire.ShouldRequest{BuildID: id, Hash: hash}, &out); err != nil {
		p.t.Fatal(err)
	}
	return out.Should, out.Reason
}

func (p *peer) initiate(id, hash string, size int) (string, error) {
	var out wire.InitiateResponse
	err := p.call(wire.MethodInitiate, &wire.InitiateRequest{BuildID: id, Hash: hash, Size: int64(size)}, &out)
	if err == nil && out.Instructions.Strategy != wire.ByGRPC {
		p.t.Errorf("strategy %d", out.Instructions.Strategy)
	}
	return out.Instructions.UploadID, err
}

// begin opens a stream.
func (p *peer) begin(ctx context.Context) grpc.ClientStream {
	p.t.Helper()
	stream, err := p.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, wire.Path(wire.MethodUpload))
	if err != nil {
		p.t.Fatal(err)
	}
	return stream
}

func info(id, upload string) []byte {
	return wire.Marshal(&wire.UploadRequest{HasInfo: true, Info: wire.UploadInfo{BuildID: id, UploadID: upload}})
}

func (p *peer) upload(id, upload string, data []byte) (int64, error) {
	stream := p.begin(p.t.Context())
	err := stream.SendMsg(info(id, upload))
	for len(data) > 0 && err == nil {
		n := min(len(data), 5000)
		err = stream.SendMsg(wire.Marshal(&wire.UploadRequest{Chunk: data[:n]}))
		data = data[n:]
	}
	if err == nil {
		err = stream.CloseSend()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	var answer []byte
	if err := stream.RecvMsg(&answer); err != nil {
		return 0, err
	}
	var out wire.UploadResponse
	return out.Size, errors.Join(wire.Unmarshal(answer, &out))
}

// sent is what a whole upload comes to.
func (p *peer) sent(id, hash string, data []byte) error {
	u, err := p.initiate(id, hash, len(data))
	if err != nil {
		return err
	}
	if _, err := p.upload(id, u, data); err != nil {
		return err
	}
	return p.call(wire.MethodFinished, &wire.FinishedRequest{BuildID: id, UploadID: u}, &wire.FinishedResponse{})
}

// kept are the files of the store, but its lock.
func kept(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != lockName {
			out = append(out, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestKeepsAFileWhereOthersLook(t *testing.T) {
	dir := t.TempDir()
	s, p := serve(t, dir, Options{})
	data, id := sample(t)
	if ok, _ := p.should(id, "h"); !ok {
		t.Fatal("a new file is not wanted")
	}
	if err := p.sent(id, "h", data); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, dir); len(got) != 1 || got[0] != ".build-id/"+id[:2]+"/"+id[2:]+".debug" {
		t.Fatalf("%v", got)
	}
	if on, err := os.ReadFile(filepath.Join(dir, kept(t, dir)[0])); err != nil || !bytes.Equal(on, data) {
		t.Errorf("other bytes, %v", err)
	}
	if ok, reason := p.should(id, "h"); ok || reason == "" {
		t.Errorf("%v %q", ok, reason)
	}
	if err := p.sent(id, "h", data); status.Code(err) != codes.AlreadyExists {
		t.Errorf("again: %v", err)
	}
	if files, size := s.Stats(); files != 1 || size != int64(len(data)) {
		t.Errorf("%d files, %d bytes", files, size)
	}
}

// One that has symbols only gives way to one with debug information, and not the other
// way round.
func TestFullReplacesSymbols(t *testing.T) {
	dir := t.TempDir()
	s, p := serve(t, dir, Options{})
	data, id := sample(t, "-g")
	f, err := extract.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []extract.Kind{extract.Symbols, extract.Full} {
		e, err := extract.New(kind, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(e.Reader())
		if err != nil {
			t.Fatal(err)
		}
		if ok, reason := p.should(id, e.Hash()); !ok {
			t.Errorf("%s: %s", kind, reason)
		}
		if err := p.sent(id, e.Hash(), content); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if _, size := s.Stats(); size != e.Size() {
			t.Errorf("%d bytes, want %d", size, e.Size())
		}
		if ok, _ := p.should(id, e.Hash()); ok {
			t.Errorf("%s is wanted a second time", kind)
		}
	}
	if ok, _ := p.should(id, "symbols-0"); ok {
		t.Error("symbols are wanted where there is more")
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	data, id := sample(t)
	_, p := serve(t, dir, Options{MaxFile: int64(len(data)) + 10, MaxTotal: int64(len(data)) + 20})
	for name, bad := range map[string]string{
		"empty": "", "path": "../../../../etc/passwd", "slashes": "ab/../cd", "upper case": strings.ToUpper(id), "odd": id[:len(id)-1],
		"long": strings.Repeat("ab", 100), "NUL": "ab\x00\x00", "short": "ab",
	} {
		if _, err := p.initiate(bad, "h", 10); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
		if err := p.call(wire.MethodShould, &wire.ShouldRequest{BuildID: bad}, &wire.ShouldResponse{}); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		size int
		hash string
		want codes.Code
	}{
		"no size": {0, "h", codes.InvalidArgument}, "negative": {-1, "h", codes.InvalidArgument}, "no hash": {10, "", codes.InvalidArgument},
		"too large": {len(data) + 11, "h", codes.ResourceExhausted},
	} {
		if _, err := p.initiate(id, c.hash, c.size); status.Code(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := "00" + id[2:]
	for name, c := range map[string]struct {
		id   string
		size int
		data []byte
		want codes.Code
	}{
		"another build ID": {other, len(data), data, codes.InvalidArgument},
		"no ELF file":      {id, 4, []byte("text"), codes.InvalidArgument},
		"less":             {id, len(data), data[:len(data)-1], codes.InvalidArgument},
		"more":             {id, len(data) - 1, data, codes.InvalidArgument},
	} {
		u, err := p.initiate(c.id, "h", c.size)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := p.upload(c.id, u, c.data); status.Code(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if err := p.call(wire.MethodFinished, &wire.FinishedRequest{BuildID: c.id, UploadID: u}, &wire.FinishedResponse{}); status.Code(err) != codes.NotFound {
			t.Errorf("%s: finished: %v", name, err)
		}
	}
	if _, err := p.upload(id, "guessed", data); status.Code(err) != codes.NotFound {
		t.Errorf("an upload that nobody announced: %v", err)
	}
	u, err := p.initiate(id, "h", len(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.initiate(other, "h", 30); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("more than the store may hold: %v", err)
	}
	if _, err := p.upload(other, u, data); status.Code(err) != codes.NotFound {
		t.Errorf("announced for another build ID: %v", err)
	}
	if got := kept(t, dir); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	for _, r := range []*wire.ShouldRequest{{BuildID: id, Type: 1}, {BuildID: "Go/x", IDType: 3}} {
		var out wire.ShouldResponse
		if err := p.call(wire.MethodShould, r, &out); err != nil || out.Should {
			t.Errorf("%+v: %+v, %v", r, out, err)
		}
	}
}

func TestMalformedMessages(t *testing.T) {
	_, p := serve(t, t.TempDir(), Options{})
	for _, method := range []string{wire.MethodShould, wire.MethodInitiate, wire.MethodFinished} {
		for _, data := range [][]byte{{0x0a, 0xff}, bytes.Repeat([]byte{0x7a, 0}, maxRequest)} {
			var answer []byte
			if err := p.conn.Invoke(t.Context(), wire.Path(method), data, &answer); status.Code(err) != codes.InvalidArgument {
				t.Errorf("%s: %v", method, err)
			}
		}
	}
	for _, first := range [][]byte{{0x0a, 0xff}, wire.Marshal(&wire.UploadRequest{Chunk: []byte("x")})} {
		stream := p.begin(t.Context())
		if err := stream.SendMsg(first); err != nil {
			t.Fatal(err)
		}
		var answer []byte
		if err := stream.RecvMsg(&answer); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v", err)
		}
	}
}

// While one client uploads, others are told so; when it goes away half way, nothing is
// left of it and the next may begin.
func TestAbortedUpload(t *testing.T) {
	dir := t.TempDir()
	s, p := serve(t, dir, Options{})
	data, id := sample(t)
	u, err := p.initiate(id, "h", len(data))
	if err != nil {
		t.Fatal(err)
	}
	if ok, reason := p.should(id, "h"); ok || reason != wire.ReasonInProgress {
		t.Errorf("%v %q", ok, reason)
	}
	if _, err := p.initiate(id, "h", len(data)); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a second announcement: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stream := p.begin(ctx)
	for _, m := range [][]byte{info(id, u), wire.Marshal(&wire.UploadRequest{Chunk: data[:100]})} {
		if err := stream.SendMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	until(t, func() bool { return len(kept(t, dir)) == 1 })
	cancel()
	until(t, func() bool { return len(kept(t, dir)) == 0 })
	until(t, func() bool { ok, _ := p.should(id, "h"); return ok })
	if err := p.sent(id, "h", data); err != nil {
		t.Error(err)
	}
	if files, size := s.Stats(); files != 1 || size != int64(len(data)) {
		t.Errorf("%d files, %d bytes", files, size)
	}
}

// until waits for what other goroutines bring about.
func until(t *testing.T, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !cond(); {
		if time.Now().After(end) {
			t.Fatal("it did not come about")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestSlowClients(t *testing.T) {
	dir := t.TempDir()
	_, p := serve(t, dir, Options{Uploads: 1, Idle: 500 * time.Millisecond, Rate: 1 << 30})
	data, id := sample(t)
	u, err := p.initiate(id, "h", len(data))
	if err != nil {
		t.Fatal(err)
	}
	stream := p.begin(t.Context())
	if err := stream.SendMsg(info(id, u)); err != nil {
		t.Fatal(err)
	}
	var answer []byte
	if err := stream.RecvMsg(&answer); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("%v", err)
	}
	until(t, func() bool { return p.sent(id, "h", data) == nil }) // its slot is free again
	if got := kept(t, dir); len(got) != 1 {
		t.Errorf("kept: %v", got)
	}
}

func TestFewUploadsAtATime(t *testing.T) {
	_, p := serve(t, t.TempDir(), Options{Uploads: 1})
	data, id := sample(t)
	u, err := p.initiate(id, "h", len(data))
	if err != nil {
		t.Fatal(err)
	}
	first := p.begin(t.Context())
	if err := first.SendMsg(info(id, u)); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { _, err := p.upload(id, "other", nil); return status.Code(err) == codes.Unavailable })
}

// What an earlier process left is counted or removed, and two do not share a directory.
func TestOpenAgain(t *testing.T) {
	dir := t.TempDir()
	data, id := sample(t)
	if err := os.MkdirAll(filepath.Join(dir, tree, id[:2]), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{filepath.Join(tree, id[:2], id[2:]+suffix): data, incoming + "x": []byte("half")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, p := serve(t, dir, Options{})
	if _, size := s.Stats(); size != int64(len(data)) || len(kept(t, dir)) != 1 {
		t.Errorf("%d bytes, %v", size, kept(t, dir))
	}
	if ok, _ := p.should(id, "h"); ok {
		t.Error("what is there is wanted")
	}
	if again, err := Open(dir, Options{}); err == nil {
		_ = again.Close()
		t.Error("two use one directory")
	}
}

func TestConcurrentUploadsOfOneFile(t *testing.T) {
	dir := t.TempDir()
	s, p := serve(t, dir, Options{Uploads: 16})
	data, id := sample(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			switch err := p.sent(id, "h", data); status.Code(err) { //nolint:exhaustive // the others are wrong
			case codes.OK, codes.FailedPrecondition, codes.AlreadyExists:
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if _, size := s.Stats(); size != int64(len(data)) || len(kept(t, dir)) != 1 {
		t.Errorf("%d bytes, %v", size, kept(t, dir))
	}
}
