package page

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

func get(t *testing.T, target string, headers ...string) *http.Response {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestViewsAreServedToBrowsers(t *testing.T) {
	for _, target := range []string{"/", "/top", "/flame?from=now-1h"} {
		r := get(t, target, "Accept", "text/html,*/*")
		if r.StatusCode != http.StatusOK || !strings.Contains(body(t, r), `id="app"`) {
			t.Errorf("%s: status %d", target, r.StatusCode)
		}
	}
	for _, target := range []string{"/top", "/no/such", "/favicon.ico", "/assets/none.js"} {
		if r := get(t, target, "Accept", "*/*"); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s for a program: status %d", target, r.StatusCode)
		}
	}
}

// What the page names must be there, for good; without its version it is asked for again.
func TestFilesAreKeptByVersion(t *testing.T) {
	text := body(t, get(t, "/", "Accept", "text/html"))
	found := regexp.MustCompile(`/assets/[^"]+`).FindAllString(text, -1)
	if len(found) < 2 {
		t.Fatalf("the page names %q", found)
	}
	for _, target := range found {
		r := get(t, target)
		if r.StatusCode != http.StatusOK || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: status %d, %q", target, r.StatusCode, r.Header.Get("Cache-Control"))
		}
		plain, _, _ := strings.Cut(target, "?")
		r = get(t, plain)
		if r.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %q", plain, r.Header.Get("Cache-Control"))
		}
		if r = get(t, plain, "If-None-Match", r.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: status %d", plain, r.StatusCode)
		}
	}
}

func TestFilesArePacked(t *testing.T) {
	plain := body(t, get(t, "/assets/fleet.js"))
	r := get(t, "/assets/fleet.js", "Accept-Encoding", "gzip, br")
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(z)
	if err != nil || string(unpacked) != plain {
		t.Errorf("other text after unpacking (%v)", err)
	}
}

// Who does not say what it takes is told where the page is.
func TestRootWithoutABrowser(t *testing.T) {
	r := get(t, "/", "Accept", "*/*")
	if text := body(t, r); r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") || !strings.Contains(text, "in a browser") {
		t.Errorf("status %d: %s", r.StatusCode, text)
	}
	if r := get(t, "/", "Accept", "application/json"); r.StatusCode != http.StatusNotFound {
		t.Errorf("JSON: status %d", r.StatusCode)
	}
}

func TestPageAsksNobodyElse(t *testing.T) {
	r := get(t, "/", "Accept", "text/html")
	if p := r.Header.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "http") {
		t.Errorf("policy %q", p)
	}
	if text := body(t, r); strings.Contains(text, "http:") || strings.Contains(text, "https:") {
		t.Error("the page names another site")
	}
}

// What the first view needs is small enough for a slow line.
func TestFirstViewIsSmall(t *testing.T) {
	const most = 250_000 // bytes of JavaScript, compressed
	r := get(t, "/assets/fleet.js", "Accept-Encoding", "gzip")
	if r.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal("it is not compressed")
	}
	if n := len(body(t, r)); n < 10_000 || n > most {
		t.Errorf("the script is %d bytes compressed; at most %d", n, most)
	}
}
