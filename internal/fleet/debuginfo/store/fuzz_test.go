package store

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"whyhot/internal/fleet/debuginfo/wire"
)

// registrar keeps the service that is registered.
type registrar struct {
	desc *grpc.ServiceDesc
	impl any
}

func (r *registrar) RegisterService(desc *grpc.ServiceDesc, impl any) { r.desc, r.impl = desc, impl }

// feed is a stream of given messages.
type feed struct {
	grpc.ServerStream

	ctx  context.Context //nolint:containedctx // as a stream has it
	rest [][]byte
}

func (f *feed) Context() context.Context { return f.ctx }

func (f *feed) SendMsg(any) error { return nil }

func (f *feed) RecvMsg(to any) error {
	if len(f.rest) == 0 {
		return io.EOF
	}
	*(to.(*[]byte)), f.rest = f.rest[0], f.rest[1:]
	return nil
}

// Whatever bytes come, a call ends with an answer or an error, and the directory has
// nothing in it, since no ELF file is made up by chance.
func FuzzRequests(f *testing.F) {
	const id = "0123456789abcdef"
	for _, m := range []proto.Message{
		&wire.ShouldInitiateUploadRequest{BuildId: id, Hash: "h", BuildIdType: wire.BuildIDType_BUILD_ID_TYPE_GNU},
		&wire.InitiateUploadRequest{BuildId: id, Hash: "h", Size: 100},
		&wire.MarkUploadFinishedRequest{BuildId: id, UploadId: "u"},
		&wire.UploadRequest{Data: &wire.UploadRequest_ChunkData{ChunkData: []byte("\x7fELF")}},
		&wire.UploadRequest{Data: &wire.UploadRequest_Info{Info: &wire.UploadInfo{BuildId: id, UploadId: "u"}}},
	} {
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte{})
		f.Add(data, data)
	}
	dir := f.TempDir()
	s, err := Open(dir, Options{MaxFile: 1 << 20})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	var r registrar
	s.Register(&r)
	f.Fuzz(func(t *testing.T, one, two []byte) {
		u, err := s.announce(id, 8)
		if err != nil {
			t.Fatal(err)
		}
		info, err := proto.Marshal(&wire.UploadRequest{Data: &wire.UploadRequest_Info{Info: &wire.UploadInfo{BuildId: id, UploadId: u.id}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.desc.Streams {
			for _, messages := range [][][]byte{{one, two}, {info, one, two}} {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				err := m.Handler(r.impl, &feed{ctx: ctx, rest: messages})
				if ended := ctx.Err(); ended != nil || errors.Is(err, io.EOF) {
					t.Errorf("%s: %v, %v", m.StreamName, err, ended)
				}
				cancel()
			}
		}
		s.mu.Lock()
		clear(s.pending)
		s.mu.Unlock()
		if got := kept(t, dir); len(got) != 0 {
			t.Errorf("left: %v", got)
		}
	})
}
