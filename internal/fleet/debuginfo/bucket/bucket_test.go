package bucket

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A download that stops in the middle is one of a store that is away, and not of a client that is
// gone.
func TestStalledDownload(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "y")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		_, _ = io.WriteString(w, "some of it")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	b, err := Open("s3://debug?region=us-east-1&endpoint=" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	b.stall = 200 * time.Millisecond
	if _, _, err := b.Get(t.Context(), "abcdef", io.Discard, 1000); !errors.Is(err, ErrAway) || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "nothing came") {
		t.Error(err)
	}
}

func TestURLs(t *testing.T) {
	for text, want := range map[string]string{
		"s3://debug": "", "s3://debug/a/b?region=eu-central-1": "", "s3://debug?endpoint=http://minio:9000": "", "s3://debug/x/?endpoint=https://h/": "",
		"": "must be s3://", "debug": "must be s3://", "https://debug/x": "must be s3://", "s3:///x": "must be s3://", "s3://%zz": "cannot be read",
		"s3://KEY:secret@debug/x": "keys do not belong", "s3://De_bug": "no name of a bucket", "s3://x": "no name of a bucket",
		"s3://debug/../x": "prefix", "s3://debug/a//b": "prefix", "s3://debug/a b": "prefix",
		"s3://debug?flavour=x": "flavour", "s3://debug?region=a&region=b": "region",
		"s3://debug?endpoint=minio:9000": "endpoint", "s3://debug?endpoint=https://h/path": "endpoint", "s3://debug?endpoint=https://u:p@h": "endpoint",
	} {
		_, err := Open(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzKeys(f *testing.F) {
	b, err := Open("s3://debug/a/b")
	if err != nil {
		f.Fatal(err)
	}
	b = b.In("shop")
	f.Add("a/b/shop/ab/cdef.debug")
	f.Add("a/b/shop/../x")
	f.Fuzz(func(t *testing.T, key string) {
		if id := b.idOf(key); id != "" && b.key(id) != key {
			t.Errorf("%q is of %q, whose key is %q", key, id, b.key(id))
		}
	})
}
