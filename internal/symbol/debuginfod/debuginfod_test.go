package debuginfod

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"whyhot/internal/elfinfo/elffile"
)

func TestFetch(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	e, err := elffile.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	id := e.BuildID()
	_ = e.Close()
	other := "00112233445566778899aabbccddeeff00112233"
	var asked atomic.Int64
	full := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/buildid/" + id + "/debuginfo", "/buildid/" + other + "/debuginfo":
			_, _ = w.Write(data)
		case "/buildid/aabbccdd/debuginfo":
			_, _ = w.Write([]byte("<html>"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer full.Close()
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	dir := t.TempDir()
	open := func(o Options) *Client {
		o.Dir, o.Servers = dir, []string{empty.URL, full.URL + "/"}
		c, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := open(Options{})
	for range 2 {
		if ok, err := c.Fetch(t.Context(), id); !ok || err != nil {
			t.Fatalf("found %v, %v", ok, err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("it was fetched %d times", n)
	}
	if got, err := os.ReadFile(filepath.Join(dir, ".build-id", id[:2], id[2:]+".debug")); err != nil || len(got) != len(data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, bad := range []string{other, "aabbccdd"} {
		if ok, err := c.Fetch(t.Context(), bad); ok || err == nil {
			t.Errorf("%s: a wrong file was taken: %v", bad, err)
		}
	}
	asked.Store(0)
	for _, none := range []string{"0123456789", "0123456789", "", "../../etc/passwd", "ABCDEF0123"} {
		if ok, err := c.Fetch(t.Context(), none); ok || err != nil {
			t.Errorf("%s: %v, %v", none, ok, err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("it was asked %d times for what nobody has", n)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".build-id")); err != nil {
		t.Fatal(err)
	}
	if ok, err := open(Options{MaxFile: 1000}).Fetch(t.Context(), id); ok || err == nil {
		t.Errorf("a file over the bound was taken: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".build-id", "*", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	for _, server := range []string{"debuginfod.example.org", "ftp://x", "https://"} {
		if _, err := New(Options{Servers: []string{server}}); err == nil {
			t.Errorf("%s was taken for an address", server)
		}
	}
}
