package store

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/wire"
)

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
		if _, err := p.ShouldInitiateUpload(t.Context(), &wire.ShouldInitiateUploadRequest{BuildId: bad}); status.Code(err) != codes.InvalidArgument {
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
		if err := p.finish(c.id, u); status.Code(err) != codes.NotFound {
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
	for _, r := range []*wire.ShouldInitiateUploadRequest{{BuildId: id, Type: wire.DebuginfoType_DEBUGINFO_TYPE_EXECUTABLE}, {BuildId: "Go/x", BuildIdType: wire.BuildIDType_BUILD_ID_TYPE_GO}} {
		if out, err := p.ShouldInitiateUpload(t.Context(), r); err != nil || out.GetShouldInitiateUpload() {
			t.Errorf("%v: %v, %v", r, out, err)
		}
	}
}

func TestMalformedMessages(t *testing.T) {
	_, p := serve(t, t.TempDir(), Options{})
	_, id := sample(t)
	padding := bytes.Repeat([]byte{0x7a, 0}, maxRequest/2) // a field of a later version
	large := append(append([]byte{0x0a, byte(len(id))}, id...), padding...)
	const notSound, tooLarge = "malformed message", "too large"
	for _, method := range wire.DebuginfoService_ServiceDesc.Methods {
		for name, c := range map[string]struct {
			data []byte
			want string
		}{
			"cut off": {[]byte{0x0a, 0xff}, notSound}, "no UTF-8": {[]byte{0x0a, 1, 0xff}, notSound}, "large": {large, tooLarge},
		} {
			var answer []byte
			err := p.conn.Invoke(t.Context(), "/"+wire.DebuginfoService_ServiceDesc.ServiceName+"/"+method.MethodName, c.data, &answer, asBytes)
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", method.MethodName, name, err)
			}
		}
	}
	const notSaid = "must be the upload's info"
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut off":           {[]byte{0x0a, 0xff}, notSound},
		"a chunk first":     {[]byte{0x12, 1, 'x'}, notSaid},
		"nothing in it":     {[]byte{}, notSaid},
		"another wire type": {[]byte{0x08, 1}, notSaid},
		"large":             {append([]byte{0x0a, 0}, padding...), tooLarge},
	} {
		stream := p.raw()
		if err := stream.SendMsg(c.data); err != nil {
			t.Fatal(err)
		}
		var answer []byte
		if err := stream.RecvMsg(&answer); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is uploaded is said once, and a chunk is sound.
func TestMalformedChunks(t *testing.T) {
	dir := t.TempDir()
	_, p := serve(t, dir, Options{})
	data, id := sample(t)
	for name, bad := range map[string][]byte{"malformed message": {0x12, 0xff}, "sent twice": {0x0a, 0}} {
		u, err := p.initiate(id, "h", len(data))
		if err != nil {
			t.Fatal(name, err)
		}
		info, err := proto.Marshal(&wire.UploadRequest{Data: &wire.UploadRequest_Info{Info: &wire.UploadInfo{BuildId: id, UploadId: u}}})
		if err != nil {
			t.Fatal(err)
		}
		stream := p.raw()
		for _, m := range [][]byte{info, bad} {
			if err := stream.SendMsg(m); err != nil {
				t.Fatal(err)
			}
		}
		var answer []byte
		if err := stream.RecvMsg(&answer); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := kept(t, dir); len(got) != 0 {
		t.Errorf("left: %v", got)
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
	stream := p.begin(ctx, id, u)
	if err := stream.Send(chunk(data[:100])); err != nil {
		t.Fatal(err)
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

func TestSlowClients(t *testing.T) {
	dir := t.TempDir()
	_, p := serve(t, dir, Options{Uploads: 1, Idle: 500 * time.Millisecond, Rate: 1 << 30})
	data, id := sample(t)
	u, err := p.initiate(id, "h", len(data))
	if err != nil {
		t.Fatal(err)
	}
	stream := p.begin(t.Context(), id, u)
	if err := stream.RecvMsg(&wire.UploadResponse{}); status.Code(err) != codes.DeadlineExceeded {
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
	// The second may come first and take the place for a moment.
	until(t, func() bool {
		p.begin(t.Context(), id, u)
		_, err := p.upload(id, "other", nil)
		return status.Code(err) == codes.Unavailable
	})
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
