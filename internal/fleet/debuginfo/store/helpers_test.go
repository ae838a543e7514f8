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
	"google.golang.org/grpc/credentials/insecure"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/wire"
	"whyhot/internal/ingest/otlp/rawcodec"
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
