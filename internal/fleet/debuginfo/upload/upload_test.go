package upload

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/store"
	"whyhot/internal/fleet/debuginfo/wire"
	"whyhot/internal/fleet/send"
	"whyhot/internal/host/tool"
	"whyhot/internal/host/tooltest"
)

func TestUploads(t *testing.T) {
	dir, s := keep(t, store.Options{})
	addr, _ := listen(t, "", s.Register)
	path := compile(t, "heavy")
	b := binary(t, path)
	u := start(t, addr, Options{})
	u.until(t, u.settled(b))
	if got := u.Stats(); got.Uploaded != 1 || got.Bytes == 0 || got.Known+got.Failed+got.Dropped != 0 {
		t.Errorf("%+v", got)
	}
	if got := names(t, dir, path, "heavy"); !strings.Contains(got, "heavy:0") || strings.Contains(got, "square") {
		t.Errorf("symbols: %q", got)
	}
	u.end()
	again := start(t, addr, Options{})
	again.until(t, again.settled(b))
	if got := again.Stats(); got.Known != 1 || got.Uploaded != 0 {
		t.Errorf("after a restart: %+v", got)
	}
	again.end()
	full := start(t, addr, Options{Kind: extract.Full})
	full.until(t, full.settled(b))
	if got := names(t, dir, path, "heavy"); full.Stats().Uploaded != 1 || !strings.Contains(got, "square:1") || !strings.Contains(got, "heavy:3") {
		t.Errorf("full: %+v, %q", full.Stats(), got)
	}
}

// The debug file lies where .gnu_debuglink says, in the root directory of the process.
func TestStrippedBinary(t *testing.T) {
	dir, s := keep(t, store.Options{})
	addr, _ := listen(t, "", s.Register)
	path := compile(t, "heavy")
	whole := path + ".whole"
	debug := path + ".debug"
	tooltest.Run(t, "cp", path, whole)
	tooltest.Run(t, "objcopy", "--only-keep-debug", path, debug)
	tooltest.Run(t, "objcopy", "--strip-all", "--add-gnu-debuglink="+debug, path)
	b := binary(t, path)
	u := start(t, addr, Options{Kind: extract.Full})
	u.until(t, u.settled(b))
	if got := names(t, dir, whole, "heavy"); !strings.Contains(got, "square:1") {
		t.Errorf("%+v, %q", u.Stats(), got)
	}
}

// A build ID exists stripped in one container and whole in another: whichever is met first,
// the server ends with the one that names all functions.
func TestTheBetterOfTwoFiles(t *testing.T) {
	for _, order := range [][2]string{{"stripped", "whole"}, {"whole", "stripped"}} {
		dir, s := keep(t, store.Options{})
		addr, _ := listen(t, "", s.Register)
		path := compile(t, "heavy")
		files := map[string]string{"whole": path, "stripped": path + ".stripped"}
		tooltest.Run(t, "objcopy", "--strip-all", path, files["stripped"])
		u := start(t, addr, Options{})
		for _, which := range order {
			b := binary(t, files[which])
			u.until(t, u.settled(b))
		}
		if got := names(t, dir, path, "heavy"); !strings.Contains(got, "heavy:0") {
			t.Errorf("%v: %q, %+v", order, got, u.Stats())
		}
		before := u.Stats()
		for _, which := range order { // and both are settled
			b := binary(t, files[which])
			if u.Offer(b) {
				t.Errorf("%v: the %s file is wanted again", order, which)
			}
		}
		if u.Stats() != before {
			t.Errorf("%v: %+v, then %+v", order, before, u.Stats())
		}
	}
}

// What dwz moved to a file of its own is uploaded under that file's build ID.
func TestSharedDebugInformation(t *testing.T) {
	if _, err := tool.Find("dwz"); err != nil {
		t.Skip("there is no dwz")
	}
	dir, s := keep(t, store.Options{})
	addr, _ := listen(t, "", s.Register)
	path, other := compile(t, "heavy"), compile(t, "light")
	shared := filepath.Join(filepath.Dir(path), "shared.debug")
	tooltest.Run(t, "dwz", "-m", shared, path, other)
	f, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, ok := f.AltLink(); !ok {
		t.Skip("dwz found nothing to share")
	}
	b := binary(t, path)
	u := start(t, addr, Options{Kind: extract.Full})
	u.until(t, u.settled(b))
	if u.Stats().Uploaded != 2 {
		t.Errorf("%+v", u.Stats())
	}
	files, err := filepath.Glob(filepath.Join(dir, ".build-id", "*", "*.debug"))
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
}

// The server goes away and comes back.
func TestServerAway(t *testing.T) {
	_, s := keep(t, store.Options{})
	addr, stop := listen(t, "", s.Register)
	stop()
	b := binary(t, compile(t, "heavy"))
	u := start(t, addr, Options{Server: send.Options{Timeout: time.Second}})
	u.Offer(b)
	u.until(t, func(s Stats) bool { return s.Failed > 2 })
	listen(t, addr, s.Register)
	u.until(t, u.settled(b))
	if got := u.Stats(); got.Uploaded != 1 || strings.Count(u.said(), "\n") > 0 {
		t.Errorf("%+v, %s", got, u.said())
	}
}

func TestServerWithoutTheService(t *testing.T) {
	addr, _ := listen(t, "", func(grpc.ServiceRegistrar) {})
	b, c := binary(t, compile(t, "heavy")), binary(t, compile(t, "light"))
	u := start(t, addr, Options{})
	u.until(t, u.settled(b))
	if u.Offer(c) || u.Stats().Uploaded+u.Stats().Failed != 0 || strings.Count(u.said(), "does not accept debug information") != 1 {
		t.Errorf("%+v, %s", u.Stats(), u.said())
	}
}

// Whatever is wrong with a file is told once a kind, and does not keep others back.
func TestFilesThatCannotBeUploaded(t *testing.T) {
	dir, s := keep(t, store.Options{})
	addr, _ := listen(t, "", s.Register)
	u := start(t, addr, Options{Again: time.Hour})
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("text ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	good := binary(t, compile(t, "heavy"))
	none := func() *os.File { return nil }
	offers := []Binary{
		{BuildID: "0001", Path: text, PID: os.Getpid(), File: none},
		{BuildID: "0002", Path: text, PID: os.Getpid(), File: none},
		{BuildID: "0003", Path: good.Path, PID: os.Getpid(), File: good.File},
	}
	for _, b := range offers {
		u.until(t, u.settled(b))
	}
	gone := Binary{BuildID: "0004", Path: "/gone", PID: os.Getpid(), File: none}
	for range 2 { // the second time, nothing is tried
		if !u.Offer(gone) {
			t.Error("a file that could not be opened is given up for good")
		}
	}
	good.File = none // it is found at its path
	u.until(t, u.settled(good))
	got := u.Stats()
	if got.Failed != 4 || got.Uploaded != 1 || strings.Count(u.said(), "is not uploaded") != 3 {
		t.Errorf("%+v\n%s", got, u.said())
	}
	if files, err := filepath.Glob(filepath.Join(dir, ".build-id", "*", "*")); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// Where all that can wait do so, others are turned away and counted, and may come again.
func TestTheQueueIsBounded(t *testing.T) {
	hold, asked := make(chan struct{}), make(chan struct{}, 9)
	s := &scripted{should: func() (*wire.ShouldInitiateUploadResponse, error) {
		asked <- struct{}{}
		<-hold
		return no()
	}}
	addr, _ := listen(t, "", s.Register, usual)
	u := start(t, addr, Options{Queue: 1})
	var all []Binary
	for _, name := range []string{"a", "b", "c"} {
		all = append(all, binary(t, compile(t, "function_"+name)))
	}
	u.Offer(all[0])
	<-asked
	if !u.Offer(all[1]) || !u.Offer(all[2]) || !u.Offer(all[2]) || u.Stats().Dropped != 2 {
		t.Errorf("%+v", u.Stats())
	}
	close(hold)
	for _, b := range all {
		u.until(t, u.settled(b))
	}
	if u.Stats().Known != 3 {
		t.Errorf("%+v", u.Stats())
	}
}

// A signed URL gets the file with its length and without our token, and is tried again
// when it fails for a moment.
func TestSignedURL(t *testing.T) {
	var mu sync.Mutex
	var got []byte
	attempts := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if attempts++; attempts == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		data, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPut || r.ContentLength != int64(len(data)) || r.Header.Get("Authorization") != "" {
			t.Errorf("%s, %d of %d bytes, %v, %v", r.Method, len(data), r.ContentLength, r.Header, err)
		}
		got = data
	}))
	defer web.Close()
	s := &scripted{should: yes, finished: make(chan struct{}, 1), initiate: func() (*wire.InitiateUploadResponse, error) {
		return &wire.InitiateUploadResponse{UploadInstructions: &wire.UploadInstructions{UploadStrategy: wire.UploadInstructions_UPLOAD_STRATEGY_SIGNED_URL, SignedUrl: web.URL + "/x?secret"}}, nil
	}}
	addr, _ := listen(t, "", s.Register, usual)
	u := start(t, addr, Options{Server: send.Options{Headers: map[string]string{"authorization": "Bearer x"}}})
	b := binary(t, compile(t, "heavy"))
	u.until(t, u.settled(b))
	<-s.finished
	mu.Lock()
	defer mu.Unlock()
	f, err := elffile.New("uploaded", got)
	if err != nil || f.BuildID() != b.BuildID || strings.Contains(u.said(), "secret") {
		t.Errorf("%v, %s", err, u.said())
	}
}

// What the server says of now, and not of the file, is asked again; what it says of the
// file is not.
func TestAnswers(t *testing.T) {
	const soon = 20 * time.Millisecond
	url := func(text string) func() (*wire.InitiateUploadResponse, error) {
		return func() (*wire.InitiateUploadResponse, error) {
			return &wire.InitiateUploadResponse{UploadInstructions: &wire.UploadInstructions{UploadStrategy: wire.UploadInstructions_UPLOAD_STRATEGY_SIGNED_URL, SignedUrl: text}}, nil
		}
	}
	for name, c := range map[string]struct {
		should   func() (*wire.ShouldInitiateUploadResponse, error)
		initiate func() (*wire.InitiateUploadResponse, error)
		again    bool
		known    int64
	}{
		"in progress": {should: func() (*wire.ShouldInitiateUploadResponse, error) {
			return &wire.ShouldInitiateUploadResponse{Reason: wire.ReasonInProgress}, nil
		}, again: true},
		"wrong token": {should: func() (*wire.ShouldInitiateUploadResponse, error) {
			return nil, status.Error(codes.Unauthenticated, "who?")
		}, again: true},
		"full": {should: yes, initiate: func() (*wire.InitiateUploadResponse, error) {
			return nil, status.Error(codes.ResourceExhausted, "full")
		}, again: true},
		"there by now": {should: yes, initiate: func() (*wire.InitiateUploadResponse, error) { return nil, status.Error(codes.AlreadyExists, "there") }, known: 1},
		"refused":      {should: yes, initiate: func() (*wire.InitiateUploadResponse, error) { return nil, status.Error(codes.InvalidArgument, "no") }},
		"no way":       {should: yes, initiate: func() (*wire.InitiateUploadResponse, error) { return &wire.InitiateUploadResponse{}, nil }},
		"file URL":     {should: yes, initiate: url("file:///etc/passwd"), again: true},
	} {
		var mu sync.Mutex
		asked := 0
		s := &scripted{initiate: c.initiate, finished: make(chan struct{}, 9), should: func() (*wire.ShouldInitiateUploadResponse, error) {
			mu.Lock()
			defer mu.Unlock()
			asked++
			return c.should()
		}}
		addr, stop := listen(t, "", s.Register, usual)
		u := start(t, addr, Options{Again: soon})
		b := binary(t, compile(t, "heavy"))
		if c.again {
			u.until(t, func(Stats) bool {
				mu.Lock()
				defer mu.Unlock()
				u.Offer(b)
				return asked >= 3
			})
		} else {
			u.until(t, u.settled(b))
		}
		if got := u.Stats(); got.Uploaded != 0 || got.Known != c.known || strings.Count(u.said(), "\n") > 0 {
			t.Errorf("%s: %+v, %s", name, got, u.said())
		}
		u.end()
		stop()
	}
}

// Full debug information that is more than the server takes gives way to symbols.
func TestTooLarge(t *testing.T) {
	path := compile(t, "heavy")
	data, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	info, err := data.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := extract.Open(data, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	e, err := extract.New(extract.Full, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, s := keep(t, store.Options{MaxFile: e.Size() - 1})
	addr, _ := listen(t, "", s.Register)
	u := start(t, addr, Options{Kind: extract.Full})
	b := binary(t, path)
	u.until(t, u.settled(b))
	if got := names(t, dir, path, "heavy"); !strings.Contains(got, "heavy:0") {
		t.Errorf("%+v, %q, %s", u.Stats(), got, u.said())
	}
}

func TestHeadersAreSent(t *testing.T) {
	seen := make(chan []string, 9)
	s := &scripted{should: no, asked: func(ctx context.Context) {
		md, _ := metadata.FromIncomingContext(ctx)
		seen <- md.Get("authorization")
	}}
	addr, _ := listen(t, "", s.Register, usual)
	u := start(t, addr, Options{Server: send.Options{Headers: map[string]string{"authorization": "Bearer x"}}})
	b := binary(t, compile(t, "heavy"))
	u.until(t, u.settled(b))
	if got := <-seen; len(got) != 1 || got[0] != "Bearer x" {
		t.Errorf("%q", got)
	}
}

func TestPacer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := newPacer(ctx, strings.NewReader(strings.Repeat("x", 3*slice)), 1)
	if n, err := p.Read(make([]byte, 2*slice)); n != slice || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := p.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("the second slice is not due yet: %v", err)
	}
}
