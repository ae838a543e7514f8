package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"whyhot/internal/profile/label"
	"whyhot/internal/server/access"
	"whyhot/internal/server/limit"
	"whyhot/internal/server/project"
	"whyhot/internal/server/push"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
)

// Count takes what became of a batch into the server's numbers.
func (s *Server) Count(r store.Receipt, err error) {
	wrong := (*store.BatchError)(nil)
	switch {
	case errors.As(err, &wrong):
		s.counts.Rejected.Add(1)
	case err != nil:
	case r.Duplicate:
		s.counts.Duplicates.Add(1)
	default:
		s.counts.Batches.Add(1)
		s.counts.Samples.Add(r.Samples)
	}
}

// push takes a profile of any form that is known.
func (s *Server) push(ctx context.Context, r *request) (any, error) {
	v := r.values
	p := push.Profile{
		Labels: batch.Labels{Service: v.Get(paramService), Version: v.Get(paramVersion), Host: v.Get(paramHost), Container: v.Get(paramContainer), Process: v.Get(paramProcess)},
		ID:     v.Get("id"), SampleType: v.Get("sample_type"), Measured: true,
	}
	var err error
	if p.Labels.Tags, err = tags(v[paramLabel]); err != nil {
		return nil, err
	}
	if p.Labels.Service == "" {
		return nil, invalid("service is missing: say which service the profile is of")
	}
	if strings.ContainsFunc(p.ID, func(c rune) bool { return c < '!' || c > '~' }) || len(p.ID) > 64 {
		return nil, invalid("id must be at most 64 printable characters without spaces")
	}
	if p.ID == "" {
		p.ID = r.contentID()
	}
	if p.Period, err = r.duration("period", time.Nanosecond, time.Hour); err != nil {
		return nil, err
	}
	receipt, err := s.append(ctx, r, p, r.body(s))
	if err != nil {
		return nil, err
	}
	warnings := receipt.Warnings
	if warnings == nil {
		warnings = []string{}
	}
	return receiptForm{receipt.Duplicate, receipt.Samples, slices.Contains(r.grant.Scopes, access.Read), warnings}, nil
}

// tags reads labels, each KEY=VALUE.
func tags(list []string) (label.Set, error) {
	if len(list) > maxLabels {
		return "", invalid("%s is there %d times; at most %d are taken", paramLabel, len(list), maxLabels)
	}
	var pairs []label.Pair
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if ok && label.Reserved(label.Name(key)) {
			return "", invalid("invalid %s %q: give it as the parameter %s", paramLabel, text, label.Name(key))
		}
		if !ok || !label.Valid(key) || value == "" {
			return "", invalid("invalid %s %q: must be KEY=VALUE, the key a letter and then letters, digits and _ . - /", paramLabel, text)
		}
		pairs = append(pairs, label.Pair{Key: key, Value: value})
	}
	return label.Of(pairs), nil
}

// maxLabels bounds the labels of a push.
const maxLabels = 64

// contentID is the identity of a push that names none: what was sent, with its
// parameters. A client that retries sends the same bytes, and they count once.
func (r *request) contentID() string {
	sum := sha256.New()
	_, _ = io.WriteString(sum, r.about+"?"+r.values.Encode()+"\n") // never fails
	_, _ = sum.Write(r.sent)
	return hex.EncodeToString(sum.Sum(nil))
}

// append gives a profile to the project's store.
func (s *Server) append(ctx context.Context, r *request, p push.Profile, body *bodyReader) (store.Receipt, error) {
	receipt, err := push.Append(ctx, s.into(r), body, p, s.o.Limits.MaxPushed, s.now())
	if body.err != nil {
		err = body.err // the cause of whatever the reader of the format met
	}
	s.Count(receipt, err)
	return receipt, err
}

// into is the store that takes the one profile that a request brings. When it is read, and
// waits for the disk, its place is another's: those who wait at the same time are written
// with one sync. How many wait, and how large they are, is bounded.
func (s *Server) into(r *request) project.Store { return &leaving{r.project, s, r.leave} }

type leaving struct {
	project.Store

	server *Server
	leave  func()
}

// Bounds of the batches that wait for the disk without a place: some 4 MB each.
const (
	maxLeaving  = 64
	leavingRows = 50_000
)

func (l *leaving) Append(ctx context.Context, b *batch.Batch) (store.Receipt, error) {
	if len(b.Rows)+len(b.Nodes) <= leavingRows && l.server.leaving.TryAcquire(1) {
		defer l.server.leaving.Release(1)
		l.leave()
	}
	return l.Store.Append(ctx, b)
}

// bodiesAtATime is how much of what is being sent is in memory, in bodies of the largest
// size.
const bodiesAtATime = 4

// fetch reads a profile's bytes, before the request takes one of the few places and before
// its time begins: a sender on a slow line, or one that stops in the middle, keeps nobody
// from being served. forget gives their memory back.
func (s *Server) fetch(r *request) (forget func(), err error) {
	most := s.o.Limits.MaxBody
	size := r.ContentLength
	switch {
	case size > most:
		return nil, &http.MaxBytesError{Limit: most}
	case size < 0: // it does not say
		size = most
	}
	wait, cancel := context.WithTimeout(r.Context(), s.o.Limits.SlotWait)
	defer cancel()
	if err := s.bodies.Acquire(wait, size); err != nil {
		return nil, &limit.BusyError{}
	}
	forget = func() { s.bodies.Release(size) }
	data, err := io.ReadAll(http.MaxBytesReader(r.w, r.Body, most))
	if err != nil {
		forget()
		large := (*http.MaxBytesError)(nil)
		switch {
		case errors.As(err, &large), r.Context().Err() != nil:
			return nil, err
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, &problem{status: http.StatusRequestTimeout, kind: timedOut, detail: "the request did not arrive in time", help: "Send it in parts."}
		}
		return nil, invalid("the body cannot be read: %v", err)
	}
	r.sent = data
	r.Body = io.NopCloser(bytes.NewReader(data))
	return forget, nil
}

// bodyReader reads a request's body and remembers what its reading failed with: whoever
// reads a format may report that as something of its own.
type bodyReader struct {
	read func(p []byte) (int, error)
	err  error
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.read(p)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		b.err = err
	}
	return n, err
}

// body is what was sent, within the bound. A content encoding of gzip is undone; what
// is compressed without saying so is known by its first bytes.
func (r *request) body(s *Server) *bodyReader {
	raw := http.MaxBytesReader(r.w, r.Body, s.o.Limits.MaxBody)
	if !strings.EqualFold(r.Header.Get("Content-Encoding"), "gzip") {
		return &bodyReader{read: raw.Read}
	}
	var z *gzip.Reader
	return &bodyReader{read: func(p []byte) (int, error) {
		if z == nil {
			var err error
			if z, err = gzip.NewReader(raw); err != nil {
				return 0, err
			}
		}
		return z.Read(p)
	}}
}

// otlp hands a request to the receiver of OpenTelemetry profiles.
func (s *Server) otlp(ctx context.Context, r *request) (any, error) {
	s.o.Profiles.ServeHTTP(r.w, r.WithContext(project.With(ctx, r.project)))
	return done{}, nil
}
