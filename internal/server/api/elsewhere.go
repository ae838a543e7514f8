package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"whyhot/internal/server/peers"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

// lookAgain is how often it is looked which server answers, while none does.
const lookAgain = 20 * time.Millisecond

// cutOff is for how long the server that answers cannot be reached until no question waits for
// it any more: another one would have taken its place if it was gone. It is between this
// server and that one that nothing gets through, and others may answer.
const cutOff = 4 * time.Second

// maxPassedOn bounds the body of what is passed on and is no profile.
const maxPassedOn = 16 << 20

// answered says why a question about a project cannot be answered here.
func (r *request) answered(p *project.Project) error {
	if r.route.samples && !r.writer {
		return p.Readable()
	}
	_, answering := p.Ready()
	return answering
}

// elsewhere passes a question on where another server answers those about its project. While
// none does, as when one has just gone, it waits for one, as long as for a slot.
func (s *Server) elsewhere(r *request) (passed bool, err error) {
	p, done, err := s.Project(r.Context(), r.grant, r.about, r.route.scope)
	if err != nil {
		return false, err
	}
	defer done()
	here := func() bool { return r.answered(p) == nil }
	if here() {
		return false, nil
	}
	if s.o.Cluster.Of(r.Request) {
		peers.NotHere(r.w)
		return false, fmt.Errorf("%w: it is another server's", store.ErrAway)
	}
	q := &peers.Question{Request: r.Request, Body: r.sent, Session: s.sessionOf(r.Request), Repeat: r.Method == http.MethodGet || r.route.connect}
	if q.Body == nil {
		if q.Body, err = io.ReadAll(http.MaxBytesReader(r.w, r.Body, maxPassedOn)); err != nil {
			return false, err
		}
		r.sent = q.Body
	}
	again := fmt.Errorf("%w: no server writes to it", store.ErrAway)
	for end := time.Now().Add(s.o.Limits.SlotWait); time.Now().Before(end); {
		if here() {
			r.Body = io.NopCloser(bytes.NewReader(r.sent))
			return false, nil
		}
		if to := p.Holder(); to != "" {
			q.Stale = func() bool { return p.Holder() != to }
			if err := s.o.Cluster.Pass(r.w, q, to); !errors.Is(err, peers.ErrAgain) {
				return true, err
			} else if err != nil {
				again = fmt.Errorf("%w: %w", store.ErrAway, err)
			}
			if s.o.Cluster.Unreached(to) > cutOff {
				return false, again
			}
		}
		select {
		case <-r.Context().Done():
			return false, r.Context().Err()
		case <-time.After(lookAgain):
		}
	}
	return false, again
}
