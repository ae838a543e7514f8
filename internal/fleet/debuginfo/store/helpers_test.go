package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/wire"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/ingest/otlp/rawcodec"
)

// sample is a small program with its debug information, and its build ID.
func sample(t *testing.T, flags ...string) (data []byte, id string) {
	t.Helper()
	path := tooltest.Compile(t, "cc", "p.c", "int main(void) { return 0; }", append(flags, "-Wl,--build-id")...)
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
	wire.DebuginfoServiceClient

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
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(); g.Stop(); done.Wait(); _ = s.Close() })
	return s, &peer{wire.NewDebuginfoServiceClient(conn), t, conn}
}

func (p *peer) should(id, hash string) (bool, string) {
	p.t.Helper()
	out, err := p.ShouldInitiateUpload(p.t.Context(), &wire.ShouldInitiateUploadRequest{BuildId: id, Hash: hash})
	if err != nil {
		p.t.Fatal(err)
	}
	return out.GetShouldInitiateUpload(), out.GetReason()
}

func (p *peer) initiate(id, hash string, size int) (string, error) {
	out, err := p.InitiateUpload(p.t.Context(), &wire.InitiateUploadRequest{BuildId: id, Hash: hash, Size: int64(size)})
	if how := out.GetUploadInstructions().GetUploadStrategy(); err == nil && how != wire.UploadInstructions_UPLOAD_STRATEGY_GRPC {
		p.t.Errorf("strategy %s", how)
	}
	return out.GetUploadInstructions().GetUploadId(), err
}

func (p *peer) finish(id, upload string) error {
	_, err := p.MarkUploadFinished(p.t.Context(), &wire.MarkUploadFinishedRequest{BuildId: id, UploadId: upload})
	return err
}

// begin opens a stream and says which file it is for.
func (p *peer) begin(ctx context.Context, id, upload string) wire.DebuginfoService_UploadClient {
	p.t.Helper()
	stream, err := p.Upload(ctx)
	if err == nil {
		err = stream.Send(&wire.UploadRequest{Data: &wire.UploadRequest_Info{Info: &wire.UploadInfo{BuildId: id, UploadId: upload}}})
	}
	if err != nil && !errors.Is(err, io.EOF) { // the server has answered already
		p.t.Fatal(err)
	}
	return stream
}

func chunk(data []byte) *wire.UploadRequest {
	return &wire.UploadRequest{Data: &wire.UploadRequest_ChunkData{ChunkData: data}}
}

// asBytes is for messages that need not be sound.
var asBytes = grpc.ForceCodecV2(rawcodec.Codec{})

// raw opens a stream of them.
func (p *peer) raw() grpc.ClientStream {
	p.t.Helper()
	stream, err := p.conn.NewStream(p.t.Context(), &grpc.StreamDesc{ClientStreams: true}, wire.DebuginfoService_Upload_FullMethodName, asBytes)
	if err != nil {
		p.t.Fatal(err)
	}
	return stream
}

func (p *peer) upload(id, upload string, data []byte) (uint64, error) {
	stream := p.begin(p.t.Context(), id, upload)
	for part := range slices.Chunk(data, 5000) {
		if err := stream.Send(chunk(part)); err != nil {
			if errors.Is(err, io.EOF) {
				break // the server has said why
			}
			return 0, err
		}
	}
	out, err := stream.CloseAndRecv()
	return out.GetSize(), err
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
	return p.finish(id, u)
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
	for end := time.Now().Add(2 * time.Minute); !cond(); {
		if time.Now().After(end) {
			t.Fatal("it did not come about")
		}
		time.Sleep(time.Millisecond)
	}
}
