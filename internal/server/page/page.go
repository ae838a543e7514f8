// Package page serves the page that people explore a fleet's profiles with. It owns the
// built files and how a browser may keep them; what they show they ask of package api,
// as any client does. It imports nothing of the server.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

//go:generate go run whyhot/web/build -page fleet -src ../../../web/src -out dist
//go:embed dist
var dist embed.FS

const (
	index  = "index.html"
	assets = "/assets/"
)

// policy lets the page do nothing but run its own files and ask its own server.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// file is one built file in the forms that it is sent in.
type file struct {
	kind    string
	version string // of its content
	plain   []byte
	packed  func() []byte
}

// Page is an http.Handler for the page and its files.
type Page struct{ files map[string]*file }

// New reads the built files.
func New() (*Page, error) {
	p := &Page{files: map[string]*file{}}
	entries, err := fs.ReadDir(dist, "dist")
	if err != nil {
		return nil, fmt.Errorf("reading the page: %w", err)
	}
	for _, e := range entries {
		text, err := dist.ReadFile(path.Join("dist", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the page: %w", err)
		}
		if e.Name() != index {
			p.add(e.Name(), text)
		}
	}
	text, err := dist.ReadFile("dist/" + index)
	if err != nil {
		return nil, fmt.Errorf("reading the page: %w", err)
	}
	// With its version in the name a file can be kept for good, and a new server's page
	// never runs with an old one's script.
	for name, f := range p.files {
		text = bytes.ReplaceAll(text, []byte(assets+name), []byte(assets+name+"?v="+f.version))
	}
	p.add(index, text)
	return p, nil
}

func (p *Page) add(name string, text []byte) {
	sum := sha256.Sum256(text)
	p.files[name] = &file{
		kind: mime.TypeByExtension(path.Ext(name)), version: hex.EncodeToString(sum[:6]), plain: text,
		packed: sync.OnceValue(func() []byte { return pack(text) }),
	}
}

func pack(text []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(text); err != nil || w.Close() != nil {
		return nil
	}
	return out.Bytes()
}

// Serves says whether a request is one for the page: for a file of it, or for one of its
// views by a browser, which says that it takes HTML.
// A program that asks for the root and names nothing that it takes, such as curl, is told
// where the page is.
func (p *Page) Serves(r *http.Request) bool { return p.find(r) != nil || isForNobody(r) }

// isForNobody says whether a request is for the root of the server and takes whatever there is.
func isForNobody(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.Path == "/" && (accept == "" || accept == "*/*")
}

// tell says in text where the page and the API are.
func tell(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept")
	const text = "This is a whyhot server. Open this address in a browser; programs use /api/v1/.\n"
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, text) // the client may be gone
	}
}

func (p *Page) find(r *http.Request) *file {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}
	if name, ok := strings.CutPrefix(r.URL.Path, assets); ok {
		return p.files[name]
	}
	view := strings.Trim(r.URL.Path, "/")
	if strings.ContainsAny(view, "/.") || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return nil
	}
	return p.files[index]
}

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := p.find(r)
	if f == nil && isForNobody(r) {
		tell(w, r)
		return
	}
	if f == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Vary", "Accept-Encoding, Accept")
	h.Set("ETag", `"`+f.version+`"`)
	if r.URL.Query().Get("v") == f.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	if strings.Contains(r.Header.Get("If-None-Match"), f.version) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		if packed := f.packed(); packed != nil {
			body = packed
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the browser may be gone
	}
}
