package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"github.com/klauspost/compress/gzip"

	"whyhot/internal/ingest"
	"whyhot/internal/server/access"
	"whyhot/internal/server/limit"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// problem is an error with its status and what is said of it.
type problem struct {
	status             int
	kind, detail, help string
	again              int          // seconds until it may be tried again, 0 for not
	code               connect.Code // in the Connect protocol, 0 for another one
}

func (p *problem) Error() string { return p.detail }

// What kinds of errors there are.
const (
	badRequest  = "bad_request"
	forbidden   = "forbidden"
	kindMissing = "not_found"
	timedOut    = "timeout"
	tooLarge    = "too_large"
)

// invalid says what is wrong with a request.
func invalid(format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, kind: badRequest, detail: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &problem{status: http.StatusNotFound, kind: kindMissing, detail: fmt.Sprintf(format, args...)}
}

// errorForm is the body of an answer that is none.
type errorForm struct {
	Error  string `json:"error"`
	Detail string `json:"detail"`
	Help   string `json:"help,omitempty"`
	// Code and Message are for clients of the Connect protocol.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// statusClientGone is nginx's number for a client that did not wait.
const statusClientGone = 499

// askForLess is what to do where an answer takes too much.
const askForLess = "Ask for a shorter time, or for fewer services or hosts."

// problemOf says what an error means to who asked. What is not known here is nobody's
// business but ours: it may name files of this machine.
func (s *Server) problemOf(r *http.Request, err error) *problem {
	known, limited, batchError, busy := (*problem)(nil), (*LimitedError)(nil), (*store.BatchError)(nil), (*limit.BusyError)(nil)
	if p := queryProblem(err); p != nil {
		return p
	}
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, access.ErrNoToken), errors.Is(err, access.ErrWrongToken):
		return &problem{
			status: http.StatusUnauthorized, kind: "unauthorized", detail: err.Error(),
			help: "Send \"Authorization: Bearer TOKEN\" (whyhot: --token-file). `whyhot-server token create` makes one.",
		}
	case errors.Is(err, access.ErrSessionEnded):
		return &problem{status: http.StatusUnauthorized, kind: "unauthorized", detail: err.Error(), help: "Sign in again."}
	case errors.Is(err, access.ErrNotAllowed):
		return &problem{status: http.StatusForbidden, kind: forbidden, detail: err.Error(), help: "Ask your administrator."}
	case errors.Is(err, access.ErrForbidden):
		return &problem{status: http.StatusForbidden, kind: forbidden, detail: err.Error(), help: "`whyhot-server token create` makes a token for it."}
	case errors.Is(err, access.ErrProject):
		return &problem{status: http.StatusBadRequest, kind: badRequest, detail: err.Error()}
	case errors.As(err, &limited):
		return &problem{
			status: http.StatusTooManyRequests, kind: "too_many_requests", detail: limited.Error(), help: "Retry later, or use a token for each client.",
			again: int(math.Ceil(limited.Again.Seconds())),
		}
	case errors.As(err, &batchError):
		return &problem{status: http.StatusBadRequest, kind: "not_a_profile", detail: batchError.Error()}
	case errors.Is(err, store.ErrAway): // why names machines, and is in the log
		s.o.Log.WarnContext(r.Context(), "a question was not answered", "path", r.URL.Path, "error", err.Error())
		return &problem{
			status: http.StatusServiceUnavailable, kind: "away", detail: store.ErrAway.Error(),
			help: "Retry after a pause. What is sent meanwhile is taken, and can be asked for when the database is back.", again: 5,
		}
	case errors.Is(err, store.ErrBusy): // its words name no file
		return &problem{status: http.StatusServiceUnavailable, kind: "busy", detail: err.Error(), help: "Retry after a pause.", again: 1}
	case errors.As(err, &busy):
		return &problem{status: http.StatusServiceUnavailable, kind: "busy", detail: busy.Error(), help: "Retry after a pause.", again: 1 + busy.Ahead/10}
	case errors.Is(err, project.ErrClosed):
		return &problem{status: http.StatusServiceUnavailable, kind: "busy", detail: "the server has too much to do at the moment", help: "Retry after a pause.", again: 1}
	case errors.Is(err, store.ErrUnknownFunction):
		return &problem{status: http.StatusNotFound, kind: kindMissing, detail: "there is no such function", help: "/api/v1/functions finds functions."}
	case errors.Is(err, store.ErrTooLarge):
		return &problem{status: http.StatusUnprocessableEntity, kind: tooLarge, detail: store.ErrTooLarge.Error(), help: askForLess}
	case errors.Is(err, ingest.ErrTooLarge):
		return &problem{status: http.StatusRequestEntityTooLarge, kind: tooLarge, detail: "the profile is too large", help: "Send it in parts."}
	case errors.Is(err, project.ErrUnknown), errors.Is(err, project.ErrMany):
		return &problem{status: http.StatusNotFound, kind: kindMissing, detail: err.Error()}
	case r.Context().Err() != nil:
		return &problem{status: statusClientGone, kind: "gone", detail: "the client did not wait"}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{
			status: http.StatusGatewayTimeout, kind: timedOut, detail: fmt.Sprintf("the answer took longer than %s", s.o.Limits.QueryTime),
			help: askForLess,
		}
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return &problem{status: http.StatusRequestEntityTooLarge, kind: tooLarge, detail: fmt.Sprintf("the request is larger than %d bytes", large.Limit)}
	}
	s.counts.Failed.Add(1)
	number := rand.Text()[:8]
	s.o.Log.ErrorContext(r.Context(), "a request failed", "number", number, "path", r.URL.Path, "error", err.Error())
	return &problem{status: http.StatusInternalServerError, kind: "internal", detail: "the server could not answer", help: "Its log says why, under the number " + number + "."}
}

// fail writes an error.
func (s *Server) fail(w *watched, r *request, err error) {
	if w.code != 0 {
		// The answer has begun: cut it off, so that it is not taken for a whole one.
		s.o.Log.WarnContext(r.Context(), "an answer broke off", "path", r.URL.Path, "error", err.Error())
		panic(http.ErrAbortHandler)
	}
	p := s.problemOf(r.Request, err)
	if r.route.connect {
		p = p.inConnect()
	}
	s.write(w, p)
}

func (s *Server) write(w http.ResponseWriter, p *problem) {
	if p.again > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.again))
	}
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="whyhot"`)
	}
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.status)
	form := errorForm{Error: p.kind, Detail: p.detail, Help: p.help}
	if p.code != 0 {
		form.Code, form.Message = p.code.String(), p.detail
		if p.help != "" { // these clients show nothing else
			form.Message += ". " + p.help
		}
	}
	_ = json.NewEncoder(w).Encode(form) //nolint:errchkjson // a client that is gone hears nothing
}

// refused writes an error of a request that was not let in.
func (s *Server) refused(w http.ResponseWriter, r *http.Request, err error) {
	s.counts.Refused.Add(1)
	s.write(w, s.problemOf(r, err))
}

// connectCall is the path of a call in the Connect protocol: /querier.v1.QuerierService/Diff.
var connectCall = regexp.MustCompile(`^/(?:[a-z][a-z0-9_]*\.)+[A-Z][A-Za-z0-9]*/([A-Z][A-Za-z0-9]*)$`)

// notServed tells a wrong path from a wrong method.
func (s *Server) notServed(w http.ResponseWriter, r *http.Request) {
	if name := connectCall.FindStringSubmatch(r.URL.Path); name != nil && r.Method == http.MethodPost {
		p := problem{
			status: http.StatusNotImplemented, kind: "not_supported", detail: name[1] + " is not supported by whyhot",
			help: "docs/guide/server.md lists which calls are.",
		}
		if _, pattern := s.mux.Handler(r); pattern == "" {
			s.write(w, p.inConnect())
			return
		}
	}
	var methods []string
	for _, m := range []string{http.MethodGet, http.MethodPost} {
		try := r.Clone(r.Context())
		try.Method = m
		if _, pattern := s.mux.Handler(try); pattern != "" {
			methods = append(methods, m)
		}
	}
	if len(methods) > 0 {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		s.write(w, &problem{status: http.StatusMethodNotAllowed, kind: "method_not_allowed", detail: "it is asked with " + strings.Join(methods, " or ")})
		return
	}
	s.write(w, &problem{status: http.StatusNotFound, kind: kindMissing, detail: "there is nothing here", help: "/api/v1/openapi.yaml lists what there is."})
}

const jsonType = "application/json"

// file is an answer that is not JSON.
type file struct {
	kind, name string
	data       []byte
	packed     bool   // compressed already
	status     int    // 0 for 200
	encoding   string // of what is packed, where its type does not say
}

// done is an answer that was written.
type done struct{}

// least is the size below which compression does not pay.
const least = 1 << 10

// answer writes an answer. JSON has an ETag, so that who asks again for the same is told
// so in a few bytes.
func (r *request) answer(a any) error {
	var f file
	switch a := a.(type) {
	case done:
		return nil
	case file:
		f = a
	default:
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(a); err != nil {
			return err
		}
		f = file{kind: jsonType, data: b.Bytes()}
	}
	h := r.w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept, Accept-Encoding, Authorization, Cookie")
	if f.encoding != "" {
		h.Set("Content-Encoding", f.encoding)
	}
	if f.name != "" {
		h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.name))
	}
	if r.Method == http.MethodGet && !f.packed { // samples of a profile come in no order
		sum := sha256.Sum256(f.data)
		tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		h.Set("ETag", tag)
		if strings.Contains(r.Header.Get("If-None-Match"), tag) {
			r.w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	if !f.packed && len(f.data) >= least && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		z, err := gzip.NewWriterLevel(r.w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		r.w.WriteHeader(cmp.Or(f.status, http.StatusOK))
		if _, err := z.Write(f.data); err != nil {
			return nil //nolint:nilerr // the client is gone
		}
		_ = z.Close() // the same
		return nil
	}
	h.Set("Content-Length", strconv.Itoa(len(f.data)))
	r.w.WriteHeader(cmp.Or(f.status, http.StatusOK))
	_, _ = r.w.Write(f.data) // no page: the content type is JSON, YAML or pprof's
	return nil
}
